//! `memory.*`: what is remembered. Inside an epoch these are staged: they count from its commit on.

use serde::{Deserialize, Serialize};

use super::event_group;
use crate::{EntityName, FactId};

event_group! {
    /// What is remembered.
    MemoryEvent {
        /// A fact was learnt.
        FactRemembered(FactRemembered) = "memory.fact_remembered" v 1,
        /// A fact was taken back; its line stays.
        FactForgotten(FactForgotten) = "memory.fact_forgotten" v 1,
        /// The identity document has a new version.
        IdentityChanged(IdentityChanged) = "memory.identity_changed" v 1,
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
}

/// A fact taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactForgotten {
    /// Which.
    pub fact_id: FactId,
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
