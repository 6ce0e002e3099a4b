//! The state behind a lock, for all tasks: one writes it, everybody reads.
//!
//! It must never be read a second time by whoever reads it already: where the projector asked for it in between, neither would
//! ever go on, and the whole keeper with them. A debug build panics there.

use std::{
    ops::Deref,
    sync::{PoisonError, RwLock, RwLockReadGuard},
};

use abide_ledger::Entry;
use tokio::sync::watch;

use crate::state::{FoldError, State};

/// The state, locked for reading. Hold it shortly, never across an await, and read no second time while you do.
#[derive(Debug)]
pub struct StateGuard<'a> {
    state: RwLockReadGuard<'a, State>,
    #[cfg(debug_assertions)]
    _reading: reading::Reading,
}

impl Deref for StateGuard<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

/// Which state this thread reads.
#[cfg(debug_assertions)]
mod reading {
    use std::cell::Cell;

    thread_local! {
        static READ: Cell<usize> = const { Cell::new(0) };
    }

    /// That a thread reads a state, as long as it lives.
    #[derive(Debug)]
    pub(super) struct Reading(usize);

    impl Reading {
        /// The thread begins to read the state at that address.
        pub(super) fn of(address: usize) -> Self {
            let before = READ.replace(address);
            assert!(before != address, "the state is read by whoever reads it already: a deadlock");
            Self(before)
        }
    }

    impl Drop for Reading {
        fn drop(&mut self) {
            READ.set(self.0);
        }
    }
}

/// The state, and how far the ledger has been applied to it. The projector writes, everybody reads.
#[derive(Debug)]
pub struct StateView {
    state: RwLock<State>,
    applied: watch::Sender<u64>,
}

impl StateView {
    /// Shares this state.
    pub fn new(state: State) -> Self {
        let applied = watch::Sender::new(state.seq);
        Self { state: RwLock::new(state), applied }
    }

    /// The state, locked for reading.
    pub fn read(&self) -> StateGuard<'_> {
        #[cfg(debug_assertions)]
        let reading = reading::Reading::of(std::ptr::from_ref(self).addr());
        // A panic while the lock was held is already a crash of the projector; readers see the last whole state.
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        StateGuard {
            state,
            #[cfg(debug_assertions)]
            _reading: reading,
        }
    }

    /// Applies events in order; they are not published yet.
    pub(crate) fn apply(&self, entries: &[Entry]) -> Result<(), FoldError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        entries.iter().try_for_each(|entry| state.apply(entry))
    }

    /// Says that everything up to `seq` is applied, in the state and in all projections.
    pub(crate) fn publish(&self, seq: u64) {
        self.applied.send_replace(seq);
    }

    /// Waits until everything up to `seq` is applied. Returns early only when the projector is gone.
    pub async fn applied(&self, seq: u64) {
        let mut applied = self.applied.subscribe();
        // The sender lives as long as `self`, so the wait cannot fail.
        drop(applied.wait_for(|applied| *applied >= seq).await);
    }

    /// Follows how far the ledger has been applied.
    pub fn applications(&self) -> watch::Receiver<u64> {
        self.applied.subscribe()
    }
}
