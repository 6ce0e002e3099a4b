//! A token bucket, pure: says whether one more line may go now, or how long it must wait. Time is handed in.

use std::time::Duration;

/// A bucket that holds `burst` tokens and gets one more each `every`.
#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    burst: u32,
    every: Duration,
    /// When the bucket will be full again, on the monotonic clock. All of its state, as in a leaky queue.
    full_at: Duration,
}

impl TokenBucket {
    /// A full bucket.
    pub(crate) const fn new(burst: u32, every: Duration) -> Self {
        Self { burst, every, full_at: Duration::ZERO }
    }

    /// Takes one token, or says how long it is until there is one.
    pub(crate) fn take(&mut self, now: Duration) -> Result<(), Duration> {
        let debt = self.full_at.saturating_sub(now);
        let room = self.every.saturating_mul(self.burst.saturating_sub(1));
        if debt > room {
            return Err(debt.saturating_sub(room));
        }
        self.full_at = now.saturating_add(debt).saturating_add(self.every);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::TokenBucket;

    #[test]
    fn a_burst_passes_and_then_one_at_a_time() {
        let mut bucket = TokenBucket::new(3, Duration::from_secs(2));
        let at = Duration::from_secs(100);
        assert_eq!([bucket.take(at), bucket.take(at), bucket.take(at)], [Ok(()); 3]);
        assert_eq!(bucket.take(at), Err(Duration::from_secs(2)));
        let later = at + Duration::from_secs(2);
        assert_eq!(bucket.take(later), Ok(()));
        assert_eq!(bucket.take(later), Err(Duration::from_secs(2)));
        let rested = at + Duration::from_mins(1);
        assert_eq!([bucket.take(rested), bucket.take(rested), bucket.take(rested)], [Ok(()); 3]);
        assert!(bucket.take(rested).is_err());
    }
}
