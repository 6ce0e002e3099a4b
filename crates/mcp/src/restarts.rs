//! When a server may be started again: at once the first time, later each time, and only so often in a window.

use std::{collections::VecDeque, time::Duration};

use crate::limits::{RESTART_WAIT_MAX, RESTART_WAIT_MIN, STARTS_MAX, STARTS_WINDOW};

/// The starts within the window, by a clock that never goes back.
#[derive(Debug, Default)]
pub(crate) struct RecentStarts(VecDeque<Duration>);

impl RecentStarts {
    /// Notes a start.
    pub(crate) fn note(&mut self, now: Duration) {
        self.0.push_back(now);
    }

    /// How long to wait until the next one.
    pub(crate) fn wait(&mut self, now: Duration) -> Duration {
        while self.0.front().is_some_and(|start| now.saturating_sub(*start) >= STARTS_WINDOW) {
            self.0.pop_front();
        }
        let Some(first) = self.0.front() else { return Duration::ZERO };
        if self.0.len() >= STARTS_MAX {
            return (*first + STARTS_WINDOW).saturating_sub(now);
        }
        let doublings = u32::try_from(self.0.len() - 1).unwrap_or(u32::MAX);
        let factor = 2_u32.checked_pow(doublings).unwrap_or(u32::MAX);
        RESTART_WAIT_MIN.saturating_mul(factor).min(RESTART_WAIT_MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::RecentStarts;
    use crate::limits::{STARTS_MAX, STARTS_WINDOW};

    #[test]
    fn waits_grow_and_starts_are_bounded_in_the_window() {
        let (mut starts, mut now, mut waits) =
            (RecentStarts::default(), Duration::ZERO, Vec::new());
        for _ in 0..STARTS_MAX + 2 {
            let wait = starts.wait(now);
            waits.push(wait.as_secs());
            now += wait;
            starts.note(now);
        }
        assert_eq!(waits[..STARTS_MAX], [0, 1, 2, 4, 8, 16]);
        assert_eq!(waits[STARTS_MAX], STARTS_WINDOW.as_secs() - 31);
        assert!(waits[STARTS_MAX + 1] <= 2, "{waits:?}");
        assert_eq!(starts.wait(now + STARTS_WINDOW), Duration::ZERO);
    }
}
