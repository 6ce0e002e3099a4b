//! Values as they are written in conditions, and numbers as they are compared.

use std::{cmp::Ordering, fmt};

use crate::{escape::write_escaped, name::Name, time::parse_time};

/// A value as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A number with a point; finite.
    Decimal(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A text in quotes.
    Text(String),
    /// `@x`.
    Entity(Name),
    /// `#x`.
    Space(Name),
    /// A text in quotes in the place of a point in time.
    Time(Time),
    /// `90s` or `10 ticks`; in arguments alone.
    Duration(Duration),
}

/// A point in time, and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    micros: i64,
    typed: String,
}

impl Time {
    /// Reads an RFC 3339 date and time; one without an offset is UTC.
    pub fn new(text: &str) -> Option<Self> {
        Some(Self { micros: parse_time(text)?, typed: text.to_owned() })
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    pub const fn micros(&self) -> i64 {
        self.micros
    }
}

/// The unit of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The ticks of the ledger.
    Ticks,
    /// Seconds.
    Seconds,
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
    /// Days of 24 hours.
    Days,
}

impl Unit {
    /// The unit of that name, ignoring case.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Some(match &*word.to_ascii_lowercase() {
            "tick" | "ticks" => Self::Ticks,
            "s" | "sec" | "secs" | "second" | "seconds" => Self::Seconds,
            "m" | "min" | "mins" | "minute" | "minutes" => Self::Minutes,
            "h" | "hr" | "hrs" | "hour" | "hours" => Self::Hours,
            "d" | "day" | "days" => Self::Days,
            _ => return None,
        })
    }

    const fn seconds(self) -> Option<u64> {
        match self {
            Self::Ticks => None,
            Self::Seconds => Some(1),
            Self::Minutes => Some(60),
            Self::Hours => Some(3_600),
            Self::Days => Some(86_400),
        }
    }
}

/// A duration: a number of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Duration {
    /// The number of units.
    pub amount: u64,
    /// The unit.
    pub unit: Unit,
}

impl Duration {
    /// Its length in seconds; none for ticks. One that was read fits; another is cut at the largest number.
    pub fn seconds(self) -> Option<u64> {
        self.unit.seconds().map(|each| self.amount.saturating_mul(each))
    }

    /// Makes one whose seconds can be counted.
    pub(crate) fn new(amount: u64, unit: Unit) -> Option<Self> {
        amount.checked_mul(unit.seconds().unwrap_or(1))?;
        Some(Self { amount, unit })
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Ticks => " ticks",
            Unit::Seconds => "s",
            Unit::Minutes => "m",
            Unit::Hours => "h",
            Unit::Days => "d",
        };
        write!(f, "{}{unit}", self.amount)
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Decimal(number) => {
                let digits = number.to_string();
                let point = if digits.contains('.') { "" } else { ".0" };
                write!(f, "{digits}{point}")
            }
            Self::Bool(truth) => truth.fmt(f),
            Self::Text(text) | Self::Time(Time { typed: text, .. }) => write_quoted(f, text),
            Self::Entity(name) => write!(f, "@{name}"),
            Self::Space(name) => write!(f, "#{name}"),
            Self::Duration(duration) => duration.fmt(f),
        }
    }
}

/// Writes a text in double quotes.
pub(crate) fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    write_escaped(f, text, Some('"'))?;
    f.write_str("\"")
}

/// A number as it is compared: whole numbers exactly, others as a computer does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Integer(i64),
    Decimal(f64),
}

impl Number {
    /// Reads what the language writes as a number: no exponent, no infinity.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.ends_with(|c: char| c.is_ascii_digit())
            && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if !is_number {
            return None;
        }
        if !digits.contains('.') {
            return text.parse().ok().map(Self::Integer);
        }
        text.parse().ok().filter(|number: &f64| number.is_finite()).map(Self::Decimal)
    }

    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(&b),
            (a, b) => a.approximate().partial_cmp(&b.approximate()).unwrap_or(Ordering::Equal),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a whole number beside a decimal is compared as one"
    )]
    const fn approximate(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Decimal(number) => number,
        }
    }
}
