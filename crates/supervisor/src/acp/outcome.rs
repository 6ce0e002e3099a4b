//! What an agent's stop or error means: to the session record, and to whoever asked.
//!
//! Pure. It must never call a prompt over of which the agent may have done a part, unless the agent says that it stopped.

use std::fmt::Write as _;

use abide_domain::{
    turn::{MindError, Thought},
    voice::VoiceError,
};
use agent_client_protocol::{
    Error as AcpError, ErrorCode, JsonRpcResponse as _,
    v1::schema::{PromptResponse, StopReason},
};
use serde_json::Value;

use super::{
    answer::{self, AnswerBuilder},
    error_text::format_agent_error,
    evidence::short,
    link::{self, LinkError},
    record::PromptState,
};

/// The state to record (none where the agent did not accept the prompt), and the answer to whoever asked.
pub(super) type PromptOutcome = (Option<PromptState>, Result<Thought, MindError>);

/// What an agent's stop means.
pub(super) fn outcome_of_stop(
    response: &Value,
    answer: AnswerBuilder,
    spent: Option<u64>,
) -> Result<PromptOutcome, LinkError> {
    let misshapen = |error| link::misshapen("session/prompt", &error);
    let stop = PromptResponse::from_json("session/prompt", response.clone()).map_err(misshapen)?;
    let mut usage = answer::read_usage(response);
    usage.cost_microusd = spent;
    let mut answer = answer.finish(&usage);
    let cut = |why: &str| Some(PromptState::Cut { why: why.into() });
    let limit = match stop.stop_reason {
        StopReason::EndTurn => None,
        StopReason::MaxTokens => Some("it reached its limit of tokens"),
        StopReason::MaxTurnRequests => Some("it reached its limit of requests in a turn"),
        StopReason::Refusal => {
            let said =
                if answer.response.is_empty() { "no reason given" } else { &answer.response };
            let message = short(said);
            return Ok((cut("it refused"), Err(MindError::Refused { message, usage })));
        }
        StopReason::Cancelled => {
            let message = "the agent says that it was cancelled".into();
            return Ok((cut("it was cancelled"), Err(MindError::Unavailable { message })));
        }
        _ => Some("it stopped for a reason that this version does not know"),
    };
    if let Some(limit) = limit {
        if answer.response.is_empty() {
            let message = format!("the agent stopped before it said anything: {limit}");
            return Ok((cut(limit), Err(MindError::Unavailable { message })));
        }
        _ = write!(answer.response, "\n\n[The agent stopped here: {limit}.]");
    }
    let thought = answer.clone().into_thought();
    let result = if answer.response.is_empty() {
        let problem = VoiceError::new("final_response", "is blank; say something to the person");
        Err(MindError::BadVoice { problem, usage })
    } else {
        Ok(thought)
    };
    Ok((Some(PromptState::Closed(answer)), result))
}

/// What an agent's error means; and whether its session is gone.
pub(super) fn outcome_of_error(error: &AcpError) -> (Option<PromptState>, bool, MindError) {
    let message = format_agent_error(error);
    match error.code {
        // It did not take the prompt at all.
        ErrorCode::AUTH_REQUIRED
        | ErrorCode::INVALID_PARAMS
        | ErrorCode::INVALID_REQUEST
        | ErrorCode::METHOD_NOT_FOUND => (None, false, MindError::Rejected { message }),
        ErrorCode::RESOURCE_NOT_FOUND => (None, true, MindError::Unavailable { message }),
        _ => (
            Some(PromptState::Cut { why: message.clone() }),
            false,
            MindError::Unavailable { message },
        ),
    }
}

/// The outcome of a prompt cannot be known, and another one could do everything again.
pub(super) fn outcome_unknown(why: &str) -> MindError {
    MindError::OutcomeUnknown {
        message: format!(
            "the agent was cut off while it worked on this message, and acts on the world by itself; {why}. Look at what \
             it has done before you ask again"
        ),
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::turn::MindError;
    use agent_client_protocol::v1::schema::ContentChunk;
    use serde_json::json;

    use super::{PromptOutcome, outcome_of_error, outcome_of_stop};
    use crate::acp::{answer::AnswerBuilder, record::PromptState};

    fn stop(reason: &str, said: &str) -> PromptOutcome {
        let mut answer = AnswerBuilder::default();
        answer.say(&ContentChunk::new(said.into()));
        outcome_of_stop(&json!({"stopReason": reason}), answer, Some(5)).unwrap()
    }

    #[test]
    fn each_reason_to_stop_has_its_meaning() {
        let (state, answer) = stop("end_turn", "done");
        assert!(matches!(state, Some(PromptState::Closed(_))));
        let thought = answer.unwrap();
        assert_eq!(thought.voice.final_response.as_deref(), Some("done"));
        assert_eq!(thought.usage.cost_microusd, Some(5));

        let (state, answer) = stop("max_tokens", "half of");
        assert!(matches!(state, Some(PromptState::Closed(_))));
        let text = answer.unwrap().voice.final_response.unwrap();
        assert!(text.starts_with("half of\n\n[The agent stopped here"), "{text}");

        let cut = |outcome: PromptOutcome| {
            assert!(matches!(outcome.0, Some(PromptState::Cut { .. })), "{outcome:?}");
            outcome.1.unwrap_err()
        };
        assert!(matches!(cut(stop("max_turn_requests", "")), MindError::Unavailable { .. }));
        assert!(matches!(cut(stop("cancelled", "so far")), MindError::Unavailable { .. }));
        let refused = cut(stop("refusal", "no."));
        assert!(matches!(refused, MindError::Refused { message, .. } if message == "no."));

        let (state, answer) = stop("end_turn", " ");
        assert!(matches!(state, Some(PromptState::Closed(_))));
        assert!(matches!(answer, Err(MindError::BadVoice { .. })));
        assert!(
            outcome_of_stop(&json!({"stopReason": 7}), AnswerBuilder::default(), None).is_err()
        );
    }

    #[test]
    fn an_error_before_the_prompt_was_taken_leaves_nothing_open() {
        let error = |code| agent_client_protocol::Error::new(code, "no");
        assert!(matches!(
            outcome_of_error(&error(-32000)),
            (None, false, MindError::Rejected { .. })
        ));
        assert!(matches!(
            outcome_of_error(&error(-32002)),
            (None, true, MindError::Unavailable { .. })
        ));
        let (state, _, answer) = outcome_of_error(&error(-32603));
        assert!(matches!(state, Some(PromptState::Cut { .. })));
        assert!(matches!(answer, MindError::Unavailable { .. }));
    }
}
