//! How often one kind of event is recorded: the first few at once, then some in each window, with the number left out.
//!
//! Pure. An agent that floods its keeper must not flood the ledger.

use std::{collections::BTreeMap, time::Duration};

/// Kinds that are counted apart; all others share one counter.
const KINDS_MAX: usize = 32;
const OTHERS: &str = "";

/// A bound on what is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Throttle {
    window: Duration,
    burst: u32,
    kinds: BTreeMap<String, KindCounter>,
}

#[derive(Clone, Copy, Debug, Default)]
struct KindCounter {
    since: Duration,
    taken: u32,
    suppressed: u64,
}

impl Throttle {
    /// Lets `burst` of each kind through in a window.
    pub(crate) fn new(window: Duration, burst: u32) -> Self {
        Self { window, burst, kinds: BTreeMap::new() }
    }

    /// Whether one more may be recorded, and how many were not since the last that was.
    pub(crate) fn admit(&mut self, kind: &str, now: Duration) -> Option<u64> {
        let is_known = self.kinds.contains_key(kind);
        let kind = if is_known || self.kinds.len() < KINDS_MAX { kind } else { OTHERS };
        let fresh = KindCounter { since: now, ..KindCounter::default() };
        let seen = self.kinds.entry(kind.into()).or_insert(fresh);
        if now.saturating_sub(seen.since) >= self.window {
            *seen = KindCounter { since: now, taken: 0, suppressed: seen.suppressed };
        }
        if seen.taken >= self.burst {
            seen.suppressed += 1;
            return None;
        }
        seen.taken += 1;
        Some(std::mem::take(&mut seen.suppressed))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{KINDS_MAX, Throttle};

    #[test]
    fn the_first_few_pass_and_the_next_window_tells_how_many_did_not() {
        let mut throttle = Throttle::new(Duration::from_mins(1), 2);
        let at = Duration::from_secs;
        let admitted: Vec<_> = (0..5).map(|second| throttle.admit("a", at(second))).collect();
        assert_eq!(admitted, [Some(0), Some(0), None, None, None]);
        assert_eq!(throttle.admit("b", at(5)), Some(0));
        assert_eq!(throttle.admit("a", at(60)), Some(3));
        assert_eq!(throttle.admit("a", at(61)), Some(0));
        assert_eq!(throttle.admit("a", at(62)), None);
    }

    #[test]
    fn kinds_without_end_share_one() {
        let mut throttle = Throttle::new(Duration::from_mins(1), 1);
        let admitted = (0..1000).filter_map(|n| throttle.admit(&n.to_string(), Duration::ZERO));
        assert_eq!(admitted.count(), KINDS_MAX + 1);
        assert!(throttle.kinds.len() <= KINDS_MAX + 1);
    }
}
