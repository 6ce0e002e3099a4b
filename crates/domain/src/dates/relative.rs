//! Days that are named by their distance: `übermorgen`, `next Monday`, `il y a deux semaines`, `at the end of the month`.

use jiff::{
    Span, ToSpan as _,
    civil::{Date, date},
};

use super::{
    cursor::{Cursor, Days, Length},
    grain::DateGrain,
    lexer::Hint,
    lexicon::{Edge, Sense, Unit},
};

/// Which of several: this, the next, the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    This,
    Next,
    Last,
}

impl Which {
    const fn of(sense: Sense) -> Option<Self> {
        match sense {
            Sense::This => Some(Self::This),
            Sense::Next => Some(Self::Next),
            Sense::Last => Some(Self::Last),
            _ => None,
        }
    }

    const fn step(self) -> i64 {
        match self {
            Self::This => 0,
            Self::Next => 1,
            Self::Last => -1,
        }
    }
}

impl Cursor<'_> {
    /// The days that are named here by their distance, and where the words end: the longest reading.
    pub(super) fn relative(&self, at: usize) -> Option<(Days, usize)> {
        let rules = [
            self.named_day(at),
            self.weekday_of_week(at),
            self.weekday_alone(at),
            self.weekday_in_a_while(at),
            self.span(at),
            self.edge(at),
            self.in_a_while(at),
        ];
        rules.into_iter().flatten().max_by_key(|(_, end)| *end)
    }

    /// `tomorrow`, `heute Abend`, `morgen in einer Woche`.
    fn named_day(&self, at: usize) -> Option<(Days, usize)> {
        let (ahead, part) = match self.sense(at) {
            Sense::Day(ahead) => (ahead, None),
            Sense::PartOfDay(ahead, part) => (ahead, Some(part)),
            _ => return None,
        };
        let days = Days::of(self.today.checked_add(ahead.days()).ok()).with_part(part);
        self.in_a_while_from(days, at + 1)
    }

    /// `Friday`, `next Monday`, `el viernes pasado`, `Freitag in einer Woche`.
    fn weekday_alone(&self, at: usize) -> Option<(Days, usize)> {
        let named = self.after_articles(at);
        let which = Which::of(self.sense(named));
        let day_at = named + usize::from(which.is_some());
        let (weekday, mut part) = self.weekday_at(day_at)?;
        let mut end = day_at + 1;
        if let (Sense::Part(named), None) = (self.sense(end), part) {
            (part, end) = (Some(named), end + 1);
        } else if self.sense(end) == Sense::Day(1) && part.is_none() {
            // `Montag Morgen`; `lunes mañana` is not said.
            (part, end) = (Some(super::DayPart::Morning), end + 1);
        }
        let after = Which::of(self.sense(end)).filter(|_| which.is_none());
        let is_unit = matches!(self.sense(end + 1), Sense::Unit(_) | Sense::Weekend);
        let after = after.filter(|_| !is_unit);
        end += usize::from(after.is_some());
        let which = which.or(after);
        // `le lundi` is every Monday.
        if which.is_none() && self.is_habit(at, named) {
            return None;
        }
        let days = self.weekdays(weekday, which, at).with_part(part);
        if self.sense(end) == Sense::Unit(Unit::Week) && which.is_none() {
            // `Friday week`.
            return Some((Days::of(self.in_weeks(weekday, 1)).with_part(part), end + 1));
        }
        if which.is_none() && self.sense(end) == Sense::In {
            let coming = Days::of(self.coming(weekday)).with_part(part);
            if let Some((days, end)) =
                self.in_a_while_from(coming, end).filter(|found| found.1 > end)
            {
                return Some((days, end));
            }
        }
        Some((days, end))
    }

    /// `le lundi` without more is a habit, `el lunes` is not.
    fn is_habit(&self, at: usize, weekday: usize) -> bool {
        let from = at.saturating_sub(1);
        let mut words = self.lexemes.iter().take(weekday).skip(from);
        words.any(|word| word.hint == Hint::French)
    }

    fn weekday_at(&self, at: usize) -> Option<(i8, Option<super::DayPart>)> {
        match self.sense(at) {
            Sense::Weekday(day) => Some((day, None)),
            Sense::PartOfWeekday(day, part) => Some((day, Some(part))),
            _ => None,
        }
    }

    fn weekdays(&self, weekday: i8, which: Option<Which>, at: usize) -> Days {
        let (coming, past) = (self.coming(weekday), self.past(weekday));
        let of_week = |step| self.in_week(weekday, step);
        let is_today = of_week(0) == Some(self.today);
        let dates: Vec<Option<Date>> = match which {
            Some(Which::Next) => vec![coming, of_week(1)],
            Some(Which::Last) => vec![past, of_week(-1)],
            Some(Which::This) if of_week(0) < Some(self.today) => vec![coming, of_week(0)],
            Some(Which::This) => vec![of_week(0)],
            None if self.is_past(at) => vec![past, coming],
            None if is_today => vec![Some(self.today), coming],
            None => vec![coming],
        };
        Days::of(dates.into_iter().flatten())
    }

    fn in_weeks(&self, weekday: i8, weeks: i64) -> Option<Date> {
        self.coming(weekday)?.checked_add((weeks * 7).days()).ok()
    }

    /// `Friday next week`, `nächste Woche Freitag`, `el viernes de la semana que viene`.
    fn weekday_of_week(&self, at: usize) -> Option<(Days, usize)> {
        let start = self.after_articles(at);
        if let Some((weekday, part)) = self.weekday_at(start) {
            let of = start + 1 + usize::from(self.sense(start + 1) == Sense::Of);
            let (which, end) = self.which_unit(self.after_articles(of), Unit::Week)?;
            return Some((Days::of(self.in_week(weekday, which.step())).with_part(part), end));
        }
        let (which, end) = self.which_unit(start, Unit::Week)?;
        let day_at = self.after_articles(end + usize::from(self.sense(end) == Sense::Sign(',')));
        let (weekday, part) = self.weekday_at(day_at)?;
        Some((Days::of(self.in_week(weekday, which.step())).with_part(part), day_at + 1))
    }

    /// `next week`, `la semaine prochaine`: which one of a unit.
    fn which_unit(&self, at: usize, unit: Unit) -> Option<(Which, usize)> {
        let is_unit = |at| self.sense(at) == Sense::Unit(unit);
        if let Some(which) = Which::of(self.sense(at)) {
            return is_unit(at + 1).then_some((which, at + 2));
        }
        let which = Which::of(self.sense(at + 1))?;
        is_unit(at).then_some((which, at + 2))
    }

    /// A week, month, year or weekend: `next month`, `am Wochenende`, `im April`.
    fn span(&self, at: usize) -> Option<(Days, usize)> {
        let start = self.after_articles(at);
        for unit in [Unit::Week, Unit::Month, Unit::Year] {
            if let Some((which, end)) = self.which_unit(start, unit) {
                let (first, grain) = self.span_of(unit, which.step())?;
                return Some((Days::in_grain([first], grain), end));
            }
        }
        let which = Which::of(self.sense(start));
        let noun = start + usize::from(which.is_some());
        if self.sense(noun) == Sense::Weekend && (which.is_some() || start > at) {
            let after = Which::of(self.sense(noun + 1)).filter(|_| which.is_none());
            let end = noun + 1 + usize::from(after.is_some());
            let saturday = |weeks| self.in_week(5, weeks);
            let dates = match which.or(after) {
                None | Some(Which::This) => vec![saturday(0)],
                Some(Which::Next) => vec![saturday(1), saturday(0)],
                Some(Which::Last) => vec![saturday(-1)],
            };
            return Some((Days::in_grain(dates.into_iter().flatten(), DateGrain::Weekend), end));
        }
        if matches!(self.sense(at), Sense::In | Sense::This | Sense::Next | Sense::Last) {
            let Sense::Month(month) = self.sense(at + 1) else { return None };
            let (year, end) = self.year_after(at + 2, month, Which::of(self.sense(at)));
            let first = Date::new(year, month, 1).ok()?;
            return Some((Days::in_grain([first], DateGrain::Month), end));
        }
        None
    }

    /// The first day of the week, month or year that is so many ahead.
    fn span_of(&self, unit: Unit, step: i64) -> Option<(Date, DateGrain)> {
        let today = self.today;
        match unit {
            Unit::Week => Some((self.in_week(0, step)?, DateGrain::Week)),
            Unit::Month => {
                let first = today.first_of_month().checked_add(step.months()).ok()?;
                Some((first, DateGrain::Month))
            }
            _ => Some((today.first_of_year().checked_add(step.years()).ok()?, DateGrain::Year)),
        }
    }

    /// The year of a month: written behind it, or that of the nearest such month.
    fn year_after(&self, at: usize, month: i8, which: Option<Which>) -> (i16, usize) {
        if let Some((year, end)) = self.year(at) {
            return (year, end);
        }
        let (year, now) = (self.today.year(), self.today.month());
        let year = match which {
            Some(Which::Last) => year - i16::from(month >= now),
            Some(Which::Next) => year + i16::from(month <= now),
            _ => year + i16::from(month < now),
        };
        (year, at)
    }

    /// `at the end of the month`, `Anfang April`, `a finales de mes`: a day that is not exactly said.
    fn edge(&self, at: usize) -> Option<(Days, usize)> {
        let start = self.after_articles(at);
        if self.sense(start) == Sense::MonthEnd {
            let days = Days::of([self.today.last_of_month()]).about();
            return Some((days, start + 1));
        }
        let Sense::Edge(edge) = self.sense(start) else { return None };
        let mut noun = start + 1;
        while matches!(self.sense(noun), Sense::On | Sense::Of | Sense::Le) && noun < start + 3 {
            noun += 1;
        }
        let spans = [Unit::Week, Unit::Month, Unit::Year];
        let which = spans.into_iter().find_map(|unit| Some((unit, self.which_unit(noun, unit)?)));
        let (unit, first, end) = match (which, self.sense(noun)) {
            (Some((unit, (which, end))), _) => (unit, self.span_of(unit, which.step())?.0, end),
            (None, Sense::Unit(unit @ (Unit::Week | Unit::Month | Unit::Year))) => {
                (unit, self.span_of(unit, 0)?.0, noun + 1)
            }
            (None, Sense::Month(month)) => {
                let (year, end) = self.year_after(noun + 1, month, None);
                (Unit::Month, date(year, month, 1), end)
            }
            _ => return None,
        };
        let (last, middle) = match unit {
            Unit::Week => (first.checked_add(6.days()).ok()?, 2),
            Unit::Month => (first.last_of_month(), 14),
            _ => (first.last_of_year(), 181),
        };
        let day = match edge {
            Edge::Begin => first,
            Edge::Middle => first.checked_add(i64::from(middle).days()).ok()?,
            Edge::End => last,
        };
        Some((Days::of([day]).about(), end))
    }

    /// `in three days`, `vor zwei Wochen`, `a week from Friday`.
    fn in_a_while(&self, at: usize) -> Option<(Days, usize)> {
        let today = || Days::of([self.today]);
        if self.sense(at) == Sense::In {
            return self.in_a_while_from(today(), at).filter(|(_, end)| *end > at);
        }
        if self.sense(at) == Sense::AgoBefore {
            let (length, end) = self.length(at + 1)?;
            return Some((shifted(today(), length, false)?, end));
        }
        let (length, end) = self.length(at)?;
        match self.sense(end) {
            Sense::Ago => Some((shifted(today(), length, false)?, end + 1)),
            Sense::FromNow => Some((shifted(today(), length, true)?, end + 1)),
            Sense::From | Sense::On | Sense::Am => {
                let (days, after) = self.named_day(end + 1).or_else(|| {
                    let (weekday, part) = self.weekday_at(end + 1)?;
                    Some((Days::of(self.coming(weekday)).with_part(part), end + 2))
                })?;
                Some((shifted(days, length, true)?, after))
            }
            _ => None,
        }
    }

    /// `Freitag in einer Woche`, `vendredi en huit`.
    fn weekday_in_a_while(&self, at: usize) -> Option<(Days, usize)> {
        let start = self.after_articles(at);
        let (weekday, part) = self.weekday_at(start)?;
        let coming = Days::of(self.coming(weekday)).with_part(part);
        if self.sense(start + 1) != Sense::In {
            return None;
        }
        let weeks = match self.sense(start + 2) {
            Sense::Count(8) | Sense::EightDays => 1,
            Sense::Count(15) => 2,
            _ => return None,
        };
        Some((coming.later((weeks * 7).days())?, start + 3))
    }

    /// Days, so much later where a length follows; the same where none does.
    fn in_a_while_from(&self, days: Days, at: usize) -> Option<(Days, usize)> {
        let length = (self.sense(at) == Sense::In).then(|| self.length(at + 1)).flatten();
        let Some((length, end)) = length.filter(|(length, _)| length.calendar().is_some()) else {
            return Some((days, at));
        };
        Some((shifted(days, length, true)?, end))
    }
}

/// Days, so much later or earlier on the calendar. Eight days in words are a week or eight days.
fn shifted(days: Days, length: Length, is_later: bool) -> Option<Days> {
    let sign = |span: Span| if is_later { span } else { span.negate() };
    let moved = days.clone().later(sign(length.calendar()?))?;
    if !length.is_about_a_week {
        return Some(moved);
    }
    let week = days.later(sign(7.days()))?;
    Some(Days { readings: week.readings.into_iter().chain(moved.readings).collect(), ..moved })
}
