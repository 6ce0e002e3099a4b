//! A state with what the session knows of it: the last entry that it holds, and the keys of operations that are logged once.

use abide_wire::{Raw, WalEntry};

use crate::{
    once_keys::OnceKeys,
    state::{State, StateError},
};

/// A state together with the last entry that it holds.
#[derive(Debug)]
pub(crate) struct SequencedState<S> {
    pub(crate) state: S,
    pub(crate) sequence: u64,
    /// Keys of operations that are logged once and that it holds.
    pub(crate) once: OnceKeys,
}

impl<S> SequencedState<S> {
    /// A state that holds what came up to this entry.
    pub(crate) fn new(state: S, sequence: u64) -> Self {
        Self { state, sequence, once: OnceKeys::default() }
    }
}

impl<S: State> SequencedState<S> {
    /// The whole state as it is stored.
    pub(crate) fn snapshot(&self) -> Result<Raw, StateError> {
        self.once.beside(self.state.snapshot()?)
    }

    /// Restores a stored state into the fresh one.
    pub(crate) fn restore(&mut self, stored: &Raw) -> Result<(), StateError> {
        let (once, own) = OnceKeys::take_back(stored)?;
        self.once = once;
        self.state.restore(&own)
    }

    /// Applies the next entry.
    pub(crate) fn apply(&mut self, entry: &WalEntry) -> Result<(), StateError> {
        let next = self.sequence.saturating_add(1);
        if entry.sequence != next {
            let message = format!("entry {} is out of order: {next} comes next", entry.sequence);
            return Err(StateError::new(message));
        }
        self.state.apply(entry)?;
        self.once.add_of(entry);
        self.sequence = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use abide_wire::{Raw, WalEntry};
    use serde_json::{Value, json};

    use super::SequencedState;
    use crate::state::{State, StateError, pack, unpack};

    #[derive(Default)]
    struct Count(u64);

    impl State for Count {
        fn apply(&mut self, _entry: &WalEntry) -> Result<(), StateError> {
            self.0 += 1;
            Ok(())
        }
        fn snapshot(&self) -> Result<Raw, StateError> {
            pack(&json!({"count": self.0}))
        }
        fn restore(&mut self, snapshot: &Raw) -> Result<(), StateError> {
            let value: Value = unpack(snapshot)?;
            self.0 = value["count"].as_u64().ok_or_else(|| StateError::new("no count"))?;
            Ok(())
        }
    }

    #[test]
    fn an_entry_is_applied_only_after_the_one_before() {
        let mut sequenced = SequencedState::new(Count::default(), 4);
        let entry = |sequence| WalEntry::new(sequence, "x", Raw::empty_map());
        assert!(sequenced.apply(&entry(4)).is_err() && sequenced.apply(&entry(6)).is_err());
        sequenced.apply(&entry(5)).unwrap();
        assert_eq!((sequenced.state.0, sequenced.sequence), (1, 5));
    }
}
