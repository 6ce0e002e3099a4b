//! The state behind a lock, for all tasks: one writes it, everybody reads.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use abide_ledger::Entry;
use tokio::sync::watch;

use crate::state::{FoldError, State};

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

    /// The state, locked for reading. Never hold it across an await.
    pub fn read(&self) -> RwLockReadGuard<'_, State> {
        // A panic while the lock was held is already a crash of the projector; readers see the last whole state.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
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
