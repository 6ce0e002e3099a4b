//! What the watchdog observes: each agent as any peer could see it, and whether the keeper itself can work.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use abide_channels::irc::nick_for_agent;
use abide_domain::{
    AgentId, Clock, KnownWait, Timestamp,
    event::{PauseReason, watchdog::BlindCause},
};
use abide_engine::{
    Keeper,
    state::{AgentState, State},
};
use abide_ledger::LedgerStatus;
use abide_supervisor::ProcessState;
use abide_watchdog::{
    AgentCondition, EvidenceMark, ModelContact, ModelReach, Observation, ObserveError,
    ObservedAgent, Observer, Outage, network_outage, unreachable_agents,
};
use futures_util::future::BoxFuture;

use super::{attention::AttentionObserver, network::contact_of, tasks::TaskOrigins};
use crate::{agents::Processes, mcp_servers::McpQuestions};

/// Observes the state that is folded from the ledger.
#[derive(Debug)]
pub(super) struct StateObserver {
    keeper: Keeper,
    processes: Processes,
    configured: ObserverSettings,
    clock: Arc<dyn Clock>,
    attention: AttentionObserver,
    tasks: TaskOrigins,
}

/// What the configuration says of agents.
#[derive(Debug)]
pub(super) struct ObserverSettings {
    /// Those that are to be active even without work.
    pub(super) always_active: BTreeSet<AgentId>,
    /// Those that are not watched for silence.
    pub(super) unwatched: BTreeSet<AgentId>,
    /// How long some may be silent, where that is not as for all.
    pub(super) thresholds: BTreeMap<AgentId, Duration>,
    /// The services that minds ask over the network.
    pub(super) services: BTreeMap<AgentId, String>,
}

impl StateObserver {
    /// Observes the agents of this keeper.
    pub(super) fn new(
        (keeper, processes): (Keeper, Processes),
        questions: McpQuestions,
        configured: ObserverSettings,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let seen = (keeper.clone(), processes.clone());
        let attention = AttentionObserver::new(seen, questions, Arc::clone(&clock));
        let tasks = TaskOrigins::default();
        Self { keeper, processes, configured, clock, attention, tasks }
    }

    fn observe(&self) -> Observation {
        let agents = self.keeper.agents();
        let state = self.keeper.state();
        let contacts = self.model_contacts(&state);
        let unreachable = unreachable_agents(self.clock.now(), &contacts);
        let standings = agents.iter().filter_map(|agent| self.standing(&state, &agent.id));
        let mut standings: Vec<_> = standings.collect();
        drop(state);
        let mut outage = self.ledger_outage();
        // Where no agent could do anything, that is one matter; else those that can are judged as ever.
        let reached = |agent: &AgentId| {
            let of = |contact: &&ModelContact| contact.agent == *agent;
            contacts.iter().find(of).is_some_and(|found| found.reach == ModelReach::Reached)
        };
        let stands = |agent: &AgentId| {
            let is_remote = self.configured.services.contains_key(agent);
            unreachable.contains_key(agent) || (is_remote && !reached(agent))
        };
        let is_total = standings.iter().all(|standing| stands(&standing.agent));
        if is_total {
            outage = outage.or_else(|| network_outage(&unreachable));
        }
        let nobody = BTreeMap::new();
        let attention = self.attention.seen(if is_total { &nobody } else { &unreachable });
        for standing in &mut standings {
            if unreachable.contains_key(&standing.agent)
                && standing.condition == AgentCondition::Awake
            {
                standing.condition = AgentCondition::Unreachable;
            }
        }
        Observation { agents: standings, outage, attention }
    }

    /// A ledger that cannot be written keeps every agent from moving.
    fn ledger_outage(&self) -> Option<Outage> {
        match self.keeper.ledger().status() {
            LedgerStatus::Degraded { reason } | LedgerStatus::Poisoned { reason } => {
                Some(Outage { cause: BlindCause::Keeper, message: reason.to_string() })
            }
            LedgerStatus::Ok => None,
        }
    }

    /// How the newest attempts ended of those agents whose minds need the network.
    fn model_contacts(&self, state: &State) -> Vec<ModelContact> {
        let contact = |(agent, service): (&AgentId, &String)| {
            contact_of(agent, service, state.agents.get(agent)?.last_attempt.as_ref()?)
        };
        self.configured.services.iter().filter_map(contact).collect()
    }

    /// An agent that is not registered has none.
    fn standing(&self, state: &State, id: &AgentId) -> Option<ObservedAgent> {
        let agent = state.agents.get(id)?;
        let works = agent.open.iter().chain(agent.queue.front());
        let records = works.filter_map(|epoch| state.running.get(epoch));
        let seq = agent.last_evidence_seq;
        let seen = self.keeper.activity(id);
        Some(ObservedAgent {
            agent: id.clone(),
            nick: nick_for_agent(id),
            registered_at: agent.registered_at?,
            last_evidence: agent.last_evidence_at.map(|at| EvidenceMark { seq, at }),
            work_since: records.map(|record| record.accepted_at).min(),
            // While its newest attempt failed on the way, something beside it kept it from moving; pieces of an answer and
            // waits are seen here and nowhere in the ledger.
            excused_at: [
                self.unreached_at(id, agent),
                seen.piece_at,
                seen.waited_until,
                slept_until(agent),
            ]
            .into_iter()
            .flatten()
            .max(),
            threshold: self.configured.thresholds.get(id).copied(),
            always_active: self.configured.always_active.contains(id),
            task: self.tasks.see(state, id, agent),
            unanswered: self.tasks.unanswered(id, agent),
            condition: self.condition(state, id, agent, seen.wait),
            has_process: self.processes.status(id).is_some(),
            fatigue: agent.signals.fatigue,
            confidence: agent.signals.confidence,
        })
    }

    /// When an agent's newest attempt found no connection to its model, if it did.
    fn unreached_at(&self, id: &AgentId, agent: &AgentState) -> Option<Timestamp> {
        let service = self.configured.services.get(id)?;
        let contact = contact_of(id, service, agent.last_attempt.as_ref()?)?;
        matches!(contact.reach, ModelReach::Unreachable { .. }).then_some(contact.at)
    }

    /// What excuses silence. An open epoch goes on even if the agent was paused or parked meanwhile.
    fn condition(
        &self,
        state: &State,
        id: &AgentId,
        agent: &AgentState,
        wait: Option<KnownWait>,
    ) -> AgentCondition {
        if self.configured.unwatched.contains(id) {
            return AgentCondition::Unwatched;
        }
        if let Some(record) = state.open_epoch(id) {
            let is_waiting = record.pending_approval().is_some();
            return match wait {
                _ if is_waiting => AgentCondition::WaitingApproval,
                Some(wait) => AgentCondition::Waiting(wait),
                None => AgentCondition::Awake,
            };
        }
        match &agent.paused {
            Some(paused) if paused.reason == PauseReason::Person => return AgentCondition::Parked,
            Some(_) => return AgentCondition::Paused,
            None if agent.sleep.running().is_some() => return AgentCondition::Asleep,
            None => {}
        }
        match self.processes.status(id).map(|status| status.state) {
            Some(ProcessState::Parked) => AgentCondition::Parked,
            Some(ProcessState::Hibernated) if agent.queue.is_empty() => AgentCondition::Hibernated,
            _ => AgentCondition::Awake,
        }
    }
}

/// When an agent's last sleep ended: what waited meanwhile waits for it only since then.
fn slept_until(agent: &AgentState) -> Option<Timestamp> {
    agent.sleep.last().map(|last| last.ended_at)
}

impl Observer for StateObserver {
    fn observe(&self) -> BoxFuture<'_, Result<Observation, ObserveError>> {
        // The folded state is in memory: nothing can fail to be read.
        Box::pin(async { Ok(self.observe()) })
    }
}
