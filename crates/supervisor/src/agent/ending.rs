//! How a run ends: told first, then signalled, then killed; and what its end means to whoever waited for an answer.
//!
//! The first reason stands: what follows from it (a broken pipe, a signal) is not another.

use std::time::Duration;

use abide_domain::{event::ExitReason, turn::MindError};
use uuid::Uuid;

use crate::{
    process::ProcessEnd,
    roster::{ProcessCommandError, Reply, RestoreSummary},
};

/// How long a process may take after TERM.
pub(super) const TERM_GRACE: Duration = Duration::from_secs(2);
/// How long the last words to a process may take to be read before it is killed for what it did.
pub(super) const LAST_WORD: Duration = Duration::from_millis(200);
/// How long a process that closed its output may take to end.
pub(super) const EOF_GRACE: Duration = Duration::from_secs(2);

/// Why a run ends, or has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) reason: ExitReason,
    pub(super) message: String,
}

/// What follows a run that a person ended.
#[derive(Debug)]
pub(super) enum Then {
    /// Another one.
    Start(Reply<()>),
    /// None.
    Park(Reply<()>),
    /// Another one, from this checkpoint.
    Restore(Uuid, Reply<RestoreSummary>),
}

impl Then {
    /// It does not come to it.
    pub(super) fn refuse(self, error: ProcessCommandError) {
        match self {
            Self::Start(reply) | Self::Park(reply) => drop(reply.send(Err(error))),
            Self::Restore(_, reply) => drop(reply.send(Err(error))),
        }
    }
}

/// The steps of an ending, each with the moment at which the next is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It was told to end.
    Told { until: Duration },
    /// It was signalled.
    Terminated { until: Duration },
    /// It was killed.
    Killed,
}

/// What is to be done to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KillStep {
    Terminate,
    Kill,
}

impl Ending {
    /// Takes the next step when it is due.
    pub(super) fn step(&mut self, now: Duration) -> Option<KillStep> {
        match *self {
            Self::Told { until } if now >= until => {
                *self = Self::Terminated { until: now + TERM_GRACE };
                Some(KillStep::Terminate)
            }
            Self::Terminated { until } if now >= until => {
                *self = Self::Killed;
                Some(KillStep::Kill)
            }
            _ => None,
        }
    }

    /// When the next step is due.
    pub(super) fn due(self) -> Option<Duration> {
        match self {
            Self::Told { until } | Self::Terminated { until } => Some(until),
            Self::Killed => None,
        }
    }
}

/// Whether the house wanted the end.
pub(super) fn is_asked_for(reason: ExitReason) -> bool {
    matches!(reason, ExitReason::Person | ExitReason::Hibernated | ExitReason::Shutdown)
}

/// What an end means to whoever waited for the open turn.
pub(super) fn to_asker(reason: ExitReason, message: &str) -> MindError {
    let message = message.to_owned();
    if is_asked_for(reason) {
        MindError::Unavailable { message }
    } else {
        MindError::Crashed { message }
    }
}

/// The verdict on a process that ended by itself.
pub(super) fn by_itself(ended: &ProcessEnd) -> Verdict {
    let (reason, message) = match ended {
        ProcessEnd::Code(code) => (ExitReason::Exited, format!("it ended with exit code {code}")),
        ProcessEnd::Signal(signal) => (ExitReason::Signalled, format!("signal {signal} ended it")),
        ProcessEnd::NotStarted(why) => {
            (ExitReason::NotStarted, format!("it could not be started: {why}"))
        }
        ProcessEnd::Lost => (ExitReason::Exited, "it ended, and nobody could see how".into()),
    };
    Verdict { reason, message }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::{event::ExitReason, turn::MindError};

    use super::{Ending, KillStep, is_asked_for, to_asker};

    #[test]
    fn a_process_is_told_then_signalled_then_killed() {
        let at = Duration::from_secs;
        let mut ending = Ending::Told { until: at(10) };
        let steps: Vec<_> = (8..16).map(|second| ending.step(at(second))).collect();
        let (term, kill) = (Some(KillStep::Terminate), Some(KillStep::Kill));
        assert_eq!(steps, [None, None, term, None, kill, None, None, None]);
        assert_eq!((ending, ending.due()), (Ending::Killed, None));
    }

    #[test]
    fn only_ends_that_nobody_wanted_count_against_the_input() {
        let crashed = |reason| matches!(to_asker(reason, "x"), MindError::Crashed { .. });
        for reason in [ExitReason::Person, ExitReason::Hibernated, ExitReason::Shutdown] {
            assert!(is_asked_for(reason) && !crashed(reason), "{reason:?}");
        }
        for reason in [ExitReason::Exited, ExitReason::Signalled, ExitReason::Silent] {
            assert!(!is_asked_for(reason) && crashed(reason), "{reason:?}");
        }
    }
}
