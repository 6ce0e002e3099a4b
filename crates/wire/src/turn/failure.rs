//! Why a mind gave no usable answer, as an error frame and back.

use std::time::Duration;

use abide_domain::{
    turn::{MindError, Usage},
    voice::{AnswerFault, VoiceError},
};
use serde_json::{Value, json};

use crate::{
    from_agent::{AgentError, AgentErrorBody},
    turn_context::WireUsage,
};

/// Codes of error frames that this system gives a meaning. Agents may send others.
pub mod error_code {
    /// The provider is overloaded.
    pub const MODEL_OVERLOADED: &str = "MODEL_OVERLOADED";
    /// Too many requests; `retry_after_ms` says how long to wait.
    pub const MODEL_RATE_LIMITED: &str = "MODEL_RATE_LIMITED";
    /// No money: pauses the agent.
    pub const MODEL_MONEY_OUT: &str = "MODEL_MONEY_OUT";
    /// The model declined to answer.
    pub const MODEL_REFUSED: &str = "MODEL_REFUSED";
    /// The prompt does not fit the model's window.
    pub const CONTEXT_TOO_LONG: &str = "CONTEXT_TOO_LONG";
    /// The model's answer is not a valid voice; `context` holds the path.
    pub const BAD_VOICE: &str = "BAD_VOICE";
    /// The provider takes no such request: asking again cannot help.
    pub const MODEL_REJECTED: &str = "MODEL_REJECTED";
    /// The provider could not be reached or broke off.
    pub const MODEL_UNAVAILABLE: &str = "MODEL_UNAVAILABLE";

    /// Keeper: the frame is not a message, or breaks a rule; `details.path` says where.
    pub const INVALID_MESSAGE: &str = "INVALID_MESSAGE";
    /// Keeper: the version is not supported.
    pub const UNSUPPORTED_VERSION: &str = "UNSUPPORTED_VERSION";
    /// Keeper: a checkpoint could not be made durable; the old one stays.
    pub const CHECKPOINT_FAILED: &str = "CHECKPOINT_FAILED";
    /// Keeper: the WAL is at its limit until a checkpoint comes.
    pub const WAL_FULL: &str = "WAL_FULL";
    /// Keeper: a WAL sequence does not follow.
    pub const SEQUENCE_GAP: &str = "SEQUENCE_GAP";
    /// Keeper: the sender's run is over.
    pub const STALE_RUN: &str = "STALE_RUN";
    /// Keeper: longer than its limit.
    pub const TOO_LARGE: &str = "TOO_LARGE";
    /// Keeper: more of it than is taken; `details.retry_after_ms` says how long to wait.
    pub const TOO_OFTEN: &str = "TOO_OFTEN";
    /// Keeper: the message comes too early.
    pub const NOT_READY: &str = "NOT_READY";
}

use error_code as code;

impl AgentError {
    /// An error that belongs to no request and ends nothing.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        let error = AgentErrorBody {
            code: code.into(),
            message: message.into(),
            stack_trace: None,
            context: None,
            retry_after_ms: None,
        };
        Self { error, request_id: None, fatal: None, usage: None }
    }

    /// Puts a mind's error on the wire; it ends the attempt.
    pub fn from_mind_error(request_id: impl Into<String>, error: &MindError) -> Self {
        let (code, message) = match error {
            MindError::Overloaded { message } => (code::MODEL_OVERLOADED, message),
            MindError::RateLimited { message, .. } => (code::MODEL_RATE_LIMITED, message),
            MindError::MoneyOut { message } => (code::MODEL_MONEY_OUT, message),
            MindError::Refused { message, .. } => (code::MODEL_REFUSED, message),
            MindError::ContextTooLong { message } => (code::CONTEXT_TOO_LONG, message),
            MindError::BadVoice { problem, .. } => (code::BAD_VOICE, &problem.message),
            // Nor is either asked again.
            MindError::Rejected { message }
            | MindError::PerhapsTooLong { message }
            | MindError::OutcomeUnknown { message } => (code::MODEL_REJECTED, message),
            // No process can tell of its own end; whoever speaks for another says that it is not there.
            MindError::Unavailable { message }
            | MindError::BrokenOff { message, .. }
            | MindError::ProcessFailed { message }
            | MindError::ProcessEnded { message }
            | MindError::Crashed { message } => (code::MODEL_UNAVAILABLE, message),
        };
        let mut sent = Self::new(code, message);
        sent.request_id = Some(request_id.into());
        match error {
            MindError::RateLimited { retry_after: Some(wait), .. } => {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                sent.error.retry_after_ms = Some(wait_ms);
            }
            MindError::PerhapsTooLong { .. } => {
                sent.error.context = Some(json!({"perhaps_too_long": true}));
            }
            MindError::BrokenOff { usage, .. } | MindError::Refused { usage, .. } => {
                sent.usage = Some(WireUsage::from_usage(usage));
            }
            MindError::BadVoice { problem, usage } => {
                sent.usage = Some(WireUsage::from_usage(usage));
                sent.error.context = Some(context_of(problem));
            }
            _ => {}
        }
        sent
    }

    /// The mind's error that ends the attempt. A code that says nothing about a model is the process's own.
    pub fn to_mind_error(&self) -> MindError {
        let AgentErrorBody { code, context, retry_after_ms, .. } = &self.error;
        let message = self.error.message.clone();
        match code.as_str() {
            code::MODEL_OVERLOADED => MindError::Overloaded { message },
            code::MODEL_RATE_LIMITED => MindError::RateLimited {
                message,
                retry_after: retry_after_ms.map(Duration::from_millis),
            },
            code::MODEL_MONEY_OUT => MindError::MoneyOut { message },
            code::MODEL_REFUSED => MindError::Refused { message, usage: self.read_usage() },
            code::CONTEXT_TOO_LONG => MindError::ContextTooLong { message },
            code::BAD_VOICE => {
                let problem = problem_of(context.as_ref().unwrap_or(&Value::Null), message);
                MindError::BadVoice { problem, usage: self.read_usage() }
            }
            code::MODEL_REJECTED => {
                let said = context.as_ref().and_then(|context| context.get("perhaps_too_long"));
                if said.and_then(Value::as_bool) == Some(true) {
                    MindError::PerhapsTooLong { message }
                } else {
                    MindError::Rejected { message }
                }
            }
            // What had begun has cost something.
            code::MODEL_UNAVAILABLE if self.usage.is_some() => {
                MindError::BrokenOff { message, usage: self.read_usage() }
            }
            code::MODEL_UNAVAILABLE => MindError::Unavailable { message },
            other => MindError::ProcessFailed {
                message: format!("the agent's process reported {other}: {message}"),
            },
        }
    }

    /// Whether the error ends the open turn.
    pub fn ends_turn(&self, open_request: &str) -> bool {
        self.fatal == Some(true) || self.request_id.as_deref() == Some(open_request)
    }

    fn read_usage(&self) -> Usage {
        self.usage.as_ref().map(WireUsage::to_usage).unwrap_or_default()
    }
}

/// Where a voice does not fit, and what people are told of it, as far as the path does not say that.
fn context_of(problem: &VoiceError) -> Value {
    let path = &problem.path;
    match problem.fault {
        AnswerFault::Form | AnswerFault::Calls => json!({"path": path}),
        AnswerFault::LargeCall => json!({"path": path, "fault": "large_call"}),
        AnswerFault::Empty => json!({"path": path, "fault": "empty"}),
        AnswerFault::TooLong => json!({"path": path, "fault": "too_long"}),
        AnswerFault::CutOff { tokens_max } => {
            json!({"path": path, "fault": "cut_off", "tokens_max": tokens_max})
        }
    }
}

fn problem_of(context: &Value, message: String) -> VoiceError {
    let text = |name: &str| context.get(name).and_then(Value::as_str);
    let problem = VoiceError::new(text("path").unwrap_or_default(), message);
    match text("fault") {
        Some("large_call") => problem.of(AnswerFault::LargeCall),
        Some("empty") => problem.of(AnswerFault::Empty),
        Some("too_long") => problem.of(AnswerFault::TooLong),
        Some("cut_off") => {
            let tokens_max = context.get("tokens_max").and_then(Value::as_u64);
            let tokens_max = tokens_max.and_then(|max| u32::try_from(max).ok());
            problem.of(AnswerFault::CutOff { tokens_max })
        }
        _ => problem,
    }
}
