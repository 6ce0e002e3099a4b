//! The system's clock, which nothing else in the SDK reads.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use abide_domain::{Clock, Timestamp};

/// Shorter differences between the clocks are no suspend.
const SUSPEND_MIN: Duration = Duration::from_secs(1);

/// The system's clocks. An agent uses them unless [`Agent::clock`](crate::Agent::clock) sets another.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
    /// How long the machine was up then, suspends counted; none where the system does not say.
    up_at_start: Option<Duration>,
}

impl SystemClock {
    /// Starts the monotonic clock at zero.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the Clock that everything here is given"
    )]
    pub fn new() -> Self {
        Self { start: Instant::now(), up_at_start: time_up() }
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

    fn suspended(&self) -> Duration {
        let (Some(then), Some(now)) = (self.up_at_start, time_up()) else { return Duration::ZERO };
        let suspended = now.saturating_sub(then).saturating_sub(self.start.elapsed());
        // The system counts in hundredths of a second.
        if suspended < SUSPEND_MIN { Duration::ZERO } else { suspended }
    }
}

/// How long the machine has been up, suspends counted.
fn time_up() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/uptime").ok()?;
    let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use abide_domain::Clock as _;

    use super::{SystemClock, time_up};

    #[test]
    fn a_machine_that_is_awake_has_not_been_suspended() {
        let clock = SystemClock::new();
        assert!(time_up().is_none_or(|up| !up.is_zero()));
        assert_eq!(clock.suspended(), std::time::Duration::ZERO);
    }
}
