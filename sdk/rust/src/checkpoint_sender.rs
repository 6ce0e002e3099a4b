//! The agent's private state on its way to the keeper and back: checkpoints out, restore in.
//!
//! A checkpoint names the last entry that it holds. A restore that cannot be taken is refused aloud; it never becomes a
//! silent empty start.

use abide_wire::{Checkpoint, EncodeError, Payload, Restore, Version};
use tokio::{sync::oneshot, time::Instant};

use crate::{
    keeper::Desk,
    limits::CHECKPOINT_ACK,
    sender::SendError,
    state::{Kept, State, StateError},
};

/// Where a checkpoint's outcome goes.
pub(crate) type Waiter = oneshot::Sender<Result<String, CheckpointError>>;

/// Why the state was not written down. The keeper still has the checkpoint before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CheckpointError {
    /// The agent keeps no state.
    #[error("this agent keeps no state: give it one with `Agent::keeping`")]
    Stateless,
    /// The state could not be written down.
    #[error("the state cannot be written down: {0}")]
    State(String),
    /// The state is too long.
    #[error("the state cannot be sent")]
    TooLarge(#[from] EncodeError),
    /// The keeper could not store it.
    #[error("the keeper could not store the checkpoint: {0}")]
    Refused(String),
    /// Nothing was heard of it.
    #[error("no word of the checkpoint within {} s", CHECKPOINT_ACK.as_secs())]
    NoWord,
    /// Too many wait for one.
    #[error("too many callers wait for a checkpoint")]
    Busy,
    /// The link is gone.
    #[error("the link to the keeper was lost before the checkpoint was acknowledged")]
    LinkLost,
}

/// The checkpoint on its way, if any: one at a time.
#[derive(Debug, Default)]
pub(crate) struct Keeping {
    /// Whether the keeper asked for the next one.
    is_asked: bool,
    on_its_way: Option<OnItsWay>,
    /// Checkpoints that were given up and whose answer is still to come: it must not be taken for a later one's.
    given_up: usize,
}

#[derive(Debug)]
struct OnItsWay {
    waiters: Vec<Waiter>,
    deadline: Instant,
}

impl Keeping {
    /// The keeper asks for one.
    pub(crate) fn ask(&mut self) {
        self.is_asked = true;
    }

    /// Whether one is on its way.
    pub(crate) fn is_busy(&self) -> bool {
        self.on_its_way.is_some()
    }

    /// When the one on its way is given up.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.on_its_way.as_ref().map(|one| one.deadline)
    }

    /// Sends one if somebody asked and none is on its way. An error is the keeper's to hear: it asked.
    pub(crate) fn start<S: State>(&mut self, desk: &Desk<S>) -> Result<(), CheckpointError> {
        if self.is_busy() {
            return Ok(());
        }
        let waiters = desk.take_waiters();
        let is_asked = std::mem::take(&mut self.is_asked);
        if waiters.is_empty() && !is_asked {
            return Ok(());
        }
        desk.sender.progress.step();
        match send(desk) {
            Ok(()) => {
                let deadline = Instant::now() + CHECKPOINT_ACK;
                self.on_its_way = Some(OnItsWay { waiters, deadline });
                Ok(())
            }
            Err(error) => {
                settle(waiters, &Err(error.clone()));
                if is_asked { Err(error) } else { Ok(()) }
            }
        }
    }

    /// It is durable.
    pub(crate) fn acknowledged(&mut self, checkpoint_id: String) {
        self.answered(&Ok(checkpoint_id));
    }

    /// The keeper could not store it.
    pub(crate) fn refuse(&mut self, message: String) {
        self.answered(&Err(CheckpointError::Refused(message)));
    }

    /// Gives up one whose time is over.
    pub(crate) fn look_at_clock(&mut self) {
        if self.on_its_way.as_ref().is_some_and(|one| one.deadline <= Instant::now()) {
            self.given_up += 1;
            self.end(&Err(CheckpointError::NoWord));
        }
    }

    /// Ends what waits.
    pub(crate) fn close(&mut self) {
        self.end(&Err(CheckpointError::LinkLost));
    }

    fn answered(&mut self, outcome: &Result<String, CheckpointError>) {
        if self.given_up > 0 {
            self.given_up -= 1;
        } else {
            self.end(outcome);
        }
    }

    fn end(&mut self, outcome: &Result<String, CheckpointError>) {
        if let Some(one) = self.on_its_way.take() {
            settle(one.waiters, outcome);
        }
    }
}

fn settle(waiters: Vec<Waiter>, outcome: &Result<String, CheckpointError>) {
    for waiter in waiters {
        // Nobody need wait.
        drop(waiter.send(outcome.clone()));
    }
}

fn send<S: State>(desk: &Desk<S>) -> Result<(), CheckpointError> {
    if !S::IS_KEPT {
        return Err(CheckpointError::Stateless);
    }
    let (snapshot, sequence) = desk.with_kept(|kept| (kept.state.snapshot(), kept.sequence));
    let snapshot = snapshot.map_err(|error| CheckpointError::State(error.to_string()))?;
    if !snapshot.is_map() {
        return Err(CheckpointError::State("must be a map".into()));
    }
    let state = Payload::pack(snapshot, Version::V3)
        .map_err(|problem| CheckpointError::State(problem.to_string()))?;
    let sent = desk.sender.send_unread(Checkpoint { state, wal_sequence: Some(sequence) });
    sent.map_err(|error| match error {
        SendError::Unfit(error) => CheckpointError::TooLarge(error),
        SendError::Invalid(refusal) => CheckpointError::State(refusal.to_string()),
        SendError::LinkLost => CheckpointError::LinkLost,
    })
}

/// Takes a state back into one that is as it was made, and gives it with the last sequence that it stands for.
pub(crate) fn take_back<S: State>(fresh: S, restore: &Restore) -> Result<Kept<S>, StateError> {
    let snapshot =
        restore.state.unpack().map_err(|problem| StateError::new(problem.to_string()))?;
    let next = restore.next_sequence.unwrap_or(1);
    let first = restore.wal_entries.first().map_or(next, |entry| entry.sequence);
    let mut kept = Kept { state: fresh, sequence: first.saturating_sub(1) };
    if !restore.checkpoint_id.is_empty() || !snapshot.is_empty_map() {
        kept.state.restore(&snapshot)?;
    }
    for entry in &restore.wal_entries {
        kept.apply(entry)?;
    }
    if kept.sequence >= next {
        let words = format!("the last entry is {}, and {next} is to come next", kept.sequence);
        return Err(StateError::new(words));
    }
    // Numbers between may have been used once: entries that a restore by hand set aside.
    kept.sequence = next.saturating_sub(1);
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use abide_wire::{Payload, Raw, Restore, WalEntry};

    use super::take_back;
    use crate::state::{State, StateError, Stateless};

    #[derive(Debug, Default)]
    struct Seen(Vec<String>);

    impl State for Seen {
        fn apply(&mut self, entry: &WalEntry) -> Result<(), StateError> {
            self.0.push(entry.sequence.to_string());
            Ok(())
        }
        fn snapshot(&self) -> Result<Raw, StateError> {
            Ok(Raw::empty_map())
        }
        fn restore(&mut self, _snapshot: &Raw) -> Result<(), StateError> {
            self.0.push("snapshot".into());
            Ok(())
        }
    }

    fn restore(id: &str, sequences: &[u64], next: u64) -> Restore {
        Restore {
            checkpoint_id: id.into(),
            state: Payload::empty(),
            wal_entries: sequences
                .iter()
                .map(|n| WalEntry::new(*n, "x", Raw::empty_map()))
                .collect(),
            next_sequence: Some(next),
        }
    }

    #[test]
    fn snapshot_and_entries_come_in_order_and_the_next_number_is_the_keepers() {
        let cases: [(&str, &[u64], u64, &[&str]); 4] = [
            ("c1", &[4, 5], 6, &["snapshot", "4", "5"]),
            ("", &[1, 2], 3, &["1", "2"]),
            ("c1", &[], 9, &["snapshot"]),
            ("c1", &[4], 9, &["snapshot", "4"]),
        ];
        for (id, sequences, next, expected) in cases {
            let kept = take_back(Seen::default(), &restore(id, sequences, next)).unwrap();
            assert_eq!(
                (kept.state.0, kept.sequence),
                (expected.iter().map(ToString::to_string).collect(), next - 1)
            );
        }
    }

    #[test]
    fn entries_that_do_not_follow_are_refused() {
        for (sequences, next) in [(&[1, 3][..], 4), (&[2, 1], 3), (&[1, 1], 2), (&[1, 2], 2)] {
            assert!(
                take_back(Seen::default(), &restore("", sequences, next)).is_err(),
                "{sequences:?}"
            );
        }
    }

    #[test]
    fn an_agent_without_a_state_refuses_one() {
        assert!(take_back(Stateless, &restore("", &[], 5)).is_ok());
        assert!(take_back(Stateless, &restore("c1", &[], 5)).is_err());
        assert!(take_back(Stateless, &restore("", &[4], 5)).is_err());
    }
}
