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
    /// Waits until the epoch has ended, as `has_ended` says; false where that knows no such epoch.
    pub(crate) async fn ended(&self, epoch: EpochId, has_ended: impl Fn() -> Option<bool>) -> bool {
        loop {
            let waiting = self.of(epoch);
            let mut notified = std::pin::pin!(waiting.notified());
            // Registered before the check, so that an end between the check and the wait is not missed.
            notified.as_mut().enable();
            match has_ended() {
                Some(false) => notified.await,
                ended => {
                    self.notify(epoch);
                    return ended.is_some();
                }
            }
        }
    }

    /// What is notified when the epoch ends. Take it before checking whether the epoch has ended.
    fn of(&self, epoch: EpochId) -> Arc<Notify> {
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
    use std::{
        pin::pin,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
        time::Duration,
    };

    use abide_domain::EpochId;
    use futures_util::FutureExt as _;
    use tokio::task::JoinSet;
    use uuid::Uuid;

    use super::Waiters;

    const EPOCHS: u128 = 2_000;

    /// Waits for the end of an epoch; first once in vain where it hangs up and comes again.
    async fn wait(
        waiters: Arc<Waiters>,
        epoch: EpochId,
        end: Arc<AtomicBool>,
        leaves: bool,
    ) -> bool {
        let has_ended = || Some(end.load(Ordering::SeqCst));
        if leaves {
            let _hung_up = waiters.ended(epoch, has_ended).now_or_never();
            tokio::task::yield_now().await;
        }
        waiters.ended(epoch, has_ended).await
    }

    /// Ends an epoch. The state says so before the projector does: whoever looks in between goes, and must take the others along.
    async fn end_it(waiters: Arc<Waiters>, number: u128, end: Arc<AtomicBool>) -> bool {
        for _ in 0..number % 7 {
            tokio::task::yield_now().await;
        }
        end.store(true, Ordering::SeqCst);
        for _ in 0..number % 5 {
            tokio::task::yield_now().await;
        }
        waiters.notify(EpochId::from_uuid(Uuid::from_u128(number)));
        true
    }

    /// A few thousand epochs end while their waiters come, go away and come again: whoever stays is told.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn whatever_the_others_do_every_waiter_is_told_of_the_end() {
        let waiters = Arc::new(Waiters::default());
        let mut told = JoinSet::new();
        for number in 0..EPOCHS {
            let epoch = EpochId::from_uuid(Uuid::from_u128(number));
            let end = Arc::new(AtomicBool::new(false));
            // By the number, so that all orders of waiters, those that leave and the end itself come up.
            for waiter in 0..=number % 4 {
                let leaves = (number / 4 + waiter) % 3 == 0;
                told.spawn(wait(Arc::clone(&waiters), epoch, Arc::clone(&end), leaves));
            }
            told.spawn(end_it(Arc::clone(&waiters), number, end));
        }
        // Only a waiter that was lost uses this up.
        let all = tokio::time::timeout(Duration::from_mins(1), told.join_all()).await.unwrap();
        assert!(all.len() > 2 * 2_000 && all.iter().all(|told| *told));
        assert!(waiters.epochs.lock().unwrap().is_empty(), "nobody is kept who has gone");
        let unknown = EpochId::from_uuid(Uuid::from_u128(EPOCHS));
        assert!(!waiters.ended(unknown, || None).await);
    }

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
