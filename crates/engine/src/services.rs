//! What every lane shares: the truth, time, ids, blobs, failpoints, and the shared view of the house.

use std::{
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use abide_domain::{
    AgentId, Clock, EpochId, IdSource, Timestamp,
    event::{AgentRegistered, Partner},
    limits::{ATTACHED_WINDOW, Limits},
};
use abide_ledger::Ledger;
use abide_memory::{Distiller, KnowledgeHandle, stdout::StdoutFolder};
use abide_tools::{Registry, ToolPolicy};
use tokio::sync::{broadcast, watch};

use crate::{
    blobs::Blobs,
    context::History,
    dreaming::Dreaming,
    failpoint::Failpoints,
    mind::Mind,
    roster::Roster,
    sleep::SleepSettings,
    state::{AgentState, FoldError, State},
};

/// Pieces of growing answers that wait for a slow listener; older ones are dropped, none is durable.
const DELTAS_MAX: usize = 4096;

/// An agent as its lane needs it: who it is, what thinks for it, and what it may do.
#[derive(Clone, Debug)]
pub struct AgentSetup {
    /// Its id.
    pub id: AgentId,
    /// Display name.
    pub name: String,
    /// What it is for.
    pub role: String,
    /// Whom it works with.
    pub partners: Vec<Partner>,
    /// What thinks for it.
    pub mind: Arc<dyn Mind>,
    /// The tools that exist for it.
    pub tools: Arc<Registry>,
    /// Which of them it may use.
    pub policy: ToolPolicy,
    /// Its facts.
    pub facts: KnowledgeHandle,
    /// What it dreams with.
    pub dreaming: Dreaming,
    /// What distils its days while it sleeps.
    pub distiller: Arc<dyn Distiller>,
}

impl AgentSetup {
    /// The profile as the ledger keeps it.
    pub fn profile(&self) -> AgentRegistered {
        let (name, role) = (self.name.clone(), self.role.clone());
        AgentRegistered { name, role, mind: self.mind.name(), partners: self.partners.clone() }
    }
}

/// What the configuration says about all epochs.
#[derive(Clone, Debug)]
pub struct EpochSettings {
    /// `[limits]`.
    pub limits: Limits,
    /// Tokens of a prompt (`context.tokens_max`).
    pub context_tokens_max: u64,
    /// Which conversations a prompt shows (`context.history`).
    pub history: History,
    /// `budget.usd_day` in millionths of a dollar; `None` is no budget.
    pub budget_microusd_day: Option<u64>,
    /// How long a stopping keeper lets running epochs finish.
    pub drain: Duration,
    /// When agents sleep by themselves; none: only when somebody says so.
    pub sleep: Option<SleepSettings>,
}

/// A piece of a growing answer, for whoever watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnDelta {
    /// Whose answer.
    pub agent: AgentId,
    /// In which epoch.
    pub epoch: EpochId,
    /// In which turn.
    pub turn: u32,
    /// The new text.
    pub text: String,
    /// Whether it is reasoning.
    pub thought: bool,
}

/// What every lane shares.
#[derive(Debug)]
pub struct Services {
    /// The truth.
    pub ledger: Ledger,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
    /// Ethereal results of open epochs.
    pub blobs: Blobs,
    /// Points that tests set.
    pub failpoints: Failpoints,
    /// What the configuration says.
    pub settings: EpochSettings,
    /// Who is there to be asked.
    pub attached: Attached,
    /// Growing answers.
    pub deltas: broadcast::Sender<TurnDelta>,
    /// What the ledger tells.
    pub view: StateView,
    /// The last event of the keepers before this one.
    pub begun_after: u64,
    /// The logs of `\stdout`, to be read.
    pub logs: StdoutFolder,
    /// The agents.
    pub agents: Roster,
}

impl Services {
    /// A channel for growing answers.
    pub fn delta_channel() -> broadcast::Sender<TurnDelta> {
        broadcast::channel(DELTAS_MAX).0
    }

    /// Whether an agent's budget of this day is spent.
    pub(crate) fn is_spent(&self, state: &AgentState) -> bool {
        let spent = state.spent_microusd(self.now().day());
        self.settings.budget_microusd_day.is_some_and(|budget| spent >= budget)
    }

    /// Whether an agent of this id lives here.
    pub fn has_agent(&self, id: &AgentId) -> bool {
        self.agents.has(id)
    }

    /// The present.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// The house behind a lock, and how far the ledger has been applied to it. One task writes, everybody reads.
#[derive(Debug)]
pub struct StateView {
    house: RwLock<State>,
    applied: watch::Sender<u64>,
}

impl StateView {
    /// Shares a house.
    pub fn new(house: State) -> Self {
        let applied = watch::Sender::new(house.seq);
        Self { house: RwLock::new(house), applied }
    }

    /// The house for a short look. Never held across an await.
    pub fn read(&self) -> RwLockReadGuard<'_, State> {
        // A panic while the lock was held is already a crash of the projector; readers see the last whole state.
        self.house.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies events in order and tells those who wait.
    pub(crate) fn apply(&self, entries: &[abide_ledger::Entry]) -> Result<(), FoldError> {
        let mut house = self.house.write().unwrap_or_else(PoisonError::into_inner);
        entries.iter().try_for_each(|entry| house.apply(entry))
    }

    /// Says that everything up to `seq` is applied, in the house and in all projections.
    pub(crate) fn publish(&self, seq: u64) {
        self.applied.send_replace(seq);
    }

    /// Waits until everything up to `seq` is applied. Returns early only when the projector is gone.
    pub async fn applied(&self, seq: u64) {
        let mut applied = self.applied.subscribe();
        // The sender lives as long as `self`, so the wait cannot fail.
        drop(applied.wait_for(|applied| *applied >= seq).await);
    }

    /// Follows how far the ledger has been applied.
    pub fn applications(&self) -> watch::Receiver<u64> {
        self.applied.subscribe()
    }
}

/// Who is there to be asked for approval (decision 21): clients that hold a stream, or showed themselves lately.
#[derive(Debug, Default)]
pub struct Attached {
    streams: AtomicUsize,
    last_sign_micros: AtomicI64,
}

impl Attached {
    /// Notes a sign of a client, such as a poll of `/approvals`.
    pub fn sign(&self, now: Timestamp) {
        self.last_sign_micros.fetch_max(now.as_micros(), Ordering::Relaxed);
    }

    /// Notes that a client holds a stream, until [`Attached::close`].
    pub fn open(&self, now: Timestamp) {
        self.streams.fetch_add(1, Ordering::Relaxed);
        self.sign(now);
    }

    /// Closes a stream that [`Attached::open`] opened.
    pub fn close(&self, now: Timestamp) {
        self.streams.fetch_sub(1, Ordering::Relaxed);
        self.sign(now);
    }

    /// Whether anybody is there.
    pub fn is_any(&self, now: Timestamp) -> bool {
        let last = Timestamp::from_micros(self.last_sign_micros.load(Ordering::Relaxed));
        self.streams.load(Ordering::Relaxed) > 0 || now.since(last) <= ATTACHED_WINDOW
    }
}
