//! What the client is given besides its configuration.

use std::{fmt, sync::Arc};

use abide_domain::Clock;

use super::event::ClientState;
use crate::irc::spoken::SpokenLine;

/// Where the spread of waiting times comes from. The system's randomness in the binary, fixed in tests.
pub trait Jitter: Send + Sync + fmt::Debug {
    /// A number from 0 to 1.
    fn fraction(&self) -> f64;
}

/// Gets what happens on the network.
pub trait ClientListener: Send + Sync + fmt::Debug {
    /// Something was said where the agent is, or to it. Must not block.
    fn on_line(&self, line: SpokenLine);
    /// The connection changed its state. Must not block.
    fn on_state_change(&self, _state: &ClientState) {}
}

/// The clock, the jitter and the listener.
#[derive(Clone, Debug)]
pub struct ClientParts {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The spread of waiting times.
    pub jitter: Arc<dyn Jitter>,
    /// Gets what happens on the network.
    pub listener: Arc<dyn ClientListener>,
}
