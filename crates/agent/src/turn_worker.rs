//! One turn of the built-in agent: log, think, log, answer.

use std::{sync::Arc, time::Duration};

use abide_domain::{Clock, turn::TurnRequest};
use abide_models::{Reasoner, ReplyDelta};
use abide_sdk::{Answer, Keeper, Turn, TurnError, WalError, error_code};

use crate::{
    checkpoint_state::CheckpointState,
    operation::{Operation, TurnOutcome},
    operation_plan::{operations_after, operations_before},
};

/// Answers turns with a reasoner.
#[derive(Clone, Debug)]
pub(crate) struct TurnWorker {
    pub(crate) reasoner: Arc<Reasoner>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl TurnWorker {
    /// Answers a turn. The mind is not asked, and no answer is sent, before the log of it is durable.
    pub(crate) async fn answer(
        self,
        turn: Turn,
        keeper: Keeper<CheckpointState>,
    ) -> Result<Answer, TurnError> {
        let request = turn.to_request()?;
        let began = self.clock.monotonic();
        log(&keeper, |state| operations_before(&request, state)).await?;
        let thought = self.think(&turn, &request, began).await;
        let took = self.clock.monotonic().saturating_sub(began);
        let outcome = TurnOutcome { ok: thought.is_ok(), latency_ms: milliseconds(took) };
        let reply = thought.as_ref().ok().and_then(|thought| {
            let is_interim = !thought.voice.tool_calls.is_empty();
            thought.voice.final_response.as_deref().filter(|_| !is_interim)
        });
        log(&keeper, |state| operations_after(&request, state, reply, outcome)).await?;
        Ok(thought?.into())
    }

    async fn think(
        &self,
        turn: &Turn,
        request: &TurnRequest,
        began: Duration,
    ) -> Result<abide_domain::turn::Thought, abide_domain::turn::MindError> {
        let on_delta = |delta: ReplyDelta| {
            if delta.thought {
                turn.offer_reasoning(delta.text);
            } else {
                turn.offer_words(delta.text);
            }
        };
        // The time that logging took is no longer left for thinking.
        let spent = self.clock.monotonic().saturating_sub(began);
        let request = TurnRequest {
            deadline: request.deadline.saturating_sub(spent),
            deadline_streaming: request.deadline_streaming.saturating_sub(spent),
            ..request.clone()
        };
        Box::pin(self.reasoner.think(&request, &on_delta)).await
    }
}

/// Logs operations that follow from the state. Where the log is full, one checkpoint makes room.
async fn log(
    keeper: &Keeper<CheckpointState>,
    operations: impl Fn(&CheckpointState) -> Vec<Operation>,
) -> Result<(), TurnError> {
    let packed = || -> Result<Vec<_>, abide_sdk::StateError> {
        keeper.read(&operations).iter().map(Operation::pack).collect()
    };
    let state_error =
        |error: abide_sdk::StateError| TurnError::new("STATE_ERROR", error.to_string());
    match keeper.wal_all(packed().map_err(state_error)?).await {
        Ok(_) => return Ok(()),
        Err(WalError::Refused { code, .. }) if code == error_code::WAL_FULL => {}
        Err(error) => return Err(error.into()),
    }
    keeper.checkpoint().await?;
    keeper.wal_all(packed().map_err(state_error)?).await?;
    Ok(())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
