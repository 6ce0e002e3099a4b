//! What the built-in agent logs before it acts: five operations, three of them the specification's.

use abide_sdk::{Entry, StateError, pack, unpack};
use abide_wire::{Raw, Role};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A logged operation with its parameters.
#[derive(Debug)]
pub(crate) enum Operation {
    /// A mind remembered something.
    MemoryAdd(MemoryAddition),
    /// A mind forgot something.
    MemoryRemove(MemoryRemoval),
    /// A tool is new or has changed.
    ToolRegister(ToolRegistration),
    /// The agent's status changed.
    StateUpdate(StatusUpdate),
    /// A part of a message or of an answer.
    ConversationAdd(ConversationPart),
}

/// Parameters of `memory_add`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MemoryAddition {
    pub(crate) content: String,
    pub(crate) metadata: Value,
    pub(crate) importance: f64,
}

/// Parameters of `memory_remove`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MemoryRemoval {
    pub(crate) fact_id: String,
}

/// Parameters of `tool_register`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ToolRegistration {
    pub(crate) name: String,
    pub(crate) params: Vec<String>,
    pub(crate) doc: String,
    #[serde(rename = "unsafe")]
    pub(crate) is_unsafe: bool,
}

/// Parameters of `state_update`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StatusUpdate {
    pub(crate) status: String,
    pub(crate) context: StatusContext,
}

/// The attempt at which the status changes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StatusContext {
    pub(crate) epoch: String,
    pub(crate) turn: u32,
    pub(crate) attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answered: Option<TurnOutcome>,
}

/// How an attempt ended: counted in the state's metrics.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct TurnOutcome {
    pub(crate) ok: bool,
    pub(crate) latency_ms: u64,
}

/// Parameters of `conversation_add`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ConversationPart {
    pub(crate) role: String,
    pub(crate) content: String,
    pub(crate) timestamp: i64,
    pub(crate) epoch: String,
    /// From 0.
    pub(crate) part: usize,
}

impl ConversationPart {
    pub(crate) fn role(&self) -> Role {
        if self.role == Role::User.as_str() { Role::User } else { Role::Assistant }
    }
}

impl Operation {
    /// Reads an entry.
    pub(crate) fn read(entry: &Entry) -> Result<Self, StateError> {
        Ok(match entry.operation.as_str() {
            "memory_add" => Self::MemoryAdd(params(entry)?),
            "memory_remove" => Self::MemoryRemove(params(entry)?),
            "tool_register" => Self::ToolRegister(params(entry)?),
            "state_update" => Self::StateUpdate(params(entry)?),
            "conversation_add" => Self::ConversationAdd(params(entry)?),
            other => {
                return Err(StateError::new(format!(
                    "the operation `{other}` is not known to this version of the agent"
                )));
            }
        })
    }

    /// The entry's name and parameters.
    pub(crate) fn pack(&self) -> Result<(String, Raw), StateError> {
        let (name, params) = match self {
            Self::MemoryAdd(params) => ("memory_add", pack(params)),
            Self::MemoryRemove(params) => ("memory_remove", pack(params)),
            Self::ToolRegister(params) => ("tool_register", pack(params)),
            Self::StateUpdate(params) => ("state_update", pack(params)),
            Self::ConversationAdd(params) => ("conversation_add", pack(params)),
        };
        Ok((name.to_owned(), params?))
    }
}

fn params<T: DeserializeOwned>(entry: &Entry) -> Result<T, StateError> {
    unpack(&entry.params)
}
