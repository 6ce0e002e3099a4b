//! The registry that holds now. Tools of other programs come and go while agents work: what uses several tools in a row takes
//! one registry and keeps it until it is done.

use std::sync::Arc;

use arc_swap::ArcSwap;

use abide_domain::tool::ToolSpec;

use crate::{Registry, ToolMeanings};

/// A registry that can be replaced. One for all agents of a keeper.
#[derive(Debug)]
pub struct SharedRegistry {
    current: ArcSwap<Registry>,
    meanings: Option<ToolMeanings>,
}

impl SharedRegistry {
    /// One that begins with the given registry.
    pub fn new(registry: Registry) -> Self {
        Self { current: ArcSwap::from_pointee(registry), meanings: None }
    }

    /// The same, whose tools are found by meaning too.
    pub fn with_meanings(self, meanings: Option<ToolMeanings>) -> Self {
        Self { meanings, ..self }
    }

    /// How like each of these tools is to a text by meaning, in their order; empty where that is not known.
    pub async fn likeness(&self, specs: &[ToolSpec], text: &str) -> Vec<f64> {
        match &self.meanings {
            Some(meanings) => meanings.likeness(specs, text).await,
            None => Vec::new(),
        }
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
