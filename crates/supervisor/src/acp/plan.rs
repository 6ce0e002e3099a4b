//! What a turn means to an agent that acts by itself: a first prompt, another one after a cut, or one that has its answer.
//!
//! Pure. It must never send the first prompt of a turn twice (law 5).

use abide_domain::{EpochId, turn::TurnRequest, voice::VoiceError};

use super::record::{PromptRecord, PromptState, RecordedAnswer};

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PromptPlan {
    /// The agent never got the turn.
    Ask {
        /// An earlier epoch whose prompt was left unfinished.
        left: Option<EpochId>,
    },
    /// The turn has its answer, which did not reach the ledger.
    Replay(RecordedAnswer),
    /// The answer could not be used; the agent is to correct it.
    Repair(VoiceError),
    /// The agent got the turn, and what became of it is unknown or half done.
    Continue {
        /// Why it was cut.
        why: String,
    },
}

/// Decides, from what is known of the last prompt.
pub(super) fn plan_prompt(last: Option<&PromptRecord>, request: &TurnRequest) -> PromptPlan {
    let Some(last) = last else { return PromptPlan::Ask { left: None } };
    if (last.epoch, last.turn) != (request.epoch, request.turn) {
        let is_unfinished = !matches!(last.state, PromptState::Closed(_));
        let left = Some(last.epoch).filter(|epoch| is_unfinished && *epoch != request.epoch);
        return PromptPlan::Ask { left };
    }
    match (&last.state, &request.repair) {
        (PromptState::Closed(_), Some(problem)) => PromptPlan::Repair(problem.clone()),
        (PromptState::Closed(answer), None) => PromptPlan::Replay(answer.clone()),
        (PromptState::Open, _) => {
            PromptPlan::Continue { why: "its process or its keeper died".into() }
        }
        (PromptState::Cut { why }, _) => PromptPlan::Continue { why: why.clone() },
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{EpochId, voice::VoiceError};
    use uuid::Uuid;

    use super::{super::trial, PromptPlan, plan_prompt};
    use crate::acp::record::{PromptRecord, PromptState, RecordedAnswer};

    fn prompted(epoch: u128, state: PromptState) -> PromptRecord {
        PromptRecord {
            epoch: EpochId::from_uuid(Uuid::from_u128(epoch)),
            turn: 1,
            attempt: 1,
            state,
        }
    }

    #[test]
    fn a_turn_is_sent_to_the_agent_once() {
        let mut request = trial::request(7);
        let answer = RecordedAnswer { response: "done".into(), ..RecordedAnswer::default() };
        let closed = || PromptState::Closed(answer.clone());
        let cut = || PromptState::Cut { why: "withdrawn".into() };
        let left =
            |epoch| PromptPlan::Ask { left: Some(EpochId::from_uuid(Uuid::from_u128(epoch))) };

        assert_eq!(plan_prompt(None, &request), PromptPlan::Ask { left: None });
        assert_eq!(
            plan_prompt(Some(&prompted(6, closed())), &request),
            PromptPlan::Ask { left: None }
        );
        assert_eq!(plan_prompt(Some(&prompted(6, PromptState::Open)), &request), left(6));
        assert_eq!(plan_prompt(Some(&prompted(6, cut())), &request), left(6));
        assert_eq!(
            plan_prompt(Some(&prompted(7, closed())), &request),
            PromptPlan::Replay(answer.clone())
        );
        assert!(matches!(
            plan_prompt(Some(&prompted(7, PromptState::Open)), &request),
            PromptPlan::Continue { .. }
        ));
        assert_eq!(
            plan_prompt(Some(&prompted(7, cut())), &request),
            PromptPlan::Continue { why: "withdrawn".into() }
        );

        let problem = VoiceError::new("final_response", "is blank");
        request.repair = Some(problem.clone());
        assert_eq!(
            plan_prompt(Some(&prompted(7, closed())), &request),
            PromptPlan::Repair(problem)
        );
        assert!(matches!(
            plan_prompt(Some(&prompted(7, PromptState::Open)), &request),
            PromptPlan::Continue { .. }
        ));
    }
}
