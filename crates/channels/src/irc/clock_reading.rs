//! One reading of both clocks. The pure parts are handed it instead of a clock.

use std::time::Duration;

use abide_domain::{Clock, Timestamp};

/// The time on the wall clock and on the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockReading {
    pub(crate) wall: Timestamp,
    pub(crate) monotonic: Duration,
}

impl ClockReading {
    /// Reads both clocks.
    pub(crate) fn of(clock: &dyn Clock) -> Self {
        Self { wall: clock.now(), monotonic: clock.monotonic() }
    }
}
