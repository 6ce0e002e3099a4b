//! Commands to an agent's actor, of a person or the engine, and why one fails.

use std::time::Duration;

use abide_wire::EvolutionResult;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::code::{LoadedCandidate, ProgramCode, ProgramCodes};
use crate::{agent::QueuedTurn, checkpoint::StoredCheckpoint, link::Connection};

/// Where the answer to a command goes.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, ProcessCommandError>>;

/// A command to an agent's actor.
#[derive(Debug)]
pub(crate) enum Command {
    /// A turn to be answered.
    Ask(Box<QueuedTurn>),
    /// A process of the agent has connected by itself.
    Connected(Box<Connection>),
    /// End the run and begin another.
    Restart(Reply<()>),
    /// End the run and begin none.
    Park(Reply<()>),
    /// Runs may begin again.
    Resume(Reply<()>),
    /// Ping the process.
    Ping(Reply<Duration>),
    /// Have a checkpoint made.
    Checkpoint(Reply<StoredCheckpoint>),
    /// Go back to a checkpoint.
    Restore(Uuid, Reply<RestoreSummary>),
    /// Tell the process what became of its proposal.
    SayEvolutionResult(Box<EvolutionResult>, Reply<()>),
    /// Start the process, where none runs.
    Wake(Reply<()>),
    /// This is the code in force beside the program's own.
    RunCode(ProgramCodes, WithCodes),
    /// Load a candidate.
    Reload(Box<ProgramCode>, Reply<LoadedCandidate>),
}

/// What goes with other code.
#[derive(Debug)]
pub(crate) enum WithCodes {
    /// Nothing: the state stays.
    Nothing(Reply<()>),
    /// Go back to a checkpoint.
    Restore(Uuid, Reply<RestoreSummary>),
}

/// What a restore by hand did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreSummary {
    /// The checkpoint that is in force.
    pub checkpoint: StoredCheckpoint,
    /// What does not count any more and where it is, one sentence each.
    pub report: Vec<String>,
}

/// Says why a command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessCommandError {
    /// There is no such agent among those that are kept as processes.
    #[error("agent `{agent}` does not exist, or does not run as a process")]
    UnknownAgent {
        /// The id that was given.
        agent: String,
    },
    /// There is no such checkpoint.
    #[error("there is no checkpoint {id}")]
    UnknownCheckpoint {
        /// The id that was given.
        id: Uuid,
    },
    /// The process is not in a state for it.
    #[error("{reason}")]
    Conflict {
        /// Why not, and what would help.
        reason: String,
    },
    /// The process did not do it in time.
    #[error("the agent's process did not answer within {seconds} s")]
    TimedOut {
        /// How long was waited.
        seconds: u64,
    },
    /// It was tried and failed; what was before still stands.
    #[error("{reason}")]
    Failed {
        /// Why.
        reason: String,
    },
    /// The keeper is stopping.
    #[error("the keeper is stopping")]
    Stopping,
}

impl ProcessCommandError {
    pub(crate) fn conflict(reason: impl Into<String>) -> Self {
        Self::Conflict { reason: reason.into() }
    }

    pub(crate) fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into() }
    }
}
