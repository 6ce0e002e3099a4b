//! How long an asked agent is waited for: a word after the soft time-out, an end at the hard one. Pure; time is handed in.

use std::time::Duration;

/// The two time-outs of an asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitLimits {
    /// After which people are told that the agent is still at it.
    pub soft: Duration,
    /// After which it is no longer waited for.
    pub hard: Duration,
}

impl Default for WaitLimits {
    fn default() -> Self {
        Self { soft: Duration::from_mins(10), hard: Duration::from_mins(30) }
    }
}

/// What is to be done at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitStep {
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
    patience: WaitLimits,
    is_noticed: bool,
}

impl Wait {
    /// Begins to wait at a time of the monotonic clock.
    pub const fn new(asked_at: Duration, patience: WaitLimits) -> Self {
        Self { asked_at, patience, is_noticed: false }
    }

    /// Looks at the clock.
    pub fn look(&mut self, now: Duration) -> WaitStep {
        let hard_at = self.asked_at.saturating_add(self.patience.hard);
        let soft_at = self.asked_at.saturating_add(self.patience.soft);
        if now >= hard_at {
            return WaitStep::Over;
        }
        if self.is_noticed {
            return WaitStep::Quiet { until: hard_at };
        }
        if now >= soft_at {
            self.is_noticed = true;
            return WaitStep::Notice;
        }
        WaitStep::Quiet { until: soft_at.min(hard_at) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Wait, WaitLimits, WaitStep};

    #[test]
    fn people_are_told_once_and_then_it_ends() {
        let at = |seconds: u64| Duration::from_secs(1_000 + seconds);
        let mut wait = Wait::new(at(0), WaitLimits::default());
        let cases = [
            (0, WaitStep::Quiet { until: at(600) }),
            (599, WaitStep::Quiet { until: at(600) }),
            (600, WaitStep::Notice),
            (601, WaitStep::Quiet { until: at(1_800) }),
            (1_799, WaitStep::Quiet { until: at(1_800) }),
            (1_800, WaitStep::Over),
            (9_999, WaitStep::Over),
        ];
        for (second, expected) in cases {
            assert_eq!(wait.look(at(second)), expected, "{second}");
        }
        assert_eq!(Wait::new(at(0), WaitLimits::default()).look(at(5_000)), WaitStep::Over);
    }
}
