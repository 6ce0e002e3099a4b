//! The state on its way back from the keeper: the snapshot first, then the entries behind it, in order.

use abide_wire::Restore;

use crate::{
    sequenced_state::SequencedState,
    state::{State, StateError},
};

/// Restores a state into a fresh one and gives it with the last sequence that it holds. A restore that does not fit is an
/// error; it never becomes a silent empty start.
pub(crate) fn restore_state<S: State>(
    fresh: S,
    restore: &Restore,
) -> Result<SequencedState<S>, StateError> {
    let snapshot = restore.state.unpack()?;
    let next = restore.next_sequence.unwrap_or(1);
    let first = restore.wal_entries.first().map_or(next, |entry| entry.sequence);
    let mut restored = SequencedState::new(fresh, first.saturating_sub(1));
    if !restore.checkpoint_id.is_empty() || !snapshot.is_empty_map() {
        restored.restore(&snapshot)?;
    }
    for entry in &restore.wal_entries {
        restored.apply(entry)?;
    }
    if restored.sequence >= next {
        let message = format!(
            "the last restored entry is {}, but the keeper says that {next} comes next",
            restored.sequence
        );
        return Err(StateError::new(message));
    }
    // Numbers in between may have been used by entries that a manual restore removed.
    restored.sequence = next.saturating_sub(1);
    Ok(restored)
}

#[cfg(test)]
mod tests {
    use abide_wire::{Payload, Raw, Restore, WalEntry};

    use super::restore_state;
    use crate::state::{State, StateError, Stateless};

    #[derive(Debug, Default)]
    struct Recorder(Vec<String>);

    impl State for Recorder {
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
            let restored =
                restore_state(Recorder::default(), &restore(id, sequences, next)).unwrap();
            assert_eq!(
                (restored.state.0, restored.sequence),
                (expected.iter().map(ToString::to_string).collect(), next - 1)
            );
        }
    }

    #[test]
    fn entries_that_do_not_follow_are_refused() {
        for (sequences, next) in [(&[1, 3][..], 4), (&[2, 1], 3), (&[1, 1], 2), (&[1, 2], 2)] {
            assert!(
                restore_state(Recorder::default(), &restore("", sequences, next)).is_err(),
                "{sequences:?}"
            );
        }
    }

    #[test]
    fn an_agent_without_a_state_refuses_one() {
        assert!(restore_state(Stateless, &restore("", &[], 5)).is_ok());
        assert!(restore_state(Stateless, &restore("c1", &[], 5)).is_err());
        assert!(restore_state(Stateless, &restore("", &[4], 5)).is_err());
    }
}
