//! Clocks that a test controls: one moved by hand, one that follows tokio's paused time.
//!
//! Neither ever reads the system's clock.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use abide_domain::{Clock, Timestamp};
use tokio::time::Instant;

/// 2026-11-27T22:10:03Z, where fake time begins unless a test says otherwise.
const START_DEFAULT: Timestamp = Timestamp::from_micros(1_795_817_403_000_000);

/// A clock that stands still until a test moves it. Clones share their time.
#[derive(Clone, Debug)]
pub struct FakeClock {
    times: Arc<Mutex<ClockTimes>>,
}

/// What its two clocks show: the wall clock may be set back, the monotonic one may not.
#[derive(Clone, Copy, Debug)]
struct ClockTimes {
    wall: Timestamp,
    monotonic: Duration,
}

impl FakeClock {
    /// A clock that shows `start`; its monotonic time begins at zero.
    pub fn new(start: Timestamp) -> Self {
        let times = ClockTimes { wall: start, monotonic: Duration::ZERO };
        Self { times: Arc::new(Mutex::new(times)) }
    }

    /// Moves both the wall clock and the monotonic clock forward.
    pub fn advance(&self, by: Duration) {
        self.turn(|times| {
            times.wall = times.wall.plus(by);
            times.monotonic = times.monotonic.saturating_add(by);
        });
    }

    /// Sets the wall clock alone, also backwards, as a person or a time server does. Monotonic time is untouched.
    pub fn set(&self, wall: Timestamp) {
        self.turn(|times| times.wall = wall);
    }

    fn turn(&self, change: impl FnOnce(&mut ClockTimes)) {
        change(&mut self.times.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn times(&self) -> ClockTimes {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for FakeClock {
    fn default() -> Self {
        Self::new(START_DEFAULT)
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        self.times().wall
    }

    fn monotonic(&self) -> Duration {
        self.times().monotonic
    }
}

/// A clock that follows tokio's time from a fixed start, so that a whole keeper runs under `start_paused`.
///
/// Must be made inside the runtime whose time it follows.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock {
    start: Timestamp,
    origin: Instant,
    /// Microseconds by which the wall clock was set. Leaked, so that a clock can be copied.
    set_by: &'static AtomicI64,
}

impl TokioClock {
    /// A clock that shows `start` now and moves as tokio's time does.
    pub fn new(start: Timestamp) -> Self {
        Self { start, origin: Instant::now(), set_by: Box::leak(Box::new(AtomicI64::new(0))) }
    }

    /// Sets the wall clock ahead, or back with a negative number, as a person or a time server does; of all copies.
    pub fn set_by_secs(&self, secs: i64) {
        self.set_by.fetch_add(secs.saturating_mul(1_000_000), Ordering::Relaxed);
    }
}

impl Default for TokioClock {
    fn default() -> Self {
        Self::new(START_DEFAULT)
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        let shown = self.start.plus(self.monotonic()).as_micros();
        Timestamp::from_micros(shown.saturating_add(self.set_by.load(Ordering::Relaxed)))
    }

    fn monotonic(&self) -> Duration {
        self.origin.elapsed()
    }
}
