//! The keeper as others hold it: takes stimuli in, answers questions about the house, carries orders to the lanes.
//!
//! A start is [`replay`], then [`Keeper::start`], which gives the handle and the tasks to run. Everything that the
//! handle says was read from the ledger or is durable in it.

use std::sync::{Arc, RwLockReadGuard};

use abide_domain::{
    AgentId, ApprovalId, Clock, EntityName, EpochId, IdSource,
    event::{Decision, Event, KeeperStopped},
};
use abide_ledger::{AppendReceipt, Draft, Ledger};
use tokio::sync::{Semaphore, broadcast, oneshot};
use tokio_util::sync::CancellationToken;

mod accept;
mod attention;
mod memory;
mod sleep;
mod start;
mod welcome;

use crate::{
    blobs::Blobs,
    dream_folders::DreamFolders,
    failpoint::Failpoints,
    lane::{Lane, LaneOrder, ResetDone},
    projector::{IdentityFiles, Projector},
    run_epoch::{DecideError, DecisionOrder},
    services::{AgentSetup, Attached, EpochSettings, Services, TurnDelta},
    sleep::{SleepHandle, Sleeper},
    state::{EpochRecord, EpochSpan, State},
    waiters::Waiters,
    waker::{ScheduleOf, Waker},
};
pub use accept::{AcceptError, Acceptance, Accepted, AcceptedState};
pub use attention::{Attention, AttentionKind};
pub use memory::{GraphError, NewFact, Seeded};
pub(crate) use start::read_epoch;
pub use start::{Announcer, Replayed, StartError, fold, replay};

/// What a keeper is made of. The composition root builds it.
#[derive(Debug)]
pub struct KeeperParts {
    /// The truth.
    pub ledger: Ledger,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
    /// Where ethereal results lie.
    pub blobs: Blobs,
    /// Points that tests set.
    pub failpoints: Failpoints,
    /// What the configuration says.
    pub settings: EpochSettings,
    /// The agents of the configuration.
    pub agents: Vec<AgentSetup>,
    /// Where the identity documents lie.
    pub files: IdentityFiles,
    /// Where the dreams lie.
    pub dreams: DreamFolders,
    /// The stimuli that come by the clock.
    pub schedules: Vec<ScheduleOf>,
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
    /// Where the disk took nothing at start: writes the start down later. Ends by itself.
    pub announcer: Option<Announcer>,
    /// Distils the days of agents that sleep.
    pub sleeper: Sleeper,
    /// Wakes agents when what they wait for has come.
    pub waker: Waker,
}

/// The running house. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Keeper {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    services: Arc<Services>,
    waiters: Arc<Waiters>,
    gate: accept::Gate,
    sleep: SleepHandle,
    /// One edit of memory at a time.
    edits: Semaphore,
    stopping: CancellationToken,
}

/// Why an order could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// There is no such thing.
    #[error("there is no {what} `{id}`")]
    NotFound {
        /// `epoch`, `agent`, `fact`.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// It is over already.
    #[error("epoch `{0}` has ended")]
    Ended(EpochId),
    /// It must be mended by the caller.
    #[error("{0}")]
    Invalid(String),
    /// What it depends on could not be read.
    #[error("could not look: {0}")]
    Unreadable(String),
    /// The ledger takes nothing.
    #[error("the ledger took no event")]
    Ledger(#[from] abide_ledger::AppendError),
    /// The keeper stops.
    #[error("the keeper is stopping")]
    Stopping,
}

impl Keeper {
    /// A look at the house. Hold it shortly and never across an await.
    pub fn house(&self) -> RwLockReadGuard<'_, State> {
        self.inner.services.view.read()
    }

    /// What all parts share.
    pub fn services(&self) -> &Arc<Services> {
        &self.inner.services
    }

    /// The ledger, to follow and to query.
    pub fn ledger(&self) -> &Ledger {
        &self.inner.services.ledger
    }

    /// Whether an agent of this id is configured.
    pub fn is_citizen(&self, id: &AgentId) -> bool {
        self.inner.services.has_agent(id)
    }

    /// A configured agent.
    pub fn agent(&self, id: &str) -> Option<Arc<AgentSetup>> {
        self.inner.services.agents.get(id)
    }

    /// The configured agents, by id.
    pub fn agents(&self) -> Vec<Arc<AgentSetup>> {
        self.inner.services.agents.all()
    }

    /// Those of them that no other agent brought into being, by id.
    pub fn founders(&self) -> Vec<Arc<AgentSetup>> {
        let mut agents = self.agents();
        let house = self.house();
        agents.retain(|agent| !house.society.is_spawned(&agent.id));
        agents
    }

    /// Who is there to be asked for approval.
    pub fn attached(&self) -> &Attached {
        &self.inner.services.attached
    }

    /// Growing answers from here on. A listener that lags loses the oldest.
    pub fn deltas(&self) -> broadcast::Receiver<TurnDelta> {
        self.inner.services.deltas.subscribe()
    }

    /// Waits until the epoch has ended; false when no such epoch exists.
    pub async fn ended(&self, epoch: EpochId) -> bool {
        let waiting = self.inner.waiters.of(epoch);
        let mut notified = std::pin::pin!(waiting.notified());
        // Registered before looking, so that an end between the look and the wait is not missed.
        notified.as_mut().enable();
        let end = self.house().epochs.get(&epoch).map(|span| span.end);
        match end {
            Some(None) => {
                notified.await;
                true
            }
            other => {
                self.inner.waiters.forget(epoch);
                other.is_some()
            }
        }
    }

    /// An epoch, whole: from memory while it runs, from the ledger after.
    pub async fn epoch(&self, id: EpochId) -> Result<Option<EpochRecord>, abide_ledger::ReadError> {
        let span = {
            let house = self.house();
            if let Some(record) = house.running.get(&id) {
                return Ok(Some(record.clone()));
            }
            house.epochs.get(&id).cloned()
        };
        let Some(span) = span else { return Ok(None) };
        let ledger = self.inner.services.ledger.clone();
        let read = move || read_epoch(&ledger, id, &span);
        tokio::task::spawn_blocking(read).await.unwrap_or(Ok(None))
    }

    /// The digest of all projected state: equal before and after a restart or a rebuild.
    pub fn state_digest(&self) -> String {
        start::state_digest(&self.house(), |id| self.agent(id).map(|agent| agent.facts.clone()))
    }

    /// Ends an epoch, running or waiting.
    pub async fn abort(&self, id: EpochId, reason: String) -> Result<(), OrderError> {
        let span = self.span(id)?;
        if span.end.is_some() {
            return Err(OrderError::Ended(id));
        }
        let (reply, told) = oneshot::channel();
        self.order(&span.agent, LaneOrder::Abort { epoch: id, reason, reply }).await?;
        match told.await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(OrderError::Ended(id)),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(OrderError::Stopping),
        }
    }

    /// Gives the asking under way up and has its turn asked again, as far as attempts permit: a page for an agent that
    /// does not move. False when nothing runs that it could reach.
    pub async fn ask_again(&self, agent: &AgentId, reason: String) -> Result<bool, OrderError> {
        let (reply, told) = oneshot::channel();
        self.order(agent, LaneOrder::AskAgain { reason, reply }).await?;
        told.await.map_err(|_| OrderError::Stopping)
    }

    /// Decides on an approval. Returns once the decision is durable.
    pub async fn decide(
        &self,
        approval_id: ApprovalId,
        decision: Decision,
        reason: Option<String>,
        by: EntityName,
    ) -> Result<(), DecideError> {
        let agent = self.waits_for(approval_id).await?;
        let (reply, told) = oneshot::channel();
        let order = DecisionOrder { approval_id, decision, reason, by, reply };
        let sent = self.order(&agent, LaneOrder::Decide(order)).await;
        sent.map_err(|_| DecideError::Unavailable)?;
        // An epoch that ended meanwhile drops the order: then it is decided, by that end.
        told.await.unwrap_or(Err(DecideError::AlreadyDecided))
    }

    /// The agent whose running epoch waits for this approval.
    async fn waits_for(&self, id: ApprovalId) -> Result<AgentId, DecideError> {
        {
            let house = self.house();
            if let Some(record) = house.running.values().find(|record| record.has_approval(id)) {
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
        let seen = move || start::was_approval(&ledger, id);
        match tokio::task::spawn_blocking(seen).await {
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
    ) -> Result<ResetDone, OrderError> {
        let (reply, told) = oneshot::channel();
        self.order(agent, LaneOrder::Reset { force, by, reply }).await?;
        told.await.ok().flatten().ok_or(OrderError::Stopping)
    }

    /// Lets a paused agent go on.
    pub async fn resume(&self, agent: &AgentId, by: EntityName) -> Result<(), OrderError> {
        self.known(agent)?;
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

    /// Begins to stop: no stimulus is taken any more. Cancel the tasks' token after this.
    pub fn stop_accepting(&self) {
        self.inner.stopping.cancel();
    }

    /// Writes the last event, after all tasks have ended.
    pub async fn farewell(&self, reason: &str) -> Result<(), abide_ledger::AppendError> {
        let keeper = EntityName::keeper();
        let event = KeeperStopped { reason: reason.into() }.into();
        let draft = Draft { entity: keeper.clone(), author: keeper, epoch: None, event };
        self.inner.services.ledger.append(vec![draft]).await.map(|_| ())
    }

    fn span(&self, id: EpochId) -> Result<EpochSpan, OrderError> {
        let span = self.house().epochs.get(&id).cloned();
        span.ok_or_else(|| OrderError::NotFound { what: "epoch", id: id.to_string() })
    }

    fn known(&self, agent: &AgentId) -> Result<Arc<AgentSetup>, OrderError> {
        let known = self.inner.services.agents.get(agent.as_str());
        known.ok_or_else(|| OrderError::NotFound { what: "agent", id: agent.to_string() })
    }

    async fn order(&self, agent: &AgentId, order: LaneOrder) -> Result<(), OrderError> {
        self.known(agent)?;
        let lane = self.inner.services.agents.lane(agent.as_str()).ok_or(OrderError::Stopping)?;
        if lane.order(order).await { Ok(()) } else { Err(OrderError::Stopping) }
    }
}
