//! An agent as its lane needs it: who it is, what thinks for it, what it may do and what it remembers.

use std::sync::Arc;

use abide_domain::{
    AgentId,
    event::{AgentRegistered, Partner},
};
use abide_memory::{Distiller, Embedder, Explorer, KnowledgeHandle};
use abide_tools::{AgentTools, ToolPolicy};

use crate::{mind::Mind, passage_ranker::PassageRanker};

/// An agent of the configuration, or one that another spawned. Its lane and the roster each hold one.
#[derive(Clone, Debug)]
pub struct AgentSetup {
    /// Its id, unique in the keeper.
    pub id: AgentId,
    /// Display name.
    pub name: String,
    /// What it is for, in a few words.
    pub role: String,
    /// The people and agents that it works with.
    pub partners: Vec<Partner>,
    /// The mind that answers its turns.
    pub mind: Arc<dyn Mind>,
    /// The tools that exist for it. An epoch keeps those that it began with.
    pub tools: AgentTools,
    /// Which of them it may use by the configuration; what people set since is in the state.
    pub policy: ToolPolicy,
    /// Its long-term memory.
    pub facts: KnowledgeHandle,
    /// How the Dreamer explores its memory.
    pub dreamer: DreamerSetup,
    /// What distils its epochs while it sleeps.
    pub distiller: Arc<dyn Distiller>,
}

impl AgentSetup {
    /// The profile as the ledger keeps it.
    pub fn profile(&self) -> AgentRegistered {
        let (name, role) = (self.name.clone(), self.role.clone());
        AgentRegistered { name, role, mind: self.mind.name(), partners: self.partners.clone() }
    }
}

/// What the Dreamer explores an agent's memory with. By default its plan steers, and words alone decide.
#[derive(Clone, Debug, Default)]
pub struct DreamerSetup {
    /// Steers the exploration in place of the plan.
    pub explorer: Option<Arc<dyn Explorer>>,
    /// Finds by meaning what words miss.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Ranks what is found by the agent's own rule.
    pub ranker: Option<Arc<dyn PassageRanker>>,
}
