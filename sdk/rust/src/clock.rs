//! The system's clock, which nothing else in the SDK reads.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use abide_domain::{Clock, Timestamp};

/// The system's clocks. An agent uses them unless [`Agent::clock`](crate::Agent::clock) sets another.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Starts the monotonic clock at zero.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the Clock that everything here is given"
    )]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the Clock that everything here is given"
    )]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let micros = since.unwrap_or_default().as_micros();
        Timestamp::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}
