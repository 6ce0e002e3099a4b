//! How long to wait before the next attempt: doubling, capped, spread. Pure; the spread is handed in.

use std::time::Duration;

/// The first pause.
const FIRST: Duration = Duration::from_secs(2);
/// The longest pause.
const LONGEST: Duration = Duration::from_mins(5);
/// Time on the network after which an end counts as the first one.
const PROVEN_AFTER: Duration = Duration::from_mins(1);

/// Attempts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The pause after an attempt that lasted so long on the network; `fraction` is from 0 to 1.
    ///
    /// The pause is between half of the step and the whole of it, so that many clients do not come back at once.
    pub(super) fn pause(&mut self, lasted: Duration, fraction: f64) -> Duration {
        if lasted >= PROVEN_AFTER {
            self.failures = 0;
        }
        let factor = 2_u32.saturating_pow(self.failures.min(16));
        self.failures = self.failures.saturating_add(1);
        let step = FIRST.saturating_mul(factor).min(LONGEST);
        step.mul_f64(fraction.clamp(0.0, 1.0).mul_add(0.5, 0.5))
    }

    /// The longest pause, for ends that a quick return would only repeat.
    pub(super) const fn longest() -> Duration {
        LONGEST
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Backoff;

    #[test]
    fn pauses_double_to_their_cap_and_begin_again() {
        let mut backoff = Backoff::default();
        let pauses: Vec<_> =
            (0..10).map(|_| backoff.pause(Duration::ZERO, 1.0).as_secs()).collect();
        assert_eq!(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        assert_eq!(backoff.pause(Duration::from_secs(59), 0.0), Duration::from_secs(150));
        assert_eq!(backoff.pause(Duration::from_mins(1), 0.0), Duration::from_secs(1));
        assert_eq!(backoff.pause(Duration::ZERO, 7.0), Duration::from_secs(4));
    }
}
