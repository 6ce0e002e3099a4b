//! Since when a part of a program works on something, and when it was last done. Written by the part, read by whoever
//! watches it: no lock, so that a part that hangs cannot keep the watcher waiting.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The clock of one part. All times are those of one monotonic clock ([`crate::Clock::monotonic`]).
#[derive(Debug, Default)]
pub struct PartClock {
    /// Microseconds since when it works on what it works on now, plus one; 0 where it has nothing to do.
    busy_since: AtomicU64,
    /// Microseconds at which it was last done.
    last_done: AtomicU64,
}

impl PartClock {
    /// The part begins to work on something.
    pub fn begin(&self, now: Duration) {
        self.busy_since.store(micros(now).saturating_add(1), Ordering::Relaxed);
    }

    /// The part is done with it, or shows that it is alive.
    pub fn done(&self, now: Duration) {
        self.last_done.store(micros(now), Ordering::Relaxed);
        self.busy_since.store(0, Ordering::Relaxed);
    }

    /// How long it has been at what it works on; `None` where it has nothing to do.
    pub fn busy_for(&self, now: Duration) -> Option<Duration> {
        let since = self.busy_since.load(Ordering::Relaxed).checked_sub(1)?;
        Some(now.saturating_sub(Duration::from_micros(since)))
    }

    /// How long ago it was last done; since the clock's zero where it never was.
    pub fn since_done(&self, now: Duration) -> Duration {
        now.saturating_sub(Duration::from_micros(self.last_done.load(Ordering::Relaxed)))
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::PartClock;

    #[test]
    fn a_part_is_busy_from_its_beginning_until_it_is_done() {
        let (clock, second) = (PartClock::default(), Duration::from_secs);
        assert_eq!(clock.busy_for(second(9)), None);
        clock.begin(Duration::ZERO);
        assert_eq!(clock.busy_for(second(9)), Some(second(9)));
        clock.done(second(10));
        assert_eq!((clock.busy_for(second(12)), clock.since_done(second(12))), (None, second(2)));
    }
}
