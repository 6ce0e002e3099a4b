//! What the watchdog observes: each agent as any peer could see it, and whether the keeper itself can work.

use std::{collections::BTreeSet, sync::Arc};

use abide_channels::irc::nick_for_agent;
use abide_domain::{AgentId, Clock, event::PauseReason, event::watchdog::BlindCause};
use abide_engine::{
    Keeper,
    state::{AgentState, State},
};
use abide_ledger::LedgerStatus;
use abide_supervisor::ProcessState;
use abide_watchdog::{
    AgentCondition, EvidenceMark, ModelContact, Observation, ObserveError, ObservedAgent, Observer,
    Outage, network_outage,
};
use futures_util::future::BoxFuture;

use super::network::contact_of;
use crate::agents::Processes;

/// Observes the state that is folded from the ledger.
#[derive(Debug)]
pub(super) struct StateObserver {
    keeper: Keeper,
    processes: Processes,
    configured: ObserverSettings,
    clock: Arc<dyn Clock>,
}

/// What the configuration says of agents.
#[derive(Debug)]
pub(super) struct ObserverSettings {
    /// Those that are to be active even without work.
    pub(super) always_active: BTreeSet<AgentId>,
    /// Those whose minds do not need the network.
    pub(super) local: BTreeSet<AgentId>,
}

impl StateObserver {
    /// Observes the agents of this keeper.
    pub(super) fn new(
        keeper: Keeper,
        processes: Processes,
        configured: ObserverSettings,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { keeper, processes, configured, clock }
    }

    fn observe(&self) -> Observation {
        let agents = self.keeper.agents();
        let state = self.keeper.state();
        let standings = agents.iter().filter_map(|agent| self.standing(&state, &agent.id));
        Observation { agents: standings.collect(), outage: self.outage(&state) }
    }

    /// A ledger that cannot be written keeps every agent from moving, and so does a network on which no model is reached.
    fn outage(&self, state: &State) -> Option<Outage> {
        if let LedgerStatus::Degraded { reason } | LedgerStatus::Poisoned { reason } =
            self.keeper.ledger().status()
        {
            return Some(Outage { cause: BlindCause::Keeper, message: reason.to_string() });
        }
        network_outage(self.clock.now(), &self.model_contacts(state))
    }

    /// How the newest attempts ended of those agents whose minds need the network.
    fn model_contacts(&self, state: &State) -> Vec<ModelContact> {
        let agents = state.agents.iter().filter(|(id, _)| !self.configured.local.contains(*id));
        agents.filter_map(|(id, agent)| contact_of(id, agent.last_attempt.as_ref()?)).collect()
    }

    /// An agent that is not registered has none.
    fn standing(&self, state: &State, id: &AgentId) -> Option<ObservedAgent> {
        let agent = state.agents.get(id)?;
        let works = agent.open.iter().chain(agent.queue.front());
        let records = works.filter_map(|epoch| state.running.get(epoch));
        let seq = agent.last_evidence_seq;
        Some(ObservedAgent {
            agent: id.clone(),
            nick: nick_for_agent(id),
            registered_at: agent.registered_at?,
            last_evidence: agent.last_evidence_at.map(|at| EvidenceMark { seq, at }),
            work_since: records.map(|record| record.accepted_at).min(),
            always_active: self.configured.always_active.contains(id),
            condition: self.condition(state, id, agent),
            has_process: self.processes.status(id).is_some(),
            fatigue: agent.signals.fatigue,
            confidence: agent.signals.confidence,
        })
    }

    /// What excuses silence. An open epoch goes on even if the agent was paused or parked meanwhile.
    fn condition(&self, state: &State, id: &AgentId, agent: &AgentState) -> AgentCondition {
        if let Some(record) = state.open_epoch(id) {
            let is_waiting = record.pending_approval().is_some();
            return if is_waiting {
                AgentCondition::WaitingApproval
            } else {
                AgentCondition::Awake
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

impl Observer for StateObserver {
    fn observe(&self) -> BoxFuture<'_, Result<Observation, ObserveError>> {
        // The folded state is in memory: nothing can fail to be read.
        Box::pin(async { Ok(self.observe()) })
    }
}
