//! When a run that ended is followed by another (decision 33).
//!
//! Pure. The first restart is at once, later ones wait longer and longer up to a cap, at which it goes on for ever: it
//! never gives up silently. A run that held for a while makes the next end a first one again.

use std::{collections::VecDeque, time::Duration};

/// The pause before the second restart in a row; the first has none.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// An uptime that clears the past.
pub(crate) const STABLE_AFTER: Duration = Duration::from_mins(1);
/// The window in which ends are counted.
pub(crate) const WINDOW: Duration = Duration::from_mins(1);
/// At so many ends in the window a person is paged.
pub(crate) const FREQUENT: usize = 5;
/// Ends that are remembered: only whether there are [`FREQUENT`] in the window matters, and a number to show.
const ENDS_MAX: usize = 64;

/// How one agent's runs have ended lately.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestartPolicy {
    /// Ends in a row, none of them asked for.
    failures: u32,
    ends: VecDeque<Duration>,
    /// Whether a person was paged for this row.
    is_paged: bool,
}

/// What follows an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    /// How long to wait before the next start.
    pub(crate) wait: Duration,
    /// Whether a person is to be paged.
    pub(crate) pages: bool,
}

impl RestartPolicy {
    /// Counts a run that ended without being asked to, after `uptime`. `noise` spreads agents that ended together.
    pub(crate) fn count_end(&mut self, now: Duration, uptime: Duration, noise: u64) -> Pause {
        if uptime >= STABLE_AFTER {
            *self = Self::default();
        }
        self.failures = self.failures.saturating_add(1);
        self.ends.push_back(now);
        let is_old = |at: &Duration| now.saturating_sub(*at) > WINDOW;
        while self.ends.len() > ENDS_MAX || self.ends.front().is_some_and(is_old) {
            self.ends.pop_front();
        }
        let pages = !self.is_paged && self.ends.len() >= FREQUENT;
        self.is_paged |= pages;
        Pause { wait: pause(self.failures, noise), pages }
    }

    /// Ends in a row.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// Ends within the window before `now`.
    pub(crate) fn recent(&self, now: Duration) -> u32 {
        let is_recent = |at: &&Duration| now.saturating_sub(**at) <= WINDOW;
        u32::try_from(self.ends.iter().filter(is_recent).count()).unwrap_or(u32::MAX)
    }

    /// Forgets all ends: a person starts anew.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn pause(failures: u32, noise: u64) -> Duration {
    let Some(doublings) = failures.checked_sub(2) else { return Duration::ZERO };
    let full = PAUSE_FIRST.saturating_mul(1_u32.checked_shl(doublings.min(16)).unwrap_or(u32::MAX));
    // Between four fifths and all of it.
    let full = full.min(PAUSE_MAX);
    full.saturating_sub(full / 5 * u32::try_from(noise % 1000).unwrap_or(0) / 1000)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Pause, RestartPolicy, pause};

    const NOW: Duration = Duration::from_secs(1000);

    #[test]
    fn pauses_double_to_their_cap_and_stay_there() {
        let waits: Vec<_> = (1..=14).map(|failures| pause(failures, 0).as_millis()).collect();
        let expected = [
            0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000, 30_000,
        ];
        assert_eq!(waits, expected);
        assert_eq!(pause(u32::MAX, 0), Duration::from_secs(30));
        assert!((0..2000).all(|noise| {
            let wait = pause(7, noise);
            wait <= Duration::from_millis(3200) && wait >= Duration::from_millis(2560)
        }));
        assert_ne!(pause(7, 1), pause(7, 999));
    }

    #[test]
    fn bc_17_the_fifth_end_in_a_minute_pages_once_and_retrying_goes_on() {
        let mut policy = RestartPolicy::default();
        let mut now = NOW;
        let pages: Vec<_> = (0..50)
            .map(|_| {
                let Pause { wait, pages } = policy.count_end(now, Duration::from_millis(10), 0);
                now += wait;
                pages
            })
            .collect();
        let paged_at: Vec<_> = (1..).zip(pages).filter(|(_, pages)| *pages).collect();
        assert_eq!(paged_at, [(5, true)]);
        assert_eq!(policy.failures(), 50);
    }

    #[test]
    fn ends_that_are_far_apart_page_nobody() {
        let mut policy = RestartPolicy::default();
        for minute in 0..50 {
            let now = NOW + Duration::from_secs(minute * 20);
            assert!(!policy.count_end(now, Duration::from_secs(20), 0).pages, "{minute}");
        }
        let end = NOW + Duration::from_secs(49 * 20);
        assert!(policy.recent(end) <= 4);
        assert_eq!(policy.recent(end + Duration::from_mins(2)), 0, "it gets less by itself");
    }

    #[test]
    fn a_run_that_held_a_minute_clears_the_past() {
        let mut policy = RestartPolicy::default();
        for _ in 0..9 {
            policy.count_end(NOW, Duration::ZERO, 0);
        }
        let held = policy.count_end(NOW, Duration::from_mins(1), 0);
        assert_eq!(held, Pause { wait: Duration::ZERO, pages: false });
        assert_eq!((policy.failures(), policy.recent(NOW)), (1, 1));
        let not_held = policy.count_end(NOW, Duration::from_secs(59), 0);
        assert_eq!(not_held.wait, Duration::from_millis(100));
    }
}
