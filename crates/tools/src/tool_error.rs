//! Why a call failed, and the parsing of its arguments.

use serde::Deserialize;
use serde_json::Value;

/// Says to the mind why a call failed: what is wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// The message.
    pub message: String,
}

impl ToolError {
    /// A failure with a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Parses the arguments of a call into a tool's own type.
pub(crate) fn parse_arguments<'a, T: Deserialize<'a>>(
    arguments: &'a Value,
) -> Result<T, ToolError> {
    T::deserialize(arguments)
        .map_err(|error| ToolError::new(format!("the arguments are not valid: {error}")))
}
