//! How often something may be done: so much at once, and so much more as time passes. Pure; the time is monotonic and comes
//! from the caller. After a restart a quota is whole again: none of them is a budget, each bounds a rate.

use std::{collections::BTreeMap, time::Duration};

/// Milliseconds of a minute: what is used is counted in parts of a minute, so that nothing is lost by rounding.
const MINUTE_MS: u64 = 60_000;
/// Keys that are counted apart; further ones share one level while none of the others is whole again.
const KEYS_MAX: usize = 4_096;

/// A bound on a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// What may be used at once, after a long rest.
    pub burst: u64,
    /// What comes back in a minute; at least 1.
    pub per_minute: u64,
}

/// A quota is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that is too often; try again in {} s", self.retry_after_s())]
pub struct QuotaError {
    /// After which time there is enough of it again.
    pub retry_after: Duration,
}

impl QuotaError {
    /// Whole seconds after which it may be tried again, at least 1.
    pub fn retry_after_s(&self) -> u64 {
        u64::try_from(self.retry_after.as_millis().div_ceil(1_000)).unwrap_or(u64::MAX).max(1)
    }
}

/// How much of one quota is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaLevel {
    /// In parts of a minute.
    used: u64,
    at: Duration,
}

impl QuotaLevel {
    /// Uses some of it, or says when there is enough again and uses nothing. What costs more than the burst costs the whole
    /// burst.
    pub fn take(&mut self, quota: Quota, cost: u64, now: Duration) -> Result<(), QuotaError> {
        self.recover(quota, now);
        let max = quota.burst.max(1).saturating_mul(MINUTE_MS);
        let used = self.used.saturating_add(cost.saturating_mul(MINUTE_MS).min(max));
        let missing = used.saturating_sub(max);
        if missing > 0 {
            let millis = missing.div_ceil(quota.per_minute.max(1));
            return Err(QuotaError { retry_after: Duration::from_millis(millis) });
        }
        self.used = used;
        Ok(())
    }

    /// Whether nothing of it is used.
    pub fn is_whole(&mut self, quota: Quota, now: Duration) -> bool {
        self.recover(quota, now);
        self.used == 0
    }

    fn recover(&mut self, quota: Quota, now: Duration) {
        let passed = now.saturating_sub(self.at);
        let millis = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX);
        self.used = self.used.saturating_sub(millis.saturating_mul(quota.per_minute.max(1)));
        // The rest of a millisecond counts next time.
        self.at = self.at.saturating_add(Duration::from_millis(millis));
    }
}

/// One quota for each of many.
#[derive(Clone, Debug)]
pub struct Quotas<K> {
    quota: Quota,
    levels: BTreeMap<K, QuotaLevel>,
    others: QuotaLevel,
}

impl<K: Ord + Clone> Quotas<K> {
    /// The same quota for all.
    pub fn new(quota: Quota) -> Self {
        Self { quota, levels: BTreeMap::new(), others: QuotaLevel::default() }
    }

    /// Uses some of the quota of one.
    pub fn take(&mut self, key: &K, cost: u64, now: Duration) -> Result<(), QuotaError> {
        let quota = self.quota;
        if let Some(level) = self.levels.get_mut(key) {
            return level.take(quota, cost, now);
        }
        if self.levels.len() >= KEYS_MAX {
            self.levels.retain(|_, level| !level.is_whole(quota, now));
        }
        if self.levels.len() >= KEYS_MAX {
            return self.others.take(quota, cost, now);
        }
        self.levels.entry(key.clone()).or_default().take(quota, cost, now)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{KEYS_MAX, Quota, QuotaLevel, Quotas};

    const QUOTA: Quota = Quota { burst: 3, per_minute: 60 };

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_burst_passes_and_then_one_for_each_that_came_back() {
        let mut level = QuotaLevel::default();
        for _ in 0..3 {
            assert_eq!(level.take(QUOTA, 1, at(0)), Ok(()));
        }
        let refused = level.take(QUOTA, 1, at(0)).unwrap_err();
        assert_eq!((refused.retry_after, refused.retry_after_s()), (at(1_000), 1));
        assert_eq!(level.take(QUOTA, 1, at(400)).unwrap_err().retry_after, at(600));
        assert_eq!(level.take(QUOTA, 1, at(1_000)), Ok(()));
        assert!(level.take(QUOTA, 1, at(1_001)).is_err());
        assert_eq!(level.take(QUOTA, 1_000, at(60_000)), Ok(()), "no more than the whole burst");
        assert!(level.take(QUOTA, 1, at(60_000)).is_err());
    }

    #[test]
    fn each_has_its_own_and_those_beyond_all_bounds_share_one() {
        let mut quotas = Quotas::new(Quota { burst: 1, per_minute: 1 });
        for key in 0..KEYS_MAX {
            assert_eq!(quotas.take(&key, 1, at(0)), Ok(()), "{key}");
        }
        assert!(quotas.take(&0, 1, at(0)).is_err());
        assert_eq!(quotas.take(&KEYS_MAX, 1, at(0)), Ok(()));
        assert!(quotas.take(&(KEYS_MAX + 1), 1, at(0)).is_err(), "it shares");
        assert_eq!(quotas.take(&(KEYS_MAX + 1), 1, at(60_000)), Ok(()));
        assert!(quotas.levels.len() <= KEYS_MAX, "those that are whole again are forgotten");
    }

    proptest! {
        #[test]
        fn no_more_passes_than_the_burst_and_what_came_back(
            steps in prop::collection::vec((0_u64..5_000, 1_u64..4), 1..200),
        ) {
            let (mut level, mut now, mut taken) = (QuotaLevel::default(), 0, 0);
            for (wait, cost) in steps {
                now += wait;
                if level.take(QUOTA, cost, at(now)).is_ok() {
                    taken += cost.min(QUOTA.burst);
                }
                prop_assert!(taken * 60_000 <= QUOTA.burst * 60_000 + now * QUOTA.per_minute);
            }
        }
    }
}
