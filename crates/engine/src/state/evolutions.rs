//! What became of each change that was proposed for an agent, and which code runs because of it.
//!
//! A fold of the ledger by the machine of [`abide_domain::evolution`]; it holds no code and no pairs, only where they stand in the
//! ledger. A line that the machine does not allow changes nothing and is counted.

use std::collections::{BTreeMap, VecDeque};

use abide_domain::{
    AgentId, CheckpointId, EntityName, EpochId, EvolutionId, RunId, Timestamp,
    event::{Event, EvolutionDecision, EvolutionEvent, EvolutionProposed, EvolutionTrial},
    evolution::{EvolutionMove, EvolutionState, EvolutionTarget, step},
    limits::{EVOLUTIONS_KEPT_MAX, EVOLUTIONS_WAITING_MAX},
};
use abide_ledger::Entry;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A change that was proposed for an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvolutionRecord {
    /// Its name.
    pub id: EvolutionId,
    /// The agent whose change it is.
    pub agent: AgentId,
    /// What it would replace, as it was proposed.
    pub target: String,
    /// Why, in the proposer's words.
    pub reason: String,
    /// Who proposed it.
    pub by: EntityName,
    /// The run of the process that proposed it; none where a person or a tool did.
    pub run: Option<RunId>,
    /// When.
    pub at: Timestamp,
    /// How far it is.
    pub state: EvolutionState,
    /// When its state last changed.
    pub moved_at: Timestamp,
    /// How it is tried, as far as the proposal says.
    pub trial: Option<EvolutionTrial>,
    /// What the proposer expects.
    pub expected: BTreeMap<String, f64>,
    /// SHA-256 of the code, hex, once it was checked.
    pub code_sha256: Option<String>,
    /// Of tools and commands: those that the agent did not have before.
    pub adds: Vec<String>,
    /// What the checks found.
    pub notes: Vec<String>,
    /// The record up to here is what it is tried on.
    pub record_seq: Option<u64>,
    /// The checkpoint that its trial begins from; none where its code has no state of its own.
    pub trial_checkpoint: Option<CheckpointId>,
    /// Where chance comes from in its trial, and the how-manieth attempt it is.
    pub seed: Option<(u64, u32)>,
    /// How many requests its trial has.
    pub requests: Option<u32>,
    /// Pairs of its trial.
    pub trial_pairs: u32,
    /// What the measurements said.
    pub decision: Option<EvolutionDecision>,
    /// Why it is where it is, in the last words about it.
    pub why: Option<String>,
    /// Relative changes that were measured.
    pub measured: BTreeMap<String, f64>,
    /// The proposal whose code was in force before; none: the base module, or not known yet.
    pub previous: Option<EvolutionId>,
    /// The checkpoint that a rollback restores.
    pub checkpoint_id: Option<CheckpointId>,
    /// Its lines in the ledger, in order; the first holds the code.
    pub events: Vec<u64>,
}

impl EvolutionRecord {
    fn proposed(agent: AgentId, event: &EvolutionProposed, entry: &Entry) -> Self {
        Self {
            id: event.evolution_id,
            agent,
            target: event.target.clone(),
            reason: event.reason.clone(),
            by: entry.author.clone(),
            run: event.run,
            at: entry.timestamp,
            state: EvolutionState::Proposed,
            moved_at: entry.timestamp,
            trial: event.trial.clone(),
            expected: event.expected.clone(),
            code_sha256: None,
            adds: Vec::new(),
            notes: Vec::new(),
            record_seq: None,
            trial_checkpoint: None,
            seed: None,
            requests: None,
            trial_pairs: 0,
            decision: None,
            why: None,
            measured: BTreeMap::new(),
            previous: None,
            checkpoint_id: None,
            events: vec![entry.seq],
        }
    }

    /// What it would replace, where that is known here.
    pub fn target(&self) -> Option<EvolutionTarget> {
        self.target.parse().ok()
    }

    /// Where its proposal, with the code, stands in the ledger.
    pub fn proposed_seq(&self) -> Option<u64> {
        self.events.first().copied()
    }

    /// Whether it ends with the comparison.
    pub fn only_compares(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.only_compare)
    }

    /// Whether its code is loaded by the agent's own process, from its checkpoint on: what no module of the keeper's runs.
    pub fn is_of_program(&self) -> bool {
        self.trial_checkpoint.is_some()
    }

    fn learn(&mut self, event: &EvolutionEvent) {
        let words = match event {
            EvolutionEvent::Validated(event) => {
                self.code_sha256 = Some(event.code_sha256.clone());
                self.adds.clone_from(&event.adds);
                self.notes.clone_from(&event.notes);
                return;
            }
            EvolutionEvent::Checkpointed(event) => {
                self.record_seq = Some(event.record_seq);
                self.trial_checkpoint = event.checkpoint_id;
                return;
            }
            EvolutionEvent::ShadowStarted(event) => {
                self.seed = Some((event.seed, event.attempt));
                self.requests = Some(event.requests);
                return;
            }
            EvolutionEvent::BackedUp(event) => {
                self.previous = event.previous;
                self.checkpoint_id = event.checkpoint_id;
                return;
            }
            EvolutionEvent::Decided(event) => {
                self.decision = Some(event.decision);
                self.measured.clone_from(&event.measured);
                &event.reason
            }
            EvolutionEvent::Answered(event) if !event.reason.is_empty() => &event.reason,
            EvolutionEvent::Kept(event) => &event.reason,
            EvolutionEvent::RolledBack(event) => &event.reason,
            EvolutionEvent::Aborted(event) => &event.reason,
            EvolutionEvent::Proposed(_)
            | EvolutionEvent::Compared(_)
            | EvolutionEvent::Answered(_)
            | EvolutionEvent::Reloaded(_)
            | EvolutionEvent::StageBegun(_) => return,
        };
        self.why = Some(words.clone());
    }
}

/// Which code of one target runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeInForce {
    /// The proposal whose code answers; none: the base module.
    pub current: Option<EvolutionId>,
    /// A candidate that answers a share of the requests, and of a hundred how many.
    pub canary: Option<(EvolutionId, u8)>,
}

/// The changes of one agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentEvolutions {
    records: VecDeque<EvolutionRecord>,
    in_force: BTreeMap<EvolutionTarget, CodeInForce>,
    /// What the agent's own process loads beside its own code.
    programs: BTreeMap<EvolutionTarget, CodeInForce>,
    /// Proposals for a target whose trial began since the last that was kept.
    attempts: BTreeMap<EvolutionTarget, u32>,
    /// Pairs, and changes taken back, since the beginning; what is forgotten too.
    pairs: u64,
    rollbacks: u64,
}

impl AgentEvolutions {
    /// Those that are remembered, oldest first: all that have not ended, what is in force, and the newest of the others.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &EvolutionRecord> {
        self.records.iter()
    }

    /// The line of the newest move of any of them; 0 where there is none.
    pub fn newest_line(&self) -> u64 {
        let newest = |record: &EvolutionRecord| record.events.last().copied();
        self.records.iter().filter_map(newest).max().unwrap_or(0)
    }

    /// One of them.
    pub fn get(&self, id: EvolutionId) -> Option<&EvolutionRecord> {
        self.records.iter().find(|record| record.id == id)
    }

    /// The one that the keeper works at: the oldest that has not ended. All others wait for it.
    pub fn current(&self) -> Option<&EvolutionRecord> {
        self.records.iter().find(|record| !record.state.is_ended())
    }

    /// Which code of a target runs.
    pub fn in_force(&self, target: EvolutionTarget) -> CodeInForce {
        self.in_force.get(&target).copied().unwrap_or_default()
    }

    /// Which code of a target the agent's own process has loaded; none: what its program starts with.
    pub fn program_in_force(&self, target: EvolutionTarget) -> CodeInForce {
        self.programs.get(&target).copied().unwrap_or_default()
    }

    /// The code that the agent's own process loads beside its own, by target: a candidate, else what was kept.
    pub fn program_codes(&self) -> impl Iterator<Item = (EvolutionTarget, EvolutionId)> {
        let loaded = |(target, code): (&EvolutionTarget, &CodeInForce)| {
            let candidate = code.canary.map(|(id, _)| id);
            Some((*target, candidate.or(code.current)?))
        };
        self.programs.iter().filter_map(loaded)
    }

    /// The how-manieth proposal for a target the next one is whose trial begins, from 1.
    pub fn next_attempt(&self, target: EvolutionTarget) -> u32 {
        self.attempts.get(&target).copied().unwrap_or(0).saturating_add(1)
    }

    /// Requests that were given to two codes since the beginning.
    pub const fn pairs_in_all(&self) -> u64 {
        self.pairs
    }

    /// Changes that were taken back since the beginning.
    pub const fn rollbacks_in_all(&self) -> u64 {
        self.rollbacks
    }

    /// Whether a rollback of it would change what runs: it is in force, for all requests or for some.
    pub fn is_in_force(&self, id: EvolutionId) -> bool {
        let is_it = |code: &CodeInForce| {
            code.current == Some(id) || code.canary.is_some_and(|(canary, _)| canary == id)
        };
        self.in_force.values().chain(self.programs.values()).any(is_it)
    }

    fn apply(&mut self, agent: &AgentId, event: &EvolutionEvent, entry: &Entry) {
        if let EvolutionEvent::Proposed(proposed) = event {
            if self.get(proposed.evolution_id).is_none() {
                self.records.push_back(EvolutionRecord::proposed(agent.clone(), proposed, entry));
                self.forget_oldest();
            }
            return;
        }
        let id = event.evolution_id();
        let Some(record) = self.records.iter_mut().find(|record| record.id == id) else { return };
        let moved = EvolutionMove::of(event).and_then(|attempted| step(record.state, attempted));
        let Some(next) = moved else { return };
        if let (EvolutionState::Shadowing { pairs }, EvolutionEvent::Compared(_)) = (next, event) {
            record.trial_pairs = pairs;
        }
        match event {
            EvolutionEvent::Compared(compared) => {
                let more = u64::try_from(compared.pairs.len()).unwrap_or(u64::MAX);
                self.pairs = self.pairs.saturating_add(more);
            }
            EvolutionEvent::RolledBack(_) => self.rollbacks = self.rollbacks.saturating_add(1),
            _ => {}
        }
        record.state = next;
        record.moved_at = entry.timestamp;
        record.events.push(entry.seq);
        record.learn(event);
        let (target, only_compares) = (record.target(), record.only_compares());
        let is_of_program = record.is_of_program();
        let previous = self.code_before(id);
        // What only compares puts nothing in force, and makes nobody surer or less sure.
        if let Some(target) = target.filter(|_| !only_compares) {
            self.change_code((target, is_of_program), event, previous);
        }
    }

    /// What a rollback of a change brings back: the newest code from before it that was not taken back itself; none: the base module.
    pub fn code_before(&self, id: EvolutionId) -> Option<EvolutionId> {
        let mut previous = self.get(id)?.previous;
        while let Some(record) = previous.and_then(|id| self.get(id))
            && record.state == EvolutionState::RolledBack
        {
            previous = record.previous;
        }
        previous
    }

    fn change_code(
        &mut self,
        (target, is_of_program): (EvolutionTarget, bool),
        event: &EvolutionEvent,
        previous: Option<EvolutionId>,
    ) {
        let id = event.evolution_id();
        let codes = if is_of_program { &mut self.programs } else { &mut self.in_force };
        let code = codes.entry(target).or_default();
        match event {
            EvolutionEvent::ShadowStarted(_) => {
                *self.attempts.entry(target).or_default() += 1;
            }
            EvolutionEvent::Reloaded(reloaded) => code.canary = Some((id, reloaded.percent)),
            EvolutionEvent::StageBegun(stage) => code.canary = Some((id, stage.percent)),
            EvolutionEvent::Kept(_) => {
                *code = CodeInForce { current: Some(id), canary: None };
                self.attempts.remove(&target);
            }
            EvolutionEvent::RolledBack(_) if code.current == Some(id) => {
                *code = CodeInForce { current: previous, canary: code.canary };
            }
            EvolutionEvent::RolledBack(_) => {
                code.canary = code.canary.filter(|(canary, _)| *canary != id);
            }
            _ => {}
        }
    }

    /// Lets the oldest go that nothing depends on any more.
    fn forget_oldest(&mut self) {
        while self.records.len() > EVOLUTIONS_KEPT_MAX {
            let is_needed = |record: &EvolutionRecord| {
                let in_force = self.records.iter().filter(|other| self.is_in_force(other.id));
                let mut previous = in_force.filter_map(|other| other.previous);
                !record.state.is_ended()
                    || self.is_in_force(record.id)
                    || previous.any(|previous| previous == record.id)
            };
            let oldest = self.records.iter().position(|record| !is_needed(record));
            if oldest.and_then(|place| self.records.remove(place)).is_none() {
                return;
            }
        }
    }
}

/// The changes of all agents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evolutions {
    by_agent: BTreeMap<AgentId, AgentEvolutions>,
    /// What open epochs proposed: it counts when they commit.
    staged: BTreeMap<EpochId, Vec<Entry>>,
}

impl Evolutions {
    pub(super) fn apply(&mut self, agent: &AgentId, entry: &Entry) {
        if let Event::Evolution(event) = &entry.event {
            if let Some(epoch) = entry.epoch {
                self.staged.entry(epoch).or_default().push(entry.clone());
                return;
            }
            self.by_agent.entry(agent.clone()).or_default().apply(agent, event, entry);
        }
    }

    /// Takes the end of an epoch in: what it proposed is a proposal from then on, or never was one. Of an agent whose changes wait
    /// already, as many as may, no more are taken.
    pub(super) fn ended(&mut self, epoch: EpochId, agent: &AgentId, is_committed: bool) {
        for entry in self.staged.remove(&epoch).unwrap_or_default() {
            let of_agent = self.by_agent.entry(agent.clone()).or_default();
            let waiting = of_agent.records().filter(|record| !record.state.is_ended()).count();
            if let Event::Evolution(event @ EvolutionEvent::Proposed(_)) = &entry.event
                && is_committed
                && waiting < EVOLUTIONS_WAITING_MAX
            {
                of_agent.apply(agent, event, &entry);
            }
        }
    }

    /// Those of one agent.
    pub fn of(&self, agent: &AgentId) -> Option<&AgentEvolutions> {
        self.by_agent.get(agent)
    }

    /// The agents that have any.
    pub fn agents(&self) -> impl Iterator<Item = (&AgentId, &AgentEvolutions)> {
        self.by_agent.iter()
    }

    /// One of any agent.
    pub fn get(&self, id: EvolutionId) -> Option<&EvolutionRecord> {
        self.by_agent.values().find_map(|evolutions| evolutions.get(id))
    }

    /// Which code of a target an agent's own process has loaded.
    pub fn program_in_force(&self, agent: &AgentId, target: EvolutionTarget) -> CodeInForce {
        self.of(agent).map(|evolutions| evolutions.program_in_force(target)).unwrap_or_default()
    }

    /// Which code of a target of an agent runs.
    pub fn in_force(&self, agent: &AgentId, target: EvolutionTarget) -> CodeInForce {
        self.of(agent).map(|evolutions| evolutions.in_force(target)).unwrap_or_default()
    }

    pub(super) fn parts(&self) -> Value {
        let of_agent = |(agent, evolutions): (&AgentId, &AgentEvolutions)| {
            let records: Value = evolutions
                .records()
                .map(|record| json!([record.id, record.state.as_str(), record.events]))
                .collect();
            let codes = |codes: &BTreeMap<EvolutionTarget, CodeInForce>| -> Value {
                let changed = codes.iter().filter(|(_, code)| **code != CodeInForce::default());
                changed
                    .map(|(target, code)| json!([target.as_str(), code.current, code.canary]))
                    .collect()
            };
            json!([agent, records, codes(&evolutions.in_force), codes(&evolutions.programs)])
        };
        self.by_agent.iter().map(of_agent).collect()
    }
}

#[cfg(test)]
mod tests;
