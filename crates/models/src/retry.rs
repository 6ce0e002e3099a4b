//! When a failed attempt is retried: a pure rule, so that a test can check its whole table.
//!
//! Nothing is retried after the first byte of an answer, because people may have seen it. Randomness is a parameter.

use std::time::Duration;

use crate::{AttemptError, AttemptErrorKind};

/// How often to retry, and how long to wait before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Retries after rate limits and overload.
    pub busy_retries_max: u32,
    /// Retries after failures before the first byte.
    pub broken_retries_max: u32,
    /// The first wait; it doubles with each retry.
    pub wait: Duration,
    /// The longest wait that the policy itself sets.
    pub wait_max: Duration,
    /// The longest wait that a provider may ask for; beyond it the failure is returned and the caller decides.
    pub retry_after_max: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            busy_retries_max: 3,
            broken_retries_max: 2,
            wait: Duration::from_millis(500),
            wait_max: Duration::from_secs(8),
            retry_after_max: Duration::from_secs(30),
        }
    }
}

/// Retries that were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryCount {
    /// After rate limits and overload.
    pub busy: u32,
    /// After failures before the first byte.
    pub broken: u32,
}

impl RetryCount {
    /// All of them.
    pub fn total(self) -> u32 {
        self.busy.saturating_add(self.broken)
    }
}

impl RetryPolicy {
    /// How long to wait before the next retry, which is then counted; `None` where there is none.
    ///
    /// The wait is what the provider asks for plus the policy's own, which doubles each time and of which one half is
    /// random (`jitter_permille`, 0 to 1000). A wait that would outlast `left` is not begun.
    pub fn next_wait(
        &self,
        failure: &AttemptError,
        retries: &mut RetryCount,
        jitter_permille: u32,
        left: Duration,
    ) -> Option<Duration> {
        let (count, max) = match failure.kind {
            _ if failure.has_begun => return None,
            AttemptErrorKind::RateLimited | AttemptErrorKind::Overloaded => {
                (&mut retries.busy, self.busy_retries_max)
            }
            AttemptErrorKind::Broken => (&mut retries.broken, self.broken_retries_max),
            _ => return None,
        };
        let asked = failure.retry_after.unwrap_or_default();
        if *count >= max || asked > self.retry_after_max {
            return None;
        }
        let own = self.wait.saturating_mul(2_u32.saturating_pow(*count)).min(self.wait_max);
        let half = own / 2;
        let wait = asked + half + half.saturating_mul(jitter_permille.min(1000)) / 1000;
        if wait >= left {
            return None;
        }
        *count += 1;
        Some(wait)
    }
}

/// A pseudo-random number from 0 to 1000: spread over agents and attempts by their ids, the same for the same ids. Ids
/// come from the keeper's id source, so that a simulation repeats itself exactly.
pub(crate) fn jitter_permille(seed: &[&[u8]]) -> u32 {
    // FNV-1a, whose high bits mix well enough for spreading.
    let bytes = seed.iter().copied().flatten();
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    u32::try_from((hash >> 32) % 1001).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{RetryCount, RetryPolicy, jitter_permille};
    use crate::{AttemptError, AttemptErrorKind};

    const LONG: Duration = Duration::from_mins(10);

    fn waits(
        kind: &AttemptErrorKind,
        retry_after: Option<u64>,
        jitter: u32,
        left: Duration,
    ) -> Vec<u128> {
        let failure = AttemptError {
            retry_after: retry_after.map(Duration::from_secs),
            ..AttemptError::new(kind.clone(), String::new())
        };
        let (policy, mut retries) = (RetryPolicy::default(), RetryCount::default());
        let next = || policy.next_wait(&failure, &mut retries, jitter, left).map(|w| w.as_millis());
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn each_kind_is_tried_again_as_often_as_the_table_says() {
        assert_eq!(waits(&AttemptErrorKind::RateLimited, None, 1000, LONG), [500, 1000, 2000]);
        assert_eq!(waits(&AttemptErrorKind::Overloaded, None, 0, LONG), [250, 500, 1000]);
        assert_eq!(waits(&AttemptErrorKind::Broken, None, 500, LONG), [375, 750]);
        assert_eq!(waits(&AttemptErrorKind::RateLimited, Some(7), 0, LONG), [7250, 7500, 8000]);
        for kind in [
            AttemptErrorKind::Unreachable,
            AttemptErrorKind::MoneyOut,
            AttemptErrorKind::Cut,
            AttemptErrorKind::Refused,
            AttemptErrorKind::ContextTooLong,
            AttemptErrorKind::NoTools,
            AttemptErrorKind::Rejected,
            AttemptErrorKind::BadVoice { path: String::new() },
        ] {
            assert_eq!(waits(&kind, Some(0), 0, LONG), [0_u128; 0], "{kind:?}");
        }
    }

    #[test]
    fn nothing_is_tried_again_once_an_answer_has_begun() {
        for kind in
            [AttemptErrorKind::Overloaded, AttemptErrorKind::RateLimited, AttemptErrorKind::Broken]
        {
            let failure =
                AttemptError { has_begun: true, ..AttemptError::new(kind, String::new()) };
            assert_eq!(
                RetryPolicy::default().next_wait(&failure, &mut RetryCount::default(), 0, LONG),
                None
            );
        }
    }

    #[test]
    fn no_wait_is_begun_that_is_too_long() {
        assert_eq!(waits(&AttemptErrorKind::RateLimited, Some(31), 0, LONG), [0_u128; 0]);
        let left = Duration::from_millis(600);
        assert_eq!(waits(&AttemptErrorKind::Overloaded, None, 0, left), [250, 500]);
    }

    #[test]
    fn jitter_is_spread_and_repeats_for_the_same_ids() {
        let drawn: Vec<u32> = (0..1000_u32).map(|n| jitter_permille(&[&n.to_be_bytes()])).collect();
        assert_eq!(
            drawn,
            (0..1000_u32).map(|n| jitter_permille(&[&n.to_be_bytes()])).collect::<Vec<_>>()
        );
        assert!(drawn.iter().all(|&draw| draw <= 1000));
        for tenth in 0..10 {
            let count = drawn.iter().filter(|&&draw| draw / 100 == tenth).count();
            assert!(count > 50, "{count} of 1000 between {tenth}00 and {tenth}99");
        }
    }
}
