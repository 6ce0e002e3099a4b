//! `tool.*`: intents and outcomes. The arguments stand in the `turn.completed` that asked for the call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_group;
use crate::{
    CallId,
    tool::{EffectClass, Outcome},
};

event_group! {
    /// Calls and their outcomes.
    ToolEvent {
        /// A call is about to run: the intent. Durable before anything outside changes.
        Requested(ToolRequested) = "tool.requested" v 1,
        /// A call ended: the outcome.
        Finished(ToolFinished) = "tool.finished" v 1,
        /// A tool keeps a value for the agent, or drops it. In force when the epoch commits.
        Kept(ToolKept) = "tool.kept" v 1,
    }
}

/// The intent to run a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRequested {
    /// The call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// What running it changes.
    pub effect: EffectClass,
    /// Whether it may run again when nobody knows whether it ran. Recorded, so that a later registry cannot change it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
}

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFinished {
    /// The call.
    pub call_id: CallId,
    /// How it ended.
    pub outcome: Outcome,
    /// Its result; empty where it is ethereal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// Where the result is too large or too fleeting to keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ethereal: Option<Ethereal>,
    /// How long it ran.
    pub duration_ms: u64,
}

/// A value that a tool keeps for an agent, such as a subscription; the newest of a key counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolKept {
    /// The tool's namespace, such as `rss`.
    pub namespace: String,
    /// Which value, at most [`crate::limits::KEPT_KEY_BYTES_MAX`] bytes.
    pub key: String,
    /// The value; none: it is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// What is kept of an ethereal result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ethereal {
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, hex.
    pub sha256: String,
    /// What stands in its place after the epoch.
    pub note: String,
}
