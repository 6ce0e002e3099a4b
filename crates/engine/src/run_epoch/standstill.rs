//! Notices that time passed in which nothing could happen: the machine slept, or the keeper's process stood still.
//!
//! Such time is nobody's silence. The monotonic clock counts a process that was stopped, and not a machine that was suspended;
//! both are seen, the one by a look that comes far too late, the other by [`Clock::suspended`].

use std::time::Duration;

use abide_domain::Clock;
use tokio::time::Instant;

/// How often is looked.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// A look that comes so much too late shows a standstill, and so long a suspend counts as one; less is a busy machine.
const STANDSTILL_MIN: Duration = Duration::from_secs(3);

/// The standstills of one attempt.
#[derive(Debug)]
pub(super) struct StandstillClock {
    look_at: Instant,
    suspended: Duration,
    total: Duration,
}

impl StandstillClock {
    /// The attempt begins.
    pub(super) fn new(clock: &dyn Clock, now: Instant) -> Self {
        Self { look_at: now + LOOK_INTERVAL, suspended: clock.suspended(), total: Duration::ZERO }
    }

    /// When to look next, if nothing happens before.
    pub(super) fn due(&self) -> Instant {
        self.look_at
    }

    /// Looks, if it is time: for how long the process stood still since the last look, by the monotonic clock.
    pub(super) fn look(&mut self, now: Instant) -> Duration {
        if now < self.look_at {
            return Duration::ZERO;
        }
        let late = now.saturating_duration_since(self.look_at);
        self.look_at = now + LOOK_INTERVAL;
        if late < STANDSTILL_MIN {
            return Duration::ZERO;
        }
        self.total += late;
        late
    }

    /// Begins anew after a wait that is counted elsewhere.
    pub(super) fn skip(&mut self, now: Instant) {
        self.look_at = now + LOOK_INTERVAL;
    }

    /// For how long nothing could happen in the whole attempt, if that was long enough to break it.
    pub(super) fn total(&self, clock: &dyn Clock) -> Option<Duration> {
        let suspended = clock.suspended().saturating_sub(self.suspended);
        let total = self.total + suspended;
        (total >= STANDSTILL_MIN).then_some(total)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::{Clock, Timestamp};
    use tokio::time::Instant;

    use super::StandstillClock;

    #[derive(Debug)]
    struct Slept(Duration);

    impl Clock for Slept {
        fn now(&self) -> Timestamp {
            Timestamp::default()
        }

        fn monotonic(&self) -> Duration {
            Duration::ZERO
        }

        fn suspended(&self) -> Duration {
            self.0
        }
    }

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_look_that_comes_far_too_late_shows_a_standstill() {
        let (began, awake) = (Instant::now(), Slept(secs(40)));
        let mut clock = StandstillClock::new(&awake, began);
        assert_eq!(clock.look(began + secs(1)), Duration::ZERO);
        assert_eq!(clock.look(began + secs(4)), Duration::ZERO, "a busy machine");
        assert_eq!(clock.total(&awake), None);
        assert_eq!(clock.look(began + secs(95)), secs(90));
        assert_eq!(clock.look(began + secs(96)), Duration::ZERO);
        assert_eq!(clock.total(&awake), Some(secs(90)));
        assert_eq!(clock.total(&Slept(secs(100))), Some(secs(150)), "and the machine slept");
    }
}
