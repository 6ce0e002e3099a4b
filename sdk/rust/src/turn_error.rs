//! The error with which a handler ends its turn.

use std::{error::Error, fmt, time::Duration};

use abide_domain::turn::{MindError, Usage};
use abide_wire::{AgentError, WireUsage};
use serde_json::Value;

use crate::{limits::STACK_TRACE_CHARS_MAX, state::chain};

/// The code of a failure that has none of its own.
pub(crate) const EVAL_ERROR: &str = "EVAL_ERROR";
/// The code of a turn that was withdrawn.
pub(crate) const CANCELLED: &str = "CANCELLED";

/// Ends a turn without an answer. Any error becomes one by `?`: a [`MindError`] with its meaning, another as
/// `EVAL_ERROR` with its causes. The agent goes on.
#[derive(Clone, PartialEq)]
pub struct TurnError(Box<AgentError>);

impl TurnError {
    /// A failure with a code: one of [`abide_wire::error_code`], which have a meaning for the keeper, or any other.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Box::new(AgentError::new(code, message)))
    }

    /// Says how long to wait, with `MODEL_RATE_LIMITED`.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.error.retry_after_ms = u64::try_from(wait.as_millis()).ok();
        self
    }

    /// Adds context: an object. With `BAD_VOICE` its `path` names the part that does not fit.
    #[must_use]
    pub fn context(mut self, context: Value) -> Self {
        self.0.error.context = Some(context);
        self
    }

    /// Says what the failed attempt cost.
    #[must_use]
    pub fn usage(mut self, usage: &Usage) -> Self {
        self.0.usage = Some(WireUsage::from_usage(usage));
        self
    }

    /// The code, such as `EVAL_ERROR`.
    pub fn code(&self) -> &str {
        &self.0.error.code
    }

    /// The error frame that ends an attempt.
    pub(crate) fn into_frame(mut self, request_id: &str) -> AgentError {
        self.0.request_id = Some(request_id.to_owned());
        *self.0
    }
}

impl fmt::Debug for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TurnError({}: {})", self.0.error.code, self.0.error.message)
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for TurnError {
    fn from(error: E) -> Self {
        let any: &(dyn Error + 'static) = &error;
        if let Some(mind) = any.downcast_ref::<MindError>() {
            return Self(Box::new(AgentError::from_mind_error("", mind)));
        }
        let mut turn_error = Self::new(EVAL_ERROR, error.to_string());
        let causes =
            error.source().map(|cause| chain(cause).chars().take(STACK_TRACE_CHARS_MAX).collect());
        turn_error.0.error.stack_trace = causes;
        turn_error
    }
}

#[cfg(test)]
mod tests {
    use std::{io, time::Duration};

    use abide_domain::turn::{MindError, Usage};
    use abide_domain::voice::VoiceError;

    use super::TurnError;

    #[test]
    fn a_minds_error_keeps_its_meaning() {
        let usage = Usage { input_tokens: 3, ..Usage::default() };
        for error in [
            MindError::RateLimited {
                message: "429".into(),
                retry_after: Some(Duration::from_secs(2)),
            },
            MindError::MoneyOut { message: "empty".into() },
            MindError::Refused { message: "no".into(), usage: usage.clone() },
            MindError::BadVoice { problem: VoiceError::new("thought", "is a list"), usage },
        ] {
            let sent = TurnError::from(error.clone()).into_frame("r1");
            assert_eq!((sent.to_mind_error(), sent.request_id.as_deref()), (error, Some("r1")));
        }
    }

    #[test]
    fn another_error_is_told_with_its_causes() {
        let cause = io::Error::other(io::Error::other("the disk is gone"));
        let sent = TurnError::from(cause).into_frame("r1");
        assert_eq!(sent.error.code, "EVAL_ERROR");
        assert!(sent.error.message.contains("the disk is gone"));
    }
}
