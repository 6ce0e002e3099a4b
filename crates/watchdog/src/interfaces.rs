//! What the watchdog asks of the world. Each is handed in; none may wait for long: a role that takes more than ten seconds
//! is taken to have failed.

use std::fmt;

use abide_domain::{AgentId, EpisodeId, Timestamp, event::watchdog::Proof};
use abide_ledger::{Draft, Entry};
use futures_util::future::BoxFuture;

use crate::{Notice, Observation, Page};

/// Public evidence.
pub trait Observer: Send + Sync + fmt::Debug {
    /// Looks at all registered agents. "Nothing there" and "could not look" never share a value.
    fn observe(&self) -> BoxFuture<'_, Result<Observation, ObserveError>>;
}

/// Evidence could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("evidence cannot be read: {0}")]
pub struct ObserveError(pub String);

/// The first rung: asks an agent's process whether it breathes.
pub trait Bell: Send + Sync + fmt::Debug {
    /// Rings; ends with the answer, or when it is sure that none can come. The watchdog stops waiting after the bell's window.
    fn ring(&self, agent: AgentId, episode: EpisodeId) -> BoxFuture<'_, BellOutcome>;
}

/// What a bell brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BellOutcome {
    /// The process breathes. That is no evidence.
    Pong,
    /// The agent's mind has no process.
    NoProcess,
    /// It could not be delivered: why.
    NotDelivered(String),
    /// It was delivered, and nobody answered.
    Silent,
}

/// The second rung: says it where the agent, its relay and its peers read it.
pub trait Pager: Send + Sync + fmt::Debug {
    /// Sends all lines of a page ([`Page::texts`]), or fails.
    fn page(&self, page: Page) -> BoxFuture<'_, Delivery>;
}

/// The third rung: one service that tells people. It does not know its name, does not try again and writes nothing down.
pub trait Notifier: Send + Sync + fmt::Debug {
    /// Delivers to at least one person. The notice's id is the key by which a receiver can tell a repetition.
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery>;
}

/// What became of a page or a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It is there, as far as can be known.
    Delivered {
        /// How sure that is.
        proof: Proof,
        /// By what means, for people, without secrets.
        by: String,
    },
    /// It is not: why, for people, without secrets.
    Failed(String),
}

/// Where it all is written down.
pub trait Recorder: Send + Sync + fmt::Debug {
    /// Appends lines as one batch; ends when they are durable, with their time.
    fn append(&self, drafts: Vec<Draft>) -> BoxFuture<'_, Result<Timestamp, RecorderError>>;

    /// Shows every line since a moment, oldest first, for a report.
    fn read<'a>(
        &'a self,
        from: Timestamp,
        each: &'a mut (dyn FnMut(&Entry) + Send),
    ) -> BoxFuture<'a, Result<(), RecorderError>>;
}

/// The record cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the watchdog cannot write or read the ledger: {0}")]
pub struct RecorderError(pub String);

/// Whoever notices when the watchdog itself is no more: pinged after every good scan, it calls a person when pings stop.
pub trait DeadManPing: Send + Sync + fmt::Debug {
    /// Pings.
    fn ping(&self, pulse: Pulse) -> BoxFuture<'_, Delivery>;
}

/// What a ping says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pulse {
    /// A scan judged all agents.
    Good,
    /// Agents have not been judged for longer than the threshold: why.
    Blind(String),
}
