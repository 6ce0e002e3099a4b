//! Why a checkpoint fails, and who waits for the next one.

use abide_wire::EncodeError;
use tokio::sync::oneshot;

use crate::limits::{CHECKPOINT_ACK_TIMEOUT, CHECKPOINT_WAITERS_MAX};

/// Sends a checkpoint's outcome to the handler that asked for it.
pub(crate) type CheckpointWaiter = oneshot::Sender<Result<String, CheckpointError>>;

/// Why no checkpoint was made. The keeper still has the one before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CheckpointError {
    /// The agent keeps no state.
    #[error("this agent keeps no state: give it one with `Agent::keeping`")]
    Stateless,
    /// The state could not be turned into a snapshot.
    #[error("the state cannot be turned into a snapshot: {0}")]
    State(String),
    /// The snapshot is too large.
    #[error("the checkpoint cannot be sent")]
    TooLarge(#[from] EncodeError),
    /// The keeper could not store it.
    #[error("the keeper could not store the checkpoint: {0}")]
    Refused(String),
    /// The keeper did not answer in time.
    #[error("the keeper did not acknowledge the checkpoint within {} s", CHECKPOINT_ACK_TIMEOUT.as_secs())]
    TimedOut,
    /// Too many callers wait for a checkpoint.
    #[error("{CHECKPOINT_WAITERS_MAX} callers already wait for a checkpoint")]
    Busy,
    /// The link broke.
    #[error("the link to the keeper was lost before the checkpoint was acknowledged")]
    LinkLost,
}

/// The handlers that wait for the next checkpoint, until the link ends.
#[derive(Debug, Default)]
pub(crate) struct CheckpointWaiters {
    waiters: Vec<CheckpointWaiter>,
    is_closed: bool,
}

impl CheckpointWaiters {
    /// Adds a waiter and gives the end at which it receives the checkpoint's id.
    pub(crate) fn add(
        &mut self,
    ) -> Result<oneshot::Receiver<Result<String, CheckpointError>>, CheckpointError> {
        if self.is_closed {
            return Err(CheckpointError::LinkLost);
        }
        if self.waiters.len() >= CHECKPOINT_WAITERS_MAX {
            return Err(CheckpointError::Busy);
        }
        let (waiter, stored) = oneshot::channel();
        self.waiters.push(waiter);
        Ok(stored)
    }

    /// All waiters; the next ones wait for another checkpoint.
    pub(crate) fn take(&mut self) -> Vec<CheckpointWaiter> {
        std::mem::take(&mut self.waiters)
    }

    /// Ends every wait, now and later.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
        for waiter in self.waiters.drain(..) {
            drop(waiter.send(Err(CheckpointError::LinkLost)));
        }
    }
}
