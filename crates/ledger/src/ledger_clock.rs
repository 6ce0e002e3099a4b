//! The time that events get: it never goes back, it never stands still, and a leap of the wall clock is not taken at its
//! word.
//!
//! ```text
//! wall clock             time of the ledger
//! goes as time passes    the wall clock's
//! behind the ledger's    goes on at nine tenths until the wall clock has reached it
//! leaps ahead            goes on as time passes, until the wall clock has stood by it for a while
//! ```
//!
//! A leap is what neither the monotonic clock nor a suspend of the machine explains. At a start it cannot be told from the
//! time that the keeper was down: there only an absurd one is held back.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_domain::{Clock, Timestamp};

use crate::lock;

/// The largest step ahead that is taken on at once while the ledger is open.
pub const CLOCK_STEP_MAX: Duration = Duration::from_hours(1);
/// The largest time between the last event and a start that is believed at once.
pub const CLOCK_START_STEP_MAX: Duration = Duration::from_hours(24 * 3_660);
/// How long the wall clock must stand by a leap before it is believed.
pub const CLOCK_CONFIRM: Duration = Duration::from_mins(10);
/// The wall clock may be behind by so much without a word: time servers do that.
const AHEAD_TOLD: Duration = Duration::from_mins(1);

/// The wall clock is ahead by so much before a suspend is looked for.
const SUSPEND_SEEN: Duration = Duration::from_secs(1);

/// What is wrong between the wall clock and the ledger's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockStatus {
    /// Nothing.
    Ok,
    /// The wall clock is behind the last events: it was ahead before, or is wrong now.
    LedgerAhead {
        /// By so much.
        by: Duration,
    },
    /// The wall clock leapt ahead and is not believed yet.
    LeapHeld {
        /// By so much.
        by: Duration,
    },
}

impl ClockStatus {
    /// What is wrong where the last event and the wall clock are all that is known.
    pub fn of_last(last: Timestamp, wall: Timestamp) -> Self {
        match last.since(wall) {
            by if by >= AHEAD_TOLD => Self::LedgerAhead { by },
            _ => Self::Ok,
        }
    }
}

/// Gives events their time.
#[derive(Debug)]
pub(crate) struct LedgerClock {
    clock: Arc<dyn Clock>,
    state: Mutex<ClockState>,
}

#[derive(Clone, Copy, Debug)]
struct ClockState {
    last: Timestamp,
    /// When `last` was read, by the clocks that count what passed.
    monotonic: Duration,
    suspended: Duration,
    step_max: Duration,
    leap: Option<Leap>,
    is_ahead_told: bool,
}

/// A leap that is held back.
#[derive(Clone, Copy, Debug)]
struct Leap {
    since: Duration,
    by: Duration,
}

/// The system's clocks at one moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    wall: Timestamp,
    monotonic: Duration,
    suspended: Duration,
}

/// What a step has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClockNotice {
    Held(Duration),
    Believed(Duration),
    Ahead(Duration),
}

impl LedgerClock {
    /// Goes on from the last event; `Timestamp::from_micros(i64::MIN)` where there is none.
    pub(crate) fn new(clock: Arc<dyn Clock>, last: Timestamp) -> Self {
        let (monotonic, suspended) = (clock.monotonic(), clock.suspended());
        let state = ClockState {
            last,
            monotonic,
            suspended,
            step_max: CLOCK_START_STEP_MAX,
            leap: None,
            is_ahead_told: false,
        };
        Self { clock, state: Mutex::new(state) }
    }

    /// The time that an event gets which is committed now.
    pub(crate) fn now(&self) -> Timestamp {
        let mut state = lock(&self.state);
        let reading = self.read(&state);
        let (now, notice) = state.step(reading);
        drop(state);
        notice.into_iter().for_each(ClockNotice::log);
        now
    }

    /// What is wrong at present.
    pub(crate) fn status(&self) -> ClockStatus {
        let now = self.now();
        if let Some(leap) = lock(&self.state).leap {
            return ClockStatus::LeapHeld { by: leap.by };
        }
        ClockStatus::of_last(now, self.clock.now())
    }

    fn read(&self, state: &ClockState) -> Reading {
        let (wall, monotonic) = (self.clock.now(), self.clock.monotonic());
        let ran = monotonic.saturating_sub(state.monotonic);
        // Asking the system costs a look into a file: a suspend shows in the wall clock first.
        let may_have_slept = wall.since(state.last.plus(ran)) >= SUSPEND_SEEN;
        let suspended = if may_have_slept { self.clock.suspended() } else { state.suspended };
        Reading { wall, monotonic, suspended }
    }
}

impl ClockState {
    fn step(&mut self, reading: Reading) -> (Timestamp, Option<ClockNotice>) {
        let Reading { wall, monotonic, suspended } = reading;
        let ran = monotonic.saturating_sub(self.monotonic);
        let passed = ran.saturating_add(suspended.saturating_sub(self.suspended));
        let expected = self.last.plus(passed);
        let is_first = self.last == Timestamp::from_micros(i64::MIN);
        let leapt = if is_first { Duration::ZERO } else { wall.since(expected) };
        let (next, notice) = if leapt > self.step_max {
            self.hold(expected, wall, leapt, monotonic)
        } else {
            self.leap = None;
            let is_behind = wall < self.last;
            let next = if is_behind { self.last.plus(passed / 10 * 9) } else { wall };
            (next, self.tell_ahead(next.since(wall)))
        };
        if next > self.last {
            (self.last, self.monotonic, self.suspended) = (next, monotonic, suspended);
        }
        self.step_max = CLOCK_STEP_MAX;
        (self.last, notice)
    }

    fn hold(
        &mut self,
        expected: Timestamp,
        wall: Timestamp,
        by: Duration,
        now: Duration,
    ) -> (Timestamp, Option<ClockNotice>) {
        // One that goes on leaping begins anew.
        let known = self.leap.filter(|leap| by.abs_diff(leap.by) <= CLOCK_STEP_MAX);
        match known {
            Some(leap) if now.saturating_sub(leap.since) >= CLOCK_CONFIRM => {
                self.leap = None;
                (wall, Some(ClockNotice::Believed(by)))
            }
            Some(_) => (expected, None),
            None => {
                self.leap = Some(Leap { since: now, by });
                (expected, Some(ClockNotice::Held(by)))
            }
        }
    }

    fn tell_ahead(&mut self, by: Duration) -> Option<ClockNotice> {
        let is_told = std::mem::replace(&mut self.is_ahead_told, by >= AHEAD_TOLD);
        (!is_told && by >= AHEAD_TOLD).then_some(ClockNotice::Ahead(by))
    }
}

impl ClockNotice {
    fn log(self) {
        match self {
            Self::Held(by) => tracing::warn!(
                event = "clock_leap_held",
                by_s = by.as_secs(),
                "the system's clock leapt ahead: events go on with the time that has passed until it has stood for 10 minutes"
            ),
            Self::Believed(by) => tracing::warn!(
                event = "clock_leap_believed",
                by_s = by.as_secs(),
                "the system's clock has stood by its leap: events have its time from here on"
            ),
            Self::Ahead(by) => tracing::warn!(
                event = "clock_behind_ledger",
                by_s = by.as_secs(),
                "the system's clock is behind the last events: their time goes on at nine tenths until the clock has reached it"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;
    use proptest::prelude::*;

    use super::{
        CLOCK_CONFIRM, CLOCK_START_STEP_MAX, CLOCK_STEP_MAX, ClockNotice, ClockState, Reading,
    };

    const START: Timestamp = Timestamp::from_micros(1_795_817_403_000_000);
    const DAY: Duration = Duration::from_hours(24);

    /// A ledger whose last event is of `START`, at a start.
    fn opened() -> ClockState {
        ClockState {
            last: START,
            monotonic: Duration::ZERO,
            suspended: Duration::ZERO,
            step_max: CLOCK_START_STEP_MAX,
            leap: None,
            is_ahead_told: false,
        }
    }

    fn at(wall: Timestamp, monotonic: Duration) -> Reading {
        Reading { wall, monotonic, suspended: Duration::ZERO }
    }

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn time_is_the_wall_clocks_over_a_night_and_over_small_steps() {
        let mut clock = opened();
        for (wall, monotonic) in [(DAY, 0), (DAY + secs(5), 5), (DAY + secs(3_600), 6)] {
            let now = START.plus(wall);
            assert_eq!(clock.step(at(now, secs(monotonic))), (now, None));
        }
    }

    #[test]
    fn a_leap_is_held_until_the_wall_clock_has_stood_by_it() {
        let mut clock = opened();
        clock.step(at(START, Duration::ZERO));
        let leapt = |s| at(START.plus(DAY * 2 + secs(s)), secs(s));
        assert_eq!(clock.step(leapt(10)), (START.plus(secs(10)), Some(ClockNotice::Held(DAY * 2))));
        assert_eq!(clock.step(leapt(599)), (START.plus(secs(599)), None));
        let stood = CLOCK_CONFIRM.as_secs() + 10;
        let believed = clock.step(leapt(stood));
        let now = START.plus(DAY * 2 + secs(stood));
        assert_eq!(believed, (now, Some(ClockNotice::Believed(DAY * 2))));
        assert_eq!(clock.step(leapt(stood + 1)), (now.plus(secs(1)), None));
    }

    #[test]
    fn a_leap_that_is_taken_back_has_never_been() {
        let mut clock = opened();
        clock.step(at(START, Duration::ZERO));
        clock.step(at(START.plus(DAY), secs(10)));
        let now = START.plus(secs(700));
        assert_eq!(clock.step(at(now, secs(700))), (now, None));
    }

    #[test]
    fn a_clock_a_hundred_years_ahead_at_a_start_is_not_believed_at_once() {
        let mut clock = opened();
        let far = START.plus(DAY * 36_525);
        assert_eq!(clock.step(at(far, secs(1))).0, START.plus(secs(1)));
        assert_eq!(clock.step(at(START.plus(secs(9)), secs(2))).0, START.plus(secs(9)));
    }

    #[test]
    fn a_suspend_is_no_leap() {
        let mut clock = opened();
        clock.step(at(START, Duration::ZERO));
        let wall = START.plus(DAY);
        let reading = Reading { wall, monotonic: secs(1), suspended: DAY };
        assert_eq!(clock.step(reading), (wall, None));
    }

    #[test]
    fn time_that_is_ahead_goes_on_and_is_reached() {
        let mut clock = opened();
        let back = |s: u64| at(START.plus(secs(s)), secs(s));
        let mut wrong = ClockState { last: START.plus(DAY), ..clock };
        assert_eq!(
            wrong.step(back(10)),
            (START.plus(DAY + secs(9)), Some(ClockNotice::Ahead(DAY.saturating_sub(secs(1)))))
        );
        assert_eq!(wrong.step(back(110)), (START.plus(DAY + secs(99)), None));
        let caught_up = 10 * DAY.as_secs();
        assert_eq!(wrong.step(back(caught_up)).0, START.plus(DAY * 10));
        assert_eq!(wrong.step(back(caught_up + 1)).0, START.plus(DAY * 10 + secs(1)));
        assert_eq!(clock.step(back(1)), (START.plus(secs(1)), None));
    }

    proptest! {
        #[test]
        fn time_never_goes_back_and_takes_no_leap_at_once(
            steps in prop::collection::vec((0_u64..1_000, -400_000_i64..400_000), 1..60),
        ) {
            let mut clock = opened();
            clock.step(at(START, Duration::ZERO));
            let (mut monotonic, mut offset, mut last) = (Duration::ZERO, 0_i64, START);
            let mut leapt_at: Option<Duration> = None;
            for (pass, step) in steps {
                monotonic += secs(pass);
                offset += if step % 3 == 0 { step } else { 0 };
                let wall = START.plus(monotonic).as_micros() + offset * 1_000_000;
                let (now, notice) = clock.step(at(Timestamp::from_micros(wall), monotonic));
                prop_assert!(now >= last);
                match notice {
                    Some(ClockNotice::Held(_)) => leapt_at = Some(monotonic),
                    Some(ClockNotice::Believed(_)) => {
                        prop_assert!(monotonic.saturating_sub(leapt_at.unwrap()) >= CLOCK_CONFIRM);
                    }
                    _ => prop_assert!(now.since(last) <= secs(pass) + CLOCK_STEP_MAX),
                }
                last = now;
            }
        }
    }
}
