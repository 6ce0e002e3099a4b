//! `memory.*`: what is remembered. Inside an epoch these are staged: they count from its commit on.

use serde::{Deserialize, Serialize};

use super::{Decision, event_group};
use crate::{
    EntityName, EpochId, FactId, ProposalId, SleepId, Timestamp,
    graph::{EdgeKind, Node, NodeId},
};

event_group! {
    /// What is remembered.
    MemoryEvent {
        /// A fact was learnt.
        FactRemembered(FactRemembered) = "memory.fact_remembered" v 2,
        /// A fact was taken back; its line stays.
        FactForgotten(FactForgotten) = "memory.fact_forgotten" v 1,
        /// A matter was taken back: what was said of it is not recalled, shown or learnt from again. The lines stay.
        Forgotten(MemoryForgotten) = "memory.forgotten" v 1,
        /// A fact that sleep found, but that could not be held against what was said, waits for a person.
        FactProposed(FactProposed) = "memory.fact_proposed" v 1,
        /// A person decided on a proposed fact; an approved one is remembered in the same batch.
        FactDecided(FactDecided) = "memory.fact_decided" v 1,
        /// The identity document has a new version.
        IdentityChanged(IdentityChanged) = "memory.identity_changed" v 1,
        /// A large change of the identity waits for a person.
        IdentityProposed(IdentityProposed) = "memory.identity_proposed" v 1,
        /// A person decided on a proposed identity; an approved one is the version in force from here on.
        IdentityDecided(IdentityDecided) = "memory.identity_decided" v 1,
        /// A dream was written.
        DreamWritten(DreamWritten) = "memory.dream_written" v 1,
        /// A dream was taken out of the list; its line stays.
        DreamForgotten(DreamForgotten) = "memory.dream_forgotten" v 1,
        /// A node of the graph is so from here on; an older version of it is closed, not overwritten.
        NodeRecorded(NodeRecorded) = "memory.node_recorded" v 1,
        /// A node holds no longer; its versions stay.
        NodeClosed(NodeClosed) = "memory.node_closed" v 1,
        /// An edge of the graph is there from here on.
        EdgeRecorded(EdgeRecorded) = "memory.edge_recorded" v 1,
        /// An edge holds no longer.
        EdgeClosed(EdgeClosed) = "memory.edge_closed" v 1,
        /// The short-term window ends here: earlier epochs leave the prompt, none is deleted.
        Reset(MemoryReset) = "memory.reset" v 1,
    }
}

/// A fact. Its source is the line's epoch, or the person who is the line's author.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactRemembered {
    /// Its id.
    pub fact_id: FactId,
    /// One statement.
    pub content: String,
    /// `user`, `project` or `world`.
    pub category: String,
    /// Free words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Who told it in an epoch: the sender of what the epoch answered. Outside epochs it is the line's author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_by: Option<EntityName>,
    /// Whether the mind that learnt it had text before it that no person vouches for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    /// The epochs that it was distilled from, where that is not the line's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EpochId>,
    /// The fact that it takes the place of: that one is closed, not overwritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<FactId>,
    /// Since when it holds, where that is not the line's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
}

/// A fact taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactForgotten {
    /// The fact.
    pub fact_id: FactId,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A matter taken back (decision 53). It holds no words: only where they were said. The line's own epoch, in which somebody
/// asked for it, is bound like the epochs that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryForgotten {
    /// Who asked for it: the sender of what the epoch answered, or the person at the API.
    pub asked_by: EntityName,
    /// Whose matter it is, where it is one person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<EntityName>,
    /// The epochs in which it was said, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub epochs: Vec<EpochId>,
    /// The facts that say it, also those that held no longer. Those in force have a `memory.fact_forgotten` of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactId>,
    /// What it is a value of, such as `nicolas/home`: nothing older is learnt of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<String>,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A fact that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactProposed {
    /// Its id.
    pub proposal_id: ProposalId,
    /// The fact as it would be remembered.
    pub fact: FactRemembered,
    /// Why it waits, in words for people.
    pub doubt: String,
    /// What was said in the exchanges that it names, cut.
    pub said: String,
    /// The sleep that found it.
    pub sleep_id: SleepId,
}

/// A decision on a proposed fact. Who decided is the line's author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactDecided {
    /// The proposal.
    pub proposal_id: ProposalId,
    /// Yes or no.
    pub decision: Decision,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A version of the identity document, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityChanged {
    /// From 1, rising by one.
    pub version: u64,
    /// The document, Markdown, first person.
    pub content: String,
    /// Where it came from.
    pub source: IdentitySource,
    /// The earlier version that it brings back, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restores: Option<u64>,
}

/// A version of the identity that waits for a person, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IdentityProposed {
    /// Its id.
    pub proposal_id: ProposalId,
    /// The document, Markdown, first person.
    pub content: String,
    /// The version that it was made from; it can be approved only while that one is in force.
    pub based_on: u64,
    /// The share of the document that would change, 0 to 1.
    pub change: f64,
    /// The sleep that made it; absent where it was found in `identity.md`, written by nobody knows whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep_id: Option<SleepId>,
}

/// A decision on a proposed identity. Who decided is the line's author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityDecided {
    /// The proposal.
    pub proposal_id: ProposalId,
    /// Yes or no.
    pub decision: Decision,
    /// The number that it has as a version, where it was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A dream, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DreamWritten {
    /// `<date>-<short name>.md`, unique in the agent's list.
    pub filename: String,
    /// Its first line, for lists.
    pub title: String,
    /// Markdown.
    pub content: String,
    /// The sleep that wrote it.
    pub sleep_id: SleepId,
}

/// A dream taken out of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DreamForgotten {
    /// The dream.
    pub filename: String,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A node of the graph, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeRecorded {
    /// Its id in the agent's graph.
    pub node_id: NodeId,
    /// Its type and fields.
    pub node: Node,
    /// Since when it is so, where that is not the line's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// The epochs that it was distilled from, where that is not the line's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<EpochId>,
}

/// A node that holds no longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeClosed {
    /// The node.
    pub node_id: NodeId,
    /// Until when it held, where that is not the line's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An edge of the graph. There is at most one of a type between two nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRecorded {
    /// Where it begins.
    pub from: NodeId,
    /// Its type.
    pub edge: EdgeKind,
    /// Where it leads.
    pub to: NodeId,
    /// Of `DEPENDS_ON`: in which way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependency_type: Option<String>,
    /// Since when, where that is not the line's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
}

/// An edge that holds no longer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeClosed {
    /// Where it begins.
    pub from: NodeId,
    /// Its type.
    pub edge: EdgeKind,
    /// Where it leads.
    pub to: NodeId,
    /// Why, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where a version of the identity came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdentitySource {
    /// The agent's name, role and partners in the configuration.
    Profile,
    /// A person, through the API.
    Person,
    /// A person, in the file.
    File,
    /// Sleep.
    Sleep,
}

/// The short-term window ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryReset {
    /// Epochs that ended at or before this sequence leave the window.
    pub through_seq: u64,
    /// How many they are.
    pub epochs: u64,
}
