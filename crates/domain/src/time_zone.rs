//! Time zones: where the days of a person begin, and how a moment is shown to them (decision 55).

use jiff::{
    Timestamp as Instant,
    tz::{AmbiguousOffset, Offset, TimeZone},
};

use crate::{Timestamp, offset::offset_seconds};

/// The longest name that is looked up, in bytes; the longest of the IANA database has 32.
const NAME_BYTES_MAX: usize = 64;

/// A time zone of the IANA database, such as `Europe/Berlin`, or a fixed offset from UTC, such as `+02:00`.
///
/// The database is part of the program, so that a zone means the same on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    name: String,
    rules: TimeZone,
}

/// No zone has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no time zone is called {name:?}; a name of the IANA database is meant, such as \"Europe/Berlin\" or \"UTC\""
)]
pub struct ZoneError {
    name: String,
}

impl Zone {
    /// Coordinated universal time, where nothing else is known.
    pub fn utc() -> Self {
        Self { name: "UTC".to_owned(), rules: TimeZone::UTC }
    }

    /// A zone by its IANA name, whatever its case, or by its offset from UTC in the form `+02:00`.
    pub fn named(name: &str) -> Result<Self, ZoneError> {
        let error = || ZoneError { name: name.chars().take(NAME_BYTES_MAX).collect() };
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Err(error());
        }
        if let Some(seconds) = offset_seconds(name) {
            return Self::offset(seconds).ok_or_else(error);
        }
        let rules = TimeZone::get(name).map_err(|_| error())?;
        let name = rules.iana_name().unwrap_or(name).to_owned();
        Ok(Self { name, rules })
    }

    /// A fixed offset from UTC, in seconds, positive in the east; `None` beyond 18 hours (decision 62).
    pub fn offset(seconds: i32) -> Option<Self> {
        let is_known = seconds.unsigned_abs() <= OFFSET_SECONDS_MAX;
        let offset = Offset::from_seconds(seconds).ok().filter(|_| is_known)?;
        if seconds == 0 {
            return Some(Self::utc());
        }
        let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
        let name = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        Some(Self { name, rules: TimeZone::fixed(offset) })
    }

    /// The offset that a date and time of RFC 3339 carries, as its writer's zone. `Z` and `-00:00` say that nothing is known
    /// of where it was written; neither does a text of another form.
    pub fn of_rfc3339(text: &str) -> Option<Self> {
        let offset = text.get(text.len().checked_sub(6)?..).filter(|offset| *offset != "-00:00")?;
        Self::offset(offset_seconds(offset)?)
    }

    /// The moments at which this zone's clock shows a time: none where the clocks skip it, two where it comes twice.
    pub fn moments_of(&self, civil: jiff::civil::DateTime) -> Vec<Timestamp> {
        let offsets = match self.rules.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => vec![offset],
            AmbiguousOffset::Gap { .. } => Vec::new(),
            AmbiguousOffset::Fold { before, after } => vec![before, after],
        };
        let instants = offsets.into_iter().filter_map(|offset| offset.to_timestamp(civil).ok());
        instants.map(|instant| Timestamp::from_micros(instant.as_microsecond())).collect()
    }

    /// Its name, `Europe/Berlin`, `UTC` or `+02:00`: [`Self::named`] takes it again.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its rules, for sums with days and hours.
    pub fn rules(&self) -> &TimeZone {
        &self.rules
    }

    /// A moment as its reader's clock and calendar show it, `Tue 2026-03-24 18:05`.
    pub fn format_moment(&self, at: Timestamp) -> String {
        self.civil(at).strftime("%a %Y-%m-%d %H:%M").to_string()
    }

    /// A moment that can be read in any zone, `Tue 2026-03-24 18:05 +01:00`; in UTC `Tue 2026-03-24 17:05 UTC`.
    pub fn format_absolute(&self, at: Timestamp) -> String {
        format!("{} {}", self.format_moment(at), self.format_offset(at))
    }

    /// How far this zone is from UTC at a moment, `+01:00`, or `UTC` where it is not.
    pub fn format_offset(&self, at: Timestamp) -> String {
        let instant = Instant::from_microsecond(at.as_micros()).unwrap_or_default();
        let seconds = self.rules.to_offset(instant).seconds();
        let (sign, minutes) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs() / 60);
        if minutes == 0 {
            return "UTC".to_owned();
        }
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// The day of a moment, `Tue 2026-03-24`.
    pub fn format_day(&self, at: Timestamp) -> String {
        self.civil(at).strftime("%a %Y-%m-%d").to_string()
    }

    /// Calendar days from one moment to another as people count them: 1 from this evening to tomorrow morning.
    pub fn days_between(&self, from: Timestamp, to: Timestamp) -> i64 {
        let (from, to) = (self.civil(from).date(), self.civil(to).date());
        from.until(to).map_or(0, |span| i64::from(span.get_days()))
    }

    /// A moment on this zone's calendar and clock.
    pub fn civil(&self, at: Timestamp) -> jiff::civil::DateTime {
        let end = if at.as_micros() < 0 { Instant::MIN } else { Instant::MAX };
        let instant = Instant::from_microsecond(at.as_micros()).unwrap_or(end);
        self.rules.to_datetime(instant)
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::utc()
    }
}

/// Offsets in use lie within 14 hours; RFC 3339 in practice within 18.
const OFFSET_SECONDS_MAX: u32 = 18 * 3_600;

#[cfg(test)]
mod tests {
    use super::Zone;
    use crate::Timestamp;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_moment_is_shown_on_its_readers_calendar() {
        let late = at("2026-03-25T23:30:00Z");
        for (zone, moment) in [
            ("UTC", "Wed 2026-03-25 23:30"),
            ("europe/berlin", "Thu 2026-03-26 00:30"),
            ("America/New_York", "Wed 2026-03-25 19:30"),
            ("+05:30", "Thu 2026-03-26 05:00"),
            ("-09:30", "Wed 2026-03-25 14:00"),
        ] {
            assert_eq!(Zone::named(zone).unwrap().format_moment(late), moment, "{zone}");
        }
        let berlin = Zone::named("europe/berlin").unwrap();
        assert_eq!(berlin.format_absolute(late), "Thu 2026-03-26 00:30 +01:00");
        assert_eq!(berlin.format_offset(at("2026-07-01T00:00:00Z")), "+02:00");
        assert_eq!(Zone::utc().format_absolute(late), "Wed 2026-03-25 23:30 UTC");
        assert_eq!(Zone::named("-09:30").unwrap().format_offset(late), "-09:30");
        assert_eq!(berlin.name(), "Europe/Berlin");
        assert_eq!(Zone::default().format_day(late), "Wed 2026-03-25");
    }

    #[test]
    fn days_are_counted_on_the_calendar_and_not_in_24_hours() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        for (from, to, days) in [
            ("2026-03-22T17:00:00Z", "2026-03-27T08:00:00Z", 5),
            ("2026-03-25T22:59:00Z", "2026-03-25T23:01:00Z", 1),
            ("2026-03-28T12:00:00Z", "2026-03-29T11:00:00Z", 1),
            ("2026-03-29T11:00:00Z", "2026-03-28T12:00:00Z", -1),
        ] {
            assert_eq!(berlin.days_between(at(from), at(to)), days, "{from} to {to}");
        }
    }

    #[test]
    fn the_offset_of_a_written_time_is_its_writers_zone() {
        for (text, zone) in [
            ("2026-03-22T18:00:00+01:00", Some("+01:00")),
            ("2026-03-22T18:00:00.25-09:30", Some("-09:30")),
            ("2026-03-22T18:00:00+00:00", Some("UTC")),
            ("2026-03-22T18:00:00-00:00", None),
            ("2026-03-22T18:00:00Z", None),
            ("2026-03-22T18:00:00+19:00", None),
            ("\u{fc}\u{fc}\u{fc}\u{fc}", None),
            ("", None),
        ] {
            assert_eq!(Zone::of_rfc3339(text).as_ref().map(Zone::name), zone, "{text}");
        }
    }

    #[test]
    fn what_names_no_zone_is_refused() {
        for name in
            ["", "Mars/Olympus", "+18:01", "+2:00", "+02:60", "02:00", "+ab:cd", &"x".repeat(65)]
        {
            assert!(Zone::named(name).is_err(), "{name}");
        }
        for name in ["UTC", "Europe/Berlin", "+18:00", "-00:30"] {
            let zone = Zone::named(name).unwrap();
            assert_eq!(Zone::named(zone.name()).unwrap(), zone, "{name}");
        }
    }
}
