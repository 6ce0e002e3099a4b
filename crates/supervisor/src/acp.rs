//! The mind `acp`: any agent that speaks the Agent Client Protocol over its stdin and stdout.
//!
//! Such an agent runs tools of its own, so each prompt to it is one effect on the world: it goes out once for a turn, and
//! what became of it is known, found out by the agent itself in its own session, or said to be unknown. Its work is
//! recorded as evidence, its requests for permission are questions to a person, its session lives as long as the agent
//! can keep it. It must never run a tool of ours, and never ask again what may have been done.
//!
//! Reading order: this file, the mind's side; the `actor` with its `plan`, `note` and `outcome`; its `session` (and a `replay` of it),
//! the `prompt`, the `turn` (`gather`, `evidence`, `permission`); the `run` of its process, and the `link` to it.

use std::{ffi::OsString, path::PathBuf, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, Clock, IdSource,
    event::{Event, EvidenceReported},
    limits::YIELD_GRACE,
    turn::{MindError, Thought, TurnRequest},
};
use abide_engine::mind::{Mind, MindDelta, MindHost, PermissionRequest};
use abide_ledger::Ledger;
use futures_util::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    process::{ProcessLimits, ShimCommand},
    recorder::{Recorder, recorder},
    roster::{ProcessStatus, SupervisorTask},
};

mod actor;
mod plan;

mod note;
mod outcome;

mod replay;
mod session;

mod prompt;

mod evidence;
mod gather;
mod permission;
mod turn;

mod link;
mod run;

#[cfg(test)]
mod trial;

/// Turns that may wait for one agent.
const ASKS_MAX: usize = 4;
/// What an agent says and does that may wait to be taken; it waits when that is full. A piece is at most as long as a reply.
const ITEMS_MAX: usize = 64;

/// An ACP agent.
#[derive(Clone, Debug)]
pub struct AcpSpec {
    /// Whose mind it is.
    pub agent: AgentId,
    /// Its name for people and logs, such as `acp claude`.
    pub label: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it works; absolute, as the protocol asks.
    pub folder: PathBuf,
    /// All of its environment but `ABIDE_RUN` and `ABIDE_AGENT`, which are added.
    pub environment: Vec<(OsString, OsString)>,
    /// What its process may take.
    pub limits: ProcessLimits,
}

/// How long everything may take.
#[derive(Clone, Debug)]
pub struct AcpSettings {
    /// From the launch to the end of the greeting, and for each step that brings a session.
    pub ready_timeout: Duration,
    /// Idleness after which the process is ended; the next turn starts it again.
    pub idle_after: Duration,
    /// How long it may take to stop when it is told to; then its tree is killed.
    pub yield_grace: Duration,
}

impl Default for AcpSettings {
    fn default() -> Self {
        Self {
            ready_timeout: Duration::from_secs(30),
            idle_after: Duration::from_mins(15),
            yield_grace: YIELD_GRACE,
        }
    }
}

/// Everything that an ACP mind is made of.
#[derive(Debug)]
pub struct AcpParts {
    /// The home: `agents/<id>/acp.json` under it is the mind's.
    pub home: PathBuf,
    /// Where the life of the process is recorded.
    pub ledger: Ledger,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids of runs.
    pub ids: Arc<dyn IdSource>,
    /// What the process is started under.
    pub shim: ShimCommand,
    /// How long everything may take.
    pub settings: AcpSettings,
    /// The agent.
    pub spec: AcpSpec,
}

/// A mind that is an ACP agent. Costs nothing to clone.
#[derive(Clone, Debug)]
pub struct AcpMind {
    label: String,
    asks: mpsc::Sender<Ask>,
    status: watch::Receiver<ProcessStatus>,
    stop: CancellationToken,
}

/// What the parts of one agent share.
#[derive(Debug)]
struct House {
    home: PathBuf,
    spec: AcpSpec,
    settings: AcpSettings,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    shim: ShimCommand,
    recorder: Recorder,
    status: watch::Sender<ProcessStatus>,
    stop: CancellationToken,
}

/// Where the answer to a turn goes; closed when nobody waits for it any more.
type Answering = oneshot::Sender<Result<Thought, MindError>>;

/// A turn that is asked.
#[derive(Debug)]
struct Ask {
    request: TurnRequest,
    items: mpsc::Sender<Item>,
    answering: Answering,
}

/// Something for the desk.
#[derive(Debug)]
enum Item {
    /// A piece of the answer.
    Delta(MindDelta),
    /// Evidence of its work.
    Report(EvidenceReported),
    /// A question to a person, and where the yes or no goes.
    Ask(PermissionRequest, oneshot::Sender<bool>),
}

impl House {
    fn record(&self, event: impl Into<Event>) {
        self.recorder.by_keeper(&self.spec.agent, event);
    }

    fn tell(&self, change: impl FnOnce(&mut ProcessStatus)) {
        self.status.send_modify(change);
    }
}

impl AcpMind {
    /// Makes a mind, and the task that it needs to be run. Starts nothing: the first turn does.
    pub fn new(parts: AcpParts) -> (Self, SupervisorTask) {
        let AcpParts { home, ledger, clock, ids, shim, settings, spec } = parts;
        let (recorder, recording) = recorder(ledger);
        let (asks, coming) = mpsc::channel(ASKS_MAX);
        let (sender, status) = watch::channel(ProcessStatus::default());
        let stop = CancellationToken::new();
        let mind = Self { label: spec.label.clone(), asks, status, stop: stop.clone() };
        let name = format!("acp agent {}", spec.agent);
        let house =
            House { home, spec, settings, clock, ids, shim, recorder, status: sender, stop };
        let actor = actor::Actor::new(Arc::new(house), coming);
        let future = async move {
            tokio::join!(actor.run(), recording.run());
        };
        (mind, SupervisorTask { name, future: future.boxed() })
    }

    /// Where its process stands. Checkpoints and write-ahead logs are not a matter of such an agent.
    pub fn status(&self) -> ProcessStatus {
        self.status.borrow().clone()
    }

    /// Where its process stands, as it changes.
    pub fn status_changes(&self) -> watch::Receiver<ProcessStatus> {
        self.status.clone()
    }

    /// Ends it: the open turn is withdrawn, the process is asked to end, then killed. Returns when nothing of it is left.
    pub async fn shutdown(&self) {
        self.stop.cancel();
        let mut status = self.status.clone();
        // The sender goes with the actor.
        while status.changed().await.is_ok() {}
    }

    /// Asks one turn. Dropping the future withdraws it: the agent is told to stop, and killed with its tree if it does not.
    ///
    /// Errors: [`MindError::Crashed`] where the process ended; [`MindError::Rejected`] where asking again cannot help,
    /// and where the outcome of an earlier asking is unknown.
    pub async fn prompt(
        &self,
        request: &TurnRequest,
        desk: &dyn MindHost,
    ) -> Result<Thought, MindError> {
        let stopping = || MindError::Unavailable { message: "the keeper is stopping".into() };
        let (answering, mut answer) = oneshot::channel();
        let (items, mut coming) = mpsc::channel(ITEMS_MAX);
        let ask = Ask { request: request.clone(), items, answering };
        self.asks.send(ask).await.map_err(|_| stopping())?;
        let mut questions = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                Some(()) = questions.next(), if !questions.is_empty() => {}
                Some(item) = coming.recv() => match item {
                    Item::Delta(delta) => desk.delta(delta),
                    Item::Report(evidence) => desk.report(evidence).await,
                    Item::Ask(asked, reply) => questions.push(async move {
                        // A prompt that is over needs no answer.
                        _ = reply.send(desk.ask(asked).await.is_ok());
                    }),
                },
                answer = &mut answer => return answer.unwrap_or_else(|_| Err(stopping())),
            }
        }
    }
}

impl Mind for AcpMind {
    fn name(&self) -> String {
        self.label.clone()
    }

    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        desk: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>> {
        Box::pin(self.prompt(request, desk))
    }
}
