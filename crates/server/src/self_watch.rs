//! The keeper watches itself: each part that others wait for has a clock, and what stands still is said, wherever it is
//! asked and to whoever is to be told.
//!
//! One plain thread without locks, disk or runtime does what must work while everything else hangs: it answers the service
//! manager, and it ends a program that does not end by itself. Reading order: here the parts and what stands still;
//! `thread`; `lanes` (how long agents' lanes are at one thing); `canaries` (whether the runtime and its pool still run anything); `report` and `notices` (who is told).

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::{Clock, PartClock};
use abide_engine::keeper::LaneTask;

mod canaries;
mod lanes;
mod notices;
mod report;
mod standing_part;
mod thread;

pub(crate) use canaries::run_canaries;
use lanes::LaneTimes;
pub(crate) use report::{ReporterParts, StandstillReporter, find_standing, sentences};
pub(crate) use standing_part::StandingPart;

/// A part that has been at one thing for so long stands still. The longest thing that any of them does at one go is a sync
/// of the disk or a batch of projections: seconds on a bad day.
const STANDS_AFTER: Duration = Duration::from_secs(10);
/// A watcher that comes so much later than it wanted was not running itself (a suspended machine, a stopped process): what
/// it sees then says nothing about the others.
const LATE_AFTER: Duration = Duration::from_secs(2);
/// How often the plain thread looks.
const THREAD_LOOKS_EVERY: Duration = Duration::from_millis(250);

/// When a part counts as standing still.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// It has worked on one thing for too long.
    Busy,
    /// It has shown no sign of life for too long.
    Silent,
}

#[derive(Debug)]
struct Part {
    name: &'static str,
    clock: Arc<PartClock>,
    rule: Rule,
}

/// The parts that are watched. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct SelfWatch {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    clock: Arc<dyn Clock>,
    parts: Mutex<Vec<Part>>,
    /// Microseconds at which nothing is believed to stand still before; see [`LATE_AFTER`].
    trusted_from: AtomicU64,
    /// Microseconds at which the thread looked last, plus one; 0 where there is none. What is much older was not written
    /// because the whole program stood still, and whoever looks first after that knows it by this.
    looked_at: AtomicU64,
    /// How long agents' lanes have been at one thing.
    lanes: Mutex<LaneTimes>,
    /// Microseconds by which the program must have ended, plus one; 0 where it is not stopping.
    end_by: AtomicU64,
}

impl SelfWatch {
    /// Watches nothing yet.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let (parts, lanes) = (Mutex::default(), Mutex::default());
        let (trusted_from, looked_at, end_by) =
            (AtomicU64::default(), AtomicU64::default(), AtomicU64::default());
        let inner = Inner { clock, parts, trusted_from, looked_at, lanes, end_by };
        Self { inner: Arc::new(inner) }
    }

    /// Watches a part that works on one thing after the other.
    pub(crate) fn watch_work(&self, name: &'static str, clock: Arc<PartClock>) {
        self.add(Part { name, clock, rule: Rule::Busy });
    }

    /// Watches a part that shows a sign of life again and again; it begins to count now.
    pub(crate) fn watch_signs(&self, name: &'static str) -> Arc<PartClock> {
        let clock = Arc::new(PartClock::default());
        clock.done(self.now());
        self.add(Part { name, clock: Arc::clone(&clock), rule: Rule::Silent });
        clock
    }

    /// What stands still at present.
    pub(crate) fn standing(&self) -> Vec<StandingPart> {
        let parts = self.inner.parts.lock().unwrap_or_else(PoisonError::into_inner);
        self.standing_of(&parts)
    }

    /// The lanes that have been at one thing for too long, by what each has to do now.
    pub(crate) fn standing_lanes(&self, tasks: Vec<LaneTask>) -> Vec<StandingPart> {
        let mut lanes = self.inner.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = lanes.see(self.now(), tasks);
        if self.is_trusted() { standing } else { Vec::new() }
    }

    /// Somebody wanted to be back after `wait` and comes now: where that is much too late, the program stood still, and
    /// nothing is judged before everybody had time to work again.
    pub(crate) fn note_return(&self, left_at: Duration, wait: Duration) {
        if self.now().saturating_sub(left_at) > wait + LATE_AFTER {
            self.distrust();
        }
    }

    /// The program must have ended when so much time has passed, or it is ended, whatever hangs.
    pub(crate) fn end_within(&self, time: Duration) {
        let by = micros(self.now() + time).saturating_add(1);
        self.inner.end_by.store(by, Ordering::Relaxed);
    }

    /// The time that all clocks of parts are read by.
    pub(crate) fn now(&self) -> Duration {
        self.inner.clock.monotonic()
    }

    fn add(&self, part: Part) {
        self.inner.parts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
    }

    fn standing_of(&self, parts: &[Part]) -> Vec<StandingPart> {
        if !self.is_trusted() {
            return Vec::new();
        }
        let now = self.now();
        let times = parts.iter().filter_map(|part| {
            let time = match part.rule {
                Rule::Busy => part.clock.busy_for(now)?,
                Rule::Silent => part.clock.since_done(now),
            };
            (time > STANDS_AFTER).then(|| StandingPart { part: part.name.to_owned(), time })
        });
        times.collect()
    }

    /// Whether what is seen now says anything about the parts.
    fn is_trusted(&self) -> bool {
        let looked_at = self.inner.looked_at.load(Ordering::Relaxed);
        if let Some(looked_at) = looked_at.checked_sub(1) {
            self.note_return(Duration::from_micros(looked_at), THREAD_LOOKS_EVERY);
        }
        micros(self.now()) >= self.inner.trusted_from.load(Ordering::Relaxed)
    }

    /// The thread looks.
    fn note_look(&self) {
        let at = micros(self.now()).saturating_add(1);
        self.inner.looked_at.store(at, Ordering::Relaxed);
    }

    /// The watcher was not running: nothing counts before everybody had time to work again.
    fn distrust(&self) {
        let from = micros(self.now() + STANDS_AFTER);
        self.inner.trusted_from.store(from, Ordering::Relaxed);
    }

    /// Whether the time in which the program was to end is over.
    fn is_overdue(&self) -> bool {
        let by = self.inner.end_by.load(Ordering::Relaxed);
        by.checked_sub(1).is_some_and(|by| micros(self.now()) >= by)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicU64, Ordering},
        },
        time::Duration,
    };

    use abide_domain::{Clock, PartClock, Timestamp};

    use super::SelfWatch;

    /// Seconds that a test moves on.
    #[derive(Debug, Default)]
    struct HandClock(AtomicU64);

    impl HandClock {
        fn advance(&self, time: Duration) {
            self.0.fetch_add(time.as_secs(), Ordering::Relaxed);
        }
    }

    impl Clock for HandClock {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(0)
        }

        fn monotonic(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn what_works_too_long_or_shows_no_sign_stands_still_and_nothing_after_a_pause_of_the_watcher()
    {
        let clock = Arc::new(HandClock::default());
        let watch = SelfWatch::new(Arc::<HandClock>::clone(&clock));
        let (writer, sign) = (Arc::new(PartClock::default()), watch.watch_signs("the runtime"));
        watch.watch_work("the writer", Arc::clone(&writer));
        writer.begin(clock.monotonic());
        clock.advance(Duration::from_secs(9));
        assert_eq!(watch.standing(), []);
        sign.done(clock.monotonic());
        clock.advance(Duration::from_secs(2));
        let names: Vec<_> = watch.standing().into_iter().map(|standing| standing.part).collect();
        assert_eq!(names, ["the writer"]);
        writer.done(clock.monotonic());
        clock.advance(Duration::from_secs(9));
        assert_eq!(watch.standing()[0].sentence(), "the runtime stands still for 11 s");
        watch.distrust();
        assert_eq!(watch.standing(), []);
        clock.advance(Duration::from_secs(10));
        assert_eq!(watch.standing().len(), 1);
    }

    #[test]
    fn whoever_looks_first_after_the_program_stood_still_judges_nobody() {
        let clock = Arc::new(HandClock::default());
        let watch = SelfWatch::new(Arc::<HandClock>::clone(&clock));
        let _sign = watch.watch_signs("the pool of blocking threads");
        watch.note_look();
        clock.advance(Duration::from_secs(100));
        assert_eq!(watch.standing(), [], "the thread has not looked yet, either");
        watch.note_look();
        clock.advance(Duration::from_secs(2));
        assert_eq!(watch.standing(), []);
        watch.note_look();
        for _ in 0..8 {
            clock.advance(Duration::from_secs(1));
            watch.note_look();
        }
        assert_eq!(watch.standing().len(), 1, "what then still stands still is said");
        let before = clock.monotonic();
        clock.advance(Duration::from_secs(100));
        watch.note_look();
        watch.note_return(before, Duration::from_secs(1));
        assert_eq!(watch.standing(), [], "the reporter's own gap counts, too");
    }

    #[test]
    fn a_stop_is_overdue_when_its_time_is_over() {
        let clock = Arc::new(HandClock::default());
        let watch = SelfWatch::new(Arc::<HandClock>::clone(&clock));
        assert!(!watch.is_overdue());
        watch.end_within(Duration::from_secs(15));
        clock.advance(Duration::from_secs(14));
        assert!(!watch.is_overdue());
        clock.advance(Duration::from_secs(1));
        assert!(watch.is_overdue());
    }
}
