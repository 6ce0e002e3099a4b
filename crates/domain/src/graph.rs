//! The graph of an agent's memory: ten types of node, eleven of edge, with their fields.
//!
//! Only the shapes: `memory.node_recorded` and `memory.edge_recorded` carry them, and the eight queries return them. A node
//! belongs to the entity of the line that records it, so no field names its owner. No rule of search or storage belongs
//! here.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{Timestamp, borrowed_text::BorrowedText};

/// Longest id of a node, in bytes (ids are ASCII).
pub const NODE_ID_BYTES_MAX: usize = 128;
/// Longest text field of a node, in Unicode scalar values.
pub const NODE_TEXT_CHARS_MAX: usize = 4_000;
/// Most entries of a list in a node.
pub const NODE_LIST_MAX: usize = 64;

/// The text is not a valid id of a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be 1 to 128 characters of a-z, A-Z, 0-9, `.`, `_`, `:`, `/` or `-`, and begin with a letter or digit"
)]
pub struct NodeIdError;

/// The id of a node, unique in its agent's graph; the one who records it chooses it. Case counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for NodeId {
    type Err = NodeIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let first_fits = text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
        let fits = |b: u8| b.is_ascii_alphanumeric() || b"._:/-".contains(&b);
        let is_id = first_fits && text.bytes().all(fits) && text.len() <= NODE_ID_BYTES_MAX;
        if is_id { Ok(Self(text.into())) } else { Err(NodeIdError) }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for NodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let BorrowedText(text) = BorrowedText::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// A node with its fields. Its `type` is the specification's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Node {
    /// The agent itself, or another one that it knows.
    Citizen(Citizen),
    /// A person.
    Person(Person),
    /// How the agent works with somebody.
    Partnership(Partnership),
    /// A conversation that was had.
    #[serde(rename = "Conversation_Memory")]
    Conversation(ConversationMemory),
    /// A technical matter.
    #[serde(rename = "Technical_Context")]
    Technical(TechnicalContext),
    /// How something felt.
    #[serde(rename = "Emotional_State")]
    Emotion(EmotionalState),
    /// An approach that works.
    #[serde(rename = "Strategy_Pattern")]
    Strategy(StrategyPattern),
    /// A piece of code.
    #[serde(rename = "Code_Reference")]
    Code(CodeReference),
    /// An approach that did not work.
    #[serde(rename = "Failed_Attempt")]
    Failure(FailedAttempt),
    /// Something that binds.
    Constraint(Constraint),
}

/// The type of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodeKind {
    /// See [`Node::Citizen`].
    Citizen,
    /// See [`Node::Person`].
    Person,
    /// See [`Node::Partnership`].
    Partnership,
    /// See [`Node::Conversation`].
    #[serde(rename = "Conversation_Memory")]
    Conversation,
    /// See [`Node::Technical`].
    #[serde(rename = "Technical_Context")]
    Technical,
    /// See [`Node::Emotion`].
    #[serde(rename = "Emotional_State")]
    Emotion,
    /// See [`Node::Strategy`].
    #[serde(rename = "Strategy_Pattern")]
    Strategy,
    /// See [`Node::Code`].
    #[serde(rename = "Code_Reference")]
    Code,
    /// See [`Node::Failure`].
    #[serde(rename = "Failed_Attempt")]
    Failure,
    /// See [`Node::Constraint`].
    Constraint,
}

impl NodeKind {
    /// All types, in the specification's order.
    pub const ALL: [Self; 10] = [
        Self::Citizen,
        Self::Person,
        Self::Partnership,
        Self::Conversation,
        Self::Technical,
        Self::Emotion,
        Self::Strategy,
        Self::Code,
        Self::Failure,
        Self::Constraint,
    ];

    /// The specification's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Citizen => "Citizen",
            Self::Person => "Person",
            Self::Partnership => "Partnership",
            Self::Conversation => "Conversation_Memory",
            Self::Technical => "Technical_Context",
            Self::Emotion => "Emotional_State",
            Self::Strategy => "Strategy_Pattern",
            Self::Code => "Code_Reference",
            Self::Failure => "Failed_Attempt",
            Self::Constraint => "Constraint",
        }
    }
}

impl Node {
    /// Its type.
    pub const fn kind(&self) -> NodeKind {
        match self {
            Self::Citizen(_) => NodeKind::Citizen,
            Self::Person(_) => NodeKind::Person,
            Self::Partnership(_) => NodeKind::Partnership,
            Self::Conversation(_) => NodeKind::Conversation,
            Self::Technical(_) => NodeKind::Technical,
            Self::Emotion(_) => NodeKind::Emotion,
            Self::Strategy(_) => NodeKind::Strategy,
            Self::Code(_) => NodeKind::Code,
            Self::Failure(_) => NodeKind::Failure,
            Self::Constraint(_) => NodeKind::Constraint,
        }
    }
}

/// The agent itself, or another one that it knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Citizen {
    /// Display name.
    pub name: String,
    /// What it is for.
    pub role: String,
    /// What it works on.
    pub focus_area: String,
    /// Whether it is still about.
    pub active: bool,
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Person {
    /// Display name.
    pub name: String,
    /// Who it is to the agent.
    pub role: String,
}

/// How the agent works with somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the specification names the field")]
pub struct Partnership {
    /// The partner; compared without case.
    pub partner_name: String,
    /// What the partner is.
    pub partner_role: String,
    /// 0 to 1.
    pub trust_level: f64,
    /// How they speak.
    pub communication_style: String,
    /// What binds them.
    pub relationship_type: String,
    /// What they have been through.
    pub shared_history: Vec<String>,
    /// For how long, in words.
    pub partnership_duration: String,
}

/// A conversation that was had.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationMemory {
    /// With whom; compared without case.
    pub partner: String,
    /// What it was about.
    pub topic: String,
    /// How many messages.
    pub message_count: u64,
    /// What was said that matters.
    pub key_points: Vec<String>,
    /// How it felt.
    pub emotional_tone: String,
    /// What came of it.
    pub outcome: String,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
}

/// A technical matter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TechnicalContext {
    /// Where it is.
    pub component: String,
    /// What kind of matter.
    pub issue_type: String,
    /// What it is.
    pub description: String,
    /// How it stands.
    pub status: String,
    /// How often it came back.
    pub recurrence_count: u64,
    /// Files.
    pub related_code: Vec<String>,
}

/// How something felt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmotionalState {
    /// Its name.
    pub emotion: String,
    /// 0 to 1.
    pub intensity: f64,
    /// In what situation.
    pub context: String,
    /// What stands against it.
    pub counterbalance: String,
    /// What calls it up.
    pub trigger_pattern: String,
}

/// An approach that works.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StrategyPattern {
    /// What to do.
    pub approach: String,
    /// 0 to 1.
    pub success_rate: f64,
    /// In order.
    pub steps: Vec<String>,
    /// When it fits.
    pub applicability: String,
}

/// A piece of code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CodeReference {
    /// Where it lies.
    pub file_path: String,
    /// What it does.
    pub description: String,
    /// How hard it is.
    pub complexity: String,
    /// What it needs.
    pub dependencies: Vec<String>,
}

/// An approach that did not work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FailedAttempt {
    /// In what situation.
    pub context: String,
    /// What was tried.
    pub approach: String,
    /// Why it did not work.
    pub why_failed: String,
    /// What to learn.
    pub lesson_learned: String,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
}

/// Something that binds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the specification names the field")]
pub struct Constraint {
    /// What kind: `deadline`, `budget`, ….
    pub constraint_type: String,
    /// What it says.
    pub description: String,
    /// How much it binds.
    pub severity: Severity,
    /// Until when, as it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// What follows if it is not kept.
    pub impact: String,
    /// Whether it still binds.
    pub status: ConstraintStatus,
}

/// How much a constraint binds, rising.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A wish.
    Low,
    /// To be kept.
    #[default]
    Medium,
    /// Harm follows.
    High,
    /// Nothing stands above it.
    Critical,
}

/// Whether a constraint still binds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstraintStatus {
    /// It does.
    #[default]
    Active,
    /// It was kept.
    Resolved,
    /// Somebody let it go.
    Waived,
}

/// The type of an edge, from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EdgeKind {
    /// Agent to partnership.
    HasPartnership,
    /// Agent to conversation.
    HasConversation,
    /// Conversation to person.
    WithPerson,
    /// Agent to technical matter.
    HasTechnicalContext,
    /// Agent to emotion.
    HasEmotionalState,
    /// Agent to strategy.
    KnowsStrategy,
    /// Technical matter to code.
    ReferencesCode,
    /// Agent to failed attempt.
    LearnedFromFailure,
    /// Agent to constraint.
    SubjectToConstraint,
    /// Code to code.
    DependsOn,
    /// Conversation to technical matter.
    AboutTopic,
}

impl EdgeKind {
    /// The types of node that it leads from and to.
    pub const fn ends(self) -> (NodeKind, NodeKind) {
        use NodeKind::{
            Citizen, Code, Constraint, Conversation, Emotion, Failure, Partnership, Person,
            Strategy, Technical,
        };
        match self {
            Self::HasPartnership => (Citizen, Partnership),
            Self::HasConversation => (Citizen, Conversation),
            Self::WithPerson => (Conversation, Person),
            Self::HasTechnicalContext => (Citizen, Technical),
            Self::HasEmotionalState => (Citizen, Emotion),
            Self::KnowsStrategy => (Citizen, Strategy),
            Self::ReferencesCode => (Technical, Code),
            Self::LearnedFromFailure => (Citizen, Failure),
            Self::SubjectToConstraint => (Citizen, Constraint),
            Self::DependsOn => (Code, Code),
            Self::AboutTopic => (Conversation, Technical),
        }
    }
}
