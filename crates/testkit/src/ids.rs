//! Ids from a seed: a run with the same seed and the same calls makes the same ids.

use std::sync::atomic::{AtomicU64, Ordering};

use abide_domain::{IdSource, Timestamp};
use uuid::{Builder, Uuid};

use crate::SplitMix64;

/// A source of UUIDv7 made of the given time, a seed and a counter. Never the same twice, sorted within a millisecond.
#[derive(Debug)]
pub struct SeededIds {
    seed: u64,
    made: AtomicU64,
}

impl SeededIds {
    /// A source for that seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed, made: AtomicU64::new(0) }
    }
}

impl Default for SeededIds {
    fn default() -> Self {
        Self::new(1)
    }
}

impl IdSource for SeededIds {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let millis = u64::try_from(now.as_micros() / 1000).unwrap_or(0);
        let noise = SplitMix64::new(self.seed ^ number).next_u64();
        // 80 bits follow the time; 6 of them become version and variant. The counter stands clear of both and before
        // the noise, so that ids of one millisecond sort as they were made.
        let [.., c4, c3, c2, c1, c0] = number.to_be_bytes();
        let [.., n2, n1, n0] = noise.to_be_bytes();
        let tail = [0, 0, c4 & 0x3f, c3, c2, c1, c0, n2, n1, n0];
        Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{IdSource as _, Timestamp};

    use super::SeededIds;

    #[test]
    fn the_same_seed_gives_the_same_ids_and_never_one_twice() {
        let now = Timestamp::from_micros(1_795_817_403_000_000);
        let run = |seed| {
            let ids = SeededIds::new(seed);
            (0..5000).map(|_| ids.uuid(now)).collect::<Vec<_>>()
        };
        let first = run(1);
        assert_eq!(first, run(1));
        assert_ne!(first, run(2));
        assert!(first.is_sorted(), "ids of one millisecond sort as they were made");
        let mut unique = first.clone();
        unique.dedup();
        assert_eq!(unique.len(), first.len());
        assert!(first.iter().all(|id| id.get_version_num() == 7));
    }
}
