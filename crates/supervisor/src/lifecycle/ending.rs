//! How a run ends: asked first, then signalled, then killed; and what is said of its end.

use std::time::Duration;

use abide_domain::event::ExitReason;

use libc::SIGXFSZ;

use crate::process::ProcessEnd;

/// How long a process may take after SIGTERM.
const TERM_GRACE: Duration = Duration::from_secs(2);

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunExit {
    pub(crate) reason: ExitReason,
    /// For a person.
    pub(crate) message: String,
}

impl From<&ProcessEnd> for RunExit {
    /// Of a process that ended by itself.
    fn from(end: &ProcessEnd) -> Self {
        let reason = match end {
            ProcessEnd::Code(_) | ProcessEnd::Lost => ExitReason::Exited,
            ProcessEnd::Signal(_) => ExitReason::Signalled,
            ProcessEnd::NotStarted(_) => ExitReason::NotStarted,
        };
        Self { reason, message: format!("it {}", format_end(end)) }
    }
}

/// How a process ended, as what follows its name in a sentence.
pub(crate) fn format_end(end: &ProcessEnd) -> String {
    match end {
        ProcessEnd::Code(code) => format!("ended with exit code {code}"),
        ProcessEnd::Signal(SIGXFSZ) => format!(
            "was ended by signal {SIGXFSZ}: a file that it wrote reached the size that a file may have, which is that of \
             its part of the disk (`disk_mb`)"
        ),
        ProcessEnd::Signal(signal) => format!("was ended by signal {signal}"),
        ProcessEnd::NotStarted(why) => format!("could not be started: {why}"),
        ProcessEnd::Lost => "ended, and its exit code is unknown because its shim was lost".into(),
    }
}

/// Whether the keeper or a person wanted the end; any other counts against the restart policy.
pub(crate) fn is_requested(reason: ExitReason) -> bool {
    matches!(reason, ExitReason::Person | ExitReason::Hibernated | ExitReason::Shutdown)
}

/// The steps in which a process is ended, each with the moment at which the next is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KillSequence {
    /// It was asked to end, over its protocol or by the end of its input.
    Asked { until: Duration },
    /// It got SIGTERM.
    Terminated { until: Duration },
    /// It got SIGKILL.
    Killed,
}

/// What is to be done to a process now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KillStep {
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}

impl KillSequence {
    /// Takes the next step when it is due.
    pub(crate) fn step(&mut self, now: Duration) -> Option<KillStep> {
        match *self {
            Self::Asked { until } if now >= until => {
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
    pub(crate) fn due(self) -> Option<Duration> {
        match self {
            Self::Asked { until } | Self::Terminated { until } => Some(until),
            Self::Killed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{KillSequence, KillStep, format_end};
    use crate::process::ProcessEnd;

    #[test]
    fn a_process_that_wrote_too_large_a_file_is_told_from_others_that_a_signal_ended() {
        let text = format_end(&ProcessEnd::Signal(25));
        assert!(text.starts_with("was ended by signal 25: a file that it wrote"), "{text}");
        assert_eq!(format_end(&ProcessEnd::Signal(9)), "was ended by signal 9");
    }

    #[test]
    fn a_process_is_asked_then_signalled_then_killed() {
        let at = Duration::from_secs;
        let mut sequence = KillSequence::Asked { until: at(10) };
        let steps: Vec<_> = (8..16).map(|second| sequence.step(at(second))).collect();
        let (term, kill) = (Some(KillStep::Terminate), Some(KillStep::Kill));
        assert_eq!(steps, [None, None, term, None, kill, None, None, None]);
        assert_eq!((sequence, sequence.due()), (KillSequence::Killed, None));
    }
}
