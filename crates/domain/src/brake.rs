//! A brake on attempts that fail, such as wrong passwords: pure, by whoever tries, bounded in what it remembers.
//!
//! What is right always passes; a brake slows only the answer to what is wrong. Somebody who guesses must not lock out
//! those who know, and tokens of 256 bits are not found by guessing: the brake keeps guesses from costing the keeper work
//! and makes them seen.

use std::{collections::HashMap, hash::Hash, time::Duration};

use crate::limits::{BRAKE_FREE, BRAKE_KEYS_MAX, BRAKE_MAX, BRAKE_MEMORY, BRAKE_STEP};

/// Failures by key.
#[derive(Clone, Debug)]
pub struct Brake<K> {
    failures: HashMap<K, Failures>,
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: Duration,
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Braked {
    /// How long whoever failed has to wait; zero for the first few.
    pub wait: Duration,
    /// Whether a burst of failures begins with this one: the moment to say so, once.
    pub begins: bool,
}

impl<K> Default for Brake<K> {
    fn default() -> Self {
        Self { failures: HashMap::new() }
    }
}

impl<K: Clone + Eq + Hash> Brake<K> {
    /// Counts a failure at a time of the monotonic clock.
    pub fn failed(&mut self, key: &K, now: Duration) -> Braked {
        self.forget(now);
        if !self.failures.contains_key(key) && self.failures.len() >= BRAKE_KEYS_MAX {
            let oldest = self.failures.iter().min_by_key(|(_, failures)| failures.last);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.failures.remove(&oldest);
            }
        }
        let failures = self.failures.entry(key.clone()).or_insert(Failures { count: 0, last: now });
        failures.count = failures.count.saturating_add(1);
        failures.last = now;
        let count = failures.count;
        Braked { wait: wait_after(count), begins: count == BRAKE_FREE.saturating_add(1) }
    }

    /// How long a key still has to wait; zero where it does not.
    pub fn wait(&self, key: &K, now: Duration) -> Duration {
        let Some(failures) = self.failures.get(key) else { return Duration::ZERO };
        wait_after(failures.count).saturating_sub(now.saturating_sub(failures.last))
    }

    /// Forgets the failures of a key, for it succeeded.
    pub fn succeeded(&mut self, key: &K) {
        self.failures.remove(key);
    }

    fn forget(&mut self, now: Duration) {
        self.failures.retain(|_, failures| now.saturating_sub(failures.last) < BRAKE_MEMORY);
    }
}

/// The wait after so many failures: none, then a step, doubled each time up to the bound.
fn wait_after(count: u32) -> Duration {
    let Some(doublings) = count.checked_sub(BRAKE_FREE.saturating_add(1)) else {
        return Duration::ZERO;
    };
    BRAKE_STEP.saturating_mul(2_u32.saturating_pow(doublings)).min(BRAKE_MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Brake, Braked};
    use crate::limits::{BRAKE_FREE, BRAKE_KEYS_MAX, BRAKE_MAX, BRAKE_MEMORY, BRAKE_STEP};

    #[test]
    fn the_wait_doubles_up_to_its_bound_and_is_forgotten() {
        let mut brake = Brake::default();
        let now = Duration::from_secs(100);
        for _ in 0..BRAKE_FREE {
            assert_eq!(brake.failed(&"a", now), Braked { wait: Duration::ZERO, begins: false });
        }
        assert_eq!(brake.failed(&"a", now), Braked { wait: BRAKE_STEP, begins: true });
        assert_eq!(brake.failed(&"a", now), Braked { wait: BRAKE_STEP * 2, begins: false });
        assert_eq!(brake.wait(&"a", now + BRAKE_STEP), BRAKE_STEP);
        assert_eq!(brake.wait(&"b", now), Duration::ZERO);
        for _ in 0..100 {
            assert!(brake.failed(&"a", now).wait <= BRAKE_MAX);
        }
        assert_eq!(brake.wait(&"a", now), BRAKE_MAX);
        let later = now + BRAKE_MEMORY;
        assert_eq!(brake.failed(&"a", later).wait, Duration::ZERO, "a new burst");
        brake.succeeded(&"a");
        assert_eq!(brake.wait(&"a", later), Duration::ZERO);
    }

    #[test]
    fn it_remembers_no_more_than_its_bound() {
        let mut brake = Brake::default();
        for key in 0..BRAKE_KEYS_MAX + 10 {
            brake.failed(&key, Duration::from_micros(key as u64));
        }
        assert_eq!(brake.failures.len(), BRAKE_KEYS_MAX);
        assert!(!brake.failures.contains_key(&0), "the oldest goes first");
    }
}
