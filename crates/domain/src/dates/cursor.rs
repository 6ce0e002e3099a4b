//! The lexemes of a text, the moment and zone in which it was said, and what all rules ask of them.

use jiff::{Span, ToSpan as _, civil::Date};

use super::{
    grain::{DateGrain, DateProblem},
    lexer::{Hint, Lexeme},
    lexicon::{DayPart, Sense, Unit},
};

/// A text, and the day on which it was said.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub(super) lexemes: &'a [Lexeme],
    pub(super) today: Date,
}

/// A day that words may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) date: Date,
    pub(super) grain: DateGrain,
    pub(super) is_approximate: bool,
}

/// The days that words may mean, likeliest first; more than one where they can be read in two ways.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Days {
    /// Each once.
    pub(super) readings: Vec<Day>,
    pub(super) part: Option<DayPart>,
    pub(super) problem: Option<DateProblem>,
    /// Whether it was written with its year.
    pub(super) is_complete: bool,
}

impl Days {
    pub(super) fn of(dates: impl IntoIterator<Item = Date>) -> Self {
        Self::in_grain(dates, DateGrain::Day)
    }

    pub(super) fn in_grain(dates: impl IntoIterator<Item = Date>, grain: DateGrain) -> Self {
        let mut readings: Vec<Day> = Vec::new();
        for date in dates {
            if !readings.iter().any(|day| day.date == date) {
                readings.push(Day { date, grain, is_approximate: false });
            }
        }
        Self { readings, ..Self::default() }
    }

    pub(super) fn refused(problem: DateProblem) -> Self {
        Self { problem: Some(problem), ..Self::default() }
    }

    pub(super) fn with_part(mut self, part: Option<DayPart>) -> Self {
        self.part = part.or(self.part);
        self
    }

    /// Whether a time of the clock can stand beside them.
    pub(super) fn are_days(&self) -> bool {
        !self.readings.is_empty() && self.readings.iter().all(|day| day.grain == DateGrain::Day)
    }

    pub(super) fn about(mut self) -> Self {
        self.readings.iter_mut().for_each(|day| day.is_approximate = true);
        self
    }

    /// The same, so much later.
    pub(super) fn later(mut self, span: Span) -> Option<Self> {
        for day in &mut self.readings {
            day.date = day.date.checked_add(span).ok()?;
        }
        Some(self)
    }
}

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) amount: u32,
    pub(super) unit: Unit,
    /// Eight days in words.
    pub(super) is_about_a_week: bool,
}

impl Length {
    /// As days and longer, which count on the calendar; none where it counts on the clock.
    pub(super) fn calendar(self) -> Option<Span> {
        let amount = i64::from(self.amount);
        let (days, weeks) = (Span::new().try_days(amount), Span::new().try_weeks(amount));
        match self.unit {
            Unit::Day => days.ok(),
            Unit::Week => weeks.ok(),
            Unit::Fortnight => Span::new().try_days(amount * 14).ok(),
            Unit::Month => Span::new().try_months(amount).ok(),
            Unit::Year => Span::new().try_years(amount).ok(),
            Unit::Second | Unit::Minute | Unit::Hour => None,
        }
    }

    /// As seconds, which count on the clock; none where it counts on the calendar.
    pub(super) fn seconds(self) -> Option<u64> {
        let amount = u64::from(self.amount);
        match self.unit {
            Unit::Second => Some(amount),
            Unit::Minute => Some(amount * 60),
            Unit::Hour => Some(amount * 3_600),
            _ => None,
        }
    }
}

impl Cursor<'_> {
    pub(super) fn sense(&self, at: usize) -> Sense {
        self.lexemes.get(at).map_or(Sense::Other, |lexeme| lexeme.sense)
    }

    pub(super) fn is_joined(&self, at: usize) -> bool {
        self.lexemes.get(at).is_some_and(|lexeme| lexeme.is_joined)
    }

    /// Whether the sentence of a lexeme tells of the past.
    pub(super) fn is_past(&self, at: usize) -> bool {
        let Some(sentence) = self.lexemes.get(at).map(|lexeme| lexeme.sentence) else {
            return false;
        };
        // A sentence has few words: the look goes no further than it does.
        let before = self.lexemes.iter().take(at).rev();
        let after = self.lexemes.iter().skip(at);
        let within = |lexeme: &&Lexeme| lexeme.sentence == sentence;
        before.take_while(within).take(SENTENCE_MAX).any(|lexeme| lexeme.hint == Hint::Past)
            || after.take_while(within).take(SENTENCE_MAX).any(|lexeme| lexeme.hint == Hint::Past)
    }

    /// Skips articles and words such as `on`.
    pub(super) fn after_articles(&self, at: usize) -> usize {
        let is_article = |at: &usize| {
            matches!(self.sense(*at), Sense::On | Sense::OnThe | Sense::Le | Sense::Am)
        };
        (at..at + 2).take_while(is_article).last().map_or(at, |last| last + 1)
    }

    /// A number, in digits or words.
    pub(super) fn number(&self, at: usize) -> Option<(u32, usize)> {
        match self.sense(at) {
            Sense::A => Some((1, at + 1)),
            // `sept` is seven in French.
            Sense::Month(9) if matches!(self.sense(at + 1), Sense::Unit(_) | Sense::Hours) => {
                Some((7, at + 1))
            }
            Sense::Count(tens) if tens >= 20 && tens % 10 == 0 => {
                let joint = at + 1 + usize::from(self.sense(at + 1) == Sense::Sign('-'));
                match self.sense(joint) {
                    Sense::Count(ones @ 1..=9) => Some((tens + ones, joint + 1)),
                    _ => Some((tens, at + 1)),
                }
            }
            Sense::Digits(value, 1..=4) | Sense::Count(value) => Some((value, at + 1)),
            _ => None,
        }
    }

    /// A length such as `three days`.
    pub(super) fn length(&self, at: usize) -> Option<(Length, usize)> {
        let length = |amount, unit| Length { amount, unit, is_about_a_week: false };
        match self.sense(at) {
            Sense::Span(amount, unit) => return Some((length(amount, unit), at + 1)),
            Sense::EightDays => {
                return Some((Length { is_about_a_week: true, ..length(8, Unit::Day) }, at + 1));
            }
            _ => {}
        }
        let (amount, end) = self.number(at)?;
        match self.sense(end) {
            Sense::Unit(unit) => Some((length(amount, unit), end + 1)),
            Sense::Hours => Some((length(amount, Unit::Hour), end + 1)),
            _ => None,
        }
    }

    /// Whether a number that ends here counts days of a month: `3rd`, or `3.` before a month.
    pub(super) fn is_ordinal(&self, at: usize, end: usize) -> bool {
        let is_digits = matches!(self.sense(at), Sense::Digits(_, 1..=2));
        is_digits && self.sense(end) == Sense::Ordinal && self.is_joined(end)
    }

    /// Whether a day is named here.
    pub(super) fn begins_day(&self, at: usize) -> bool {
        matches!(
            self.sense(at),
            Sense::Weekday(_)
                | Sense::PartOfWeekday(..)
                | Sense::Digits(..)
                | Sense::Next
                | Sense::Last
        )
    }

    /// Whether a number begins here that is the rest of another one: the 5 of `1.5 hours`.
    pub(super) fn is_inside_number(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(2) else { return false };
        let is_number = |at| matches!(self.sense(at), Sense::Digits(..));
        let is_sign = matches!(self.sense(at - 1), Sense::Sign('.' | ',' | ':' | '/' | '-'));
        is_number(at)
            && is_sign
            && is_number(before)
            && self.is_joined(at)
            && self.is_joined(at - 1)
    }

    /// The `T` between an ISO date and its time.
    pub(super) fn is_iso_time(&self, at: usize) -> bool {
        self.lexemes
            .get(at)
            .is_some_and(|lexeme| lexeme.is_joined && lexeme.end - lexeme.start == 1)
            && self.sense(at) == Sense::Other
            && matches!(self.sense(at + 1), Sense::Digits(_, 2))
            && self.is_joined(at + 1)
    }

    /// Whether a phrase may end before this: at a sign, at the end, or before a word that goes on with the sentence.
    pub(super) fn ends_phrase(&self, at: usize) -> bool {
        self.lexemes.get(at).is_none_or(|next| {
            matches!(next.hint, Hint::Glue | Hint::Past)
                || !matches!(next.sense, Sense::Other | Sense::Unit(_))
        })
    }

    /// The first such weekday after today.
    pub(super) fn coming(&self, weekday: i8) -> Option<Date> {
        let ahead = (weekday - self.weekday() + 6).rem_euclid(7) + 1;
        self.today.checked_add(i64::from(ahead).days()).ok()
    }

    /// The last such weekday before today.
    pub(super) fn past(&self, weekday: i8) -> Option<Date> {
        let behind = (self.weekday() - weekday + 6).rem_euclid(7) + 1;
        self.today.checked_sub(i64::from(behind).days()).ok()
    }

    /// That weekday of the week that lies so many weeks ahead; weeks begin on Monday.
    pub(super) fn in_week(&self, weekday: i8, weeks: i64) -> Option<Date> {
        let days = i64::from(weekday - self.weekday()) + weeks * 7;
        self.today.checked_add(days.days()).ok()
    }

    fn weekday(&self) -> i8 {
        self.today.weekday().to_monday_zero_offset()
    }
}

/// Words of a sentence that are looked at, each way.
const SENTENCE_MAX: usize = 60;
