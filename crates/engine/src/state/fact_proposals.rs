//! Facts that sleep found and that wait for a person. Pure: no clock, no I/O.

use std::collections::{BTreeMap, HashSet, VecDeque};

use abide_domain::{
    EpochId, ProposalId, Timestamp,
    event::{EpochEvent, Event, FactProposed, MemoryEvent},
    limits::FACT_PROPOSALS_MAX,
};
use abide_ledger::Entry;
use serde::{Deserialize, Serialize};

/// A fact that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingFact {
    /// The fact and why it waits.
    pub proposed: FactProposed,
    /// Since when it waits.
    pub since: Timestamp,
}

/// The facts of one agent that wait for a person, oldest first; beyond [`FACT_PROPOSALS_MAX`] the oldest give way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FactProposals {
    waiting: VecDeque<WaitingFact>,
    /// What open epochs take back.
    staged: BTreeMap<EpochId, Vec<EpochId>>,
}

impl FactProposals {
    /// Those that wait, oldest first.
    pub fn waiting(&self) -> impl ExactSizeIterator<Item = &WaitingFact> {
        self.waiting.iter()
    }

    /// One of them.
    pub fn get(&self, id: ProposalId) -> Option<&WaitingFact> {
        self.waiting.iter().find(|waiting| waiting.proposed.proposal_id == id)
    }

    pub(super) fn apply(&mut self, entry: &Entry) {
        match (&entry.event, entry.epoch) {
            (Event::Memory(MemoryEvent::FactProposed(proposed)), _) => {
                if self.waiting.len() == FACT_PROPOSALS_MAX {
                    self.waiting.pop_front();
                }
                let (proposed, since) = (proposed.clone(), entry.timestamp);
                self.waiting.push_back(WaitingFact { proposed, since });
            }
            (Event::Memory(MemoryEvent::FactDecided(decided)), _) => {
                self.waiting.retain(|waiting| waiting.proposed.proposal_id != decided.proposal_id);
            }
            (Event::Memory(MemoryEvent::Forgotten(forgotten)), None) => {
                self.forget(&forgotten.epochs);
            }
            (Event::Memory(MemoryEvent::Forgotten(forgotten)), Some(epoch)) => {
                self.staged.entry(epoch).or_default().extend(&forgotten.epochs);
            }
            (Event::Epoch(EpochEvent::Committed(_)), Some(epoch)) => {
                if let Some(epochs) = self.staged.remove(&epoch) {
                    self.forget(&epochs);
                }
            }
            (Event::Epoch(EpochEvent::Aborted(_)), Some(epoch)) => {
                self.staged.remove(&epoch);
            }
            _ => {}
        }
    }

    /// What rests on an exchange that was taken back does not wait any longer.
    fn forget(&mut self, epochs: &[EpochId]) {
        let bound: HashSet<&EpochId> = epochs.iter().collect();
        self.waiting.retain(|waiting| {
            !waiting.proposed.fact.sources.iter().any(|source| bound.contains(source))
        });
    }
}
