//! What the watchdog sees: each agent's standing as any peer could tell it, and whether the house itself can work.

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

use super::network::asking;
use crate::processes::Processes;

/// Looks at the house that the ledger tells of.
#[derive(Debug)]
pub(super) struct StateObserver {
    keeper: Keeper,
    processes: Processes,
    known: Known,
    clock: Arc<dyn Clock>,
}

/// What the configuration says of agents.
#[derive(Debug)]
pub(super) struct Known {
    /// Those that are to be active even without work.
    pub(super) always_active: BTreeSet<AgentId>,
    /// Those whose minds do not need the network.
    pub(super) local: BTreeSet<AgentId>,
}

impl StateObserver {
    /// Eyes on a house.
    pub(super) fn new(
        keeper: Keeper,
        processes: Processes,
        known: Known,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { keeper, processes, known, clock }
    }

    fn sight(&self) -> Observation {
        let agents = self.keeper.agents();
        let house = self.keeper.house();
        let standings = agents.iter().filter_map(|agent| self.standing(&house, &agent.id));
        Observation { agents: standings.collect(), outage: self.outage(&house) }
    }

    /// A ledger that takes nothing keeps every agent from moving, and so does a network that leads to no model.
    fn outage(&self, house: &State) -> Option<Outage> {
        if let LedgerStatus::Degraded { reason } | LedgerStatus::Poisoned { reason } =
            self.keeper.ledger().status()
        {
            return Some(Outage { cause: BlindCause::Keeper, message: reason.to_string() });
        }
        network_outage(self.clock.now(), &self.askings(house))
    }

    /// How the newest askings ended of those agents whose minds need the network.
    fn askings(&self, house: &State) -> Vec<ModelContact> {
        let agents = house.agents.iter().filter(|(id, _)| !self.known.local.contains(*id));
        agents.filter_map(|(id, state)| asking(id, state.last_attempt.as_ref()?)).collect()
    }

    /// An agent that is not registered has none.
    fn standing(&self, house: &State, id: &AgentId) -> Option<ObservedAgent> {
        let state = house.agents.get(id)?;
        let works = state.open.iter().chain(state.queue.front());
        let begun = works.filter_map(|epoch| house.running.get(epoch));
        let seq = state.last_evidence_seq;
        Some(ObservedAgent {
            agent: id.clone(),
            nick: nick_for_agent(id),
            registered_at: state.registered_at?,
            last_evidence: state.last_evidence_at.map(|at| EvidenceMark { seq, at }),
            work_since: begun.map(|record| record.accepted_at).min(),
            always_active: self.known.always_active.contains(id),
            condition: self.condition(house, id, state),
            has_process: self.processes.status(id).is_some(),
            fatigue: state.signals.fatigue,
            confidence: state.signals.confidence,
        })
    }

    /// What excuses silence. An open epoch goes on whatever was said about the agent meanwhile.
    fn condition(&self, house: &State, id: &AgentId, state: &AgentState) -> AgentCondition {
        if let Some(record) = house.open_epoch(id) {
            let is_waiting = record.pending_approval().is_some();
            return if is_waiting {
                AgentCondition::WaitingApproval
            } else {
                AgentCondition::Awake
            };
        }
        match &state.paused {
            Some(paused) if paused.reason == PauseReason::Person => return AgentCondition::Parked,
            Some(_) => return AgentCondition::Paused,
            None if state.sleep.running().is_some() => return AgentCondition::Asleep,
            None => {}
        }
        match self.processes.status(id).map(|status| status.state) {
            Some(ProcessState::Parked) => AgentCondition::Parked,
            Some(ProcessState::Hibernated) if state.queue.is_empty() => AgentCondition::Hibernated,
            _ => AgentCondition::Awake,
        }
    }
}

impl Observer for StateObserver {
    fn observe(&self) -> BoxFuture<'_, Result<Observation, ObserveError>> {
        // The house is a fold that is always there: there is nothing that could not be read.
        Box::pin(async { Ok(self.sight()) })
    }
}
