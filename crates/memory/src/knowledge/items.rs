//! What is remembered, as it is given out: versions of nodes, edges, passages of exchanges.
//!
//! Values with their stamps. What [`ReferencedItem`] holds never changes after it was first recorded, so that a context that was
//! rendered from references renders the same for ever; what may change later (until when it held, who else told it)
//! stands beside it, never in it.

use std::sync::Arc;

use abide_domain::{
    EntityName, EpochId, FactId, Timestamp,
    envelope::Channel,
    event::MemoryRef,
    graph::{EdgeKind, Node, NodeId},
};
use serde::{Serialize, Serializer, ser::SerializeMap as _};

use crate::search::SearchFeatures;

/// Most facts that one search gives.
pub const SEARCH_FACTS_MAX: usize = 100;
/// Most facts on one page of the listing.
pub const PAGE_FACTS_MAX: usize = 500;
/// Most source epochs that a fact lists: learnt again and again, the first ones are proof enough.
pub const SOURCES_MAX: usize = 100;

/// Something that a [`MemoryRef`] names.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferencedItem {
    /// A version of a node.
    Node(NodeVersion),
    /// A fact, as it was first recorded.
    Fact(OriginalFact),
    /// A passage, with its whole exchange's stamps.
    Passage(RecalledPassage),
}

/// One version of a node, as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeVersion {
    /// Where its `memory.node_recorded` stands in the ledger.
    pub seq: u64,
    /// The node's id.
    pub node_id: NodeId,
    /// The node with its type and fields.
    pub node: Arc<Node>,
    /// Since when it is so.
    pub valid_from: Timestamp,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// The entity that recorded it.
    pub author: EntityName,
    /// The epochs that it stems from, oldest first.
    pub sources: Vec<EpochId>,
}

/// A version of a node and how it ended, for histories and lists.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeState {
    /// The version of the node.
    pub version: NodeVersion,
    /// From which sequence on it counts: its own, or the commit of its epoch.
    pub known_seq: u64,
    /// Until when it held, if it is closed.
    pub valid_to: Option<Timestamp>,
    /// The sequence from which on it counts no longer, if it is closed.
    pub closed_seq: Option<u64>,
}

/// An edge and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeState {
    /// Where its `memory.edge_recorded` stands in the ledger.
    pub seq: u64,
    /// The node where it begins.
    pub from: NodeId,
    /// The type of the edge.
    pub edge: EdgeKind,
    /// The node where it ends.
    pub to: NodeId,
    /// Of `DEPENDS_ON`: in which way.
    pub dependency_type: Option<String>,
    /// Since when it holds.
    pub valid_from: Timestamp,
    /// Until when it held, if it is closed.
    pub valid_to: Option<Timestamp>,
    /// The sequence from which on it counts no longer, if it is closed.
    pub closed_seq: Option<u64>,
}

/// A page of nodes or edges.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphPage<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// The cursor of the next page, if there is one.
    pub next: Option<u64>,
}

/// One fact, as it is known.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "the ledger and the API call it `fact_id`")]
pub struct Fact {
    /// The id of the fact.
    pub fact_id: FactId,
    /// The statement, one sentence.
    pub content: String,
    /// `user`, `project` or `world`.
    pub category: String,
    /// Free words to find it by.
    pub tags: Vec<String>,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// Since when it holds: when it was learnt, where nothing else was said.
    pub valid_from: Timestamp,
    /// Until when it held, if it was taken back or superseded.
    pub valid_to: Option<Timestamp>,
    /// The epochs that it was learnt in, oldest first, at most [`SOURCES_MAX`].
    pub sources: Vec<EpochId>,
    /// Who told it first, where that is known.
    pub told_by: Option<EntityName>,
    /// Whether a person told it at least once with nothing unverified beside it.
    pub trusted: bool,
    /// Where its event stands in the ledger.
    pub seq: u64,
    /// The fact that it took the place of.
    pub supersedes: Option<FactId>,
}

/// What a search gave, for facts where nothing else is said. The three are never mixed up: absence is not evidence (law 4).
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup<T = Fact> {
    /// At least one, best first.
    Items(Vec<T>),
    /// Looked, and there is nothing.
    Empty,
    /// Could not look, and why.
    Failed(String),
}

impl<T> Lookup<T> {
    /// `found`, `empty` or `failed`.
    pub const fn status(&self) -> &'static str {
        match self {
            Self::Items(_) => "found",
            Self::Empty => "empty",
            Self::Failed(_) => "failed",
        }
    }

    /// What was found; none unless something was.
    pub fn items(&self) -> &[T] {
        match self {
            Self::Items(items) => items,
            Self::Empty | Self::Failed(_) => &[],
        }
    }
}

impl Lookup {
    /// The facts; none unless found.
    pub fn facts(&self) -> &[Fact] {
        self.items()
    }
}

/// What somebody may do about a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactRight {
    /// They told it themselves, or nobody in particular did: they may have it forgotten and replaced.
    Theirs,
    /// Somebody else told it, of that name.
    OfAnother(String),
    /// There is none in force that they may be told of.
    Unknown,
}

/// A page of the facts in force, newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct FactsPage {
    /// The facts of the page, newest first.
    pub items: Vec<Fact>,
    /// The cursor of the next page, if there is one.
    pub next: Option<u64>,
}

/// A fact as it was first recorded; what was added when it was told again is not here.
#[derive(Clone, Debug, PartialEq)]
pub struct OriginalFact {
    /// Where its event stands in the ledger.
    pub seq: u64,
    /// The id of the fact.
    pub fact_id: FactId,
    /// The statement, one sentence.
    pub content: String,
    /// `user`, `project` or `world`.
    pub category: String,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// Since when it holds.
    pub valid_from: Timestamp,
    /// When it was learnt.
    pub recorded_at: Timestamp,
    /// Who told it, where that is known.
    pub told_by: Option<EntityName>,
    /// Whether a person confirmed it.
    pub trusted: bool,
    /// The epochs that it was learnt in, oldest first.
    pub sources: Vec<EpochId>,
}

/// A passage of a committed exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct RecalledPassage {
    /// By what it is named: the sequence of the commit and the number of the passage.
    pub reference: MemoryRef,
    /// What was said, byte for byte.
    pub text: String,
    /// Who said it: the sender, or the agent's name.
    pub speaker: String,
    /// Whether the agent said it.
    pub by_agent: bool,
    /// When it was said, in conversational time.
    pub at: Timestamp,
    /// Its whole exchange's stamps.
    pub exchange: Arc<ExchangeStamps>,
    /// 0 to 1: how much of the question is really there; 1 where nothing was asked.
    pub strength: f64,
}

/// A passage that a question found, with what it is ranked by.
#[derive(Clone, Debug, PartialEq)]
pub struct RankablePassage {
    /// Its row, by which an order names it.
    pub row: u64,
    /// The passage.
    pub passage: RecalledPassage,
    /// The numbers that it is ranked by.
    pub features: SearchFeatures,
}

/// What is known of an exchange beside its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeStamps {
    /// The sequence of its commit.
    pub seq: u64,
    /// Which epoch it was.
    pub epoch: EpochId,
    /// The conversation that it belongs to: the sequence of that one's first commit.
    pub conversation: u64,
    /// The exchange before it in that conversation, by the sequence of its commit.
    pub previous: Option<u64>,
    /// The session of the exchange.
    pub session: String,
    /// Who spoke to the agent.
    pub sender: String,
    /// The channel over which it was said.
    pub channel: Channel,
    /// When the stimulus was sent.
    pub sent_at: Timestamp,
    /// Where its sender was then, as far as that was said: an offset such as `+02:00`, or a zone's name.
    pub sender_zone: Option<String>,
    /// When the reply was given, in conversational time.
    pub replied_at: Timestamp,
    /// How the agent felt at its end; `neutral` mostly.
    pub emotive_state: String,
    /// How many passages the stimulus has: those before are the sender's, the rest the agent's.
    pub stimulus_parts: u32,
    /// How many passages it has.
    pub parts: u32,
}

impl Serialize for RecalledPassage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ref", &self.reference)?;
        map.serialize_entry("epoch", &self.exchange.epoch)?;
        map.serialize_entry("session_id", &self.exchange.session)?;
        map.serialize_entry("sender", &self.exchange.sender)?;
        map.serialize_entry("channel", &self.exchange.channel)?;
        map.serialize_entry("speaker", &self.speaker)?;
        map.serialize_entry("at", &self.at)?;
        map.serialize_entry("text", &self.text)?;
        map.serialize_entry("strength", &self.strength)?;
        map.end()
    }
}
