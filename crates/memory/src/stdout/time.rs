//! Times as they stand in lines: ours in one step, others by the general reader.

use abide_domain::Timestamp;

/// Bytes of a time as it is written: `2025-12-06T17:33:23.651621Z`.
pub(super) const TIME_BYTES: usize = 27;
/// Where digits stand in it.
const FORM: &[u8; TIME_BYTES] = b"dddd-dd-ddTdd:dd:dd.ddddddZ";

/// Reads a time in exactly the written form; `None` for every other, though it may be a time.
pub(super) fn read_written(text: &[u8]) -> Option<Timestamp> {
    let text: &[u8; TIME_BYTES] = text.try_into().ok()?;
    let has_form = text.iter().zip(FORM).all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        form => byte == form,
    });
    if !has_form {
        return None;
    }
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to).unwrap_or_default();
        digits.iter().fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'))
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19));
    let is_real = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let seconds = ((days_before(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    is_real.then(|| Timestamp::from_micros(seconds * 1_000_000 + number(20, 26)))
}

/// Reads a time as it may stand in a file of the specification: with an offset, or without one and then in UTC.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let written = read_written(text.as_bytes());
    written.or_else(|| text.parse().ok()).or_else(|| format!("{text}Z").parse().ok())
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar. Years are counted from March, so that the leap day is the
/// last of its year; 719,468 days lie between 1 March of the year 0 and 1970.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;
    use proptest::prelude::*;

    use super::{read, read_written};

    #[test]
    fn what_is_no_time_of_the_written_form_is_left_to_the_general_reader() {
        for text in [
            "2025-02-29T00:00:00.000000Z",
            "2025-13-01T00:00:00.000000Z",
            "2025-00-01T00:00:00.000000Z",
            "2025-12-00T00:00:00.000000Z",
            "2025-12-06T24:00:00.000000Z",
            "2025-12-06T17:33:60.000000Z",
            "2025-12-06 17:33:23.651621Z",
            "2025-12-06T17:33:23.65162Z",
            "2025-12-06T17:33:23.6516211",
        ] {
            assert_eq!(read_written(text.as_bytes()), None, "{text}");
        }
        let at = read_written(b"2025-12-06T17:33:23.651621Z");
        assert!(at.is_some());
        for same in [
            "2025-12-06T17:33:23.651621",
            "2025-12-06T18:33:23.651621+01:00",
            "2025-12-06T17:33:23.651621000Z",
        ] {
            assert_eq!(read(same), at, "{same}");
        }
        assert_eq!(read("2024-02-29T12:00:00"), "2024-02-29T12:00:00Z".parse().ok());
        for text in ["", "yesterday", "2025-12-06", "17:33:23"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_time_reads_back(micros in -62_000_000_000_000_000_i64..253_000_000_000_000_000) {
            let at = Timestamp::from_micros(micros);
            prop_assert_eq!(read_written(at.to_string().as_bytes()), Some(at));
        }
    }
}
