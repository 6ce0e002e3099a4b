//! What the tasks of a keeper share: the ledger, time, ids, blobs, failpoints, the view of the state, the agents.

use std::sync::Arc;

use abide_domain::{AgentId, CallId, Clock, EpochId, IdSource, OWNER, Timestamp};
use abide_ledger::Ledger;
use abide_memory::stdout::StdoutFolder;
use abide_tools::{CallUpdate, ToolPolicy};
use tokio::sync::{Semaphore, broadcast};

use crate::{
    activity::Activities,
    agent_setup::AgentSetup,
    attached_clients::AttachedClients,
    blobs::Blobs,
    entity_quotas::EntityQuotas,
    failpoint::Failpoints,
    memory_backlog::MemoryBacklogs,
    roster::Roster,
    settings::EpochSettings,
    state::{AgentState, CurrentTime},
    state_view::StateView,
};

/// Pieces of growing answers that wait for a slow listener; older ones are dropped, none is durable.
const DELTAS_MAX: usize = 4096;
/// Updates of running calls that wait for a slow listener; older ones are dropped, none is durable. Each has some KiB.
const TOOL_PROGRESS_MAX: usize = 256;

/// A piece of a growing answer, for clients that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnDelta {
    /// The agent that answers.
    pub agent: AgentId,
    /// The epoch of the answer.
    pub epoch: EpochId,
    /// The turn of the answer.
    pub turn: u32,
    /// The new text.
    pub text: String,
    /// Whether it is reasoning.
    pub thought: bool,
}

/// What a running call says, for clients that follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolProgress {
    /// The agent whose mind called.
    pub agent: AgentId,
    /// The open epoch.
    pub epoch: EpochId,
    /// The call, unique in its epoch.
    pub call_id: CallId,
    /// What it said since its last update; a gap in the numbers is what a slow listener lost.
    pub update: CallUpdate,
}

/// What the tasks of a keeper share. Made once at start; each task holds it until it ends.
#[derive(Debug)]
pub struct Services {
    /// The ledger, the only record of what happened.
    pub ledger: Ledger,
    /// The clock; the system's is never read.
    pub clock: Arc<dyn Clock>,
    /// Where new ids come from.
    pub ids: Arc<dyn IdSource>,
    /// Ethereal results of open epochs.
    pub blobs: Blobs,
    /// Points that tests set.
    pub failpoints: Failpoints,
    /// What the configuration says.
    pub settings: EpochSettings,
    /// Clients that can be asked for approval.
    pub attached: AttachedClients,
    /// What is seen of agents between two events.
    pub activities: Activities,
    /// Growing answers, for clients that follow it.
    pub deltas: broadcast::Sender<TurnDelta>,
    /// What running calls say, for clients that follow it.
    pub tool_progress: broadcast::Sender<ToolProgress>,
    /// The state that is folded from the ledger.
    pub view: StateView,
    /// The last event that an earlier keeper wrote.
    pub begun_after: u64,
    /// The logs of `\stdout`, to be read.
    pub logs: Arc<StdoutFolder>,
    /// How often entities may write by themselves.
    pub quotas: EntityQuotas,
    /// Searches of logs that may run at the same time.
    pub(crate) searches: Arc<Semaphore>,
    /// The agents that run.
    pub agents: Roster,
    /// The memories that lack events.
    pub(crate) backlogs: MemoryBacklogs,
    /// One edit of memory at a time, a person's or sleep's; or of what is set about tools.
    pub(crate) edits: Semaphore,
}

impl Services {
    /// A channel for growing answers.
    pub fn delta_channel() -> broadcast::Sender<TurnDelta> {
        broadcast::channel(DELTAS_MAX).0
    }

    /// A channel for what running calls say.
    pub fn tool_progress_channel() -> broadcast::Sender<ToolProgress> {
        broadcast::channel(TOOL_PROGRESS_MAX).0
    }

    /// Whether an agent's budget of this day is spent.
    pub(crate) fn is_spent(&self, state: &AgentState) -> bool {
        let spent = state.spent_microusd(self.now().day());
        self.settings.budget_microusd_day.is_some_and(|budget| spent >= budget)
    }

    /// What an agent may do with its tools now: the configuration, and what people set.
    pub(crate) fn policy_of(&self, agent: &AgentSetup) -> ToolPolicy {
        let state = self.view.read();
        let settings = state.tool_settings_of(&agent.id).into_iter();
        let settings = settings.map(|(tool, set)| (tool.to_owned(), set.policy)).collect();
        let policy = agent.policy.with_settings(settings);
        let made = agent.tools.made_names();
        if made.is_empty() { policy } else { policy.with_made(made) }
    }

    /// Whether an agent of this id runs in this keeper.
    pub fn has_agent(&self, id: &AgentId) -> bool {
        self.agents.has(id)
    }

    /// Whether a bare name is that of an agent of this keeper, or of a person whom it knows.
    pub(crate) fn knows(&self, name: &str) -> bool {
        name == OWNER || self.agents.get(name).is_some() || self.settings.people.knows(name)
    }

    /// The current time by the ledger, to be compared with times of events.
    pub(crate) fn ledger_now(&self) -> Timestamp {
        self.ledger.now()
    }

    /// The current time by both.
    pub(crate) fn both_now(&self) -> CurrentTime {
        CurrentTime { wall: self.now(), ledger: self.ledger_now() }
    }

    /// The current time by the wall clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
