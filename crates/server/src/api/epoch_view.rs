//! An epoch as HTTP shows it. Thoughts only where they were asked for.

use abide_domain::{
    epoch::EpochState,
    event::{UsageRecord, VoiceCall},
    tool::{EffectClass, Outcome},
};
use abide_engine::state::{CallRecord, EpochRecord, TurnRecord};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{context_view::ContextView, error::ApiError, input::Params};

/// What is shown beyond the default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EpochViewOptions {
    has_thoughts: bool,
}

impl EpochViewOptions {
    /// As the query asks.
    pub(crate) fn of(params: &Params) -> Result<Self, ApiError> {
        Ok(Self { has_thoughts: params.is_set("thoughts")? })
    }
}

/// An epoch.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct EpochView {
    /// Its id.
    epoch_id: String,
    /// The agent that works on it.
    citizen: String,
    /// The conversation.
    session_id: String,
    /// `queued`, `open`, `executing`, `committed` or `aborted`.
    state: &'static str,
    /// What it answers.
    stimulus: StimulusView,
    /// The reply, once it is committed.
    final_response: Option<String>,
    /// How the mind felt in its newest turn.
    emotive_state: Option<String>,
    /// Why it ended without a reply.
    abort: Option<AbortView>,
    /// Its completed turns.
    turns: Vec<TurnView>,
    /// What it cost, failed attempts included.
    usage: UsageView,
    /// When its lane opened it.
    opened_at: Option<String>,
    /// When it ended.
    ended_at: Option<String>,
    /// Its first and last event in the ledger.
    seq: [u64; 2],
    /// What the mind was shown; only with `?context=1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<ContextView>,
}

/// A stimulus.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct StimulusView {
    content: String,
    sender: String,
    channel: &'static str,
    timestamp: String,
}

/// An end without a reply.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct AbortView {
    /// For programs.
    code: &'static str,
    /// For people.
    message: String,
}

/// A completed turn.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct TurnView {
    /// From 1.
    turn: u32,
    /// How the mind felt.
    emotive_state: String,
    /// Its reasoning; only with `?thoughts=1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<String>,
    /// What it said beside its calls; absent where it said nothing, or called nothing: what it said then is the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Its calls, in order.
    tool_calls: Vec<CallView>,
    /// What it cost.
    usage: UsageView,
}

/// A call.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct CallView {
    call_id: String,
    name: String,
    arguments: Value,
    /// `read`, `state` or `world`; null where it was never requested.
    effect: Option<EffectName>,
    /// How it ended; null while it runs.
    outcome: Option<OutcomeName>,
    /// Whether its result was too large or too short-lived to keep.
    ethereal: bool,
    duration_ms: Option<u64>,
    /// Its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// What is kept of an ethereal result.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// An effect class by its name.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String)]
struct EffectName(EffectClass);

/// An outcome by its name.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String)]
struct OutcomeName(Outcome);

/// Tokens and money.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct UsageView {
    input_tokens: u64,
    output_tokens: u64,
    /// Null where a price is unknown.
    cost_microusd: Option<u64>,
}

impl EpochView {
    /// An epoch as it stands.
    pub(crate) fn new(record: &EpochRecord, shown: EpochViewOptions) -> Self {
        let stimulus = &record.stimulus;
        let abort = record.abort.as_ref();
        Self {
            epoch_id: record.id.to_string(),
            citizen: record.agent.to_string(),
            session_id: stimulus.session_id.clone(),
            state: state_name(&record.state),
            stimulus: StimulusView {
                content: stimulus.content.to_string(),
                sender: stimulus.sender.clone(),
                channel: stimulus.channel.as_str(),
                timestamp: stimulus.sent_at.to_string(),
            },
            // A reply is one only when it is committed: until then the epoch may still be aborted.
            final_response: record
                .reply()
                .filter(|_| record.state == EpochState::Committed)
                .map(str::to_owned),
            emotive_state: record.turns.last().map(|turn| turn.voice.emotive_state.clone()),
            abort: abort.map(|abort| AbortView {
                code: abort.code.as_str(),
                message: abort.message.clone(),
            }),
            turns: record.turns.iter().map(|turn| TurnView::new(turn, shown)).collect(),
            usage: UsageView::new(&record.usage),
            opened_at: record.opened_at.map(|at| at.to_string()),
            ended_at: record.ended_at.map(|at| at.to_string()),
            seq: [record.accepted_seq, record.last_seq],
            context: None,
        }
    }

    /// The same with what the mind was shown.
    pub(crate) fn with_context(self, context: Option<ContextView>) -> Self {
        Self { context, ..self }
    }
}

/// The state of an epoch in the specification's words.
fn state_name(state: &EpochState) -> &'static str {
    match state {
        EpochState::Queued => "queued",
        EpochState::Acting { .. } => "executing",
        EpochState::Committed => "committed",
        EpochState::Aborted => "aborted",
        _ => "open",
    }
}

impl TurnView {
    fn new(record: &TurnRecord, shown: EpochViewOptions) -> Self {
        let voice = &record.voice;
        let calls = voice.tool_calls.iter().zip(&record.calls);
        Self {
            turn: record.turn,
            emotive_state: voice.emotive_state.clone(),
            thought: shown.has_thoughts.then(|| voice.thought.clone()),
            text: voice
                .final_response
                .clone()
                .filter(|text| !voice.tool_calls.is_empty() && !text.is_empty()),
            tool_calls: calls.map(|(call, record)| CallView::new(call, record)).collect(),
            usage: UsageView::new(&record.usage),
        }
    }
}

impl CallView {
    fn new(call: &VoiceCall, record: &CallRecord) -> Self {
        let finished = record.finished.as_ref();
        let ethereal = finished.and_then(|finished| finished.ethereal.as_ref());
        Self {
            call_id: call.call_id.to_string(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            effect: record.requested.as_ref().map(|requested| EffectName(requested.effect)),
            outcome: finished.map(|finished| OutcomeName(finished.outcome)),
            ethereal: ethereal.is_some(),
            duration_ms: finished.map(|finished| finished.duration_ms),
            content: finished
                .filter(|_| ethereal.is_none())
                .map(|finished| finished.content.clone()),
            note: ethereal.map(|ethereal| ethereal.note.clone()),
        }
    }
}

impl UsageView {
    fn new(usage: &UsageRecord) -> Self {
        let UsageRecord { input_tokens, output_tokens, cost_microusd, .. } = *usage;
        Self { input_tokens, output_tokens, cost_microusd }
    }
}
