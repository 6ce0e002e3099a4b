//! A cron expression of five fields, read on the clock of a zone; or one point in time.
//!
//! Where the clocks change, what comes at a fixed hour runs exactly once: after the skipped time, and at the first of two
//! times. What comes every so often goes on by the time that passes.

use std::{cmp::Ordering, str::FromStr};

use abide_domain::{Timestamp, Zone};
use croner::{
    CivilDate, CivilDateTime, CivilTime, Cron, CronDateTime, Resolution, Weekday, errors::CronError,
};
use jiff::civil::DateTime;

const MICROS: i64 = 1_000_000;

/// When something is due: again and again, or once.
#[derive(Clone, Debug)]
pub struct Schedule {
    due: Due,
    zone: Zone,
}

#[derive(Clone, Debug)]
enum Due {
    Cron(Box<Cron>),
    Once(Timestamp),
}

/// A text is not a schedule.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// It has another form.
    #[error("`{text}` is not a cron expression of five fields, such as \"30 3 * * *\"")]
    Form {
        /// The text.
        text: String,
        /// What the library says.
        #[source]
        source: Option<CronError>,
    },
    /// There is no such day.
    #[error("`{text}` never comes: there is no such day")]
    Never {
        /// The text.
        text: String,
    },
    /// It is no date and time.
    #[error(
        "`{text}` is not a date and time, such as 2026-12-01T09:00:00 or 2026-12-01T09:00:00+01:00"
    )]
    Moment {
        /// The text.
        text: String,
    },
    /// The clocks of its zone skip that time.
    #[error("`{text}` never comes in {zone}: the clocks go forward over that time")]
    Skipped {
        /// The text.
        text: String,
        /// The zone's name.
        zone: String,
    },
}

/// Where the search for a first time begins: before a leap year, so that 29 February is found.
const SEARCH_FROM: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let failed = |source| ScheduleError::Form { text: text.to_owned(), source };
        if text.split_ascii_whitespace().count() != 5 {
            return Err(failed(None));
        }
        let cron: Cron = text.parse().map_err(|error| failed(Some(error)))?;
        let schedule = Self { due: Due::Cron(Box::new(cron)), zone: Zone::utc() };
        if schedule.next(SEARCH_FROM).is_none() {
            return Err(ScheduleError::Never { text: text.to_owned() });
        }
        Ok(schedule)
    }
}

impl Schedule {
    /// Once, at that time.
    pub fn once(at: Timestamp) -> Self {
        Self { due: Due::Once(at), zone: Zone::utc() }
    }

    /// The same on the clock of a zone; without this, UTC.
    #[must_use]
    pub fn in_zone(self, zone: &Zone) -> Self {
        Self { zone: zone.clone(), ..self }
    }

    /// The newest time at or before `now` at which it is due, if there is one.
    pub fn newest(&self, now: Timestamp) -> Option<Timestamp> {
        let cron = match &self.due {
            Due::Cron(cron) => cron,
            Due::Once(at) => return Some(*at).filter(|at| *at <= now),
        };
        let found = cron.find_previous_occurrence(&self.local(now), true).ok()?;
        Some(Timestamp::from_micros(found.seconds.checked_mul(MICROS)?))
    }

    /// The first time after `now` at which it is due, if there is one.
    pub fn next(&self, now: Timestamp) -> Option<Timestamp> {
        let cron = match &self.due {
            Due::Cron(cron) => cron,
            Due::Once(at) => return Some(*at).filter(|at| *at > now),
        };
        let found = cron.find_next_occurrence(&self.local(now), false).ok()?;
        Some(Timestamp::from_micros(found.seconds.checked_mul(MICROS)?))
    }

    fn local(&self, now: Timestamp) -> LocalSecond<'_> {
        LocalSecond { seconds: now.as_micros().div_euclid(MICROS), zone: &self.zone }
    }
}

/// The moment that a text names: with an offset, or on the clock of a zone. What the clocks skip is refused; of two moments
/// at which the clock shows it, the first is meant.
pub fn moment(text: &str, zone: &Zone) -> Result<Timestamp, ScheduleError> {
    if let Ok(at) = text.parse() {
        return Ok(at);
    }
    let failed = || ScheduleError::Moment { text: text.to_owned() };
    // jiff reads more than one form: one is enough.
    let bytes = text.as_bytes();
    let has_form = matches!(bytes.get(10), Some(b'T' | b't' | b' '))
        && bytes.get(13) == Some(&b':')
        && bytes.iter().all(|byte| byte.is_ascii_digit() || b"-: Tt.".contains(byte));
    let civil: DateTime = text.parse().ok().filter(|_| has_form).ok_or_else(failed)?;
    let skipped = || ScheduleError::Skipped { text: text.to_owned(), zone: zone.name().to_owned() };
    zone.moments_of(civil).into_iter().next().ok_or_else(skipped)
}

/// A second on the clock of a zone, as the cron library reads it.
#[derive(Clone, Copy, Debug)]
struct LocalSecond<'a> {
    /// Since 1970-01-01T00:00:00Z.
    seconds: i64,
    zone: &'a Zone,
}

impl LocalSecond<'_> {
    fn civil(self) -> DateTime {
        self.zone.civil(Timestamp::from_micros(self.seconds.saturating_mul(MICROS)))
    }

    const fn at(self, moment: Timestamp) -> Self {
        Self { seconds: moment.as_micros().div_euclid(MICROS), zone: self.zone }
    }
}

impl CronDateTime for LocalSecond<'_> {
    fn to_civil(&self) -> CivilDateTime {
        let civil = self.civil();
        let number = |small: i8| u32::from(small.unsigned_abs());
        // The parts come from a calendar, so that both exist.
        CivilDateTime::new(
            CivilDate::from_parts_unchecked(
                i32::from(civil.year()),
                number(civil.month()),
                number(civil.day()),
            ),
            CivilTime::from_parts_unchecked(
                number(civil.hour()),
                number(civil.minute()),
                number(civil.second()),
            ),
        )
    }

    fn civil_weekday(&self) -> Weekday {
        Weekday::from_days_from_sunday(u32::from(
            self.civil().weekday().to_sunday_zero_offset().unsigned_abs(),
        ))
    }

    fn resolve_civil(&self, civil: CivilDateTime) -> Result<Resolution<Self>, CronError> {
        let small = |number: u32| i8::try_from(number).map_err(|_| CronError::InvalidDate);
        let year = i16::try_from(civil.year()).map_err(|_| CronError::InvalidDate)?;
        let (month, day) = (small(civil.month())?, small(civil.day())?);
        let (hour, minute, second) =
            (small(civil.hour())?, small(civil.minute())?, small(civil.second())?);
        let civil = DateTime::new(year, month, day, hour, minute, second, 0)
            .map_err(|_| CronError::InvalidDate)?;
        Ok(match *self.zone.moments_of(civil) {
            [] => Resolution::Gap,
            [only] => Resolution::Single(self.at(only)),
            [first, last, ..] => Resolution::Ambiguous(self.at(first), self.at(last)),
        })
    }

    fn checked_add_seconds(&self, seconds: i64) -> Option<Self> {
        self.seconds.checked_add(seconds).map(|seconds| Self { seconds, ..*self })
    }

    fn cmp_instant(&self, other: &Self) -> Ordering {
        self.seconds.cmp(&other.seconds)
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{Timestamp, Zone};
    use proptest::prelude::*;

    use super::{Schedule, moment};

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// All times at which a schedule is due between two moments, forwards; each is also the newest when it has come.
    fn runs(cron: &str, zone: &str, from: &str, to: &str) -> Vec<String> {
        let schedule = cron.parse::<Schedule>().unwrap().in_zone(&Zone::named(zone).unwrap());
        let (mut now, to) = (at(from), at(to));
        let mut runs = Vec::new();
        while let Some(next) = schedule.next(now).filter(|next| *next <= to) {
            assert!(next > now, "{cron} {zone}");
            assert_eq!(schedule.newest(next), Some(next), "{cron} {zone}");
            runs.push(next.to_string()[..16].to_owned());
            now = next;
        }
        runs
    }

    #[test]
    fn where_the_clocks_change_what_has_a_fixed_hour_runs_once_a_day() {
        // In Berlin they go forward at 01:00 UTC on 29 March 2026, and back at 01:00 UTC on 25 October.
        let spring =
            |cron| runs(cron, "Europe/Berlin", "2026-03-28T00:00:00Z", "2026-03-30T03:00:00Z");
        assert_eq!(
            spring("30 2 * * *"),
            ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]
        );
        assert_eq!(spring("0 9 * * *"), ["2026-03-28T08:00", "2026-03-29T07:00"]);
        let autumn =
            |cron| runs(cron, "Europe/Berlin", "2026-10-24T00:00:00Z", "2026-10-26T03:00:00Z");
        assert_eq!(
            autumn("30 2 * * *"),
            ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]
        );
        let hourly =
            runs("0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", "2026-10-25T03:30:00Z");
        assert_eq!(
            hourly,
            ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00", "2026-10-25T03:00"]
        );
    }

    #[test]
    fn a_moment_on_the_clock_of_a_zone_is_taken_and_one_that_never_comes_refused() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        for (text, found) in [
            ("2026-12-01T09:00:00Z", "2026-12-01T09:00:00.000000Z"),
            ("2026-12-01T09:00:00+02:00", "2026-12-01T07:00:00.000000Z"),
            ("2026-12-01T09:00", "2026-12-01T08:00:00.000000Z"),
            ("2026-07-01 09:00:00", "2026-07-01T07:00:00.000000Z"),
            ("2026-10-25T02:30", "2026-10-25T00:30:00.000000Z"),
        ] {
            assert_eq!(moment(text, &berlin).unwrap().to_string(), found, "{text}");
        }
        let skipped = moment("2026-03-29T02:30", &berlin).unwrap_err().to_string();
        assert!(skipped.contains("never comes in Europe/Berlin"), "{skipped}");
        for text in
            ["", "tomorrow", "2026-02-30T09:00", "2026-12-01", "09:00", "2026-12-01T09:00[UTC]"]
        {
            assert!(moment(text, &berlin).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_daily_run_comes_exactly_once_each_day(
            zone in prop::sample::select(vec!["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Kolkata", "UTC"]),
            hour in 0..24_u8,
            minute in 0..60_u8,
            day in 0..3_000_i64,
        ) {
            let zone = Zone::named(zone).unwrap();
            let cron = format!("{minute} {hour} * * *");
            let schedule = cron.parse::<Schedule>().unwrap().in_zone(&zone);
            let mut now = Timestamp::from_micros((20_000 + day) * 86_400_000_000);
            let mut last = None;
            for _ in 0..5 {
                let next = schedule.next(now).unwrap();
                prop_assert_eq!(schedule.newest(next), Some(next));
                let date = zone.civil(next).date();
                if let Some(last) = last {
                    prop_assert_eq!(date, jiff::civil::Date::tomorrow(last).unwrap());
                }
                (now, last) = (next, Some(date));
            }
        }
    }

    #[test]
    fn the_newest_time_that_is_due_is_found_in_utc() {
        let cases = [
            ("30 3 * * *", "2026-11-27T22:10:03Z", "2026-11-27T03:30:00.000000Z"),
            ("30 3 * * *", "2026-11-27T03:30:00Z", "2026-11-27T03:30:00.000000Z"),
            ("30 3 * * *", "2026-11-27T03:29:59Z", "2026-11-26T03:30:00.000000Z"),
            ("*/15 * * * *", "2026-11-27T22:14:59Z", "2026-11-27T22:00:00.000000Z"),
            ("0 4 * * SUN", "2026-11-27T22:14:59Z", "2026-11-22T04:00:00.000000Z"),
            ("0 0 1 1 *", "2026-11-27T22:14:59Z", "2026-01-01T00:00:00.000000Z"),
        ];
        for (text, now, due) in cases {
            let schedule: Schedule = text.parse().unwrap();
            let now: Timestamp = now.parse().unwrap();
            assert_eq!(
                schedule.newest(now).map(|at| at.to_string()),
                Some(due.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn the_next_time_lies_after_the_present() {
        let cases = [
            ("30 3 * * *", "2026-11-27T22:10:03Z", "2026-11-28T03:30:00.000000Z"),
            ("30 3 * * *", "2026-11-27T03:30:00Z", "2026-11-28T03:30:00.000000Z"),
            ("*/15 * * * *", "2026-11-27T22:14:59.5Z", "2026-11-27T22:15:00.000000Z"),
        ];
        for (text, now, due) in cases {
            let schedule: Schedule = text.parse().unwrap();
            let next = schedule.next(now.parse().unwrap()).map(|at| at.to_string());
            assert_eq!(next, Some(due.to_owned()), "{text}");
        }
    }

    #[test]
    fn one_point_in_time_comes_once() {
        let at: Timestamp = "2026-12-01T09:00:00Z".parse().unwrap();
        let once = Schedule::once(at);
        let before = "2026-12-01T08:59:59Z".parse().unwrap();
        assert_eq!((once.newest(before), once.next(before)), (None, Some(at)));
        assert_eq!((once.newest(at), once.next(at)), (Some(at), None));
    }

    #[test]
    fn a_day_that_never_comes_is_refused_and_a_rare_one_is_not() {
        for never in ["0 0 30 2 *", "0 0 31 4 *", "0 0 31 2,4,6,9,11 *"] {
            let error = never.parse::<Schedule>().unwrap_err().to_string();
            assert_eq!(error, format!("`{never}` never comes: there is no such day"));
        }
        assert!("0 0 29 2 *".parse::<Schedule>().is_ok());
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in ["", "* * * *", "61 * * * *", "0 0 * * * *", "at three"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
