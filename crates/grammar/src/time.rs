//! Points in time as text: the profile of RFC 3339, with or without an offset.
//!
//! Entries of a log may come without one; they are UTC. Parsed here rather than by the domain's type, because this crate
//! depends on no other.

const MICROS: i64 = 1_000_000;

/// Microseconds since 1970-01-01T00:00:00Z; digits beyond are cut off, a leap second is the one before it.
pub fn parse_time(text: &str) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix(['T', 't'])?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let (clock, rest) = time.split_at_checked(8)?;
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (micros, rest) = fraction(rest)?;
    let seconds = days(year, month, day)? * 86_400 + hour * 3_600 + minute * 60 + second.min(59);
    Some((seconds - offset_seconds(rest)?) * MICROS + micros)
}

/// Three numbers of exactly the given lengths, separated by `between`.
fn numbers(text: &str, between: char, lengths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(between);
    let mut numbers = [0; 3];
    for (number, length) in numbers.iter_mut().zip(lengths) {
        *number = digits(parts.next()?, length)?;
    }
    parts.next().is_none().then_some(numbers)
}

fn digits(text: &str, length: usize) -> Option<i64> {
    let fits = text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// The microseconds of `.123…`, or none, and what follows.
fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(rest) = text.strip_prefix('.') else { return Some((0, text)) };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (fraction, rest) = rest.split_at_checked(end)?;
    let micros: String = fraction.chars().chain("000000".chars()).take(6).collect();
    if fraction.is_empty() { None } else { Some((micros.parse().ok()?, rest)) }
}

fn offset_seconds(text: &str) -> Option<i64> {
    if matches!(text, "" | "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, text.strip_prefix('-')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years are counted from March, so that the leap day is their last; 146,097 days are 400 years.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::parse_time;

    #[test]
    fn instants_are_read_with_and_without_offset() {
        let cases = [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00", 0),
            ("1969-12-31T23:59:59.999999Z", -1),
            ("2000-03-01T00:00:00Z", 951_868_800_000_000),
            ("2000-02-29t12:00:00z", 951_825_600_000_000),
            ("2025-12-06T17:33:23.651621", 1_765_042_403_651_621),
            ("2025-12-06T18:33:23.651621999+01:00", 1_765_042_403_651_621),
            ("2025-12-06T12:03:23.6-05:30", 1_765_042_403_600_000),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
        ];
        for (text, micros) in cases {
            assert_eq!(parse_time(text), Some(micros), "{text}");
        }
    }

    #[test]
    fn what_is_no_instant_is_none() {
        let cases = [
            "",
            "yesterday",
            "2025-12-06",
            "2025-12-06 17:33:23Z",
            "2025-13-06T17:33:23Z",
            "2025-02-29T17:33:23Z",
            "1900-02-29T17:33:23Z",
            "2025-12-00T17:33:23Z",
            "2025-12-06T24:00:00Z",
            "2025-12-06T17:33Z",
            "2025-12-06T17:33:23.Z",
            "2025-12-06T17:33:23+0100",
            "2025-12-06T17:33:23+24:00",
            "2025-12-06T17:33:23Z ",
            "+025-12-06T17:33:23Z",
            "éééééé06T17:33:23Z",
        ];
        for text in cases {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
