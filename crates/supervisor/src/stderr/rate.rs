//! How much of an agent's words is logged, and how fast they are read. Pure; the time is passed in.

use std::time::Duration;

use tokio::time::Instant;

/// Lines at once after a quiet time.
pub(super) const BURST_LINES: u32 = 200;
/// A further line is allowed after each of these: 20 lines a second.
const LINE_EVERY: Duration = Duration::from_millis(50);
/// Bytes read in one window: a flood costs the keeper at most 4 MB/s of reading.
const WINDOW_BYTES: usize = 1 << 20;
const WINDOW: Duration = Duration::from_millis(250);

/// Which lines are logged: a burst, then a steady trickle.
#[derive(Debug)]
pub(super) struct LogAllowance {
    lines: u32,
    counted: Instant,
    suppressed: u64,
}

impl LogAllowance {
    pub(super) fn new(now: Instant) -> Self {
        Self { lines: BURST_LINES, counted: now, suppressed: 0 }
    }

    /// Whether the next line is logged; one that is not is counted.
    pub(super) fn allows(&mut self, now: Instant) -> bool {
        let gained = now.duration_since(self.counted).as_millis() / LINE_EVERY.as_millis();
        let gained = u32::try_from(gained).unwrap_or(BURST_LINES).min(BURST_LINES);
        if gained > 0 {
            self.lines = (self.lines + gained).min(BURST_LINES);
            // What is more than full is lost; what is less than one line is kept.
            self.counted =
                if self.lines == BURST_LINES { now } else { self.counted + LINE_EVERY * gained };
        }
        let allowed = self.lines > 0;
        self.lines = self.lines.saturating_sub(1);
        self.suppressed += u64::from(!allowed);
        allowed
    }

    /// How many were not logged since it was asked last.
    pub(super) fn take_suppressed(&mut self) -> u64 {
        std::mem::take(&mut self.suppressed)
    }
}

/// When the next bytes are read.
#[derive(Debug)]
pub(super) struct ReadPace {
    began: Instant,
    bytes: usize,
}

impl ReadPace {
    pub(super) fn new(now: Instant) -> Self {
        Self { began: now, bytes: 0 }
    }

    /// Counts what was read; the time to wait for if it was too much.
    pub(super) fn read(&mut self, bytes: usize, now: Instant) -> Option<Instant> {
        let end = self.began + WINDOW;
        if now >= end {
            (self.began, self.bytes) = (now, 0);
        }
        self.bytes += bytes;
        (self.bytes >= WINDOW_BYTES).then_some(self.began + WINDOW)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{BURST_LINES, LogAllowance, ReadPace, WINDOW, WINDOW_BYTES};

    fn allowed(allowance: &mut LogAllowance, now: Instant) -> usize {
        (0..1000).filter(|_| allowance.allows(now)).count()
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_logged_and_then_twenty_lines_a_second() {
        let start = Instant::now();
        let mut allowance = LogAllowance::new(start);
        let burst = usize::try_from(BURST_LINES).expect("small");
        assert_eq!(allowed(&mut allowance, start), burst);
        assert_eq!(allowance.take_suppressed(), 1000 - u64::from(BURST_LINES));
        assert_eq!(allowed(&mut allowance, start + Duration::from_millis(1_030)), 20);
        assert_eq!(allowed(&mut allowance, start + Duration::from_millis(1_050)), 1);
        assert_eq!(allowed(&mut allowance, start + Duration::from_hours(1)), burst);
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_read_one_window_at_a_time() {
        let start = Instant::now();
        let mut pace = ReadPace::new(start);
        assert_eq!(pace.read(WINDOW_BYTES - 1, start), None);
        assert_eq!(pace.read(1, start), Some(start + WINDOW));
        assert_eq!(pace.read(1, start + WINDOW), None);
    }
}
