//! The only place that prints. Data goes to stdout, messages to stderr; text that others wrote cannot control the terminal:
//! an agent's text must not clear a person's screen, change the title of their window or write to their clipboard.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use abide_domain::{Clock as _, escaped_json, visible};
use serde_json::{Value, json};

use super::{
    error::CliError,
    style::{Piece, Tone, painted},
    table::{Screen, Table, clip_columns},
};
use crate::{config::Environment, system::SystemClock};

/// Characters of a cell at a terminal, before its table is fitted.
const CELL_CHARS_MAX: usize = 400;
/// Longest answer that is read.
const ANSWER_BYTES_MAX: u64 = 1024;
/// Columns of a terminal that does not say how many it has.
const WIDTH_DEFAULT: usize = 80;

/// Where a command's data and messages go.
#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    form: Form,
    wants_color: bool,
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
        let wants_color =
            environment.get("NO_COLOR").is_none() && environment.get("TERM") != Some("dumb");
        let form = if is_json { Form::Json } else { Form::Text };
        Self { form, wants_color, shows_data: io::stdout().is_terminal() }
    }

    /// The terminal that a person reads data at; `None` where data goes elsewhere.
    pub(crate) fn screen(&self) -> Option<Screen> {
        if !self.shows_data {
            return None;
        }
        let width = columns_of(terminal_size::terminal_size_of(io::stdout()));
        Some(Screen { width, now: SystemClock::new().now() })
    }

    /// Characters of a cell: so many through a pipe, at a terminal as many as may have room.
    pub(crate) fn cell_chars(&self, through_pipe: usize) -> usize {
        if self.shows_data { CELL_CHARS_MAX } else { through_pipe }
    }

    /// Whether data is coloured.
    pub(crate) fn has_data_color(&self) -> bool {
        self.wants_color && self.shows_data
    }

    /// Whether messages are coloured.
    fn has_color(&self) -> bool {
        self.wants_color && io::stderr().is_terminal()
    }

    /// Prints a table as data: as wide as it needs through a pipe, as wide as the terminal where a person reads it.
    pub(crate) fn table(&self, table: &Table) -> Result<(), CliError> {
        self.lines(&table.lines(self.screen()))
    }

    /// Prints lines as data.
    pub(crate) fn lines(&self, lines: &[Vec<Piece>]) -> Result<(), CliError> {
        let mut text = String::new();
        for line in lines {
            text.push_str(&self.written(line));
            text.push('\n');
        }
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Prints pieces as data, without ending the line.
    pub(crate) fn pieces(&self, pieces: &[Piece]) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        out.write_all(self.written(pieces).as_bytes())?;
        Ok(out.flush()?)
    }

    fn written(&self, pieces: &[Piece]) -> String {
        if self.shows_data {
            return painted(pieces, self.wants_color);
        }
        pieces.iter().map(|(_, text)| text.as_str()).collect()
    }

    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// Whether stdin and stderr are a terminal.
    pub(crate) fn is_interactive(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks a person for a yes.
    pub(crate) fn agrees(&self, question: &str) -> Result<bool, CliError> {
        self.say_part(&format!("{question} [y/N]: "));
        let mut answer = String::new();
        let mut line = io::stdin().lock().take(ANSWER_BYTES_MAX);
        line.read_line(&mut answer).map_err(|error| {
            CliError::new("the terminal cannot be read")
                .caused_by(&error)
                .hint("--yes asks nothing")
        })?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
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

    /// Replaces the present line of stderr, without ending it, by one that fits its width. Only where stderr is a terminal.
    pub(crate) fn redraw(&self, line: &str) {
        if self.is_watched() {
            let width = columns_of(terminal_size::terminal_size_of(io::stderr()));
            let mut err = io::stderr().lock();
            let line = format!("\r\x1b[2K{}", clip_columns(&visible(line), width));
            drop(err.write_all(line.as_bytes()).and_then(|()| err.flush()));
        }
    }

    /// Prints a less important message.
    pub(crate) fn say_dimmed(&self, text: &str) {
        if self.has_color() {
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
        let name = painted(&[(Tone::Bad, "abide:".to_owned())], self.has_color());
        let mut err = io::stderr().lock();
        drop(err.write_all(format!("{name} {}\n", visible(message)).as_bytes()));
        drop(err);
        if let Some(hint) = error.next_step() {
            self.say_dimmed(&format!("  {hint}"));
        }
    }
}

fn columns_of(size: Option<(terminal_size::Width, terminal_size::Height)>) -> usize {
    let width = size.map(|(terminal_size::Width(columns), _)| usize::from(columns));
    width.filter(|width| *width > 0).unwrap_or(WIDTH_DEFAULT)
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
