//! Times of the clock, as people say them: `at 9`, `halb neun`, `9 h 30`, `a las 9 de la mañana`.

use jiff::civil::Time;

use super::{
    cursor::Cursor,
    lexicon::{DayPart, Sense},
};

/// A time of a day; both readings where it may be before or after noon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClockTime {
    /// The times, and how many days after the named day they are.
    pub(super) times: Vec<(Time, i64)>,
    /// Whether it can be nothing but a time, also where no day stands beside it.
    pub(super) is_certain: bool,
    /// Whether morning or afternoon was said with it, or is clear.
    is_settled: bool,
}

impl ClockTime {
    fn new(hour: u32, minute: u32, is_settled: bool) -> Option<Self> {
        let (hour, days) = if hour == 24 && minute == 0 { (0, 1) } else { (hour, 0) };
        let time = Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok()?;
        Some(Self { times: vec![(time, days)], is_certain: is_settled, is_settled })
    }

    /// The time in a part of the day, such as nine in the evening.
    pub(super) fn in_part(mut self, part: Option<DayPart>) -> Self {
        let shift = |time: &mut (Time, i64)| {
            let (hour, minute) = (time.0.hour(), time.0.minute());
            let hour = match part {
                Some(DayPart::Afternoon | DayPart::Evening) if hour < 12 => hour + 12,
                Some(DayPart::Night) if (6..12).contains(&hour) => hour + 12,
                Some(DayPart::Morning) if hour == 12 => 0,
                Some(DayPart::Night) if hour == 12 => {
                    time.1 += 1;
                    0
                }
                _ => hour,
            };
            if let Ok(shifted) = Time::new(hour, minute, 0, 0) {
                time.0 = shifted;
            }
        };
        if part.is_some() && time_is_said_in_halves(&self) {
            self.times.truncate(1);
            self.times.iter_mut().for_each(shift);
            self.is_settled = true;
        }
        self
    }

    /// Both readings where nobody said which half of the day is meant and both are likely: three o'clock, not nine.
    pub(super) fn readings(&self) -> Vec<(Time, i64)> {
        let mut times = self.times.clone();
        if let [(time, days)] = self.times.as_slice()
            && !self.is_settled
            && (1..7).contains(&time.hour())
            && let Ok(later) = Time::new(time.hour() + 12, time.minute(), 0, 0)
        {
            times.push((later, *days));
        }
        times
    }
}

/// Whether a time lies in the first half of the day, so that a part of the day may move it.
fn time_is_said_in_halves(clock: &ClockTime) -> bool {
    clock.times.iter().all(|(time, _)| time.hour() <= 12)
}

impl Cursor<'_> {
    /// A time that begins here, and where it ends.
    pub(super) fn clock(&self, at: usize) -> Option<(ClockTime, usize)> {
        let has_at = matches!(self.sense(at), Sense::At | Sense::A);
        let is_a = self.sense(at) == Sense::A;
        let core = at + usize::from(has_at);
        let (mut clock, mut end) = self.clock_core(core, has_at && !is_a)?;
        clock.is_certain |= has_at && end > core + 1;
        if is_a && !clock.is_certain {
            return None;
        }
        if let Sense::Part(part) = self.sense(end) {
            let told = self.sense(core) == Sense::Noon;
            clock = if told { clock } else { clock.in_part(Some(part)) };
            end += 1;
        }
        Some((clock, end))
    }

    fn clock_core(&self, at: usize, has_at: bool) -> Option<(ClockTime, usize)> {
        match self.sense(at) {
            Sense::Noon => return Some((ClockTime::new(12, 0, true)?, at + 1)),
            Sense::Midnight => {
                let mut clock = ClockTime::new(0, 0, true)?;
                clock.times.push((Time::midnight(), 1));
                return Some((clock, at + 1));
            }
            Sense::HalfTo => return self.beside_hour(at, -30),
            Sense::MinutesPast(minutes) => return self.beside_hour(at, minutes),
            _ => {}
        }
        let (hour, mut end) = self.number(at)?;
        let is_hour = hour <= 24 && self.sense(at) != Sense::A;
        let next = self.sense(end);
        if !is_hour || self.is_ordinal(at, end) {
            return None;
        }
        let mut minute = 0;
        let mut is_written = false;
        if let (Sense::Sign(':' | '.'), Sense::Digits(minutes, 2)) = (next, self.sense(end + 1))
            && self.is_joined(end)
            && self.is_joined(end + 1)
            && minutes < 60
            && (next == Sense::Sign(':') || self.sense(end + 2) == Sense::Hours)
        {
            (minute, end, is_written) = (minutes, end + 2, true);
            if self.sense(end) == Sense::Sign(':')
                && matches!(self.sense(end + 1), Sense::Digits(_, 2))
            {
                end += 2;
            }
        }
        if self.sense(end) == Sense::Hours {
            (end, is_written) = (end + 1, true);
            if let Sense::Digits(minutes, 2) = self.sense(end)
                && minutes < 60
                && minute == 0
            {
                (minute, end) = (minutes, end + 1);
            }
        }
        let half = match self.sense(end) {
            Sense::Am => Some(DayPart::Morning),
            Sense::Pm => Some(DayPart::Afternoon),
            _ => None,
        };
        // In German `am` is `on`: after `9 Uhr` or before a day it is no half of the day.
        let half = half.filter(|part| {
            *part == DayPart::Afternoon
                || (hour <= 12
                    && !self.begins_day(end + 1)
                    && self.sense(end.wrapping_sub(1)) != Sense::Hours)
        });
        if half.is_none() && !is_written && !has_at {
            return None;
        }
        if half.is_none() && !is_written && matches!(self.sense(end), Sense::Unit(_)) {
            return None;
        }
        let mut clock = ClockTime::new(hour, minute, is_written || half.is_some())?;
        if let Sense::AndMinutes(minutes) = self.sense(end) {
            clock = shifted(hour, minutes, clock.is_settled)?;
            clock.is_certain = true;
            end += 1;
        }
        if half.is_some() {
            clock = clock.in_part(half);
            end += 1;
        }
        Some((clock, end))
    }

    /// A number of minutes that stands before its hour.
    fn beside_hour(&self, at: usize, minutes: i8) -> Option<(ClockTime, usize)> {
        let (hour, end) = self.number(at + 1)?;
        let mut clock = shifted(hour, minutes, false)?;
        clock.is_certain = true;
        Some((clock, end + usize::from(self.sense(end) == Sense::Hours)))
    }
}

fn shifted(hour: u32, minutes: i8, is_settled: bool) -> Option<ClockTime> {
    let total = i64::from(hour) * 60 + i64::from(minutes);
    let total = u32::try_from(total).ok()?;
    ClockTime::new(total / 60, total % 60, is_settled)
}
