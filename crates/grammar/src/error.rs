//! The error for everything that cannot be parsed: the problem, the place, and the text around it.
//!
//! People and minds see it, on a page with a caret or in one line.

use std::fmt;

use crate::{limits::SNIPPET_CHARS_MAX, width};

/// Longest message, in characters.
const MESSAGE_CHARS_MAX: usize = 300;
/// Longest piece of the input in a message, in characters.
const QUOTE_CHARS_MAX: usize = 40;

/// The kind of a [`ParseError`]; its message says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseErrorKind {
    /// More than [`INPUT_CHARS_MAX`](crate::limits::INPUT_CHARS_MAX) characters.
    TooLong,
    /// Nested deeper than [`DEPTH_MAX`](crate::limits::DEPTH_MAX).
    TooDeep,
    /// No command where one must begin.
    ExpectedCommand,
    /// A command without its `---`.
    Unterminated,
    /// A query without its `)`.
    UnclosedQuery,
    /// A condition, parenthesis or group without its `)`.
    UnclosedParenthesis,
    /// A string without its closing quote.
    UnclosedString,
    /// An invalid name.
    BadName,
    /// Something else was expected here.
    Unexpected,
    /// An unknown field.
    UnknownField,
    /// Sides that cannot be compared, or a value that is not a condition.
    Type,
    /// A number that is out of range.
    BadNumber,
    /// A text that is not an RFC 3339 date and time.
    BadTime,
    /// A range that ends before it begins.
    BadRange,
    /// A pattern that is not a regular expression, or one too large.
    BadPattern,
    /// Refused by the caller: a function that does not exist, for example.
    Refused,
}

/// What could not be parsed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The kind of problem.
    pub kind: ParseErrorKind,
    /// The problem in words, in one line, without the place.
    pub message: String,
    /// The place in the whole input, in characters from 1; one past the last where something is missing at the end.
    pub position: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in that line, in characters from 1.
    pub column: usize,
    /// The line around the place, at most [`SNIPPET_CHARS_MAX`] characters and two ellipses, free of control characters.
    pub snippet: String,
    /// The number of terminal columns in the snippet before the place.
    pub caret: usize,
}

impl ParseError {
    /// An error at byte `at` of `source`.
    pub(crate) fn new(
        kind: ParseErrorKind,
        message: impl Into<String>,
        source: &str,
        at: usize,
    ) -> Self {
        let before = source.get(..at).unwrap_or(source);
        let after = source.get(at..).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let left = before.get(line_start..).unwrap_or_default();
        let right = after.split('\n').next().unwrap_or_default();
        let column = left.chars().count() + 1;
        let (snippet, caret) = snippet(left, column - 1, right);
        Self {
            kind,
            message: one_line(&message.into(), MESSAGE_CHARS_MAX),
            position: before.chars().count() + 1,
            line: before.matches('\n').count() + 1,
            column,
            snippet,
            caret,
        }
    }

    /// The error in one line: the problem, the position and the text there.
    pub fn brief(&self) -> String {
        format!("{} (at character {}, in `{}`)", self.message, self.position, self.snippet)
    }
}

/// The beginning of a text, fit for one line.
pub(crate) fn one_line(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).map(width::printable).collect()
}

/// A piece of the input for a message, shortened.
pub(crate) fn quote(text: &str) -> String {
    let is_long = text.chars().nth(QUOTE_CHARS_MAX).is_some();
    let dots = if is_long { "…" } else { "" };
    format!("`{}{dots}`", one_line(text, QUOTE_CHARS_MAX))
}

/// The part of a line around a place, and the width of the text before it.
fn snippet(left: &str, left_chars: usize, right: &str) -> (String, usize) {
    let right_chars = right.chars().take(SNIPPET_CHARS_MAX + 1).count();
    let half = SNIPPET_CHARS_MAX / 2;
    let keep_left = left_chars.min(half.max(SNIPPET_CHARS_MAX.saturating_sub(right_chars)));
    let keep_right = SNIPPET_CHARS_MAX - keep_left;
    let mut shown = String::new();
    if keep_left < left_chars {
        shown.push('…');
    }
    shown.extend(left.chars().skip(left_chars - keep_left).map(width::printable));
    let caret = shown.chars().map(width::columns).sum();
    shown.extend(right.chars().take(keep_right).map(width::printable));
    if keep_right < right_chars {
        shown.push('…');
    }
    (shown, caret)
}

/// Three lines: problem and place, the snippet, and a caret under the place.
impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, position, line, column, snippet, caret, .. } = self;
        write!(f, "{message}, at character {position} (line {line}, column {column})")?;
        write!(f, "\n  {snippet}\n  {:caret$}^", "")
    }
}

impl std::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use super::{MESSAGE_CHARS_MAX, ParseError, ParseErrorKind, SNIPPET_CHARS_MAX, quote};

    fn error(source: &str, at: usize) -> ParseError {
        ParseError::new(ParseErrorKind::Unexpected, "no", source, at)
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        let found = error("\\a\n?(tick ! 5) ---", 10);
        assert_eq!(
            found.to_string(),
            "no, at character 11 (line 2, column 8)\n  ?(tick ! 5) ---\n         ^"
        );
        assert_eq!(found.brief(), "no (at character 11, in `?(tick ! 5) ---`)");
    }

    #[test]
    fn wide_and_combining_characters_are_counted_by_their_columns() {
        // Two wide characters, one with a combining mark, one emoji: 4 + 1 + 2 columns in 5 characters.
        let text = "日本e\u{301}🙂x";
        let found = error(text, text.len() - 1);
        assert_eq!((found.position, found.column, found.caret), (6, 6, 7));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = "é".repeat(100) + "!" + &"ü".repeat(100);
        let found = error(&text, 200);
        assert_eq!(found.position, 101);
        assert_eq!(found.snippet, format!("…{}!{}…", "é".repeat(30), "ü".repeat(29)));
        assert_eq!(found.caret, 31);
        let at_end = error(&text, text.len());
        assert_eq!(at_end.snippet.chars().count(), SNIPPET_CHARS_MAX + 1);
        assert_eq!(at_end.caret, SNIPPET_CHARS_MAX + 1);
        assert_eq!(error(&text, 0).caret, 0);
    }

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        let found = error("\t\u{1b}[31m\u{202e}x\rb", 4);
        assert_eq!(found.snippet, " \u{fffd}[31m\u{fffd}x b");
        let said = ParseError::new(ParseErrorKind::Refused, "a\nb".repeat(999), "", 0);
        assert_eq!(said.to_string().lines().count(), 3);
        assert_eq!(said.message.chars().count(), MESSAGE_CHARS_MAX);
        assert_eq!(quote(&"é".repeat(99)), format!("`{}…`", "é".repeat(40)));
    }
}
