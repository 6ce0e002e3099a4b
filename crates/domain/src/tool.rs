//! Tools as minds see them: what a call may change, and how it ended.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What running a tool changes. It decides how a crash is survived (architecture, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Changes nothing: may run again at will.
    Read,
    /// Changes Abide's own state: staged as events, in force when the epoch commits.
    State,
    /// Changes something outside: intent before, outcome after, never repeated by itself unless idempotent.
    World,
}

impl EffectClass {
    /// Its word in events, in schemas and for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::State => "state",
            Self::World => "world",
        }
    }
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran and its result is the content.
    Ok,
    /// It failed; the content says why.
    Error,
    /// The process died between intent and outcome: nobody knows whether it ran.
    Unknown,
    /// A rule or a person refused it; it did not run.
    Denied,
}

/// A tool as a mind sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// `namespace.name`, at most [`crate::limits::TOOL_NAME_BYTES_MAX`] bytes of `[a-z0-9_.]`.
    pub name: String,
    /// One or two sentences for the model.
    pub description: String,
    /// JSON schema (an object schema) of the arguments.
    pub parameters: Value,
    /// What running it changes.
    pub effect: EffectClass,
    /// Whether running it twice with the same arguments and key is the same as once.
    pub idempotent: bool,
}
