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

use crate::{agent::Ask, roster::Command};

/// Pieces of an answer that may wait for whoever shows them; more are left out.
const DELTAS_MAX: usize = 1024;

/// How much longer than the turn may take is waited, where the caller itself sets no limit.
const WAIT_SLACK: Duration = Duration::from_secs(2);

fn not_ready(limit: Duration) -> MindError {
    let message = format!("the agent's process did not answer within {limit:?}");
    MindError::Unavailable { message }
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

    async fn ask(&self, request: &TurnRequest, desk: &dyn MindHost) -> Result<Thought, MindError> {
        let stopping = || MindError::Unavailable { message: "the keeper is stopping".into() };
        let asked_at = self.clock.monotonic();
        let request_id = self.ids.uuid(self.clock.now()).to_string();
        let (reply, mut answer) = oneshot::channel();
        let (pieces, mut coming) = mpsc::channel(DELTAS_MAX);
        let ask = Ask {
            request: ProcessRequest::from_turn(request_id, request),
            asked_at,
            deadline: request.deadline,
            reply,
            deltas: pieces,
        };
        self.commands.send(Command::Ask(Box::new(ask))).await.map_err(|_| stopping())?;
        let limit = request.deadline.saturating_add(WAIT_SLACK);
        let too_late = tokio::time::sleep(limit);
        tokio::pin!(too_late);
        loop {
            tokio::select! {
                biased;
                Some(piece) = coming.recv() => desk.delta(piece),
                answer = &mut answer => return answer.unwrap_or_else(|_| Err(stopping())),
                () = &mut too_late => return Err(not_ready(limit)),
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
        desk: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(self.ask(request, desk))
    }
}
