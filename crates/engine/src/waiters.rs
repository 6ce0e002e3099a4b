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

    /// Notifies all who wait for an epoch, and forgets them. Nobody is forgotten without being notified: between the end
    /// in the state and the projector's word on it, a caller that finds the epoch ended takes the others with it.
    pub(crate) fn notify(&self, epoch: EpochId) {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = epochs.remove(&epoch) {
            waiting.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use abide_domain::EpochId;
    use futures_util::FutureExt as _;

    use super::Waiters;

    #[test]
    fn whoever_finds_the_epoch_ended_leaves_nobody_waiting() {
        let waiters = Waiters::default();
        let epoch: EpochId = "0193e0f0-0000-7000-8000-000000000000".parse().unwrap();
        let (first, second) = (waiters.of(epoch), waiters.of(epoch));
        let mut first = pin!(first.notified());
        first.as_mut().enable();
        // The second one sees the end before the projector has said it, and goes.
        drop(second);
        waiters.notify(epoch);
        assert_eq!(first.as_mut().now_or_never(), Some(()), "the first one still waits");
        // The projector's own word comes late and finds nobody.
        waiters.notify(epoch);
        assert!(waiters.epochs.lock().unwrap().is_empty());
    }
}
