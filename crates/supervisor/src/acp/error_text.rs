//! An agent's own errors and last words, for people.

use agent_client_protocol::{Error as AcpError, ErrorCode};

use crate::stderr::LastWords;

/// Longest message of an agent's error that is passed on, in characters.
const MESSAGE_CHARS_MAX: usize = 1_000;
/// Last lines of stderr that whoever asked is shown.
const LINES_SHOWN: usize = 3;

/// The text of an agent's error.
pub(super) fn format_agent_error(error: &AcpError) -> String {
    let text = match &error.data {
        Some(serde_json::Value::String(more)) => format!("{}: {more}", error.message),
        Some(more) => format!("{} {more}", error.message),
        None => error.message.clone(),
    };
    let text: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
    if error.code == ErrorCode::AUTH_REQUIRED {
        format!("the agent must be logged in first, by its own means ({text})")
    } else {
        format!("the agent answered with an error ({}: {text})", i32::from(error.code))
    }
}

/// The last lines of stderr, as the end of a sentence; empty where there are none.
pub(super) fn format_last_words(words: &LastWords) -> String {
    let lines = words.lines();
    let last = lines.get(lines.len().saturating_sub(LINES_SHOWN)..).unwrap_or_default();
    if last.is_empty() {
        String::new()
    } else {
        format!("; the last lines on its stderr: {}", last.join(" / "))
    }
}
