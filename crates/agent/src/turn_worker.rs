//! One turn of the built-in agent: write down, think, write down, answer.

use std::{sync::Arc, time::Duration};

use abide_domain::{Clock, turn::TurnRequest};
use abide_models::{Reasoner, ReplyDelta};
use abide_sdk::{Answer, Keeper, Turn, TurnError, WalError, error_code};

use crate::{
    notebook::Notebook,
    operation::{Answered, Operation, after, before},
};

/// What answers turns.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) reasoner: Arc<Reasoner>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Work {
    /// Answers a turn. Nothing is asked of the mind, and no answer given, before it is written down durably.
    pub(crate) async fn answer(
        self,
        turn: Turn,
        keeper: Keeper<Notebook>,
    ) -> Result<Answer, TurnError> {
        let request = turn.to_request()?;
        let began = self.clock.monotonic();
        log(&keeper, |notebook| before(&request, notebook)).await?;
        let thought = self.think(&turn, &request, began).await;
        let took = self.clock.monotonic().saturating_sub(began);
        let answered = Answered { ok: thought.is_ok(), latency_ms: milliseconds(took) };
        let reply = thought.as_ref().ok().and_then(|thought| {
            let is_interim = !thought.voice.tool_calls.is_empty();
            thought.voice.final_response.as_deref().filter(|_| !is_interim)
        });
        log(&keeper, |notebook| after(&request, notebook, reply, answered)).await?;
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
        // What the log took of the turn's time is gone.
        let spent = self.clock.monotonic().saturating_sub(began);
        let request =
            TurnRequest { deadline: request.deadline.saturating_sub(spent), ..request.clone() };
        Box::pin(self.reasoner.think(&request, &on_delta)).await
    }
}

/// Logs operations that follow from the state. A log that is full is emptied by a checkpoint, once.
async fn log(
    keeper: &Keeper<Notebook>,
    operations: impl Fn(&Notebook) -> Vec<Operation>,
) -> Result<(), TurnError> {
    let packed = || -> Result<Vec<_>, abide_sdk::StateError> {
        keeper.read(&operations).iter().map(Operation::pack).collect()
    };
    let unfit = |error: abide_sdk::StateError| TurnError::new("STATE_ERROR", error.to_string());
    match keeper.wal_all(packed().map_err(unfit)?).await {
        Ok(_) => return Ok(()),
        Err(WalError::Refused { code, .. }) if code == error_code::WAL_FULL => {}
        Err(error) => return Err(error.into()),
    }
    keeper.checkpoint().await?;
    keeper.wal_all(packed().map_err(unfit)?).await?;
    Ok(())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
