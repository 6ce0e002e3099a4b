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
        /// A tool that the agent made asks for another one, within its own call. Durable before anything outside changes.
        InnerRequested(InnerToolRequested) = "tool.inner_requested" v 1,
        /// What it got.
        InnerFinished(InnerToolFinished) = "tool.inner_finished" v 1,
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

/// A call that the body of a tool makes which the agent made for itself; no move of the epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InnerToolRequested {
    /// The call whose tool asks.
    pub call_id: CallId,
    /// The how-manieth it asks for in that call, from 1.
    pub n: u32,
    /// The tool that is asked for.
    pub name: String,
    /// What it is asked.
    pub arguments: Value,
    /// What running it changes.
    pub effect: EffectClass,
}

/// The outcome of a call within a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InnerToolFinished {
    /// The call whose tool asked.
    pub call_id: CallId,
    /// The how-manieth it asked for.
    pub n: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Its result; empty where it is not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// Why the result is not kept, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How long it ran.
    pub duration_ms: u64,
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
