//! Those who wait for an epoch's end.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use abide_domain::EpochId;
use tokio::sync::Notify;

/// Who waits for what.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    epochs: Mutex<HashMap<EpochId, Arc<Notify>>>,
}

impl Waiters {
    /// What is notified when the epoch ends. Take it before looking whether the epoch has ended.
    pub(crate) fn of(&self, epoch: EpochId) -> Arc<Notify> {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        epochs.entry(epoch).or_default().clone()
    }

    /// Tells all who wait for an epoch, and forgets them.
    pub(crate) fn ended(&self, epoch: EpochId) {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = epochs.remove(&epoch) {
            waiting.notify_waiters();
        }
    }

    /// Forgets an epoch that had ended before anybody could be told, where nobody else waits.
    pub(crate) fn forget(&self, epoch: EpochId) {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        epochs.remove(&epoch);
    }
}
