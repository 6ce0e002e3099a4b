//! Why a program failed, in words for whoever wrote it. A failure is an answer: it never ends the link.

use serde::{Deserialize, Serialize};

use crate::limits::FAILURE_BYTES_MAX;

/// A module could not be loaded, or a call of it gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}{message}", place(*line))]
pub struct ScriptError {
    /// What kind of failure it is.
    pub kind: ScriptErrorKind,
    /// What failed, at most [`FAILURE_BYTES_MAX`] bytes.
    pub message: String,
    /// The line of the module's code, from 1, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptErrorKind {
    /// The code cannot be read.
    Syntax,
    /// The code uses a name that is neither its own nor allowed.
    Refused,
    /// The code ran and failed.
    Runtime,
    /// The call's time was up.
    Time,
    /// The result is not what was asked for.
    Shape,
    /// The code or the result is larger than allowed.
    TooLarge,
}

impl ScriptError {
    /// A failure without a line; a long message is cut at the end of a character.
    pub(crate) fn new(kind: ScriptErrorKind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        message.truncate(message.floor_char_boundary(FAILURE_BYTES_MAX));
        Self { kind, message, line: None }
    }

    /// The same with the line that it is about.
    pub(crate) fn on_line(mut self, line: Option<u32>) -> Self {
        self.line = line;
        self
    }
}

/// Where it failed, before what did.
fn place(line: Option<u32>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}
