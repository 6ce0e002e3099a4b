//! What a turn means to an agent that acts by itself: a first asking, one more after a cut, or one that has its answer.
//!
//! Pure. It must never make a second first asking of one turn (law 5).

use abide_domain::{EpochId, turn::TurnRequest, voice::VoiceError};

use super::note::{Answer, PromptState, Prompted};

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// The turn was never put to the agent.
    Ask {
        /// An earlier epoch whose prompt was left unfinished.
        left: Option<EpochId>,
    },
    /// The turn has its answer, which got lost between there and the ledger.
    Again(Answer),
    /// The answer could not be used; the agent is to mend it.
    Mend(VoiceError),
    /// The turn was put to the agent, and what came of it is unknown or half done.
    GoOn {
        /// Why it was cut.
        why: String,
    },
}

/// Decides, from what is known of the last prompt.
pub(super) fn plan(last: Option<&Prompted>, request: &TurnRequest) -> Plan {
    let Some(last) = last else { return Plan::Ask { left: None } };
    if (last.epoch, last.turn) != (request.epoch, request.turn) {
        let is_unfinished = !matches!(last.state, PromptState::Closed(_));
        let left = Some(last.epoch).filter(|epoch| is_unfinished && *epoch != request.epoch);
        return Plan::Ask { left };
    }
    match (&last.state, &request.repair) {
        (PromptState::Closed(_), Some(problem)) => Plan::Mend(problem.clone()),
        (PromptState::Closed(answer), None) => Plan::Again(answer.clone()),
        (PromptState::Open, _) => Plan::GoOn { why: "its process or its keeper died".into() },
        (PromptState::Cut { why }, _) => Plan::GoOn { why: why.clone() },
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{EpochId, voice::VoiceError};
    use uuid::Uuid;

    use super::{super::trial, Plan, plan};
    use crate::acp::note::{Answer, PromptState, Prompted};

    fn prompted(epoch: u128, state: PromptState) -> Prompted {
        Prompted { epoch: EpochId::from_uuid(Uuid::from_u128(epoch)), turn: 1, attempt: 1, state }
    }

    #[test]
    fn a_turn_is_put_to_the_agent_once() {
        let mut request = trial::request(7);
        let answer = Answer { response: "done".into(), ..Answer::default() };
        let closed = || PromptState::Closed(answer.clone());
        let cut = || PromptState::Cut { why: "withdrawn".into() };
        let left = |epoch| Plan::Ask { left: Some(EpochId::from_uuid(Uuid::from_u128(epoch))) };

        assert_eq!(plan(None, &request), Plan::Ask { left: None });
        assert_eq!(plan(Some(&prompted(6, closed())), &request), Plan::Ask { left: None });
        assert_eq!(plan(Some(&prompted(6, PromptState::Open)), &request), left(6));
        assert_eq!(plan(Some(&prompted(6, cut())), &request), left(6));
        assert_eq!(plan(Some(&prompted(7, closed())), &request), Plan::Again(answer.clone()));
        assert!(matches!(plan(Some(&prompted(7, PromptState::Open)), &request), Plan::GoOn { .. }));
        assert_eq!(
            plan(Some(&prompted(7, cut())), &request),
            Plan::GoOn { why: "withdrawn".into() }
        );

        let problem = VoiceError::new("final_response", "is blank");
        request.repair = Some(problem.clone());
        assert_eq!(plan(Some(&prompted(7, closed())), &request), Plan::Mend(problem));
        assert!(matches!(plan(Some(&prompted(7, PromptState::Open)), &request), Plan::GoOn { .. }));
    }
}
