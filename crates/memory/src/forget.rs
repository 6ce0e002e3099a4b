//! Forgetting: what a request to forget is about, in all places where it was said (decision 53).
//!
//! A plan names facts, epochs, nodes and slots and no words; the events that are made of it bind them in every projection,
//! also in one that is built again. It takes back too much rather than too little of one matter, and nothing of what
//! somebody else told: who asks is handed in, and what is not theirs is counted, not touched (decision 54).
//!
//! Reading order: here what is asked and the plan; [`matter`] (when a text says the same); `search` (where it was said).

use std::collections::BTreeSet;

use abide_domain::{
    EntityName, EpochId, FactId,
    event::{Event, FactForgotten, MemoryForgotten, NodeClosed},
    graph::NodeId,
    limits::FORGET_EPOCHS_A_LINE,
};

use crate::KnowledgeError;

pub(crate) mod matter;
mod search;

/// What is to be forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgetTarget<'a> {
    /// A fact, what it took the place of, and what was said of it.
    Fact(FactId),
    /// A matter in words, as somebody would say it: `that I live in Lyon`, `my phone number`.
    Words(&'a str),
    /// What was said in one epoch, and the facts that rest on it alone.
    Epoch(EpochId),
    /// Everything that one person said and told.
    Person(&'a str),
}

/// On whose authority something is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgetAuthority<'a> {
    /// Somebody, who forgets what they told themselves.
    Owner(&'a str),
    /// An administrator, who forgets for anybody.
    Administrator,
}

/// A request to forget.
#[derive(Clone, Copy, Debug)]
pub struct ForgetRequest<'a> {
    /// What is to be forgotten.
    pub target: ForgetTarget<'a>,
    /// On whose authority.
    pub authority: ForgetAuthority<'a>,
}

/// Everything that a request to forget takes back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForgetPlan {
    /// The facts in force.
    pub facts: Vec<FactId>,
    /// The facts that hold no longer.
    pub closed_facts: Vec<FactId>,
    /// What the facts in force say, for whoever asked.
    pub contents: Vec<String>,
    /// The nodes of the graph.
    pub nodes: Vec<NodeId>,
    /// The epochs in which it was said, oldest first as their ids sort.
    pub epochs: BTreeSet<EpochId>,
    /// What it is a value of, such as `nicolas/home`.
    pub slots: BTreeSet<String>,
    /// Whose matter it is, where it is one person's.
    pub subject: Option<EntityName>,
    /// What the matter is, to find it in a text such as the identity.
    pub matter: matter::Matter,
    /// Facts that say it but were told by somebody else: they stay.
    pub of_others: usize,
}

/// Why nothing can be forgotten.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// The words name nothing.
    #[error("the words name nothing that could be looked for; say what is to be forgotten")]
    NothingNamed,
    /// There is no such fact, or not for whoever asks.
    #[error("no fact {0} is known")]
    NoFact(FactId),
    /// Somebody else told it.
    #[error("only {0} or an administrator can have this forgotten")]
    NotYours(String),
    /// So much was said that the words cannot mean it all.
    #[error("{found} exchanges match, more than {max}; say more exactly what is to be forgotten")]
    TooBroad {
        /// How many match.
        found: usize,
        /// How many may.
        max: usize,
    },
    /// It could not be looked for.
    #[error("memory could not be searched")]
    Unreadable(#[from] KnowledgeError),
}

impl ForgetPlan {
    /// Whether nothing was found that could be taken back.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
            && self.closed_facts.is_empty()
            && self.nodes.is_empty()
            && self.epochs.is_empty()
    }

    /// The events that take it back. There is always a `memory.forgotten`: in an epoch it binds that epoch too, in which
    /// the matter was named once more.
    pub fn events(&self, asked_by: &EntityName, reason: Option<&str>) -> Vec<Event> {
        let reason = reason.map(str::to_owned);
        let forgotten = |&fact_id: &FactId| FactForgotten { fact_id, reason: reason.clone() };
        let mut events: Vec<Event> = self.facts.iter().map(forgotten).map(Event::from).collect();
        events.extend(self.nodes.iter().map(|node_id| {
            let (node_id, reason) = (node_id.clone(), reason.clone());
            Event::from(NodeClosed { node_id, valid_to: None, reason })
        }));
        let epochs: Vec<EpochId> = self.epochs.iter().copied().collect();
        let mut parts = epochs.chunks(FORGET_EPOCHS_A_LINE);
        let first = parts.next().unwrap_or_default();
        let line = |epochs: &[EpochId]| MemoryForgotten {
            asked_by: asked_by.clone(),
            subject: self.subject.clone(),
            epochs: epochs.to_vec(),
            facts: Vec::new(),
            slots: Vec::new(),
            reason: reason.clone(),
        };
        let facts = self.facts.iter().chain(&self.closed_facts).copied().collect();
        let slots = self.slots.iter().cloned().collect();
        events.push(MemoryForgotten { facts, slots, ..line(first) }.into());
        events.extend(parts.map(line).map(Event::from));
        events
    }
}
