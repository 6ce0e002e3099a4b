//! Why a call failed, and the parsing of its arguments.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// Says to the mind why a call failed: what is wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What kind of failure it is.
    pub kind: ToolErrorKind,
    /// The message.
    pub message: String,
    /// How long to wait at least before the same is asked again, where that is known.
    pub retry_after: Option<Duration>,
}

/// What kind of failure a call ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolErrorKind {
    /// The call cannot be carried out as it was made.
    Invalid,
    /// What it names is not there.
    NotFound,
    /// What it names is several things.
    Ambiguous,
    /// What it would change is no longer what the caller saw.
    Conflict,
    /// A rule refuses it: a folder, an address or a command that is not allowed.
    Blocked,
    /// The service refuses it: a key is missing or wrong, or something is private.
    Forbidden,
    /// The service wants fewer calls.
    RateLimited,
    /// The service failed or did not answer. Nothing was changed.
    Upstream,
    /// The service answered what cannot be read.
    Unreadable,
    /// Nobody knows whether it took effect.
    Unknown,
}

impl ToolError {
    /// A failure with a message: the call cannot be carried out as it was made.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(ToolErrorKind::Invalid, message)
    }

    /// A failure of a kind, with a message.
    pub fn of(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None }
    }

    /// The same with the time to wait before the next try.
    #[must_use]
    pub fn after(self, wait: Option<Duration>) -> Self {
        Self { retry_after: wait, ..self }
    }

    /// Whether the same call may succeed a little later, though nobody changes anything.
    pub fn may_pass(&self) -> bool {
        use ToolErrorKind::{RateLimited, Unknown, Upstream};
        matches!(self.kind, RateLimited | Upstream | Unknown)
    }

    /// The words for the mind: the message, and how long to wait.
    pub fn to_text(&self) -> String {
        match self.retry_after {
            None => self.message.clone(),
            Some(wait) => format!("{} (try again in {} s)", self.message, wait.as_secs().max(1)),
        }
    }
}

/// Parses the arguments of a call into a tool's own type; the error names what does not fit.
pub fn parse_arguments<'a, T: Deserialize<'a>>(arguments: &'a Value) -> Result<T, ToolError> {
    T::deserialize(arguments)
        .map_err(|error| ToolError::new(format!("the arguments are not valid: {error}")))
}
