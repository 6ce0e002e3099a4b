//! One call of a mind: everything that it is given for one turn, and what comes back.
//!
//! These are values in memory. The agent wire, the providers and HTTP each have their own serialised form of them.

use std::{fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AgentId, CallId, EpochId, Timestamp, Zone,
    envelope::{Channel, DriverOutput},
    limits::PROVIDER_STATE_BYTES_MAX,
    tool::{Outcome, ToolSpec},
    voice::{Voice, VoiceError},
};

/// The input of one turn. A mind keeps nothing between calls: all that it may use is in here.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRequest {
    /// The agent that is asked.
    pub agent: AgentId,
    /// The epoch that the turn belongs to.
    pub epoch: EpochId,
    /// From 1.
    pub turn: u32,
    /// From 1; a turn is asked again after a crash, a failure or a repair.
    pub attempt: u32,
    /// Why the last answer to this turn could not be used; the mind is to repair it.
    pub repair: Option<VoiceError>,
    /// What stays from message to message: identity, rules and the person's standing wishes, as Markdown.
    pub system: Arc<str>,
    /// What holds at this moment: the dated context object, as Markdown. It goes with the message, after the history.
    pub context: Arc<str>,
    /// The zone in which times are shown.
    pub time_zone: Zone,
    /// Earlier exchanges, oldest first, within the token budget.
    pub history: Arc<[Exchange]>,
    /// The stimulus, verbatim.
    pub message: Arc<str>,
    /// Who sent it.
    pub sender: String,
    /// Where it came from.
    pub channel: Channel,
    /// The conversation that it belongs to.
    pub session_id: String,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// What the agent said last in this session.
    pub last_driver_output: Option<DriverOutput>,
    /// The tools that may be called.
    pub tools: Arc<[ToolSpec]>,
    /// The turns of this epoch so far, each with the results of its calls.
    pub steps: Vec<TurnStep>,
    /// How long the mind may think before its answer begins to come, and between two pieces of it.
    pub deadline: Duration,
    /// How long it may think in all while pieces of its answer come; never less than `deadline`.
    pub deadline_streaming: Duration,
}

/// One earlier exchange: a stimulus and the committed reply to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The epoch that it was.
    pub epoch: EpochId,
    /// Who spoke to the agent.
    pub sender: String,
    /// Where.
    pub channel: Channel,
    /// When the stimulus was sent.
    pub sent_at: Timestamp,
    /// What was said to the agent.
    pub stimulus: Arc<str>,
    /// What the agent answered.
    pub reply: Arc<str>,
    /// When, in conversational time (decision 4).
    pub replied_at: Timestamp,
}

impl Exchange {
    /// The line above what was said, as a mind is shown it.
    pub fn label(&self, zone: &Zone) -> String {
        message_label(&self.sender, self.channel, self.sent_at, zone)
    }
}

/// The line that opens a message: `[nicolas · telegram · Fri 2026-11-27 22:10 UTC]`. No line of a text of others opens like
/// it: see [`crate::text::without_labels`].
pub fn message_label(sender: &str, channel: Channel, at: Timestamp, zone: &Zone) -> String {
    format!("[{sender} · {channel} · {}]", zone.format_absolute(at))
}

/// A finished turn of the open epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnStep {
    /// From 1.
    pub turn: u32,
    /// What the mind answered.
    pub voice: Voice,
    /// What its calls gave, in the order of the calls: exactly one a call.
    pub results: Vec<ToolResult>,
    /// What the provider wants back with it.
    pub provider_state: Option<ProviderState>,
}

/// What a provider sends with an answer that calls tools and wants back, unchanged, with the results: signed or encrypted
/// reasoning, and the ids that it gave its calls. Nobody reads it but the dialect that made it, except for its `needed`; it lives
/// as long as its epoch and is never in the ledger.
#[derive(Clone, PartialEq)]
pub struct ProviderState {
    value: Arc<Value>,
    /// Its length as JSON.
    bytes: usize,
}

impl ProviderState {
    /// Takes what a provider sent. One that is longer than [`PROVIDER_STATE_BYTES_MAX`] is not kept.
    pub fn new(state: Value) -> Option<Self> {
        let bytes = state.to_string().len();
        (bytes <= PROVIDER_STATE_BYTES_MAX).then(|| Self { value: Arc::new(state), bytes })
    }

    /// What was sent.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Its length as JSON, in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the provider may refuse the next request without it: then it has to outlive a crash.
    pub fn is_needed(&self) -> bool {
        self.value.get("needed").and_then(Value::as_bool).unwrap_or(false)
    }
}

/// Shows no content: it is reasoning.
impl fmt::Debug for ProviderState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProviderState({} bytes)", self.bytes)
    }
}

/// What one tool call gave.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The call that it answers.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The result as text for the prompt: full while the epoch is open, the note where it is gone.
    pub content: Arc<str>,
}

/// What a mind answered, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The answer.
    pub voice: Voice,
    /// What it used.
    pub usage: Usage,
    /// What the provider wants back with the results of the calls.
    pub provider_state: Option<ProviderState>,
}

impl Thought {
    /// An answer with nothing for its provider.
    pub fn new(voice: Voice, usage: Usage) -> Self {
        Self { voice, usage, provider_state: None }
    }
}

/// Tokens and money of one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// All input tokens, cached ones included.
    pub input_tokens: u64,
    /// Output tokens, reasoning included.
    pub output_tokens: u64,
    /// Input tokens that came from a cache.
    pub cached_tokens: u64,
    /// The model that answered, as the provider names it; empty for minds without one.
    pub model: String,
    /// Millionths of a US dollar; `None` where the price is unknown, which is not zero.
    pub cost_microusd: Option<u64>,
}

/// Why a mind gave no usable answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MindError {
    /// The provider is overloaded; its own retries are spent.
    #[error("the model is overloaded: {message}")]
    Overloaded {
        /// The provider's message.
        message: String,
    },
    /// Too many requests; its own retries are spent.
    #[error("the model's rate limit is reached: {message}")]
    RateLimited {
        /// The provider's message.
        message: String,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The account has no money or has reached its spending limit: pauses the agent.
    #[error("the model's account is out of money: {message}")]
    MoneyOut {
        /// The provider's message.
        message: String,
    },
    /// The model declined to answer.
    #[error("the model refused: {message}")]
    Refused {
        /// The model's or provider's message.
        message: String,
        /// What the attempt cost.
        usage: Usage,
    },
    /// The prompt does not fit the model's window: shorten it and ask once more.
    #[error("the prompt is too long for the model: {message}")]
    ContextTooLong {
        /// The provider's message.
        message: String,
    },
    /// The request was rejected for a reason that is not known, and its prompt is long: shorten it once and ask again.
    #[error("the model rejected the request: {message}")]
    PerhapsTooLong {
        /// The provider's words, without secrets.
        message: String,
    },
    /// The answer had begun and broke off.
    #[error("the model did not finish its answer: {message}")]
    BrokenOff {
        /// What happened.
        message: String,
        /// What the attempt cost.
        usage: Usage,
    },
    /// The answer is not a valid voice: one repair turn follows.
    #[error("the model {}", problem.fault)]
    BadVoice {
        /// What does not fit.
        problem: VoiceError,
        /// What the attempt cost.
        usage: Usage,
    },
    /// The request was wrong (key, model name, parameters): asking again cannot help.
    #[error("the model rejected the request: {message}")]
    Rejected {
        /// The provider's words, without secrets.
        message: String,
    },
    /// The agent's process ended by itself while it was asked. Three of these and the stimulus is poison.
    #[error("the agent's process ended: {message}")]
    Crashed {
        /// How it ended.
        message: String,
    },
    /// The agent's process was ended by order while it was asked: a person restarted or parked it, it hibernates, or the keeper
    /// stops. Nothing is wrong with the stimulus.
    #[error("the agent's process was ended: {message}")]
    ProcessEnded {
        /// By whose order.
        message: String,
    },
    /// The agent's process is not there, does not come up, or reports an error that is about no model.
    #[error("{message}")]
    ProcessFailed {
        /// What happened, a sentence of its own.
        message: String,
    },
    /// A mind that acts on the world by itself was cut off, and asking again could do everything twice.
    #[error("the outcome is unknown: {message}")]
    OutcomeUnknown {
        /// What is known, and what a person should look at.
        message: String,
    },
    /// The connection failed, broke off or gave an unreadable answer.
    #[error("the model could not be reached or broke off: {message}")]
    Unavailable {
        /// What happened.
        message: String,
    },
}
