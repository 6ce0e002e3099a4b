//! Days that are written: `2026-04-03`, `3. April`, `April 3rd, 2027`, `on the 3rd`. What no calendar has is refused.

use jiff::{ToSpan as _, civil::Date};

use super::{
    cursor::{Cursor, Days},
    grain::DateProblem,
    lexicon::Sense,
};

/// Years that are taken for years.
const YEARS: std::ops::RangeInclusive<u32> = 1_800..=2_300;
/// How many months ahead a day of the month without its month is looked for.
const MONTHS_AHEAD: i64 = 1;

impl Cursor<'_> {
    /// The days that are written here, and where they end.
    pub(super) fn written(&self, at: usize) -> Option<(Days, usize)> {
        let start = self.after_articles(at);
        let weekday = match self.sense(start) {
            Sense::Weekday(day) => Some(day),
            _ => None,
        };
        let mut first = start + usize::from(weekday.is_some());
        if weekday.is_some() {
            first += usize::from(matches!(self.sense(first), Sense::Sign(',' | '.')));
            first = self.after_articles(first);
        }
        let has_article = first > at;
        let rules = [
            self.iso(first),
            self.day_and_month(first, at),
            self.month_and_day(first, at),
            self.in_dots(first, has_article),
            self.in_slashes(first),
            self.day_of_month(first),
        ];
        let (days, end) = rules.into_iter().flatten().max_by_key(|(_, end)| *end)?;
        Some((fitting(days, weekday), end))
    }

    /// A year in digits.
    pub(super) fn year(&self, at: usize) -> Option<(i16, usize)> {
        match self.sense(at) {
            Sense::Digits(year, 4) if YEARS.contains(&year) => {
                Some((i16::try_from(year).ok()?, at + 1))
            }
            _ => None,
        }
    }

    /// `2026-04-03`.
    fn iso(&self, at: usize) -> Option<(Days, usize)> {
        let (year, dash) = self.year(at)?;
        let (month, day) = (self.sense(dash + 1), self.sense(dash + 3));
        let (Sense::Digits(month, 2), Sense::Digits(day, 2)) = (month, day) else { return None };
        let is_dash = |at| self.sense(at) == Sense::Sign('-') && self.is_joined(at + 1);
        (is_dash(dash) && is_dash(dash + 2)).then(|| (complete(year, month, day), dash + 4))
    }

    /// `3 April`, `3. April 2027`, `el 3 de abril`, `the third of May`.
    fn day_and_month(&self, at: usize, begin: usize) -> Option<(Days, usize)> {
        let (day, mut end) = self.number(at)?;
        if self.sense(at) == Sense::A {
            return None;
        }
        end += usize::from(matches!(self.sense(end), Sense::Ordinal | Sense::Sign('.')));
        end += usize::from(self.sense(end) == Sense::Of);
        let Sense::Month(month) = self.sense(end) else { return None };
        Some(self.with_year(day, month, end + 1, begin))
    }

    /// `April 3`, `May 3rd, 2027`.
    fn month_and_day(&self, at: usize, begin: usize) -> Option<(Days, usize)> {
        let Sense::Month(month) = self.sense(at) else { return None };
        let dot = at + 1 + usize::from(self.sense(at + 1) == Sense::Sign('.'));
        let the = dot + usize::from(self.sense(dot) == Sense::On);
        let Sense::Digits(day, 1..=2) = self.sense(the) else { return None };
        let end = the + 1 + usize::from(self.sense(the + 1) == Sense::Ordinal);
        let is_clock = matches!(self.sense(end), Sense::Sign(':') | Sense::Pm | Sense::Hours);
        if is_clock || matches!(self.sense(end), Sense::Unit(_)) {
            return None;
        }
        Some(self.with_year(day, month, end, begin))
    }

    /// `am 3.4.`, `3.4.2026`.
    fn in_dots(&self, at: usize, has_article: bool) -> Option<(Days, usize)> {
        let Sense::Digits(day, 1..=2) = self.sense(at) else { return None };
        let Sense::Digits(month, 1..=2) = self.sense(at + 2) else { return None };
        let is_dot = |at| self.sense(at) == Sense::Sign('.') && self.is_joined(at);
        if !is_dot(at + 1) || !is_dot(at + 3) || !self.is_joined(at + 2) {
            return None;
        }
        match self.sense(at + 4) {
            Sense::Digits(year, 2) if self.is_joined(at + 4) => {
                Some((complete(i16::try_from(2_000 + year).ok()?, month, day), at + 5))
            }
            Sense::Digits(..) if self.is_joined(at + 4) => {
                let (year, end) = self.year(at + 4)?;
                Some((complete(year, month, day), end))
            }
            _ if has_article => {
                let month = i8::try_from(month).ok()?;
                Some((self.without_year(day, month, at), at + 4))
            }
            _ => None,
        }
    }

    /// `3/4/2026`: the day stands first in Europe, the month in America.
    fn in_slashes(&self, at: usize) -> Option<(Days, usize)> {
        let (Sense::Digits(one, 1..=2), Sense::Digits(two, 1..=2)) =
            (self.sense(at), self.sense(at + 2))
        else {
            return None;
        };
        let is_slash = |at| self.sense(at) == Sense::Sign('/') && self.is_joined(at);
        let (year, end) = self.year(at + 4)?;
        if !is_slash(at + 1) || !is_slash(at + 3) {
            return None;
        }
        let dates: Vec<Date> = [(two, one), (one, two)]
            .into_iter()
            .filter_map(|(month, day)| date_of(year, month, day))
            .collect();
        if dates.is_empty() {
            return Some((Days::refused(DateProblem::NoSuchDay), end));
        }
        let is_complete = dates.len() == 1;
        Some((Days { is_complete, ..Days::of(dates) }, end))
    }

    /// `on the 3rd`, `am 3.`, `le 3`, `el 3`: of this month, or of the next one where it is over.
    fn day_of_month(&self, at: usize) -> Option<(Days, usize)> {
        let Sense::Digits(day, 1..=2) = self.sense(at) else { return None };
        let next = self.sense(at + 1);
        let article = at.checked_sub(1).map(|before| self.sense(before));
        let end = match (article, next) {
            (Some(Sense::OnThe), Sense::Ordinal) if self.is_joined(at + 1) => at + 2,
            (Some(Sense::Am | Sense::Weekday(_)), Sense::Sign('.'))
                if self.is_joined(at + 1) && !matches!(self.sense(at + 2), Sense::Digits(..)) =>
            {
                at + 2
            }
            (Some(Sense::Le | Sense::Weekday(_)), _) if !matches!(next, Sense::Sign('.' | ',' | ':' | '/' | '-') if matches!(self.sense(at + 2), Sense::Digits(..))) => {
                at + 1
            }
            _ => return None,
        };
        // `on the 3rd floor`, `le 3 pièces`: what is counted follows.
        if !self.ends_phrase(end) {
            return None;
        }
        let this_month = self.today.first_of_month();
        let of_month = |ahead: i64| {
            let first = this_month.checked_add(ahead.months()).ok()?;
            date_of(first.year(), u32::from(first.month().unsigned_abs()), day)
        };
        let this = of_month(0);
        if !(1..=31).contains(&day)
            || (this.is_none() && day > u32::from(self.today.day().unsigned_abs()))
        {
            return Some((Days::refused(DateProblem::NoSuchDay), end));
        }
        let is_over = this.is_none_or(|this| this < self.today);
        let coming = if is_over { of_month(MONTHS_AHEAD) } else { this };
        let Some(coming) = coming else {
            return Some((Days::refused(DateProblem::NoSuchDay), end));
        };
        let past = if is_over { this } else { of_month(-1) };
        let past = past.filter(|_| self.is_past(at));
        Some((Days::of(past.into_iter().chain([coming])), end))
    }

    /// A day and a month, with the year that may follow.
    fn with_year(&self, day: u32, month: i8, at: usize, begin: usize) -> (Days, usize) {
        let joint = at + usize::from(matches!(self.sense(at), Sense::Sign(',') | Sense::Of));
        if let Some((year, end)) =
            self.year(joint).filter(|(_, end)| self.sense(*end) != Sense::Sign(':'))
        {
            return (complete(year, u32::from(month.unsigned_abs()), day), end);
        }
        (self.without_year(day, month, begin), at)
    }

    /// The coming day of that date; with the last one where that is this year's, or where the sentence tells of the past.
    fn without_year(&self, day: u32, month: i8, begin: usize) -> Days {
        let of = |year: i16| date_of(year, u32::from(month.unsigned_abs()), day);
        let year = self.today.year();
        let Some(this) = of(year) else { return Days::refused(DateProblem::NoSuchDay) };
        let dates = match (this < self.today, self.is_past(begin)) {
            (true, _) => [Some(this), of(year + 1)],
            (false, true) => [of(year - 1), Some(this)],
            (false, false) => [Some(this), None],
        };
        Days::of(dates.into_iter().flatten())
    }
}

fn date_of(year: i16, month: u32, day: u32) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn complete(year: i16, month: u32, day: u32) -> Days {
    match date_of(year, month, day) {
        Some(date) => Days { is_complete: true, ..Days::of([date]) },
        None => Days::refused(DateProblem::NoSuchDay),
    }
}

/// The days that fall on the weekday that stands before them; a problem where none does.
fn fitting(mut days: Days, weekday: Option<i8>) -> Days {
    let Some(weekday) = weekday.filter(|_| days.problem.is_none()) else { return days };
    days.readings.retain(|day| day.date.weekday().to_monday_zero_offset() == weekday);
    if days.readings.is_empty() {
        return Days::refused(DateProblem::OtherWeekday);
    }
    days
}
