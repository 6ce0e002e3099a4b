//! Dates in what people say, relative and written, in English, German, French and Spanish: found, and resolved at the moment
//! and in the zone in which they were said (decision 55).
//!
//! Pure: the same words, moment and zone give the same dates. Days count on the calendar, hours on the clock. It must never
//! shift what does not exist: a time that the clocks skip and a day that no calendar has are told as what they are, and
//! where words can be read in two ways, both readings are kept. Reading order: `token` (a text cut into words), `lexicon` (the
//! words of dates), `lexer` (longest phrase first), `relative`, `written` and `clock` (the rules), `annotate` (what a reader
//! is shown).

use std::time::Duration;

use jiff::civil::{Date, DateTime, Time};

use crate::{Timestamp, Zone};

mod annotate;
mod clock;
mod cursor;
mod grain;
mod lexer;
mod lexicon;
mod relative;
mod token;
mod written;

pub use self::{
    annotate::{annotate, annotate_for},
    grain::{DateGrain, DateProblem},
    lexicon::DayPart,
};
use self::{
    clock::ClockTime,
    cursor::{Cursor, Days, Length},
    lexicon::Sense,
};

#[cfg(test)]
mod tests;

/// Dates of a text that are resolved at most.
pub const MENTIONS_MAX: usize = 16;

/// Words that name a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateMention {
    /// Where they begin in the text, in bytes.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// The words, as they were written.
    pub words: String,
    /// What they mean, likeliest first: two or more where they can be read in several ways, none where they cannot be.
    pub readings: Vec<DateReading>,
    /// Why they name no date.
    pub problem: Option<DateProblem>,
    /// The zone in which they were resolved, by its name.
    pub zone: String,
    /// Whether the date was written out with its year, so that it says itself all that there is to say.
    pub is_complete: bool,
}

/// A date that words mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateReading {
    /// The date and the time on the speaker's calendar and clock; midnight where no time was said.
    pub civil: DateTime,
    /// The same as a moment: the beginning of the day where no time was said.
    pub at: Timestamp,
    /// How exact it is.
    pub grain: DateGrain,
    /// The part of the day, where that was said.
    pub part: Option<DayPart>,
    /// Whether it was said as an approximation: `at the end of the month`.
    pub is_approximate: bool,
}

/// The dates that a text names, said at a moment in a zone, in their order; at most [`MENTIONS_MAX`].
pub fn find_dates(text: &str, said_at: Timestamp, zone: &Zone) -> Vec<DateMention> {
    let lexemes = lexer::lexemes(text);
    let today = zone.civil(said_at).date();
    let cursor = Cursor { lexemes: &lexemes, today };
    let resolver = Resolver { cursor: &cursor, said_at, zone };
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < lexemes.len() && mentions.len() < MENTIONS_MAX {
        let found = (!cursor.is_inside_number(at)).then(|| resolver.mention(at)).flatten();
        let Some((found, end)) = found.filter(|(_, end)| *end > at) else {
            at += 1;
            continue;
        };
        let again = at.checked_sub(1).is_some_and(|before| cursor.sense(before) == Sense::Every);
        let bytes = lexemes.get(at).zip(lexemes.get(end - 1));
        let says_something = found.problem.is_some() || !found.readings.is_empty();
        if let (Some((first, last)), false, true) = (bytes, again, says_something) {
            mentions.push(DateMention {
                start: first.start,
                end: last.end,
                words: text.get(first.start..last.end).unwrap_or_default().to_owned(),
                zone: zone.name().to_owned(),
                ..found
            });
        }
        at = end;
    }
    mentions
}

/// Puts days and times together on a zone's calendar and clock.
struct Resolver<'a> {
    cursor: &'a Cursor<'a>,
    said_at: Timestamp,
    zone: &'a Zone,
}

impl Resolver<'_> {
    /// What begins here, and where it ends: the longest reading.
    fn mention(&self, at: usize) -> Option<(DateMention, usize)> {
        let found = [self.in_hours(at), self.day_then_time(at), self.time_then_day(at)];
        let longest = found.into_iter().flatten().max_by_key(|(_, end)| *end);
        longest.or_else(|| self.time_alone(at))
    }

    /// `in 96 hours`, `vor 20 Minuten`: the clock counts.
    fn in_hours(&self, at: usize) -> Option<(DateMention, usize)> {
        let cursor = self.cursor;
        let seconds = |length: Length| length.seconds().map(Duration::from_secs);
        let (length, end, is_later) = match cursor.sense(at) {
            Sense::In => {
                let (length, end) = cursor.length(at + 1)?;
                (length, end, true)
            }
            Sense::AgoBefore => {
                let (length, end) = cursor.length(at + 1)?;
                (length, end, false)
            }
            _ => {
                let (length, end) = cursor.length(at)?;
                match cursor.sense(end) {
                    Sense::Ago => (length, end + 1, false),
                    Sense::FromNow => (length, end + 1, true),
                    _ => return None,
                }
            }
        };
        let length = seconds(length)?;
        let moment = if is_later { self.said_at.plus(length) } else { self.said_at.before(length) };
        let reading = DateReading {
            civil: self.zone.civil(moment),
            at: moment,
            grain: DateGrain::Minute,
            part: None,
            is_approximate: false,
        };
        Some((mention(vec![reading], None), end))
    }

    fn days(&self, at: usize) -> Option<(Days, usize)> {
        let found = [self.cursor.written(at), self.cursor.relative(at)];
        // Of two that end at the same place, what is written says more.
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        found.sort_by_key(|(_, end)| std::cmp::Reverse(*end));
        found.into_iter().next()
    }

    /// `tomorrow at 9`, `mardi soir`, `el lunes por la mañana a las 9`.
    fn day_then_time(&self, at: usize) -> Option<(DateMention, usize)> {
        let (mut days, mut end) = self.days(at)?;
        if let Sense::Part(part) = self.cursor.sense(end)
            && days.part.is_none()
            && days.are_days()
        {
            days = days.with_part(Some(part));
            end += 1;
        }
        let joint = end + usize::from(matches!(self.cursor.sense(end), Sense::Sign(',')));
        let joint = joint + usize::from(self.cursor.is_iso_time(joint));
        let time = self.cursor.clock(joint).or_else(|| {
            // `am 3. um`, `le 3 avril au soir`: the article stands before the part.
            let after = self.cursor.after_articles(joint);
            (after > joint).then(|| self.cursor.clock(after)).flatten()
        });
        match time.filter(|_| days.are_days() || days.problem.is_some()) {
            Some((time, end)) => {
                let time = time.in_part(days.part);
                Some((self.resolve(&days, Some(&time)), end))
            }
            None => Some((self.resolve(&days, None), end)),
        }
    }

    /// `at 9 tomorrow`, `a las 9 de mañana`.
    fn time_then_day(&self, at: usize) -> Option<(DateMention, usize)> {
        let (time, end) = self.cursor.clock(at)?;
        let joint =
            end + usize::from(matches!(self.cursor.sense(end), Sense::Sign(',') | Sense::Of));
        let (mut days, mut end) = self.days(joint)?;
        if let (Sense::Part(part), None) = (self.cursor.sense(end), days.part) {
            days = days.with_part(Some(part));
            end += 1;
        }
        days.are_days().then(|| {
            let time = time.in_part(days.part);
            (self.resolve(&days, Some(&time)), end)
        })
    }

    /// `at 17:30`: the next time that the clock shows that.
    fn time_alone(&self, at: usize) -> Option<(DateMention, usize)> {
        let (time, end) = self.cursor.clock(at)?;
        let has_at = matches!(self.cursor.sense(at), Sense::At | Sense::A | Sense::HalfTo);
        if !time.is_certain || !has_at {
            return None;
        }
        let today = self.cursor.today;
        let is_past = self.cursor.is_past(at);
        let mut days = Days::of([today]);
        let found = self.resolve(&days, Some(&time));
        let is_over = |reading: &DateReading| reading.at <= self.said_at;
        if !is_past && found.readings.iter().all(is_over) {
            days = Days::of(today.tomorrow().ok());
        }
        Some((self.resolve(&days, Some(&time)), end))
    }

    fn resolve(&self, days: &Days, time: Option<&ClockTime>) -> DateMention {
        let times = time.map_or_else(
            || vec![(None, 0)],
            |time| time.readings().into_iter().map(|(time, days)| (Some(time), days)).collect(),
        );
        let (mut readings, mut problem) = (Vec::new(), days.problem);
        for day in &days.readings {
            for (time, later) in &times {
                let date = day.date.checked_add(jiff::Span::new().days(*later)).unwrap_or(day.date);
                let moments = self.moments(date, *time);
                if moments.is_empty() {
                    problem = Some(DateProblem::SkippedTime);
                }
                readings.extend(moments.into_iter().map(|at| DateReading {
                    civil: date.to_datetime(time.unwrap_or(Time::midnight())),
                    at,
                    grain: if time.is_some() { DateGrain::Minute } else { day.grain },
                    part: days.part,
                    is_approximate: day.is_approximate,
                }));
            }
        }
        if !readings.is_empty() {
            problem = None;
        }
        let is_complete = days.is_complete;
        DateMention { is_complete, ..mention(readings, problem) }
    }

    /// The moments at which the zone's clock shows a time: none where it is skipped, two where it comes twice.
    fn moments(&self, date: Date, time: Option<Time>) -> Vec<Timestamp> {
        let Some(time) = time else {
            // Where midnight itself is skipped, the day begins an hour later.
            let midnight = date.to_datetime(Time::midnight());
            let start = self.zone.rules().to_ambiguous_timestamp(midnight).compatible().ok();
            return start.map(of_instant).into_iter().collect();
        };
        let civil = date.to_datetime(time);
        self.zone.moments_of(civil)
    }
}

fn of_instant(instant: jiff::Timestamp) -> Timestamp {
    Timestamp::from_micros(instant.as_microsecond())
}

/// A mention whose place is not known yet.
fn mention(readings: Vec<DateReading>, problem: Option<DateProblem>) -> DateMention {
    DateMention {
        start: 0,
        end: 0,
        words: String::new(),
        readings,
        problem,
        zone: String::new(),
        is_complete: false,
    }
}
