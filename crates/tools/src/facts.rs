//! What the memory tools may look up: the facts of the one agent that calls.
//!
//! A role, so that tools cannot change memory (they stage events) and tests need no database. "Nothing there" and "could
//! not look" stay apart.

use std::fmt;

use abide_domain::{EpochId, FactId};
use abide_memory::{Found, KnowledgeHandle};

/// The facts of one agent, to be looked up.
pub trait Facts: Send + Sync + fmt::Debug {
    /// Looks for facts in force, best first.
    fn search(&self, words: &str, limit: usize) -> Found;

    /// Says whether a fact can be forgotten in an epoch: it is in force, or that epoch staged it. `Err` means that one
    /// could not look, and why.
    fn is_known(&self, fact_id: FactId, epoch: EpochId) -> Result<bool, String>;
}

impl Facts for KnowledgeHandle {
    fn search(&self, words: &str, limit: usize) -> Found {
        Self::search(self, words, limit)
    }

    fn is_known(&self, fact_id: FactId, epoch: EpochId) -> Result<bool, String> {
        Self::is_known(self, fact_id, Some(epoch)).map_err(|error| error.to_string())
    }
}
