//! Callers that wait for an epoch's end.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use abide_domain::EpochId;
use tokio::sync::Notify;

/// By epoch, what its waiting callers are notified by.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    epochs: Mutex<HashMap<EpochId, Arc<Notify>>>,
}

impl Waiters {
    /// What is notified when the epoch ends. Take it before checking whether the epoch has ended.
    pub(crate) fn of(&self, epoch: EpochId) -> Arc<Notify> {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        epochs.entry(epoch).or_default().clone()
    }

    /// Notifies all who wait for an epoch, and forgets them.
    pub(crate) fn notify(&self, epoch: EpochId) {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = epochs.remove(&epoch) {
            waiting.notify_waiters();
        }
    }

    /// Forgets an epoch that had already ended.
    pub(crate) fn forget(&self, epoch: EpochId) {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        epochs.remove(&epoch);
    }
}
