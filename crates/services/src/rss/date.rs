//! Dates as feeds write them: of mails (RFC 2822), of the Internet (RFC 3339), or bare days.

use abide_domain::Timestamp;
use jiff::{
    civil::{Date, DateTime},
    fmt::rfc2822::DateTimeParser,
    tz::Offset,
};

/// Longest date that is looked at, in bytes.
const DATE_BYTES_MAX: usize = 64;

/// The point in time that a date means; none where it cannot be read. A day without a time begins at midnight UTC.
pub(super) fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > DATE_BYTES_MAX {
        return None;
    }
    let mail = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok();
    let found = mail.or_else(|| text.parse::<jiff::Timestamp>().ok()).or_else(|| {
        let civil: DateTime =
            text.parse().ok().or_else(|| text.parse::<Date>().ok().map(DateTime::from))?;
        Offset::UTC.to_timestamp(civil).ok()
    });
    found.map(|at| Timestamp::from_micros(at.as_microsecond()))
}

#[cfg(test)]
mod tests {
    use super::parse_date;

    #[test]
    fn every_usual_form_is_read_and_nonsense_is_nothing() {
        let cases = [
            ("Sat, 28 Nov 2026 10:00:00 GMT", Some("2026-11-28T10:00:00.000000Z")),
            ("Mon, 28 Nov 2026 10:00:00 -0500", Some("2026-11-28T15:00:00.000000Z")),
            ("28 Nov 2026 10:00 EST", Some("2026-11-28T15:00:00.000000Z")),
            ("2026-11-28T10:00:00.5+01:00", Some("2026-11-28T09:00:00.500000Z")),
            ("2026-11-28 10:00:00", Some("2026-11-28T10:00:00.000000Z")),
            ("2026-11-28", Some("2026-11-28T00:00:00.000000Z")),
            ("", None),
            ("soon", None),
            ("2026-13-41", None),
        ];
        for (text, expected) in cases {
            let found = parse_date(text).map(|at| at.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
