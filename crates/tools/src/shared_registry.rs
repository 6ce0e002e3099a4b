//! The registry that holds now. Tools of other programs come and go while agents work: what uses several tools in a row takes
//! one registry and keeps it until it is done.

use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::Registry;

/// A registry that can be replaced. One for all agents of a keeper.
#[derive(Debug)]
pub struct SharedRegistry {
    current: ArcSwap<Registry>,
}

impl SharedRegistry {
    /// One that begins with the given registry.
    pub fn new(registry: Registry) -> Self {
        Self { current: ArcSwap::from_pointee(registry) }
    }

    /// The registry that holds now.
    pub fn current(&self) -> Arc<Registry> {
        self.current.load_full()
    }

    /// Puts another one in its place, for all that is begun from now on.
    pub fn replace(&self, registry: Registry) {
        self.current.store(Arc::new(registry));
    }
}
