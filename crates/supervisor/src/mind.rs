//! The mind `agent`: a supervised process that answers turns over frames.
//!
//! Knows nothing of processes itself: it hands the turn to the agent's actor and waits. Going away withdraws the turn.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    Clock, IdSource,
    turn::{MindError, Thought, TurnRequest},
};
use abide_engine::mind::{Mind, MindHost};
use abide_wire::ProcessRequest;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use crate::{agent::QueuedTurn, supervisor::Command};

/// Pieces of an answer that may wait for whoever shows them; more are left out.
const DELTAS_MAX: usize = 1024;

/// How much longer than the deadline of the turn is waited, where the caller itself sets no limit.
const WAIT_SLACK: Duration = Duration::from_secs(2);

fn late_answer(limit: Duration) -> MindError {
    let message = format!("the agent's process did not answer within {limit:?}");
    MindError::ProcessFailed { message }
}

/// A mind that is a process.
#[derive(Clone, Debug)]
pub struct AgentMind {
    label: String,
    commands: mpsc::Sender<Command>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl AgentMind {
    pub(crate) fn new(
        label: &str,
        commands: mpsc::Sender<Command>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Self {
        Self { label: label.into(), commands, clock, ids }
    }

    async fn ask(&self, request: &TurnRequest, host: &dyn MindHost) -> Result<Thought, MindError> {
        let stopping = || MindError::ProcessEnded { message: "the keeper is stopping".into() };
        let asked_at = self.clock.monotonic();
        let request_id = self.ids.uuid(self.clock.now()).to_string();
        let (reply, mut answer) = oneshot::channel();
        let (deltas, mut incoming) = mpsc::channel(DELTAS_MAX);
        let turn = QueuedTurn {
            request: ProcessRequest::from_turn(request_id, request),
            asked_at,
            deadline: request.deadline,
            deadline_streaming: request.deadline_streaming,
            reply,
            deltas,
        };
        self.commands.send(Command::Ask(Box::new(turn))).await.map_err(|_| stopping())?;
        // Silence before that is the business of the process's clocks.
        let limit = request.deadline_streaming.saturating_add(WAIT_SLACK);
        let too_late = tokio::time::sleep(limit);
        tokio::pin!(too_late);
        loop {
            tokio::select! {
                biased;
                Some(delta) = incoming.recv() => host.delta(delta),
                answer = &mut answer => return answer.unwrap_or_else(|_| Err(stopping())),
                () = &mut too_late => return Err(late_answer(limit)),
            }
        }
    }
}

impl Mind for AgentMind {
    fn name(&self) -> String {
        self.label.clone()
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        host: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(self.ask(request, host))
    }
}
