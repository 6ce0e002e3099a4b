//! Checkpoints on their way to the keeper, one at a time. Each names the last entry that it holds.

use abide_wire::{Checkpoint, Payload, Version};
use tokio::time::Instant;

use crate::{
    checkpoint::{CheckpointError, CheckpointWaiter},
    limits::CHECKPOINT_ACK_TIMEOUT,
    sender::SendError,
    shared_state::SharedState,
    state::State,
};

/// Sends checkpoints and waits for their acknowledgement.
#[derive(Debug, Default)]
pub(crate) struct CheckpointSender {
    /// Whether the keeper asked for the next one.
    is_requested: bool,
    pending: Option<PendingCheckpoint>,
    /// Checkpoints that timed out and whose answer is still to come: it must not be taken for a later one's.
    timed_out: usize,
}

#[derive(Debug)]
struct PendingCheckpoint {
    waiters: Vec<CheckpointWaiter>,
    deadline: Instant,
}

impl CheckpointSender {
    /// Notes that the keeper asks for a checkpoint.
    pub(crate) fn request(&mut self) {
        self.is_requested = true;
    }

    /// Whether a checkpoint waits for its acknowledgement.
    pub(crate) fn is_busy(&self) -> bool {
        self.pending.is_some()
    }

    /// When the pending checkpoint times out.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.pending.as_ref().map(|pending| pending.deadline)
    }

    /// Sends a checkpoint if one is asked for and none is pending. An error is given only where the keeper asked.
    pub(crate) fn start<S: State>(
        &mut self,
        shared: &SharedState<S>,
    ) -> Result<(), CheckpointError> {
        if self.is_busy() {
            return Ok(());
        }
        let waiters = shared.checkpoint_waiters().take();
        let is_requested = std::mem::take(&mut self.is_requested);
        if waiters.is_empty() && !is_requested {
            return Ok(());
        }
        shared.sender.progress.step();
        match send_checkpoint(shared) {
            Ok(()) => {
                let deadline = Instant::now() + CHECKPOINT_ACK_TIMEOUT;
                self.pending = Some(PendingCheckpoint { waiters, deadline });
                Ok(())
            }
            Err(error) => {
                notify_waiters(waiters, &Err(error.clone()));
                if is_requested { Err(error) } else { Ok(()) }
            }
        }
    }

    /// Takes the keeper's word that the checkpoint is durable.
    pub(crate) fn acknowledged(&mut self, checkpoint_id: String) {
        self.finish(&Ok(checkpoint_id));
    }

    /// Takes the keeper's word that it could not store the checkpoint.
    pub(crate) fn refuse(&mut self, message: String) {
        self.finish(&Err(CheckpointError::Refused(message)));
    }

    /// Gives up the pending checkpoint where its time is over.
    pub(crate) fn check_timeout(&mut self) {
        if self.pending.as_ref().is_some_and(|pending| pending.deadline <= Instant::now()) {
            self.timed_out += 1;
            self.end(&Err(CheckpointError::TimedOut));
        }
    }

    /// Ends every wait, with the link.
    pub(crate) fn close(&mut self) {
        self.end(&Err(CheckpointError::LinkLost));
    }

    fn finish(&mut self, outcome: &Result<String, CheckpointError>) {
        if self.timed_out > 0 {
            self.timed_out -= 1;
        } else {
            self.end(outcome);
        }
    }

    fn end(&mut self, outcome: &Result<String, CheckpointError>) {
        if let Some(pending) = self.pending.take() {
            notify_waiters(pending.waiters, outcome);
        }
    }
}

fn notify_waiters(waiters: Vec<CheckpointWaiter>, outcome: &Result<String, CheckpointError>) {
    for waiter in waiters {
        // A waiter may have been dropped.
        drop(waiter.send(outcome.clone()));
    }
}

fn send_checkpoint<S: State>(shared: &SharedState<S>) -> Result<(), CheckpointError> {
    if !S::IS_KEPT {
        return Err(CheckpointError::Stateless);
    }
    let (snapshot, sequence) = shared.with_state(|state| (state.snapshot(), state.sequence));
    let snapshot = snapshot.map_err(|error| CheckpointError::State(error.to_string()))?;
    if !snapshot.is_map() {
        return Err(CheckpointError::State("the snapshot must be a map".into()));
    }
    let state = Payload::pack(snapshot, Version::V3)
        .map_err(|error| CheckpointError::State(error.to_string()))?;
    let sent = shared.sender.send_unchecked(Checkpoint { state, wal_sequence: Some(sequence) });
    sent.map_err(|error| match error {
        SendError::Encode(error) => CheckpointError::TooLarge(error),
        SendError::Invalid(refusal) => CheckpointError::State(refusal.to_string()),
        SendError::LinkLost => CheckpointError::LinkLost,
    })
}
