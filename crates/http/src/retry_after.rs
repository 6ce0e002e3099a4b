//! Reads how long a refusal asks to wait.

use std::time::Duration;

use abide_domain::Timestamp;
use http::{HeaderMap, header::RETRY_AFTER};
use jiff::fmt::rfc2822::DateTimeParser;

/// Longest text of a header that is looked at.
const TEXT_BYTES_MAX: usize = 64;

/// Reads `retry-after-ms` (milliseconds) or `Retry-After` (seconds, with a fraction or without, or an HTTP date).
/// `None` where neither can be read; a date in the past is no wait.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?.trim();
        (value.len() <= TEXT_BYTES_MAX).then_some(value)
    };
    if let Some(wait) = text("retry-after-ms").and_then(|text| seconds(text, 1000.0)) {
        return Some(wait);
    }
    let text = text(RETRY_AFTER.as_str())?;
    seconds(text, 1.0).or_else(|| {
        let date = DateTimeParser::new().parse_timestamp(text).ok()?;
        Some(Timestamp::from_micros(date.as_microsecond()).since(now))
    })
}

fn seconds(text: &str, parts: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number / parts).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;
    use http::{HeaderMap, HeaderValue};

    use super::retry_after;

    fn read(pairs: &[(&'static str, &'static str)]) -> Option<Duration> {
        let now: Timestamp = "2026-11-27T22:10:03Z".parse().unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        retry_after(&headers, now)
    }

    #[test]
    fn every_written_form_is_read_and_nonsense_is_nothing() {
        let cases = [
            ("retry-after", "7", Some(7_000)),
            ("retry-after", "0", Some(0)),
            ("retry-after", "1.5", Some(1_500)),
            ("retry-after-ms", "250", Some(250)),
            ("retry-after", "Fri, 27 Nov 2026 22:10:13 GMT", Some(10_000)),
            ("retry-after", "Fri, 27 Nov 2026 22:10:00 GMT", Some(0)),
            ("retry-after", "-3", None),
            ("retry-after", "soon", None),
            ("retry-after", "NaN", None),
            ("retry-after", "inf", None),
            ("retry-after", "", None),
        ];
        for (name, value, millis) in cases {
            assert_eq!(
                read(&[(name, value)]),
                millis.map(Duration::from_millis),
                "{name}: {value}"
            );
        }
        let both = read(&[("retry-after", "9"), ("retry-after-ms", "20")]);
        assert_eq!(both, Some(Duration::from_millis(20)), "the finer one wins");
        assert_eq!(read(&[]), None);
    }
}
