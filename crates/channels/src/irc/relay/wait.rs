//! How long an asked agent is waited for: a word after the soft time-out, an end at the hard one. Pure; time is handed in.

use std::time::Duration;

/// The two time-outs of an asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// After which people are told that the agent is still at it.
    pub soft: Duration,
    /// After which it is no longer waited for.
    pub hard: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { soft: Duration::from_mins(10), hard: Duration::from_mins(30) }
    }
}

/// What is to be done at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nothing, until this time.
    Quiet {
        /// When to look again, on the same clock.
        until: Duration,
    },
    /// Say that it takes long. Once an asking.
    Notice,
    /// Stop waiting, and say so.
    Over,
}

/// One asking that is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    asked_at: Duration,
    patience: Patience,
    is_noticed: bool,
}

impl Wait {
    /// Begins to wait at a time of the monotonic clock.
    pub const fn new(asked_at: Duration, patience: Patience) -> Self {
        Self { asked_at, patience, is_noticed: false }
    }

    /// Looks at the clock.
    pub fn look(&mut self, now: Duration) -> Look {
        let hard_at = self.asked_at.saturating_add(self.patience.hard);
        let soft_at = self.asked_at.saturating_add(self.patience.soft);
        if now >= hard_at {
            return Look::Over;
        }
        if self.is_noticed {
            return Look::Quiet { until: hard_at };
        }
        if now >= soft_at {
            self.is_noticed = true;
            return Look::Notice;
        }
        Look::Quiet { until: soft_at.min(hard_at) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Look, Patience, Wait};

    #[test]
    fn people_are_told_once_and_then_it_ends() {
        let at = |seconds: u64| Duration::from_secs(1_000 + seconds);
        let mut wait = Wait::new(at(0), Patience::default());
        let cases = [
            (0, Look::Quiet { until: at(600) }),
            (599, Look::Quiet { until: at(600) }),
            (600, Look::Notice),
            (601, Look::Quiet { until: at(1_800) }),
            (1_799, Look::Quiet { until: at(1_800) }),
            (1_800, Look::Over),
            (9_999, Look::Over),
        ];
        for (second, expected) in cases {
            assert_eq!(wait.look(at(second)), expected, "{second}");
        }
        assert_eq!(Wait::new(at(0), Patience::default()).look(at(5_000)), Look::Over);
    }
}
