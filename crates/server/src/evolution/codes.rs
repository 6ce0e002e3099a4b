//! Which code of the memory module each agent has in force, with the code itself: read by the ranker at each question, set by the
//! task when the ledger says something else.

use std::{collections::BTreeMap, sync::Arc};

use abide_domain::{AgentId, EvolutionId};
use arc_swap::ArcSwap;

/// Code of a module and the change that brought it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModuleCode {
    pub(super) id: EvolutionId,
    pub(super) code: Arc<str>,
}

/// A candidate that answers a share of the requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Canary {
    pub(super) module: ModuleCode,
    /// Of a hundred requests, how many.
    pub(super) percent: u8,
    /// By which they are chosen.
    pub(super) seed: u64,
}

/// What one agent has of the memory module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MemoryCodes {
    /// What answers; none: the base module, which is the keeper's own order.
    pub(super) current: Option<ModuleCode>,
    pub(super) canary: Option<Canary>,
    /// A trial that lacks requests, and of a hundred live ones how many it gets, chosen by the seed.
    pub(super) mirrored: Option<(u64, u8)>,
}

/// What all agents have. Cheap to read.
#[derive(Debug, Default)]
pub(super) struct CodesInForce(ArcSwap<BTreeMap<AgentId, MemoryCodes>>);

impl CodesInForce {
    pub(super) fn of(&self, agent: &AgentId) -> Option<MemoryCodes> {
        self.0.load().get(agent).filter(|codes| **codes != MemoryCodes::default()).cloned()
    }

    pub(super) fn set(&self, codes: BTreeMap<AgentId, MemoryCodes>) {
        self.0.store(Arc::new(codes));
    }

    pub(super) fn all(&self) -> Arc<BTreeMap<AgentId, MemoryCodes>> {
        self.0.load_full()
    }
}
