//! The eight queries over an agent's memory, and what they give back (decisions 6 to 8).
//!
//! These are values: what is asked and what came of it. It must never hold a way to write, nor a query beside the eight.
//! "Found", "empty" and "failed" are three things and never mixed: absence is claimed with full confidence only where
//! the lexical and the vector search both looked. The Dreamer asks, the store answers.
//!
//! Reading order: here the shapes; `parse` (from `{query, params}`); `view` (nodes and edges in force, in memory); `text`
//! (what of a node is searched); `confidence` (how sure an answer is).

use abide_domain::{
    EpochId, Timestamp,
    event::MemoryRef,
    graph::{ConversationMemory, EmotionalState, Node, NodeKind},
};
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::Value;

mod confidence;
mod parse;
mod query;
mod text;
mod view;

pub use parse::GraphQueryError;
pub use query::{GraphQuery, QUERY_ITEMS_MAX, QUERY_KEYWORDS_MAX, QUERY_TEXT_CHARS_MAX};

pub(crate) use confidence::{SearchCoverage, item_confidence};
pub(crate) use text::{holds_words, is_file, searchable_text};
pub(crate) use view::GraphView;

use crate::{Fact, Listener, RecalledPassage};

/// What a question is asked with, beside the question.
#[derive(Clone, Copy, Debug)]
pub struct Lead<'a> {
    /// The present, in conversational time.
    pub now: Timestamp,
    /// What the person said, if that is known: it ranks what a query finds more of than fits. May be empty.
    pub said: &'a str,
    /// Who asks, as a speaker is called: "I" and "my" are theirs.
    pub asker: Option<&'a str>,
    /// Who hears the answer: only what all of them may be told is looked at.
    pub listener: Listener<'a>,
    /// What the question means, if an embedder has looked at it.
    pub meaning: Option<QuestionVector<'a>>,
    /// The order in which an agent's own rule wants the passages that a question finds; none: as they were found.
    pub order: Option<&'a PassageOrder>,
}

/// An order of the passages that one question finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassageOrder {
    /// The question that it is for.
    pub question: String,
    /// The rows of passages, best first. Those that it does not name stand behind them.
    pub rows: Vec<u64>,
}

impl<'a> Lead<'a> {
    /// A lead of the keeper's owner by time alone: words decide.
    pub const fn at(now: Timestamp) -> Self {
        Self { now, said: "", asker: None, listener: Listener::OWNER, meaning: None, order: None }
    }

    /// The vector, if it is of that model: others cannot be compared.
    pub(crate) fn vector_of(&self, model: &str) -> Option<&'a [f32]> {
        self.meaning.filter(|meaning| meaning.model == model).map(|meaning| meaning.vector)
    }
}

/// A vector and the model that made it.
#[derive(Clone, Copy, Debug)]
pub struct QuestionVector<'a> {
    /// The id of the model ([`crate::KnowledgeHandle::embedding_state`] says which one the memory has).
    pub model: &'a str,
    /// The vector of the question.
    pub vector: &'a [f32],
}

/// How a query ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryStatus {
    /// At least one item was found.
    Found,
    /// Looked, and nothing is there.
    Empty,
    /// The memory could not be searched.
    Failed,
}

/// What a query gave: decision 7's form, `{status, found, data, confidence, query_time_ms, message}`.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryResult {
    /// Whether something was found.
    pub status: QueryStatus,
    /// What was found, best first; always a list.
    pub data: Vec<QueryItem>,
    /// 0 to 1: of what was found, or of that nothing is there; 0 of a failure.
    pub confidence: f64,
    /// How long it took.
    pub query_time_ms: f64,
    /// What is to be said about it; of a failure, why. May be empty.
    pub message: String,
}

impl QueryResult {
    /// A query that could not be asked or answered.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            status: QueryStatus::Failed,
            data: Vec::new(),
            confidence: 0.0,
            query_time_ms: 0.0,
            message: message.into(),
        }
    }
}

impl Serialize for QueryResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(6))?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("found", &(self.status == QueryStatus::Found))?;
        map.serialize_entry("data", &self.data)?;
        map.serialize_entry("confidence", &self.confidence)?;
        map.serialize_entry("query_time_ms", &self.query_time_ms)?;
        map.serialize_entry("message", &self.message)?;
        map.end()
    }
}

/// One thing that a query found: `{type, id, …fields, valid_from, valid_to, sources, strength, ref}`.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryItem {
    /// Its id: of a node as recorded, of a fact its uuid, of a conversation `conversation:<seq>`, of a felt moment
    /// `emotion:<seq>`.
    pub id: String,
    /// The item itself.
    pub body: ItemBody,
    /// Since when it is so.
    pub valid_from: Timestamp,
    /// Until when, if it ended.
    pub valid_to: Option<Timestamp>,
    /// The epochs that it stems from.
    pub sources: Vec<EpochId>,
    /// 0 to 1: how much of the question is really there; 1 where it was named exactly.
    pub strength: f64,
    /// By what it is named in an exploration: [`crate::KnowledgeHandle::resolve`] gives it again at any later time.
    pub reference: MemoryRef,
}

/// What a query can find.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemBody {
    /// A node that somebody recorded.
    Node(Node),
    /// A fact (queries 1 and 3).
    Fact(Box<Fact>),
    /// A conversation that was really had: exchanges of one session without an hour's pause (query 2).
    Conversation {
        /// In the fields of a recorded one. Its topic are its keywords, its key points what fits best.
        memory: ConversationMemory,
        /// The passages that fit, best first; the newest exchange's where nothing was asked. Never empty.
        passages: Vec<RecalledPassage>,
    },
    /// A state that a committed epoch ended in (query 4).
    EpochEmotion(EmotionalState),
    /// A file that was found by an edge from or to the one that was asked for (query 6).
    Linked {
        /// The node of the file.
        node: Node,
        /// `dependency` or `dependent`.
        relation: &'static str,
    },
}

impl ItemBody {
    /// The specification's name of its type; `Fact` for facts.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Node(node) | Self::Linked { node, .. } => node.kind().as_str(),
            Self::Fact(_) => "Fact",
            Self::Conversation { .. } => NodeKind::Conversation.as_str(),
            Self::EpochEmotion(_) => NodeKind::Emotion.as_str(),
        }
    }

    /// The node, if it is a recorded one.
    pub const fn node(&self) -> Option<&Node> {
        match self {
            Self::Node(node) | Self::Linked { node, .. } => Some(node),
            Self::Fact(_) | Self::Conversation { .. } | Self::EpochEmotion(_) => None,
        }
    }

    /// The felt state, recorded or not.
    pub const fn emotion(&self) -> Option<&EmotionalState> {
        match self {
            Self::EpochEmotion(state) | Self::Node(Node::Emotion(state)) => Some(state),
            _ => None,
        }
    }

    /// The conversation, recorded or not.
    pub const fn conversation(&self) -> Option<&ConversationMemory> {
        match self {
            Self::Conversation { memory, .. } | Self::Node(Node::Conversation(memory)) => {
                Some(memory)
            }
            _ => None,
        }
    }
}

impl Serialize for QueryItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.body.type_name())?;
        map.serialize_entry("id", &self.id)?;
        for (name, value) in self.body.fields().map_err(serde::ser::Error::custom)? {
            map.serialize_entry(&name, &value)?;
        }
        map.serialize_entry("valid_from", &self.valid_from)?;
        map.serialize_entry("valid_to", &self.valid_to)?;
        map.serialize_entry("sources", &self.sources)?;
        map.serialize_entry("strength", &self.strength)?;
        map.serialize_entry("ref", &self.reference)?;
        map.end()
    }
}

impl ItemBody {
    fn fields(&self) -> serde_json::Result<serde_json::Map<String, Value>> {
        let value = match self {
            Self::Node(node) | Self::Linked { node, .. } => serde_json::to_value(node)?,
            Self::Fact(fact) => serde_json::json!({
                "content": fact.content,
                "category": fact.category,
                "tags": fact.tags,
                "confidence": fact.confidence,
                "told_by": fact.told_by,
                "trusted": fact.trusted,
            }),
            Self::Conversation { memory, .. } => serde_json::to_value(memory)?,
            Self::EpochEmotion(state) => serde_json::to_value(state)?,
        };
        let Value::Object(mut fields) = value else { return Ok(serde_json::Map::new()) };
        // The item says it already.
        fields.remove("type");
        match self {
            Self::Conversation { passages, .. } => {
                fields.insert("passages".into(), serde_json::to_value(passages)?);
            }
            Self::Linked { relation, .. } => {
                fields.insert("relation".into(), (*relation).into());
            }
            _ => {}
        }
        Ok(fields)
    }
}
