//! `turn.*`: attempts at turns. Each time a mind is asked is an attempt; only the newest attempt's answer counts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_group;
use crate::{CallId, turn::Usage, voice::VoiceError};

event_group! {
    /// Attempts at turns.
    TurnEvent {
        /// A mind is asked.
        Started(TurnStarted) = "turn.started" v 1,
        /// A mind answered with a voice that fits.
        Completed(TurnCompleted) = "turn.completed" v 1,
        /// An attempt gave nothing usable; the turn is asked again, or the epoch ends.
        Failed(TurnFailed) = "turn.failed" v 1,
    }
}

/// An attempt begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnStarted {
    /// From 1.
    pub turn: u32,
    /// From 1.
    pub attempt: u32,
    /// Whether this attempt repairs a voice that did not fit; the problem stands in the `turn.failed` before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repair: bool,
}

/// A mind answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnCompleted {
    /// From 1.
    pub turn: u32,
    /// The attempt that answered.
    pub attempt: u32,
    /// What it said.
    pub voice: VoiceRecord,
    /// What it cost.
    pub usage: UsageRecord,
}

/// An attempt failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnFailed {
    /// From 1.
    pub turn: u32,
    /// The attempt that failed.
    pub attempt: u32,
    /// `bad_voice`, `deadline`, `overloaded`, `rate_limited`, `money_out`, `refused`, `context_too_long`, `rejected`, `crashed`,
    /// `outcome_unknown`,
    /// `unavailable`, `paged`, `process_failed`, `perhaps_too_long` (rejected for a reason that is not known, with a long
    /// prompt), `stopped` (the epoch was ended while it was asked), `process_ended` (by order: a restart, a park), `suspended`
    /// (the machine or the keeper stood still meanwhile).
    pub code: String,
    /// Why, for people.
    pub message: String,
    /// What the model is told to repair, for `bad_voice`; `message` where it is missing, as in older ledgers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
    /// Where the voice does not fit, for `bad_voice`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it cost all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageRecord>,
}

impl TurnFailed {
    /// The problem that a repair turn is told, where this failure was a voice that did not fit.
    pub fn problem(&self) -> Option<VoiceError> {
        let told = self.repair.as_ref().unwrap_or(&self.message);
        (self.code == "bad_voice")
            .then(|| VoiceError::new(self.path.clone().unwrap_or_default(), told))
    }
}

/// A voice as the ledger keeps it, with the calls numbered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoiceRecord {
    /// Reasoning; removed wherever thoughts were not asked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thought: String,
    /// How the mind feels.
    pub emotive_state: String,
    /// The calls, each with the engine's id for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<VoiceCall>,
    /// The reply, or interim words beside calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
}

/// A call that a mind asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoiceCall {
    /// The engine's id for it.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// Its arguments, an object.
    pub arguments: Value,
}

/// Tokens and money of an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageRecord {
    /// All input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens from a cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Millionths of a US dollar; null where the price is unknown.
    pub cost_microusd: Option<u64>,
}

impl UsageRecord {
    /// Two costs together, of which either may be missing. An unknown price makes the sum's unknown; the model is the last
    /// one's.
    pub fn sum(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let (Some(a), Some(b)) = (&a, &b) else { return a.or(b) };
        Some(Self {
            input_tokens: a.input_tokens.saturating_add(b.input_tokens),
            output_tokens: a.output_tokens.saturating_add(b.output_tokens),
            cached_tokens: a.cached_tokens.saturating_add(b.cached_tokens),
            model: b.model.clone(),
            cost_microusd: a.cost_microusd.zip(b.cost_microusd).map(|(a, b)| a.saturating_add(b)),
        })
    }
}

impl From<Usage> for UsageRecord {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, cached_tokens, model, cost_microusd } = usage;
        Self { input_tokens, output_tokens, cached_tokens, model, cost_microusd }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}
