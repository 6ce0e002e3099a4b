//! A cron expression of five fields, read in UTC, so that a change of the clocks runs nothing twice and skips nothing; or
//! one point in time.

use std::{cmp::Ordering, str::FromStr};

use abide_domain::Timestamp;
use croner::{
    CivilDate, CivilDateTime, CivilTime, Cron, CronDateTime, Resolution, Weekday, errors::CronError,
};
use jiff::{civil::DateTime, tz::Offset};

const MICROS: i64 = 1_000_000;

/// When something is due: again and again, or once.
#[derive(Clone, Debug)]
pub struct Schedule(Due);

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
        let schedule = Self(Due::Cron(Box::new(cron)));
        if schedule.next(SEARCH_FROM).is_none() {
            return Err(ScheduleError::Never { text: text.to_owned() });
        }
        Ok(schedule)
    }
}

impl Schedule {
    /// Once, at that time.
    pub const fn once(at: Timestamp) -> Self {
        Self(Due::Once(at))
    }

    /// The newest time at or before `now` at which it is due, if there is one.
    pub fn newest(&self, now: Timestamp) -> Option<Timestamp> {
        let cron = match &self.0 {
            Due::Cron(cron) => cron,
            Due::Once(at) => return Some(*at).filter(|at| *at <= now),
        };
        let found =
            cron.find_previous_occurrence(&Utc(now.as_micros().div_euclid(MICROS)), true).ok()?;
        Some(Timestamp::from_micros(found.0.checked_mul(MICROS)?))
    }

    /// The first time after `now` at which it is due, if there is one.
    pub fn next(&self, now: Timestamp) -> Option<Timestamp> {
        let cron = match &self.0 {
            Due::Cron(cron) => cron,
            Due::Once(at) => return Some(*at).filter(|at| *at > now),
        };
        let found =
            cron.find_next_occurrence(&Utc(now.as_micros().div_euclid(MICROS)), false).ok()?;
        Some(Timestamp::from_micros(found.0.checked_mul(MICROS)?))
    }
}

/// Seconds since 1970-01-01T00:00:00Z, as the cron library reads them.
#[derive(Clone, Copy, Debug)]
struct Utc(i64);

impl Utc {
    fn civil(self) -> DateTime {
        let timestamp = jiff::Timestamp::from_second(self.0).unwrap_or_default();
        Offset::UTC.to_datetime(timestamp)
    }
}

impl CronDateTime for Utc {
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
        let timestamp = Offset::UTC.to_timestamp(civil).map_err(|_| CronError::InvalidTime)?;
        Ok(Resolution::Single(Self(timestamp.as_second())))
    }

    fn checked_add_seconds(&self, seconds: i64) -> Option<Self> {
        self.0.checked_add(seconds).map(Self)
    }

    fn cmp_instant(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::Schedule;

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
