//! Times in words: whether a text tells one, whether a question asks for one, and which days a question means.
//!
//! Works on the words of [`tokens`](super::words::tokens), in UTC and in English; a text in another language simply tells
//! no time. The present is handed in and never read.

use abide_domain::Timestamp;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// Words that place a text in time by themselves.
const TIME_WORDS: [&str; 9] =
    ["yesterday", "today", "tonight", "tomorrow", "ago", "since", "recently", "just", "weekend"];
const COUNTS: [&str; 9] = ["a", "one", "two", "three", "four", "five", "six", "few", "couple"];
const UNITS: [&str; 8] = ["day", "days", "week", "weeks", "weekend", "weekends", "month", "months"];
const YEARS: [&str; 2] = ["year", "years"];
/// Beginnings of what "last" and "next" stand before.
const PERIODS: [&str; 15] = [
    "week", "month", "year", "summer", "winter", "spring", "fall", "autumn", "mon", "tue", "wed",
    "thu", "fri", "sat", "sun",
];
/// Beginnings of what "this" stands before.
const PRESENT: [&str; 6] = ["week", "month", "year", "morning", "summer", "past"];
/// What makes "may" a month.
const BEFORE_MAY: [&str; 7] = ["in", "of", "since", "until", "early", "late", "mid"];
/// Days around a named day over which closeness fades.
const DAY_FADES: f32 = 14.0;

/// A calendar day in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Day {
    /// Days since 1970-01-01.
    pub(super) number: i32,
    year: i16,
    /// 1 to 12.
    month: i8,
    /// 1 to 31.
    of_month: i8,
}

impl Day {
    /// The day of a point in time.
    pub(super) fn of(at: Timestamp) -> Self {
        let number = i32::try_from(at.day()).unwrap_or_default();
        let date = jiff::Timestamp::from_microsecond(at.as_micros())
            .map(|at| jiff::tz::Offset::UTC.to_datetime(at).date())
            .unwrap_or_default();
        Self { number, year: date.year(), month: date.month(), of_month: date.day() }
    }
}

/// Whether the words of a text say when something happens: such a text answers "when".
pub(super) fn tells_a_time(tokens: &[String]) -> bool {
    (0..tokens.len()).any(|index| {
        let mut from = tokens.iter().skip(index).map(String::as_str);
        let word = from.next().unwrap_or_default();
        let next = from.next().unwrap_or_default();
        let third = from.next().unwrap_or_default();
        is_time_word(word) || is_period(word, next) || is_count(word, next, third)
    })
}

fn is_time_word(word: &str) -> bool {
    TIME_WORDS.contains(&word)
        || MONTHS.contains(&word)
        || WEEKDAYS.contains(&word)
        || (word.len() == 4
            && (word.starts_with("19") || word.starts_with("20"))
            && is_number(word))
}

fn is_period(word: &str, next: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|beginning| next.starts_with(beginning));
    match word {
        "last" => begins(&PERIODS) || next.starts_with("night"),
        "next" => begins(&PERIODS) && !next.starts_with("autumn"),
        "this" => begins(&PRESENT),
        _ => false,
    }
}

fn is_count(word: &str, next: &str, third: &str) -> bool {
    let unit = if next == "of" { third } else { next };
    (COUNTS.contains(&word) || is_number(word)) && (UNITS.contains(&unit) || YEARS.contains(&unit))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a question asks for a time.
pub(super) fn asks_when(tokens: &[String]) -> bool {
    let pair = |first: &str, second: &[&str], at: &[String]| {
        at.first().is_some_and(|word| word == first)
            && at.get(1).is_some_and(|word| second.contains(&word.as_str()))
    };
    tokens.first().is_some_and(|word| word == "when")
        || pair("what", &["date", "day", "month", "year", "time"], tokens)
        || tokens
            .windows(2)
            .any(|at| pair("how", &["long"], at) || pair("which", &["year", "month"], at))
}

/// Whether a word of a question only says when, where the question names days.
pub(super) fn says_when(word: &str) -> bool {
    is_time_word(word)
        || COUNTS.contains(&word)
        || UNITS.contains(&word)
        || YEARS.contains(&word)
        || ["last", "night", "morning"].contains(&word)
        || day_number(word).is_some()
}

/// The days that a question means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AskedTime {
    months: Vec<i8>,
    years: Vec<i16>,
    day: Option<i8>,
    /// First and last day, counted from the present.
    span: Option<(i32, i32)>,
}

impl AskedTime {
    /// Reads the days out of a question's words; `None` where it names none.
    pub(super) fn read(tokens: &[String], now: Timestamp) -> Option<Self> {
        let mut asked = Self::default();
        for (index, word) in tokens.iter().enumerate() {
            if let Some(year) = named_year(word) {
                asked.years.push(year);
            }
            if let Some(month) = named_month(tokens, index) {
                asked.months.push(month);
                asked.day = asked.day.or_else(|| day_beside(tokens, index));
            }
        }
        asked.span = relative_span(tokens, Day::of(now));
        (asked != Self::default()).then_some(asked)
    }

    /// How well a day fits: 0 not at all, 1 it was meant; up to 1.2 for a day named by its number.
    pub(super) fn closeness(&self, day: Day) -> f32 {
        let in_span =
            self.span.map_or(
                0.0,
                |(first, last)| {
                    if (first..=last).contains(&day.number) { 1.0 } else { 0.0 }
                },
            );
        self.named(day).max(in_span)
    }

    /// Months, years and days by name. What happened is often told some days later: the month after counts half.
    fn named(&self, day: Day) -> f32 {
        let in_year = self.years.is_empty() || self.years.contains(&day.year);
        let month_before = if day.month == 1 { 12 } else { day.month - 1 };
        if self.months.contains(&day.month) && in_year {
            self.day.map_or(1.0, |named| {
                (1.0 - f32::from((day.of_month - named).abs()) / DAY_FADES).max(0.0) + 0.2
            })
        } else if self.months.contains(&month_before) {
            if self.day.is_none() || day.of_month < 8 { 0.5 } else { 0.0 }
        } else if self.months.is_empty() && self.years.contains(&day.year) {
            0.5
        } else {
            0.0
        }
    }
}

/// Years of this century.
fn named_year(word: &str) -> Option<i16> {
    (word.len() == 4 && word.starts_with("20")).then(|| word.parse().ok()).flatten()
}

fn named_month(tokens: &[String], index: usize) -> Option<i8> {
    let word = tokens.get(index)?;
    let month = (1..).zip(MONTHS).find(|(_, name)| name == word).map(|(number, _)| number)?;
    if word != "may" {
        return Some(month);
    }
    let before = index.checked_sub(1).and_then(|index| tokens.get(index));
    let after = tokens.get(index + 1);
    let is_month = before.is_some_and(|word| {
        BEFORE_MAY.contains(&word.as_str()) || word.ends_with(|c: char| c.is_ascii_digit())
    }) || after.is_some_and(|word| is_number(word));
    is_month.then_some(month)
}

/// The day's number before a month ("7 May", "7th of May") or behind it.
fn day_beside(tokens: &[String], month: usize) -> Option<i8> {
    let mut before = tokens.iter().take(month).rev().filter(|word| *word != "of");
    let before = before.next().and_then(|word| day_number(word));
    before.or_else(|| tokens.get(month + 1).and_then(|word| day_number(word)))
}

fn day_number(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = word.get(digits.len()..)?;
    let fits = matches!(suffix, "" | "st" | "nd" | "rd" | "th") && digits.len() <= 2;
    fits.then(|| digits.parse().ok()).flatten().filter(|day| (1..=31).contains(day))
}

/// "yesterday", "last week", "two months ago": days counted from the present.
fn relative_span(tokens: &[String], now: Day) -> Option<(i32, i32)> {
    (0..tokens.len()).find_map(|index| {
        let mut from = tokens.iter().skip(index).map(String::as_str);
        let word = from.next()?;
        let next = from.next().unwrap_or_default();
        let span = match word {
            "today" | "tonight" => Some((0, 0)),
            "yesterday" => Some((1, 1)),
            "last" => last_span(next, now),
            "this" => this_span(next, now),
            _ => ago_span(word, next, from.next().unwrap_or_default()),
        };
        span.map(|(latest, earliest)| (now.number - earliest, now.number - latest))
    })
}

/// Days back, the latest first.
fn last_span(next: &str, now: Day) -> Option<(i32, i32)> {
    let day = i32::from(now.of_month);
    match next {
        "night" => Some((0, 1)),
        "week" => Some((1, 13)),
        "weekend" => Some((0, 8)),
        "month" => Some((day, day + 30)),
        "year" => {
            let since_january = 30 * (i32::from(now.month) - 1) + day;
            Some((since_january, since_january + 366))
        }
        _ => {
            let named = (0..).zip(WEEKDAYS).find(|(_, name)| *name == next)?.0;
            // 1970-01-01 was a Thursday, which is number 3.
            let back = (now.number + 3 - named - 1).rem_euclid(7) + 1;
            Some((back, back))
        }
    }
}

fn this_span(next: &str, now: Day) -> Option<(i32, i32)> {
    match next {
        "morning" => Some((0, 0)),
        "week" => Some((0, 6)),
        "month" => Some((0, i32::from(now.of_month) - 1)),
        "year" => Some((0, 30 * i32::from(now.month))),
        _ => None,
    }
}

/// "three weeks ago", loosely: the farther back, the wider.
fn ago_span(count: &str, unit: &str, ago: &str) -> Option<(i32, i32)> {
    if ago != "ago" {
        return None;
    }
    let count = match count {
        "a" => 1,
        "few" => 3,
        word => (1..).zip(COUNTS.iter().skip(1)).find(|(_, name)| **name == word).map_or_else(
            || word.parse::<i32>().ok().filter(|count| *count < 1_000),
            |(number, _)| Some(number),
        )?,
    };
    let (days, loose) = match unit.trim_end_matches('s') {
        "day" => (1, 0),
        "week" => (7, 3),
        "month" => (30, 15),
        "year" => (365, 120),
        _ => return None,
    };
    Some(((count * days - loose).max(0), count * days + loose))
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::{super::words::tokens, AskedTime, Day, asks_when, tells_a_time};

    fn at(text: &str) -> Timestamp {
        format!("{text}T12:00:00Z").parse().expect("a time")
    }

    /// In percent, so that it can be compared; -1 where the question names no time.
    fn closeness(question: &str, day: &str) -> i32 {
        // A Saturday.
        let asked = AskedTime::read(&tokens(question), at("2026-11-28"));
        let percent = asked.map(|asked| asked.closeness(Day::of(at(day))) * 100.0);
        percent.map_or(-1, |percent| format!("{percent:.0}").parse().expect("a number"))
    }

    #[test]
    fn texts_that_tell_a_time_are_told_from_those_that_do_not() {
        for text in [
            "We met two weeks ago",
            "last Fridays",
            "in 2023",
            "It's a couple of days",
            "this past spring",
        ] {
            assert!(tells_a_time(&tokens(text)), "{text}");
        }
        for text in ["At last the rain stopped", "two dogs", "room 2101a", "The one of us"] {
            assert!(!tells_a_time(&tokens(text)), "{text}");
        }
    }

    #[test]
    fn questions_for_a_time_are_known() {
        for text in ["When did it rain?", "What day was it", "For how long", "and in which year"] {
            assert!(asks_when(&tokens(text)), "{text}");
        }
        for text in ["What did you do when it rained?", "which dog"] {
            assert!(!asks_when(&tokens(text)), "{text}");
        }
    }

    #[test]
    fn a_named_month_fits_its_days_and_half_of_the_month_after() {
        let fits = |day| closeness("What happened in March 2026?", day);
        let days = ["2026-03-09", "2026-04-20", "2025-03-09", "2026-06-01"];
        assert_eq!(days.map(fits), [100, 50, 0, 0]);
    }

    #[test]
    fn a_named_day_is_best_on_the_day_and_fades() {
        let fits = |day| closeness("on the 7th of May", day);
        assert_eq!(["2026-05-07", "2026-05-14", "2026-05-30"].map(fits), [120, 70, 20]);
        assert_eq!(closeness("You may go", "2026-05-07"), -1);
    }

    #[test]
    fn a_year_alone_fits_half() {
        assert_eq!(closeness("in 2025", "2025-02-02"), 50);
    }

    #[test]
    fn relative_days_are_counted_from_the_present() {
        for (question, day, other) in [
            ("yesterday", "2026-11-27", "2026-11-28"),
            ("last week", "2026-11-19", "2026-11-01"),
            ("last month", "2026-10-10", "2026-11-10"),
            ("last friday", "2026-11-27", "2026-11-20"),
            ("last saturday", "2026-11-21", "2026-11-28"),
            ("three weeks ago", "2026-11-07", "2026-11-27"),
            ("2 days ago", "2026-11-26", "2026-11-25"),
            ("last year", "2025-07-01", "2026-02-01"),
        ] {
            assert_eq!([day, other].map(|day| closeness(question, day)), [100, 0], "{question}");
        }
    }
}
