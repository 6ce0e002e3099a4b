//! How exact a date is, and why words that look like one name none.

use std::fmt;

/// How exact a date is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateGrain {
    /// A minute.
    Minute,
    /// A day.
    Day,
    /// Saturday and Sunday; the date is the Saturday.
    Weekend,
    /// A week; the date is its Monday.
    Week,
    /// A month; the date is its first day.
    Month,
    /// A year; the date is its first day.
    Year,
}

/// Why words that have the form of a date name none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateProblem {
    /// There is no such day, such as 30 February.
    NoSuchDay,
    /// That date is another weekday than the one that stands beside it.
    OtherWeekday,
    /// The clocks skip that time: they go forward then.
    SkippedTime,
}

impl fmt::Display for DateProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchDay => "there is no such day",
            Self::OtherWeekday => "that date is another weekday",
            Self::SkippedTime => "there is no such time: the clocks go forward then",
        })
    }
}
