//! The machine's clocks and randomness: what a keeper in this process is handed, and what slices are timed with.

use std::time::Instant;

use abide_domain::{IdSource, Timestamp};
pub(crate) use abide_sdk::SystemClock;
use uuid::Uuid;

use crate::error::BenchError;

/// UUIDv7 from the machine's clock and randomness.
#[derive(Debug)]
pub(crate) struct SystemIds;

impl IdSource for SystemIds {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let mut bytes = [0; 10];
        // A machine without randomness repeats an id, and the measured keeper then refuses the event.
        _ = getrandom::fill(&mut bytes);
        let ms = u64::try_from(now.as_micros() / 1_000).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(ms, &bytes).into_uuid()
    }
}

/// A running measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "measuring is what this crate is for")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    pub(crate) fn millis(self) -> f64 {
        self.seconds() * 1e3
    }

    pub(crate) fn micros(self) -> f64 {
        self.seconds() * 1e6
    }
}

/// A runtime as the keeper has it: one worker a core.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, BenchError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(BenchError::io("start a runtime"))
}
