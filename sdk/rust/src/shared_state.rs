//! What the session and the handler's [`crate::Keeper`] handles share: the way out, the state, the write-ahead log's queue.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use tokio::sync::Notify;

use crate::{
    checkpoint::CheckpointWaiters, sender::Sender, sequenced_state::SequencedState,
    wal_queue::WalQueue,
};

/// Shared by the session and its [`crate::Keeper`] handles. Locks are held briefly and one at a time, except around a
/// callback that reads the state.
pub(crate) struct SharedState<S> {
    pub(crate) sender: Sender,
    state: RwLock<SequencedState<S>>,
    wal: Mutex<WalQueue>,
    checkpoint_waiters: Mutex<CheckpointWaiters>,
    /// Wakes the session: there is something to send.
    pub(crate) wake: Notify,
}

impl<S> SharedState<S> {
    pub(crate) fn new(sender: Sender, state: S) -> Self {
        Self {
            sender,
            state: RwLock::new(SequencedState::new(state, 0)),
            wal: Mutex::new(WalQueue::new()),
            checkpoint_waiters: Mutex::default(),
            wake: Notify::new(),
        }
    }

    pub(crate) fn wal(&self) -> MutexGuard<'_, WalQueue> {
        self.wal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn checkpoint_waiters(&self) -> MutexGuard<'_, CheckpointWaiters> {
        self.checkpoint_waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the state with the last entry that it holds.
    pub(crate) fn with_state<T>(&self, read: impl FnOnce(&SequencedState<S>) -> T) -> T {
        read(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the state; only the session does.
    pub(crate) fn with_state_mut<T>(&self, change: impl FnOnce(&mut SequencedState<S>) -> T) -> T {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends everything that waits.
    pub(crate) fn close(&self) {
        self.wal().close();
        self.checkpoint_waiters().close();
    }
}
