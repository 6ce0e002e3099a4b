//! How long an attempt at a turn may take: so long before its answer begins to come and between two pieces of it, and so long
//! in all while pieces come (decision 58). A blind timer would cut off a long answer; pieces that came for ever would never end.
//!
//! Pure but for the mark that pieces leave: the walk asks it when it is due.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::turn::TurnRequest;
use tokio::time::Instant;

/// When a piece of the answer came last. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct LastPiece(Arc<Mutex<Option<Instant>>>);

/// The clock of one attempt.
#[derive(Debug)]
pub(super) struct AttemptClock {
    began: Instant,
    quiet_max: Duration,
    total_max: Duration,
    last_piece: LastPiece,
}

/// Why the time of an attempt is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AttemptTimeoutError {
    /// Nothing came.
    #[error("no answer within {} s", .0.as_secs_f64())]
    NotBegun(Duration),
    /// It began to come and then stopped.
    #[error("the answer began, and then nothing came for {} s", .0.as_secs_f64())]
    Stopped(Duration),
    /// It came, and did not come to its end.
    #[error("the answer did not end within {} s (limits.turn_streaming)", .0.as_secs_f64())]
    NotEnded(Duration),
}

impl LastPiece {
    /// A piece came.
    pub(super) fn note(&self, now: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }

    fn at(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_off(&self, by: Duration, now: Instant) {
        let mut at = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *at = at.map(|at| (at + by).min(now));
    }
}

impl AttemptClock {
    /// The attempt begins.
    pub(super) fn new(request: &TurnRequest, last_piece: LastPiece, now: Instant) -> Self {
        let (quiet_max, total_max) = (request.deadline, request.deadline_streaming);
        Self { began: now, quiet_max, total_max, last_piece }
    }

    /// When its time is over, as far as pieces have come by now.
    pub(super) fn due(&self) -> Instant {
        let quiet_since = self.last_piece.at().unwrap_or(self.began);
        (quiet_since + self.quiet_max).min(self.began + self.total_max)
    }

    /// Why its time is over, if it is.
    pub(super) fn timeout(&self, now: Instant) -> Option<AttemptTimeoutError> {
        if now < self.due() {
            return None;
        }
        Some(match self.last_piece.at() {
            None => AttemptTimeoutError::NotBegun(self.quiet_max),
            Some(_) if now >= self.began + self.total_max => {
                AttemptTimeoutError::NotEnded(self.total_max)
            }
            Some(_) => AttemptTimeoutError::Stopped(self.quiet_max),
        })
    }

    /// A person was waited for: that time is not the attempt's.
    pub(super) fn put_off(&mut self, by: Duration, now: Instant) {
        self.began += by;
        self.last_piece.put_off(by, now);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{AttemptClock, AttemptTimeoutError, LastPiece};

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn clock(began: Instant) -> AttemptClock {
        let last_piece = LastPiece::default();
        AttemptClock { began, quiet_max: secs(120), total_max: secs(600), last_piece }
    }

    #[test]
    fn pieces_lengthen_an_attempt_and_not_without_end() {
        let began = Instant::now();
        let silent = clock(began);
        assert_eq!(silent.timeout(began + secs(119)), None);
        let none = Some(AttemptTimeoutError::NotBegun(secs(120)));
        assert_eq!(silent.timeout(began + secs(120)), none);
        let growing = clock(began);
        for second in 1..=590 {
            growing.last_piece.note(began + secs(second));
            assert_eq!(growing.timeout(began + secs(second)), None);
        }
        assert_eq!(growing.due(), began + secs(600));
        let no_end = Some(AttemptTimeoutError::NotEnded(secs(600)));
        assert_eq!(growing.timeout(began + secs(600)), no_end);
        let stopped = clock(began);
        stopped.last_piece.note(began + secs(100));
        assert_eq!(stopped.timeout(began + secs(219)), None);
        let no_more = Some(AttemptTimeoutError::Stopped(secs(120)));
        assert_eq!(stopped.timeout(began + secs(220)), no_more);
    }

    #[test]
    fn the_time_of_waiting_for_a_person_is_not_the_attempt_s() {
        let began = Instant::now();
        let mut silent = clock(began);
        silent.put_off(secs(300), began + secs(310));
        assert_eq!(silent.due(), began + secs(420));
        let mut growing = clock(began);
        growing.last_piece.note(began + secs(10));
        growing.put_off(secs(300), began + secs(315));
        assert_eq!(growing.due(), began + secs(430), "5 s of quiet before and after");
        growing.last_piece.note(began + secs(500));
        growing.put_off(secs(300), began + secs(520));
        assert_eq!(growing.due(), began + secs(640), "a piece that came meanwhile stays");
    }
}
