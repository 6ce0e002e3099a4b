//! The time that counts: time in which the watchdog watched. Down time, standstills, maintenance and outages are nobody's
//! silence, and no rung's window runs out in them.
//!
//! Pure. Where too many spans were taken out to remember each, older ones grow together: that can hide a silence for a
//! while, never make one up.

use std::{collections::VecDeque, time::Duration};

use abide_domain::Timestamp;

use crate::settings::SPANS_MAX;

/// Spans in which nobody was watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedTime {
    /// Oldest first, apart from one another.
    spans: VecDeque<(Timestamp, Timestamp)>,
    /// Since when nobody is watched, if so.
    off_since: Option<Timestamp>,
    /// When every silence last began anew.
    restarted_at: Option<Timestamp>,
}

impl WatchedTime {
    /// The watched time from one moment to another; zero where they are in the other order.
    pub fn between(&self, from: Timestamp, to: Timestamp) -> Duration {
        let overlap = |(begin, end): (Timestamp, Timestamp)| end.min(to).since(begin.max(from));
        let off = self.off_since.map_or(Duration::ZERO, |since| overlap((since, to)));
        let lost: Duration = self.spans.iter().copied().map(overlap).sum();
        to.since(from).saturating_sub(lost).saturating_sub(off)
    }

    /// When every silence last began anew.
    pub fn restarted_at(&self) -> Option<Timestamp> {
        self.restarted_at
    }

    /// Takes a span out; it grows together with those that it meets.
    pub(crate) fn exclude(&mut self, mut from: Timestamp, mut to: Timestamp) {
        if from >= to {
            return;
        }
        while let Some((begin, end)) = self.spans.pop_back_if(|(_, end)| *end >= from) {
            (from, to) = (from.min(begin), to.max(end));
        }
        self.spans.push_back((from, to));
        while self.spans.len() > SPANS_MAX {
            let Some((begin, _)) = self.spans.pop_front() else { return };
            if let Some(oldest) = self.spans.front_mut() {
                oldest.0 = begin;
            }
        }
    }

    /// Every silence begins anew.
    pub(crate) fn restart_silences(&mut self, at: Timestamp) {
        self.restarted_at = Some(at);
    }

    /// Nobody is watched from here on, or somebody is again.
    pub(crate) fn set_suspended(&mut self, is_off: bool, at: Timestamp) {
        match (self.off_since, is_off) {
            (None, true) => self.off_since = Some(at),
            (Some(since), false) => {
                self.off_since = None;
                self.exclude(since, at);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;

    use super::WatchedTime;
    use crate::settings::SPANS_MAX;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    #[test]
    fn lost_spans_do_not_count_and_overlaps_count_once() {
        let mut watched_time = WatchedTime::default();
        watched_time.exclude(at(10), at(20));
        watched_time.exclude(at(15), at(30));
        let seconds = |from, to| watched_time.between(at(from), at(to)).as_secs();
        assert_eq!(seconds(0, 100), 80);
        assert_eq!(seconds(12, 25), 0);
        assert_eq!(seconds(0, 15), 10);
        assert_eq!(seconds(25, 40), 10);
        assert_eq!(seconds(40, 20), 0);
    }

    #[test]
    fn time_stands_still_while_nobody_watches() {
        let mut watched_time = WatchedTime::default();
        watched_time.set_suspended(true, at(50));
        watched_time.set_suspended(true, at(60));
        assert_eq!(watched_time.between(at(0), at(100)).as_secs(), 50);
        watched_time.set_suspended(false, at(100));
        assert_eq!(watched_time.between(at(0), at(130)).as_secs(), 80);
        assert_eq!(watched_time.between(at(70), at(130)).as_secs(), 30);
    }

    #[test]
    fn very_many_spans_hide_time_and_never_make_it_up() {
        let mut watched_time = WatchedTime::default();
        let mut watched = Duration::ZERO;
        for n in 0..10 * i64::try_from(SPANS_MAX).unwrap() {
            watched_time.exclude(at(n * 10), at(n * 10 + 1));
            watched += Duration::from_secs(9);
        }
        let end = at(10 * 10 * i64::try_from(SPANS_MAX).unwrap());
        assert!(watched_time.between(at(0), end) <= watched);
        assert_eq!(watched_time.between(end, end.plus(Duration::from_secs(5))).as_secs(), 5);
    }
}
