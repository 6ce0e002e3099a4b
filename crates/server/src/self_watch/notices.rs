//! The notices of a standstill, sent until each service has taken them. The ledger, which may be what hangs, holds nothing
//! of them.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use abide_domain::{Clock, NoticeId, event::watchdog::AttemptOutcome};
use abide_watchdog::{CLOSING_ATTEMPTS_MAX, Notice, NoticeKind, NotifyServices, retry_pause};

use crate::system::SystemIds;

/// The notice that is sent, and who took what.
#[derive(Debug)]
pub(super) struct StandstillNotices {
    services: NotifyServices,
    clock: Arc<dyn Clock>,
    open: Option<OpenNotice>,
    /// The services that took the notice of the standstill: they hear of its end.
    taken_by: BTreeSet<String>,
}

/// A notice that not every service has taken.
#[derive(Debug)]
struct OpenNotice {
    notice: Notice,
    /// When it is sent next, on the monotonic clock.
    due: Duration,
}

impl StandstillNotices {
    /// By these services.
    pub(super) fn new(services: NotifyServices, clock: Arc<dyn Clock>) -> Self {
        Self { services, clock, open: None, taken_by: BTreeSet::new() }
    }

    /// Something stands still, and this is why.
    pub(super) fn begin(&mut self, why: String) {
        self.taken_by.clear();
        self.open(NoticeKind::Blind(why), Vec::new());
    }

    /// It is over. Whoever did not hear of it does not hear of its end.
    pub(super) fn end(&mut self) {
        self.open = None;
        let taken_by: Vec<_> = std::mem::take(&mut self.taken_by).into_iter().collect();
        if !taken_by.is_empty() {
            self.open(NoticeKind::Sighted, taken_by);
        }
    }

    fn open(&mut self, kind: NoticeKind, to: Vec<String>) {
        let now = self.clock.now();
        let notice = Notice { to, ..Notice::new(NoticeId::new(&SystemIds, now), kind, now) };
        self.open = Some(OpenNotice { notice, due: self.clock.monotonic() });
    }

    /// Sends what is due.
    pub(super) async fn send_due(&mut self) {
        let now = self.clock.monotonic();
        let Some(mut open) = self.open.take_if(|open| open.due <= now) else { return };
        let attempts = self.services.notify(open.notice.clone(), &*self.clock).await;
        let (failed, taken): (Vec<_>, Vec<_>) =
            attempts.into_iter().partition(|attempt| attempt.outcome == AttemptOutcome::Failed);
        if matches!(open.notice.kind, NoticeKind::Blind(_)) {
            self.taken_by.extend(taken.into_iter().map(|attempt| attempt.service));
        }
        let is_end = open.notice.kind == NoticeKind::Sighted;
        if failed.is_empty() || (is_end && open.notice.attempt >= CLOSING_ATTEMPTS_MAX) {
            return;
        }
        let why: Vec<_> =
            failed.iter().map(|one| format!("{}: {}", one.service, one.words)).collect();
        tracing::warn!(
            event = "standstill_notice_failed",
            why = why.join("; "),
            "not every service took the notice of a standstill; it is sent again"
        );
        let pause = retry_pause(open.notice.attempt);
        open.notice.attempt = open.notice.attempt.saturating_add(1);
        open.notice.to = failed.into_iter().map(|attempt| attempt.service).collect();
        open.due = self.clock.monotonic() + pause;
        self.open = Some(open);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc, Mutex,
            atomic::{AtomicBool, AtomicU64, Ordering},
        },
        time::Duration,
    };

    use abide_domain::{Clock, Timestamp, event::watchdog::Proof};
    use abide_watchdog::{Delivery, Notice, Notifier, NotifyServices};
    use futures_util::future::BoxFuture;

    use super::StandstillNotices;

    #[derive(Debug, Default)]
    struct HandClock(AtomicU64);

    impl Clock for HandClock {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(0)
        }

        fn monotonic(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::Relaxed))
        }
    }

    /// A service, and what it was sent: kind and attempt.
    #[derive(Debug, Default)]
    struct Phone {
        is_away: AtomicBool,
        sent: Mutex<Vec<(&'static str, u32)>>,
    }

    impl Phone {
        fn sent(&self) -> Vec<(&'static str, u32)> {
            std::mem::take(&mut self.sent.lock().unwrap())
        }
    }

    impl Notifier for Phone {
        fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
            self.sent.lock().unwrap().push((notice.kind.as_str(), notice.attempt));
            let delivery = if self.is_away.load(Ordering::Relaxed) {
                Delivery::Failed("away".into())
            } else {
                Delivery::Delivered { proof: Proof::Sent, by: "phone".into() }
            };
            Box::pin(async { delivery })
        }
    }

    #[tokio::test]
    async fn each_service_is_told_until_it_took_it_and_those_hear_of_the_end() {
        let clock = Arc::new(HandClock::default());
        let (near, far) = (Arc::new(Phone::default()), Arc::new(Phone::default()));
        far.is_away.store(true, Ordering::Relaxed);
        let services = NotifyServices::new(vec![
            ("near".into(), Arc::<Phone>::clone(&near)),
            ("far".into(), Arc::<Phone>::clone(&far)),
        ]);
        let mut notices = StandstillNotices::new(services, Arc::<HandClock>::clone(&clock));
        notices.send_due().await;
        assert_eq!((near.sent(), far.sent()), (vec![], vec![]));
        notices.begin("the writer stands still".into());
        for _ in 0..89 {
            notices.send_due().await;
            clock.0.fetch_add(1, Ordering::Relaxed);
        }
        assert_eq!(near.sent(), [("blind", 1)], "it took it");
        assert_eq!(far.sent(), [("blind", 1), ("blind", 2)], "after 30 s, and 60 s after that");
        notices.end();
        notices.send_due().await;
        assert_eq!((near.sent(), far.sent()), (vec![("sighted", 1)], vec![]));
        near.is_away.store(true, Ordering::Relaxed);
        notices.begin("again".into());
        notices.send_due().await;
        notices.end();
        clock.0.fetch_add(10_000, Ordering::Relaxed);
        notices.send_due().await;
        assert_eq!(near.sent(), [("blind", 1)], "what nobody heard of ends in silence");
    }
}
