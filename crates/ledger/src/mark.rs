//! Where the ledger stands after a whole batch, and how the next one is stamped. Pure.
//!
//! Numbers are dense, ticks and times never go back, whatever the clock does.

use std::time::Duration;

use abide_domain::{Timestamp, event::TickIntervalChanged};
use serde::{Deserialize, Serialize};

use crate::chain::Chain;

/// Milliseconds a tick, in a ledger that never changed them.
pub(crate) const TICK_INTERVAL_MS: u64 = 1_000;

/// How time is counted in ticks, from some point on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickRule {
    /// The length of a tick.
    pub interval_ms: u64,
    /// The tick at that point.
    pub from_tick: u64,
    /// That point.
    pub from_time: Timestamp,
}

impl TickRule {
    /// The rule of a new ledger.
    pub fn of_genesis(genesis: Timestamp) -> Self {
        Self { interval_ms: TICK_INTERVAL_MS, from_tick: 0, from_time: genesis }
    }

    /// The tick at a time.
    pub fn tick(&self, now: Timestamp) -> u64 {
        let micros = u64::try_from(now.since(self.from_time).as_micros()).unwrap_or(u64::MAX);
        self.from_tick.saturating_add(micros / self.interval_ms.max(1).saturating_mul(1_000))
    }
}

impl From<&TickIntervalChanged> for TickRule {
    fn from(event: &TickIntervalChanged) -> Self {
        let TickIntervalChanged { interval_ms, from_tick, from_time } = *event;
        Self { interval_ms: interval_ms.max(1), from_tick, from_time }
    }
}

/// Where the ledger stands: its high-water mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The number of the newest event; 0 before the first.
    pub(crate) seq: u64,
    pub(crate) tick: u64,
    pub(crate) timestamp: Timestamp,
    /// The chain value of its batch.
    pub(crate) chain: Chain,
    /// Tick 0; `None` before the first event.
    pub(crate) genesis: Option<Timestamp>,
    /// How ticks are counted from here on.
    pub(crate) rule: TickRule,
}

impl Mark {
    /// The mark of a ledger without events.
    pub(crate) const EMPTY: Self = Self {
        seq: 0,
        tick: 0,
        timestamp: Timestamp::from_micros(i64::MIN),
        chain: Chain::START,
        genesis: None,
        rule: TickRule {
            interval_ms: TICK_INTERVAL_MS,
            from_tick: 0,
            from_time: Timestamp::from_micros(0),
        },
    };

    /// The stamp of a batch that is committed when the clock shows `now`.
    pub(crate) fn stamp(&self, now: Timestamp) -> (u64, Timestamp) {
        let timestamp = now.max(self.timestamp);
        (self.rule.tick(timestamp).max(self.tick), timestamp)
    }

    /// The event that changes the length of ticks, if it is to be another.
    pub(crate) fn changed_interval(
        &self,
        interval: Duration,
        now: Timestamp,
    ) -> Option<TickIntervalChanged> {
        let interval_ms = u64::try_from(interval.as_millis()).unwrap_or(u64::MAX).max(1);
        let (from_tick, from_time) = self.stamp(now);
        (interval_ms != self.rule.interval_ms).then_some(TickIntervalChanged {
            interval_ms,
            from_tick,
            from_time,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;

    use super::{Mark, TickRule};

    const GENESIS: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

    fn mark() -> Mark {
        Mark { genesis: Some(GENESIS), rule: TickRule::of_genesis(GENESIS), ..Mark::EMPTY }
    }

    #[test]
    fn a_tick_is_the_whole_intervals_since_genesis() {
        for (micros, tick) in [(0, 0), (999_999, 0), (1_000_000, 1), (86_400_000_000, 86_400)] {
            let now = GENESIS.plus(Duration::from_micros(micros));
            assert_eq!(mark().stamp(now), (tick, now), "{micros}");
        }
    }

    #[test]
    fn neither_tick_nor_time_goes_back_with_the_clock() {
        let late = GENESIS.plus(Duration::from_secs(90));
        let mark = Mark { tick: 90, timestamp: late, ..mark() };
        assert_eq!(mark.stamp(GENESIS), (90, late));
    }

    #[test]
    fn a_changed_interval_goes_on_from_the_present_tick() {
        let mut mark = mark();
        let change_at = GENESIS.plus(Duration::from_millis(10_700));
        let changed = mark.changed_interval(Duration::from_millis(250), change_at).unwrap();
        assert_eq!((changed.from_tick, changed.from_time), (10, change_at));
        mark.rule = TickRule::from(&changed);
        assert_eq!(mark.stamp(change_at.plus(Duration::from_millis(249))).0, 10);
        assert_eq!(mark.stamp(change_at.plus(Duration::from_millis(750))).0, 13);
        assert_eq!(mark.changed_interval(Duration::from_millis(250), change_at), None);
        assert_eq!(mark.changed_interval(Duration::ZERO, change_at).unwrap().interval_ms, 1);
    }
}
