//! The only place that prints. Data goes to stdout, messages to stderr; text that others wrote cannot control the terminal:
//! an agent's text must not clear a person's screen, change the title of their window or write to their clipboard.

use std::io::{self, IsTerminal as _, Write as _};

use abide_domain::{escaped_json, visible};
use serde_json::{Value, json};

use super::error::CliError;
use crate::config::Environment;

/// Where a command's data and messages go.
#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    form: Form,
    has_color: bool,
    shows_data: bool,
}

/// The form of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

#[expect(clippy::unused_self, reason = "all output goes through the terminal")]
impl Terminal {
    /// The process's own streams.
    pub(crate) fn new(is_json: bool, environment: &Environment) -> Self {
        let has_color = environment.get("NO_COLOR").is_none()
            && environment.get("TERM") != Some("dumb")
            && io::stderr().is_terminal();
        let form = if is_json { Form::Json } else { Form::Text };
        Self { form, has_color, shows_data: io::stdout().is_terminal() }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// Whether stdin and stderr are a terminal.
    pub(crate) fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Prints text as data, a line. Where a person reads it, control characters are made visible.
    pub(crate) fn data(&self, text: &str) -> Result<(), CliError> {
        self.data_part(text)?;
        let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
        io::stdout().write_all(end)?;
        Ok(io::stdout().flush()?)
    }

    /// Prints a piece of text as data, without ending the line.
    pub(crate) fn data_part(&self, text: &str) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        if self.shows_data {
            out.write_all(visible(text).as_bytes())?;
        } else {
            out.write_all(text.as_bytes())?;
        }
        Ok(out.flush()?)
    }

    /// Prints a JSON value as data, on lines of its own. What is hidden in its texts is escaped, wherever it goes.
    pub(crate) fn json(&self, value: &Value) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        let text = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
        out.write_all(escaped_json(&text).as_bytes())?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Prints a JSON value as data, on one line.
    pub(crate) fn json_line(&self, value: &Value) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        let text = serde_json::to_string(value).map_err(io::Error::from)?;
        out.write_all(escaped_json(&text).as_bytes())?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Prints a message. An error of stderr is ignored.
    pub(crate) fn say(&self, text: &str) {
        self.say_part(&format!("{text}\n"));
    }

    /// Prints a message without ending the line, such as a prompt.
    pub(crate) fn say_part(&self, text: &str) {
        let mut err = io::stderr().lock();
        drop(err.write_all(visible(text).as_bytes()).and_then(|()| err.flush()));
    }

    /// Whether stderr is a terminal.
    pub(crate) fn is_watched(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Replaces the present line of stderr, without ending it. Only where stderr is a terminal.
    pub(crate) fn redraw(&self, line: &str) {
        if self.is_watched() {
            let mut err = io::stderr().lock();
            let line = format!("\r\x1b[2K{}", visible(line));
            drop(err.write_all(line.as_bytes()).and_then(|()| err.flush()));
        }
    }

    /// Prints a less important message.
    pub(crate) fn say_dimmed(&self, text: &str) {
        if self.has_color {
            let mut err = io::stderr().lock();
            drop(err.write_all(format!("\x1b[2m{}\x1b[0m\n", visible(text)).as_bytes()));
        } else {
            self.say(text);
        }
    }

    /// Prints what failed, why, and what to do next.
    pub(crate) fn error(&self, error: &CliError) {
        let Some(message) = error.message() else {
            return;
        };
        if self.is_json() {
            let error = json!({"error": {"message": message, "hint": error.next_step(), "exit": error.exit().code()}});
            self.say(&escaped_json(&error.to_string()));
            return;
        }
        self.say(&format!("abide: {message}"));
        if let Some(hint) = error.next_step() {
            self.say_dimmed(&format!("  {hint}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::visible;

    #[test]
    fn text_of_others_cannot_control_the_terminal() {
        assert_eq!(visible("a\tb\n\u{1b}[2J\u{7}é"), "a\tb\n⟦U+001B⟧[2J⟦U+0007⟧é");
        assert_eq!(visible("x\u{202e}y\r"), "x⟦U+202E⟧y⟦U+000D⟧");
    }
}
