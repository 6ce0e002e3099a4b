//! What an agent lost of its private state, until a person has acted on its process.
//!
//! The state itself is the supervisor's, and no part of the ledger: only its loss is.

use abide_domain::{
    Timestamp,
    event::{AgentEvent, ExitReason, StartCause},
};
use serde::{Deserialize, Serialize};

/// Private state that was acknowledged and is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrivateStateLoss {
    /// When it was found.
    pub at: Timestamp,
    /// What is lost, for a person.
    pub report: String,
}

impl PrivateStateLoss {
    /// Moves what was lost and no person has seen to by an event of the agent: a restart, a restore and a park by hand say that
    /// somebody has.
    pub(super) fn apply(loss: &mut Option<Self>, event: &AgentEvent, at: Timestamp) {
        match event {
            AgentEvent::StateTroubled(troubled) if troubled.is_lost => {
                let report = troubled.report.join("; ");
                // A cold start is said at each start: it stands since the first.
                if loss.as_ref().is_none_or(|loss| loss.report != report) {
                    *loss = Some(Self { at, report });
                }
            }
            AgentEvent::Started(started) if started.cause == StartCause::Person => *loss = None,
            AgentEvent::Exited(exited) if exited.reason == ExitReason::Person => *loss = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        RunId, Timestamp,
        event::{AgentEvent, ExitReason, ProcessExited, ProcessStarted, StartCause, StateTroubled},
    };
    use uuid::Uuid;

    use super::PrivateStateLoss;

    fn run() -> RunId {
        RunId::from_uuid(Uuid::from_u128(1))
    }

    fn troubled(is_lost: bool, report: &str) -> AgentEvent {
        AgentEvent::StateTroubled(StateTroubled { is_lost, report: vec![report.into()] })
    }

    fn started(cause: StartCause) -> AgentEvent {
        let (run, failures) = (run(), 0);
        AgentEvent::Started(ProcessStarted { run, pid: None, cause, failures, sandbox: None })
    }

    fn exited(reason: ExitReason) -> AgentEvent {
        let (message, last_words) = (String::new(), Vec::new());
        AgentEvent::Exited(ProcessExited { run: run(), reason, message, uptime_ms: 1, last_words })
    }

    #[test]
    fn a_loss_stands_until_a_person_has_acted_and_damage_that_cost_nothing_is_none() {
        let mut loss = None;
        let mut after = |event: &AgentEvent, second: i64| {
            let at = Timestamp::from_micros(second * 1_000_000);
            PrivateStateLoss::apply(&mut loss, event, at);
            loss.as_ref().map(|loss: &PrivateStateLoss| loss.at.as_micros() / 1_000_000)
        };
        assert_eq!(after(&troubled(false, "a torn tail"), 1), None);
        assert_eq!(after(&troubled(true, "cold start"), 2), Some(2));
        assert_eq!(after(&exited(ExitReason::Signalled), 3), Some(2));
        assert_eq!(after(&started(StartCause::Restart), 4), Some(2));
        assert_eq!(after(&troubled(true, "cold start"), 5), Some(2), "the same, said again");
        assert_eq!(after(&troubled(true, "3 entries"), 6), Some(6));
        assert_eq!(after(&started(StartCause::Person), 7), None);
        assert_eq!(after(&troubled(true, "cold start"), 8), Some(8));
        assert_eq!(after(&exited(ExitReason::Person), 9), None);
    }
}
