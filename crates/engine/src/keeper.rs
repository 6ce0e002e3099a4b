//! The keeper as the server holds it: accepts stimuli, answers questions about the state, gives orders to the lanes.
//!
//! A start is [`replay`], then [`Keeper::start`], which gives the handle and the tasks to run. Everything that the
//! handle says was read from the ledger or is durable in it. It is made of the other parts of the engine; none of them
//! knows it.

use std::sync::Arc;

use abide_domain::{
    AgentId, ApprovalId, Clock, EntityName, EpochId, IdSource,
    envelope::StimulusEnvelope,
    event::{Decision, Event, KeeperStopped},
};
use abide_ledger::{AppendReceipt, Draft, Ledger};
use tokio::sync::{broadcast, oneshot};

mod add_agent;
mod announce;
mod attention;
mod command;
mod decks;
mod dismiss;
mod evolution;
mod facts_review;
mod forget;
mod media;
mod memory;
mod recorded_epochs;
mod recorded_ranking;
mod replay;
mod sleep;
mod start;
mod tool_policy;
mod try_tool;

pub use crate::intake::{AcceptError, AcceptOptions, AcceptedState, AcceptedStimulus};
use crate::{
    activity::SeenActivity,
    agent_setup::AgentSetup,
    attached_clients::AttachedClients,
    blobs::Blobs,
    dream_folders::DreamFolders,
    failpoint::Failpoints,
    intake::StimulusIntake,
    lane::{Lane, LaneOrder, ResetResult},
    ledger_reads::{read_epoch, was_approval},
    projector::{IdentityFiles, Projector},
    run_epoch::{DecideError, DecisionOrder, PageOrder},
    services::{Services, ToolProgress, TurnDelta},
    settings::EpochSettings,
    sleep::{SleepHandle, Sleeper},
    state::{EpochRecord, EpochSpan},
    state_view::StateGuard,
    waiters::Waiters,
    waker::{AgentSchedule, Waker},
};
use announce::Announcer;
pub use attention::{Attention, AttentionKind, DECK_MATTER, LaneTask, clock_problem};
pub use decks::DeckOrderError;
pub use evolution::{EvolutionOrderError, EvolutionProposal};
pub use forget::{ForgetMode, Forgotten, IdentityForgets};
pub use media::MediaOrderError;
pub use memory::{GraphError, NewFact, SeedResult};
pub use recorded_epochs::{RecordedEpoch, ShownInstead};
pub use recorded_ranking::RecordedRanking;
use replay::state_digest;
pub use replay::{ReplayedState, StartError, fold, replay};
pub use tool_policy::{StillDenied, ToolPolicyOrder, ToolPolicyOrderError, ToolPolicySet};
pub use try_tool::{TriedTool, TryToolError};

/// What a keeper is made of. The composition root builds it.
#[derive(Debug)]
pub struct KeeperParts {
    /// The ledger.
    pub ledger: Ledger,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Where new ids come from.
    pub ids: Arc<dyn IdSource>,
    /// The store of ethereal results.
    pub blobs: Blobs,
    /// Points that tests set.
    pub failpoints: Failpoints,
    /// What the configuration says.
    pub settings: EpochSettings,
    /// The agents of the configuration.
    pub agents: Vec<AgentSetup>,
    /// The identity documents.
    pub files: IdentityFiles,
    /// The folders of dreams.
    pub dreams: DreamFolders,
    /// The stimuli that come by the clock.
    pub schedules: Vec<AgentSchedule>,
    /// The program's version.
    pub version: String,
}

/// The tasks of a started keeper. Each runs until its token is cancelled.
#[derive(Debug)]
pub struct KeeperTasks {
    /// Follows the ledger. When it ends with an error the keeper must stop: nothing would be seen any more.
    pub projector: Projector,
    /// One for each agent.
    pub lanes: Vec<Lane>,
    /// Where the ledger could not be written at start: writes the start down later. Ends by itself.
    pub announcer: Option<Announcer>,
    /// Distils the epochs of agents that sleep.
    pub sleeper: Sleeper,
    /// Wakes agents when what they wait for has come.
    pub waker: Waker,
}

/// The running keeper. Cheap to clone; the tasks hold none.
#[derive(Clone, Debug)]
pub struct Keeper {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    services: Arc<Services>,
    waiters: Arc<Waiters>,
    intake: Arc<StimulusIntake>,
    sleep: SleepHandle,
}

/// Why an order could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// There is no such thing.
    #[error("there is no {what} `{id}`")]
    NotFound {
        /// `epoch`, `agent`, `fact`.
        what: &'static str,
        /// The id that was asked for.
        id: String,
    },
    /// It has ended already.
    #[error("epoch `{0}` has already ended")]
    Ended(EpochId),
    /// There is nothing of it to dismiss.
    #[error(
        "nobody is waited for because of epoch `{0}`: it did not fail, was asked again, or was dismissed already"
    )]
    NothingWaits(EpochId),
    /// The caller has to correct it.
    #[error("{0}")]
    Invalid(String),
    /// What it depends on could not be read.
    #[error("it could not be read: {0}")]
    Unreadable(String),
    /// The ledger could not be written.
    #[error("the ledger could not be written")]
    Ledger(#[from] abide_ledger::AppendError),
    /// The keeper stops.
    #[error("the keeper is stopping")]
    Stopping,
}

impl Keeper {
    /// Makes a checked stimulus durable and queues it. Returns once it is durable.
    pub async fn accept(
        &self,
        envelope: StimulusEnvelope,
        options: AcceptOptions,
    ) -> Result<AcceptedStimulus, AcceptError> {
        self.inner.intake.accept(envelope, options).await
    }

    /// The state, locked for reading. Hold it shortly, never across an await, and read no second time while you do.
    pub fn state(&self) -> StateGuard<'_> {
        self.inner.services.view.read()
    }

    /// What the tasks share.
    pub fn services(&self) -> &Arc<Services> {
        &self.inner.services
    }

    /// The ledger, to follow and to query.
    pub fn ledger(&self) -> &Ledger {
        &self.inner.services.ledger
    }

    /// Whether an agent of this id runs here.
    pub fn has_agent(&self, id: &AgentId) -> bool {
        self.inner.services.has_agent(id)
    }

    /// A running agent.
    pub fn agent(&self, id: &str) -> Option<Arc<AgentSetup>> {
        self.inner.services.agents.get(id)
    }

    /// The running agents, by id.
    pub fn agents(&self) -> Vec<Arc<AgentSetup>> {
        self.inner.services.agents.all()
    }

    /// Those of them that no other agent spawned, by id.
    pub fn unspawned_agents(&self) -> Vec<Arc<AgentSetup>> {
        let mut agents = self.agents();
        let state = self.state();
        agents.retain(|agent| !state.entities.is_spawned(&agent.id));
        agents
    }

    /// Clients that can be asked for approval.
    pub fn attached(&self) -> &AttachedClients {
        &self.inner.services.attached
    }

    /// What is seen of an agent between its events.
    pub fn activity(&self, agent: &AgentId) -> SeenActivity {
        self.inner.services.activities.seen(agent)
    }

    /// Growing answers from here on. A listener that lags loses the oldest.
    pub fn deltas(&self) -> broadcast::Receiver<TurnDelta> {
        self.inner.services.deltas.subscribe()
    }

    /// What running calls say from here on. A listener that lags loses the oldest.
    pub fn tool_progress(&self) -> broadcast::Receiver<ToolProgress> {
        self.inner.services.tool_progress.subscribe()
    }

    /// Waits until the epoch has ended; false when no such epoch exists.
    pub async fn ended(&self, epoch: EpochId) -> bool {
        let end = || self.state().epochs.get(&epoch).map(|span| span.end.is_some());
        self.inner.waiters.ended(epoch, end).await
    }

    /// An epoch, whole: from memory while it runs, from the ledger after.
    pub async fn epoch(&self, id: EpochId) -> Result<Option<EpochRecord>, abide_ledger::ReadError> {
        let span = {
            let state = self.state();
            if let Some(record) = state.running.get(&id) {
                return Ok(Some(record.clone()));
            }
            state.epochs.get(&id)
        };
        let Some(span) = span else { return Ok(None) };
        let ledger = self.inner.services.ledger.clone();
        let read = move || read_epoch(&ledger, id, &span);
        tokio::task::spawn_blocking(read).await.unwrap_or(Ok(None))
    }

    /// The digest of all projected state: equal before and after a restart or a rebuild.
    pub fn state_digest(&self) -> String {
        state_digest(&self.state(), |id| self.agent(id).map(|agent| agent.facts.clone()))
    }

    /// Ends an epoch, running or waiting.
    pub async fn abort(&self, id: EpochId, reason: String) -> Result<(), OrderError> {
        let span = self.span(id)?;
        if span.end.is_some() {
            return Err(OrderError::Ended(id));
        }
        let (reply, received) = oneshot::channel();
        self.order(&span.agent, LaneOrder::Abort { epoch: id, reason, reply }).await?;
        match received.await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(OrderError::Ended(id)),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(OrderError::Stopping),
        }
    }

    /// Gives up the attempt under way and has its turn asked again, as far as attempts permit: a page for an agent that
    /// does not move. False when no attempt was given up: no epoch runs, or it is at something else. That can take as long as
    /// what it is at.
    pub async fn ask_again(&self, agent: &AgentId, reason: String) -> Result<bool, OrderError> {
        let (reply, received) = oneshot::channel();
        self.order(agent, LaneOrder::AskAgain(PageOrder { reason, reply })).await?;
        Ok(received.await.unwrap_or(false))
    }

    /// Decides on an approval. Returns once the decision is durable.
    pub async fn decide(
        &self,
        approval_id: ApprovalId,
        decision: Decision,
        reason: Option<String>,
        by: EntityName,
    ) -> Result<(), DecideError> {
        let agent = self.agent_waiting_for(approval_id).await?;
        let (reply, received) = oneshot::channel();
        let order = DecisionOrder { approval_id, decision, reason, by, reply };
        let sent = self.order(&agent, LaneOrder::Decide(order)).await;
        sent.map_err(|_| DecideError::Unavailable)?; // An epoch that ended meanwhile drops the order: then it is decided, by that end.
        received.await.unwrap_or(Err(DecideError::AlreadyDecided))
    }

    /// The agent whose running epoch waits for this approval.
    async fn agent_waiting_for(&self, id: ApprovalId) -> Result<AgentId, DecideError> {
        {
            let state = self.state();
            if let Some(record) = state.running.values().find(|record| record.has_approval(id)) {
                let is_pending =
                    record.pending_approval().is_some_and(|a| a.requested.approval_id == id);
                return if is_pending {
                    Ok(record.agent.clone())
                } else {
                    Err(DecideError::AlreadyDecided)
                };
            }
        }
        let ledger = self.inner.services.ledger.clone();
        let asked = move || was_approval(&ledger, id);
        match tokio::task::spawn_blocking(asked).await {
            Ok(Ok(true)) => Err(DecideError::AlreadyDecided),
            Ok(Ok(false)) => Err(DecideError::NotFound),
            _ => Err(DecideError::Unavailable),
        }
    }

    /// Ends the agent's short-term window and seals the segment, after the running epoch.
    pub async fn reset(
        &self,
        agent: &AgentId,
        force: bool,
        by: EntityName,
    ) -> Result<ResetResult, OrderError> {
        let (reply, received) = oneshot::channel();
        self.order(agent, LaneOrder::Reset { force, by, reply }).await?;
        received.await.ok().flatten().ok_or(OrderError::Stopping)
    }

    /// Lets a paused agent go on.
    pub async fn resume(&self, agent: &AgentId, by: EntityName) -> Result<(), OrderError> {
        self.agent_or_error(agent)?;
        let message = format!("resumed by {by}");
        self.append(agent, abide_domain::event::AgentResumed { message }, by).await.map(|_| ())
    }

    /// Appends an event about an agent that belongs to no epoch, and waits until all views show it.
    pub async fn append(
        &self,
        agent: &AgentId,
        event: impl Into<Event>,
        author: EntityName,
    ) -> Result<AppendReceipt, OrderError> {
        let draft = Draft { entity: agent.entity(), author, epoch: None, event: event.into() };
        let appended = self.inner.services.ledger.append(vec![draft]).await?;
        self.inner.services.view.applied(appended.last_seq).await;
        Ok(appended)
    }

    /// Begins to stop: no stimulus is accepted any more. Cancel the tasks' token after this.
    pub fn stop_accepting(&self) {
        self.inner.intake.stopping().cancel();
    }

    /// Writes the last event, after all tasks have ended.
    pub async fn write_stopped(&self, reason: &str) -> Result<(), abide_ledger::AppendError> {
        let keeper = EntityName::keeper();
        let event = KeeperStopped { reason: reason.into() }.into();
        let draft = Draft { entity: keeper.clone(), author: keeper, epoch: None, event };
        self.inner.services.ledger.append(vec![draft]).await.map(|_| ())
    }

    fn span(&self, id: EpochId) -> Result<EpochSpan, OrderError> {
        let span = self.state().epochs.get(&id);
        span.ok_or_else(|| OrderError::NotFound { what: "epoch", id: id.to_string() })
    }

    fn agent_or_error(&self, agent: &AgentId) -> Result<Arc<AgentSetup>, OrderError> {
        let found = self.inner.services.agents.get(agent.as_str());
        found.ok_or_else(|| OrderError::NotFound { what: "agent", id: agent.to_string() })
    }

    async fn order(&self, agent: &AgentId, order: LaneOrder) -> Result<(), OrderError> {
        self.agent_or_error(agent)?;
        let lane = self.inner.services.agents.lane(agent.as_str()).ok_or(OrderError::Stopping)?;
        if lane.order(order).await { Ok(()) } else { Err(OrderError::Stopping) }
    }
}
