//! What a turn carries beside its message, in the wire's own form: context, history, tools, steps and usage.

use std::sync::Arc;

use abide_domain::{
    CallId, EpochId, Timestamp,
    envelope::Channel,
    tool::{EffectClass, Outcome},
    turn::Usage,
};
use serde_json::Value;

use crate::{
    field::{ReadContext, Slot, WireValue, wire_map, word},
    field_error::FieldErrorCode,
    snapshot::Role,
    writer::Writer,
};

wire_map! {
    /// Everything that a turn needs beside the message. For versions 1 and 2 it is any map: all of it is in `extra`.
    TurnContext {
        /// The epoch.
        epoch_id: Option<EpochId>,
        /// From 1.
        turn: Option<u32>,
        /// From 1.
        attempt: Option<u32>,
        /// What did not fit in the last answer.
        repair: Option<Repair>,
        /// Where the message came from.
        channel: Option<Channel>,
        /// The conversation.
        session_id: Option<String>,
        /// When the message was sent.
        sent_at: Option<Timestamp>,
        /// What the agent is to know, as Markdown: what stays from message to message, an empty line, and the dated context
        /// object.
        system: Option<Arc<str>>,
        /// How many characters of it (Unicode scalar values) stay from message to message; the rest belongs to the message
        /// and goes after the history. Missing where an older keeper asks.
        stable_chars: Option<u64>,
        /// The zone in which times are shown, `Europe/Berlin`, `UTC` or `+02:00`.
        time_zone: Option<String>,
        /// Earlier exchanges, oldest first: a `user` entry, then the `assistant` entry that answers it.
        history (since V3): Vec<HistoryEntry>,
        /// The tools that may be called.
        tools (since V3): Vec<WireTool>,
        /// The turns of this epoch so far.
        steps (since V3): Vec<WireStep>,
        /// What the agent said last in this session.
        last_driver_output: Option<WireOutput>,
        /// How long the mind may think before its answer begins to come, and between two pieces of it, in milliseconds.
        deadline_ms: Option<u64>,
        /// How long it may think in all while pieces of its answer come (`process_delta`), in milliseconds; missing where an
        /// older keeper asks, which gives no such time.
        deadline_streaming_ms: Option<u64>,
        ..extra
    }

    /// What did not fit in the last answer.
    Repair {
        /// Where in the voice; empty for the whole.
        path: String,
        /// What is wrong and what would be right.
        message: String,
    }

    /// Half of an earlier exchange.
    HistoryEntry {
        /// Who said it.
        role: Role,
        /// The words.
        content: Arc<str>,
        /// The person or program of the exchange.
        sender: String,
        /// When, in conversational time.
        at: Timestamp,
        /// The epoch of the exchange.
        epoch_id: Option<EpochId>,
        /// Where it took place.
        channel: Option<Channel>,
    }

    /// A tool that may be called.
    WireTool {
        /// Its name.
        name: String,
        /// For the model.
        description: String,
        /// JSON schema of the arguments.
        parameters: Value,
        /// What running it changes; taken as `world` where it is not said.
        effect: Option<EffectClass>,
        /// Whether twice is the same as once.
        idempotent: Option<bool>,
    }

    /// A finished turn of the open epoch.
    WireStep {
        /// From 1.
        turn: u32,
        /// What the mind answered; each call has its `id`.
        voice: Value,
        /// What its calls gave, in their order.
        tool_results: Vec<WireResult>,
        /// What the answer brought for the model's provider, unchanged.
        provider_state: Option<Value>,
    }

    /// What one call gave.
    WireResult {
        /// The call.
        call_id: CallId,
        /// The tool.
        name: String,
        /// How it ended.
        outcome: Outcome,
        /// The result, as text for the prompt.
        content: Arc<str>,
    }

    /// What an agent said last.
    WireOutput {
        /// Its words.
        content: Arc<str>,
        /// When.
        timestamp: Timestamp,
    }

    /// Tokens and money of one attempt.
    WireUsage {
        /// All of the input, cached parts included.
        input_tokens: u64,
        /// The output, reasoning included.
        output_tokens: u64,
        /// Input that came from a cache.
        cached_tokens: Option<u64>,
        /// The model that answered.
        model: Option<String>,
        /// Millionths of a US dollar; missing where the price is unknown, which is not zero.
        cost_microusd: Option<u64>,
    }
}

const EFFECTS: [EffectClass; 3] = [EffectClass::Read, EffectClass::State, EffectClass::World];
const OUTCOMES: [Outcome; 4] = [Outcome::Ok, Outcome::Error, Outcome::Unknown, Outcome::Denied];

fn effect_name(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::Read => "read",
        EffectClass::State => "state",
        EffectClass::World => "world",
    }
}

fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Error => "error",
        Outcome::Unknown => "unknown",
        Outcome::Denied => "denied",
    }
}

impl WireValue for EffectClass {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        word(slot, reading, &EFFECTS, effect_name)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.text(effect_name(*self));
    }
}

impl WireValue for Outcome {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        word(slot, reading, &OUTCOMES, outcome_name)
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.text(outcome_name(*self));
    }
}

impl WireValue for CallId {
    fn read(slot: Slot<'_>, reading: &mut ReadContext) -> Option<Self> {
        let text = String::read(slot, reading)?;
        let parts = text.strip_prefix("call_").and_then(|rest| rest.split_once('_'));
        let id = parts
            .and_then(|(turn, index)| Some(Self::new(turn.parse().ok()?, index.parse().ok()?)));
        if id.is_none() {
            reading.problems.add(slot.path, FieldErrorCode::Value, "must be `call_<turn>_<index>`");
        }
        id
    }

    fn write(&self, out: &mut Writer<'_>) {
        out.text(self.as_str());
    }
}

impl WireUsage {
    /// Puts a usage on the wire.
    pub fn from_usage(usage: &Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_tokens: Some(usage.cached_tokens),
            model: Some(usage.model.clone()),
            cost_microusd: usage.cost_microusd,
        }
    }

    /// The usage of the domain.
    pub fn to_usage(&self) -> Usage {
        Usage {
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            cached_tokens: self.cached_tokens.unwrap_or(0),
            model: self.model.clone().unwrap_or_default(),
            cost_microusd: self.cost_microusd,
        }
    }
}
