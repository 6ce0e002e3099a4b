//! What follows the end of a run: what a person ended it for, and what it means to whoever waited for an answer.

use abide_domain::{event::ExitReason, turn::MindError};
use uuid::Uuid;

use crate::{
    lifecycle::is_requested,
    supervisor::{ProcessCommandError, Reply, RestoreSummary},
};

/// What follows a run that a person ended.
#[derive(Debug)]
pub(super) enum FollowUp {
    /// Another run.
    Start(Reply<()>),
    /// No run until a person resumes the agent.
    Park(Reply<()>),
    /// Another run, from this checkpoint.
    Restore(Uuid, Reply<RestoreSummary>),
}

impl FollowUp {
    /// It does not come to it.
    pub(super) fn refuse(self, error: ProcessCommandError) {
        match self {
            Self::Start(reply) | Self::Park(reply) => drop(reply.send(Err(error))),
            Self::Restore(_, reply) => drop(reply.send(Err(error))),
        }
    }
}

/// What the end of a run means to whoever waited for the open turn.
pub(super) fn mind_error(reason: ExitReason, message: &str) -> MindError {
    let message = message.to_owned();
    if is_requested(reason) {
        MindError::ProcessEnded { message }
    } else {
        MindError::Crashed { message }
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{event::ExitReason, turn::MindError};

    use super::mind_error;
    use crate::lifecycle::is_requested;

    #[test]
    fn only_ends_that_nobody_wanted_count_against_the_input() {
        let crashed = |reason| match mind_error(reason, "x") {
            MindError::Crashed { .. } => true,
            MindError::ProcessEnded { .. } => false,
            other => panic!("{other:?}"),
        };
        for reason in [ExitReason::Person, ExitReason::Hibernated, ExitReason::Shutdown] {
            assert!(is_requested(reason) && !crashed(reason), "{reason:?}");
        }
        for reason in [ExitReason::Exited, ExitReason::Signalled, ExitReason::Silent] {
            assert!(!is_requested(reason) && crashed(reason), "{reason:?}");
        }
    }
}
