//! The watchdog's own time: as the wall clock shows it while that runs evenly, and never backwards.
//!
//! A wall clock that is set back would make every rung wait until it has caught up; one that is set forward, or a machine
//! that slept, would make everybody silent at once. So time moves at least as the monotonic clock does, and what the wall
//! clock adds in one leap is a span in which nobody was watched.

use std::time::Duration;

use abide_domain::{Clock, Timestamp, event::watchdog::RebaseCause};

use crate::settings::LATE_MAX;

/// Where time stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchdogTime {
    now: Timestamp,
    monotonic: Duration,
    /// When the loop should be back, by the monotonic clock.
    due: Option<Duration>,
}

/// A span that was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnwatchedSpan {
    pub(crate) from: Timestamp,
    pub(crate) cause: RebaseCause,
}

impl WatchdogTime {
    /// Time begins now, and not before what is already written.
    pub(crate) fn new(clock: &dyn Clock, written: Timestamp) -> Self {
        Self { now: clock.now().max(written), monotonic: clock.monotonic(), due: None }
    }

    /// The time at the last tick.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// The loop means to be back after `wait`, if nothing calls it earlier.
    pub(crate) fn expect(&mut self, clock: &dyn Clock, wait: Duration) {
        self.due = Some(clock.monotonic().saturating_add(wait));
    }

    /// Moves time on, and says what was lost on the way.
    pub(crate) fn advance(&mut self, clock: &dyn Clock) -> Option<UnwatchedSpan> {
        let monotonic = clock.monotonic();
        let passed = monotonic.saturating_sub(self.monotonic);
        let late = self.due.take().map_or(Duration::ZERO, |due| monotonic.saturating_sub(due));
        let stepped = self.now.plus(passed);
        let now = clock.now().max(stepped);
        let on_time = self.now.plus(passed.saturating_sub(late));
        (self.now, self.monotonic) = (now, monotonic);
        if now.since(stepped) > LATE_MAX {
            let from = if late > LATE_MAX { on_time } else { stepped };
            return Some(UnwatchedSpan { from, cause: RebaseCause::Clock });
        }
        (late > LATE_MAX).then_some(UnwatchedSpan { from: on_time, cause: RebaseCause::Late })
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Mutex, time::Duration};

    use abide_domain::{Clock, Timestamp, event::watchdog::RebaseCause};

    use super::{UnwatchedSpan, WatchdogTime};

    #[derive(Debug, Default)]
    struct TestClock(Mutex<(i64, u64)>);

    impl TestClock {
        fn go(&self, wall: i64, monotonic: u64) {
            let mut times = self.0.lock().unwrap();
            *times = (times.0 + wall, times.1 + monotonic);
        }
    }

    impl Clock for TestClock {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(self.0.lock().unwrap().0 * 1_000_000)
        }

        fn monotonic(&self) -> Duration {
            Duration::from_secs(self.0.lock().unwrap().1)
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    #[test]
    fn leaps_and_standstills_are_lost_and_a_clock_set_back_does_not_stop_time() {
        let clock = TestClock::default();
        clock.go(1000, 0);
        let mut time = WatchdogTime::new(&clock, at(0));
        let mut tick = |wait: u64, wall: i64, monotonic: u64| {
            time.expect(&clock, Duration::from_secs(wait));
            clock.go(wall, monotonic);
            let lost = time.advance(&clock);
            (time.now(), lost)
        };
        let lost = |from, cause| Some(UnwatchedSpan { from: at(from), cause });
        assert_eq!(tick(60, 60, 60), (at(1060), None), "an even minute");
        assert_eq!(tick(60, 61, 60), (at(1121), None), "the wall clock is slewed");
        assert_eq!(tick(60, 10, 10), (at(1131), None), "something called it earlier");
        assert_eq!(tick(60, 90, 90), (at(1221), lost(1191, RebaseCause::Late)), "it stood still");
        assert_eq!(
            tick(60, 660, 60),
            (at(1881), lost(1281, RebaseCause::Clock)),
            "the machine slept"
        );
        assert_eq!(tick(60, -3540, 60), (at(1941), None), "the clock was set back an hour");
        assert_eq!(tick(60, 60, 60), (at(2001), None), "and time goes on");
        assert_eq!(tick(60, 3660, 60), (at(2061), None), "and the clock was set right again");
        assert_eq!(tick(60, 90, 70), (at(2151), lost(2121, RebaseCause::Clock)), "both at once");
    }

    #[test]
    fn time_does_not_begin_before_what_is_written() {
        let clock = TestClock::default();
        assert_eq!(WatchdogTime::new(&clock, at(500)).now(), at(500));
    }
}
