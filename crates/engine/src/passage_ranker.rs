//! The order of what a question finds, where an agent has a rule of its own for it.

use std::fmt::Debug;

use abide_domain::{AgentId, EpochId, Timestamp};
use abide_memory::RankablePassage;
use futures_util::future::BoxFuture;

/// What is to be ranked: the passages that an epoch's question found.
#[derive(Clone, Copy, Debug)]
pub struct RankingTask<'a> {
    /// The agent that remembers.
    pub agent: &'a AgentId,
    /// The epoch whose stimulus asks.
    pub epoch: EpochId,
    /// The question.
    pub question: &'a str,
    /// Who asks.
    pub asker: &'a str,
    /// The present, in conversational time.
    pub now: Timestamp,
    /// The best passages, in the order in which they were found.
    pub passages: &'a [RankablePassage],
}

/// Ranks found passages by an agent's own rule. It must answer within a bound of its own, and it never fails: where it has no
/// order, that in which they were found holds.
pub trait PassageRanker: Send + Sync + Debug {
    /// Whether the agent has a rule of its own now. Where it has none, nothing is gathered for it.
    fn is_active(&self, agent: &AgentId) -> bool;

    /// The rows of the passages, best first; none: as they were found.
    fn rank<'a>(&'a self, task: RankingTask<'a>) -> BoxFuture<'a, Option<Vec<u64>>>;
}
