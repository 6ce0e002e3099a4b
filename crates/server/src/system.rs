//! The system's clock and randomness. Everything else is given a clock and an [`IdSource`].

use abide_domain::{IdSource, Timestamp};
pub(crate) use abide_sdk::SystemClock;
use uuid::Uuid;

/// UUIDv7 from the system's clock and randomness.
#[derive(Debug)]
pub(crate) struct SystemIds;

impl IdSource for SystemIds {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let ms = u64::try_from(now.as_micros() / 1_000).unwrap_or(0);
        uuid::Builder::from_unix_timestamp_millis(ms, &random::<10>()).into_uuid()
    }
}

/// Random bytes that nobody can guess.
///
/// Linux always has them once it has booted; should the call fail all the same, the process ends: a guessable token is
/// worse than none.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if getrandom::fill(&mut bytes).is_err() {
        tracing::error!(
            event = "no_randomness",
            "the system provides no random bytes; the keeper stops"
        );
        std::process::abort();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use abide_domain::{Clock as _, IdSource as _};

    use super::{SystemClock, SystemIds};

    #[test]
    fn ids_are_version_7_and_carry_the_time() {
        let now = SystemClock::new().now();
        let id = SystemIds.uuid(now);
        assert_eq!(id.get_version_num(), 7);
        let (seconds, _) = id.get_timestamp().unwrap().to_unix();
        assert_eq!(i64::try_from(seconds).unwrap(), now.as_micros() / 1_000_000);
        assert_ne!(id, SystemIds.uuid(now));
    }
}
