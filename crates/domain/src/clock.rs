//! Points in time, and the clock that gives them.
//!
//! A [`Timestamp`] is always UTC with microseconds and always written the same way, so that ledger lines compare as
//! text. Nothing below the binary reads the system's clock: a [`Clock`] is passed in, and a test passes its own.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{borrowed_text::BorrowedText, offset::offset_seconds};

/// A point in time, UTC, to the microsecond. Written `2026-11-27T22:10:03.123456Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// Largest offset from UTC, either way, in hours.
const OFFSET_HOURS_MAX: u32 = 18;

/// The text is not a point in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not an RFC 3339 date and time with an offset of at most 18 hours, such as 2026-11-27T22:10:03Z"
)]
pub struct TimestampError {
    /// The text as it came, cut to 64 characters.
    pub text: String,
}

impl Timestamp {
    /// Makes a point in time from microseconds since 1970-01-01T00:00:00Z.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The time from `earlier` to this one; zero where `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// This point moved back, saturating at the beginning of representable time.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(micros))
    }

    /// This point moved forward, saturating at the end of representable time.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(micros))
    }

    /// The calendar day in UTC, as days since 1970-01-01: daily budgets are counted by it.
    pub const fn day(self) -> i64 {
        self.0.div_euclid(86_400_000_000)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(timestamp) => write!(f, "{timestamp:.6}"),
            Err(_) => write!(f, "{:.6}Z", civil_of(self.0)),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || TimestampError { text: text.chars().take(64).collect() };
        // jiff reads more than RFC 3339 (a space for the T, a bare date, a bracketed zone): restrict it to the profile.
        let bytes = text.as_bytes();
        let has_profile = bytes.len() >= 20
            && matches!(bytes.get(10), Some(b'T' | b't'))
            && bytes.get(16) == Some(&b':')
            && bytes.get(19).is_some_and(|b| !b.is_ascii_digit())
            && !bytes.contains(&b'[');
        if !has_profile || !has_known_offset(text) {
            return Err(error());
        }
        match text.parse::<jiff::Timestamp>() {
            Ok(timestamp) => Ok(Self(timestamp.as_microsecond())),
            Err(_) => last_days(text).map(Self).ok_or_else(error),
        }
    }
}

/// The end of the year 9999 in UTC. jiff's instants end two days before it, so that every offset can show them.
const INSTANTS_END: jiff::civil::DateTime = jiff::civil::date(9999, 12, 30).at(0, 0, 0, 0);
const EPOCH: jiff::civil::DateTime = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);

/// The UTC calendar and clock at a point that jiff's instants do not reach; the end of time beyond the year 9999.
fn civil_of(micros: i64) -> jiff::civil::DateTime {
    let span = jiff::Span::new().try_microseconds(micros);
    span.ok().and_then(|span| EPOCH.checked_add(span).ok()).unwrap_or(jiff::civil::DateTime::MAX)
}

/// The microseconds of a date and time in the last two days of the year 9999, which is in order of form.
fn last_days(text: &str) -> Option<i64> {
    let at = text.char_indices().skip(19).find(|(_, c)| matches!(c, '+' | '-' | 'Z' | 'z'))?.0;
    let (civil, offset) = text.split_at_checked(at)?;
    let civil: jiff::civil::DateTime = civil.parse().ok().filter(|civil| *civil >= INSTANTS_END)?;
    let seconds = match offset {
        "Z" | "z" => 0,
        offset => i64::from(offset_seconds(offset)?),
    };
    let micros = EPOCH.until((jiff::Unit::Microsecond, civil)).ok()?.get_microseconds();
    let micros = micros.checked_sub(seconds * 1_000_000)?;
    (civil_of(micros) < jiff::civil::DateTime::MAX).then_some(micros)
}

/// Whether the offset of a date and time is one that a place on earth has had: 18 hours at most (decision 62).
fn has_known_offset(text: &str) -> bool {
    let Some((at, _)) = text.char_indices().skip(19).find(|(_, c)| matches!(c, '+' | '-')) else {
        return true;
    };
    let digits: Vec<u32> =
        text.get(at..).unwrap_or_default().chars().filter_map(|c| c.to_digit(10)).collect();
    let minutes = match digits.as_slice() {
        [tens, ones] => (tens * 10 + ones) * 60,
        [tens, ones, minutes @ ..] => {
            let rest: u32 = minutes.iter().sum();
            (tens * 10 + ones) * 60 + u32::from(rest > 0)
        }
        _ => return false,
    };
    minutes <= OFFSET_HOURS_MAX * 60
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let BorrowedText(text) = BorrowedText::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// A source of time: the system's clock in the binary, a fake one in tests.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The wall clock.
    fn now(&self) -> Timestamp;
    /// A clock that never goes back and does not follow changes of the wall clock, from an arbitrary zero.
    fn monotonic(&self) -> Duration;
    /// How long the machine has been suspended since that zero, which the monotonic clock does not count.
    fn suspended(&self) -> Duration {
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn writes_six_digits_and_z() {
        let cases = [
            ("2024-11-20T16:30:00Z", "2024-11-20T16:30:00.000000Z"),
            ("2024-11-20T18:30:00+02:00", "2024-11-20T16:30:00.000000Z"),
            ("2025-12-06T17:33:23.651621Z", "2025-12-06T17:33:23.651621Z"),
            ("2024-11-20T16:30:00+18:00", "2024-11-19T22:30:00.000000Z"),
            ("2024-11-20T16:30:00.25-18:00", "2024-11-21T10:30:00.250000Z"),
            ("2025-12-06t17:33:23.6z", "2025-12-06T17:33:23.600000Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z"),
            ("9999-12-31T23:59:59.999998z", "9999-12-31T23:59:59.999998Z"),
            ("9999-12-31T23:59:59+02:00", "9999-12-31T21:59:59.000000Z"),
            ("9999-12-30T22:00:01Z", "9999-12-30T22:00:01.000000Z"),
        ];
        for (text, written) in cases {
            assert_eq!(
                text.parse::<Timestamp>().map(|t| t.to_string()),
                Ok(written.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn refuses_what_is_not_rfc_3339() {
        for text in [
            "",
            "now",
            "2024-11-20",
            "2024-11-20T16:30:00",
            "2024-11-20 16:30:00Z",
            "2024-13-20T16:30:00Z",
            "2024-11-20T16:30Z",
            "2024-11-20T16:30:00Z[UTC]",
            "1732120200",
            "2024-11-20T16:30:00 Z",
            "2024-11-20T16:30:00+18:01",
            "2024-11-20T16:30:00-19:00",
            "2024-11-20T16:30:00.5+25:59",
            "9999-12-31T23:59:59-02:00",
            "9999-12-31T24:59:59Z",
            "9999-12-32T23:59:59Z",
            "9999-12-31T23:59:59Y",
            "9999-12-31T23:59:59+2:00",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
