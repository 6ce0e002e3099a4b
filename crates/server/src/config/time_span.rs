//! TimeSpans of time as people write them: a whole number and a unit, such as `250ms`, `1s`, `5m`, `2h`, `1d`.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, de::Error as _};

/// A length of time from the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeSpan(pub(crate) Duration);

/// Says why a text is no length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not a length of time; write a whole number and ms, s, m, h or d, such as \"250ms\" or \"5m\""
)]
pub(crate) struct TimeSpanError;

/// Units with their milliseconds, the longest first.
const UNITS: [(&str, u64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl FromStr for TimeSpan {
    type Err = TimeSpanError;

    fn from_str(text: &str) -> Result<Self, TimeSpanError> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| TimeSpanError)?;
        let (_, unit_ms) = UNITS.iter().find(|(name, _)| *name == unit).ok_or(TimeSpanError)?;
        let ms = number.checked_mul(*unit_ms).ok_or(TimeSpanError)?;
        Ok(Self(Duration::from_millis(ms)))
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_millis();
        let fits = |unit_ms: u64| ms > 0 && ms.is_multiple_of(u128::from(unit_ms));
        let (unit, unit_ms) = UNITS.iter().find(|(_, ms)| fits(*ms)).unwrap_or(&("ms", 1));
        write!(f, "{}{unit}", ms / u128::from(*unit_ms))
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{TimeSpan, TimeSpanError};

    #[test]
    fn reads_the_five_units_and_nothing_else() {
        let cases = [("250ms", 250), ("1s", 1_000), ("5m", 300_000), ("2h", 7_200_000), ("0s", 0)];
        for (text, ms) in cases {
            assert_eq!(text.parse(), Ok(TimeSpan(Duration::from_millis(ms))), "{text}");
        }
        for text in
            ["", "5", "s", "-1s", "1.5s", "1 s", "1S", "5min", "99999999999999999999s", "٣s"]
        {
            assert_eq!(text.parse::<TimeSpan>(), Err(TimeSpanError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(ms in 0..10_u64.pow(12)) {
            let span = TimeSpan(Duration::from_millis(ms));
            prop_assert_eq!(span.to_string().parse(), Ok(span));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,20}") {
            prop_assert!(text.parse::<TimeSpan>().is_err() || text.is_ascii());
        }
    }
}
