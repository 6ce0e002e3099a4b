//! A wait whose end is known: whoever is in one is not silent (decision 58).

use crate::Timestamp;

/// A wait whose end is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KnownWait {
    /// For what.
    pub reason: WaitReason,
    /// When it ends at the latest, by the ledger's time.
    pub until: Timestamp,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitReason {
    /// The pause that a model's provider asked for before it is asked again.
    Provider,
    /// A call of a tool, which has a time limit of its own.
    Tool,
}

impl WaitReason {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Tool => "tool",
        }
    }
}
