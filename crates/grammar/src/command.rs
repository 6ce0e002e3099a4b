//! Level 1: where commands begin and end. Their bodies are not parsed here.
//!
//! `\name body ---`, one after another. The first three hyphens end a command: of `----`, the fourth stands before the
//! next command, where only blanks may stand, and is an error; `\---` writes three hyphens that end nothing. A query
//! `$(\name … ---)` in a body has ends of its own. Nothing else is special, so that a log line is kept as typed, with
//! its mail addresses, question marks and brackets; `content` reads the forms in it on request.

use std::{fmt, sync::Arc};

use crate::{
    cursor::Cursor,
    error::{ParseError, ParseErrorKind, quote},
    escape::{TERMINATOR, TERMINATOR_ESCAPE, escape, unescape},
    limits::{DEPTH_MAX, INPUT_CHARS_MAX},
    span::Span,
};

/// How the last command of an input may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// `---` alone.
    Written,
    /// `---`, or the end of the input.
    OrEnd,
}

/// Reads one or more commands, each with its `---`.
///
/// An input without a command is an error, and so is text before, between or after them.
pub fn parse(input: &str) -> Result<Vec<Command>, ParseError> {
    read_all(input, Ending::Written)
}

/// Reads commands as [`parse`] does, and accepts the end of the input as the `---` of the last one, as a console does.
pub fn parse_lenient(input: &str) -> Result<Vec<Command>, ParseError> {
    read_all(input, Ending::OrEnd)
}

/// The input as a source that errors and commands can point into, if it is not too long.
pub(crate) fn source(input: &str) -> Result<Arc<str>, ParseError> {
    match input.char_indices().nth(INPUT_CHARS_MAX) {
        None => Ok(input.into()),
        Some((at, _)) => {
            let message = format!("the input is longer than {INPUT_CHARS_MAX} characters");
            Err(ParseError::new(ParseErrorKind::TooLong, message, input, at))
        }
    }
}

fn read_all(input: &str, ending: Ending) -> Result<Vec<Command>, ParseError> {
    let source = source(input)?;
    let mut cursor = Cursor::new(&source, Span { start: 0, end: source.len() });
    let mut commands = Vec::new();
    cursor.skip_blanks();
    while commands.is_empty() || !cursor.is_at_end() {
        if !command_opens(&cursor) {
            return Err(no_command(&cursor, commands.is_empty()));
        }
        commands.push(read_command(&mut cursor, 0, ending)?);
        cursor.skip_blanks();
    }
    Ok(commands)
}

fn no_command(cursor: &Cursor, is_first: bool) -> ParseError {
    let message = if is_first {
        "expected a command, such as `\\stdout read: last 10 ---`"
    } else {
        "expected the next command after `---`; three hyphens within a command are written `\\---`"
    };
    cursor.error(ParseErrorKind::ExpectedCommand, message)
}

/// Whether a backslash and a name follow.
pub(crate) fn command_opens(cursor: &Cursor) -> bool {
    cursor.peek() == Some('\\') && cursor.peek_second().is_some_and(is_name_char)
}

/// Whether `$(`, optional blanks, and a command follow.
pub(crate) fn query_opens(cursor: &Cursor) -> bool {
    let mut ahead = cursor.clone();
    if !ahead.eat("$(") {
        return false;
    }
    ahead.skip_blanks();
    command_opens(&ahead)
}

const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Reads letters, digits and `_`; a hyphen counts where one of these follows it, so that `\a---` is named `a`.
pub(crate) fn read_word(cursor: &mut Cursor) -> Span {
    let start = cursor.at();
    loop {
        cursor.eat_while(is_name_char);
        if cursor.peek() != Some('-') || !cursor.peek_second().is_some_and(is_name_char) {
            return cursor.since(start);
        }
        cursor.bump();
    }
}

/// Reads the command whose backslash is at the cursor, within `depth` queries.
fn read_command(cursor: &mut Cursor, depth: usize, ending: Ending) -> Result<Command, ParseError> {
    let start = cursor.at();
    cursor.eat("\\");
    let name = read_word(cursor);
    let body_start = cursor.at();
    loop {
        let body = cursor.since(body_start);
        if cursor.eat(TERMINATOR) || (cursor.is_at_end() && ending == Ending::OrEnd) {
            let span = cursor.since(start);
            let body = trimmed(cursor.source(), body);
            return Ok(Command { source: Arc::clone(cursor.source()), name, body, span });
        }
        if cursor.is_at_end() {
            let message = format!(
                "the command {} has no `---`",
                quote(cursor.text(Span { start, end: name.end }))
            );
            return Err(cursor.error(ParseErrorKind::Unterminated, message));
        }
        if query_opens(cursor) {
            read_query(cursor, depth)?;
        } else if !cursor.eat(TERMINATOR_ESCAPE) && !cursor.eat("\\\\") {
            cursor.bump();
        }
    }
}

/// Reads the query whose `$(` is at the cursor, within `depth` others.
pub(crate) fn read_query(cursor: &mut Cursor, depth: usize) -> Result<Vec<Command>, ParseError> {
    let start = cursor.at();
    if depth >= DEPTH_MAX {
        let message = format!("queries are nested deeper than {DEPTH_MAX}");
        return Err(cursor.error(ParseErrorKind::TooDeep, message));
    }
    cursor.eat("$(");
    cursor.skip_blanks();
    let mut commands = Vec::new();
    while command_opens(cursor) {
        commands.push(read_command(cursor, depth + 1, Ending::Written)?);
        cursor.skip_blanks();
    }
    if cursor.eat(")") {
        return Ok(commands);
    }
    let (at, message) = if cursor.is_at_end() {
        (start, "the query `$(` has no `)`; write `$(\\\\` with two backslashes where it is text")
    } else {
        (cursor.at(), "expected `)` or another command after `---` in a query")
    };
    Err(cursor.error_at(at, ParseErrorKind::UnclosedQuery, message))
}

/// The span without blanks at its ends.
fn trimmed(source: &str, span: Span) -> Span {
    let text = span.of(source);
    let start = span.start + (text.len() - text.trim_start().len());
    Span { start, end: start + text.trim().len() }
}

/// One command: its name, and its body as typed. Equality is that of name and body, wherever they stand.
#[derive(Clone)]
pub struct Command {
    source: Arc<str>,
    name: Span,
    body: Span,
    span: Span,
}

impl Command {
    /// Makes a command whose body means `text`, whatever it holds.
    pub fn new(name: &str, text: &str) -> Result<Self, ParseError> {
        let source = source(&format!("\\{name} {} ---", escape(text)))?;
        let mut cursor = Cursor::new(&source, Span { start: 0, end: source.len() });
        if command_opens(&cursor) {
            let command = read_command(&mut cursor, 0, Ending::Written)?;
            if command.name() == name {
                return Ok(command);
            }
        }
        let message = "a command's name is letters, digits, `_`, and `-` between them";
        Err(ParseError::new(ParseErrorKind::BadName, message, &source, 1))
    }

    /// The name as typed, without its backslash.
    pub fn name(&self) -> &str {
        self.name.of(&self.source)
    }

    /// Whether this is its name, ignoring case.
    pub fn is_named(&self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }

    /// The body as typed, with its escapes, without blanks at its ends.
    pub fn raw(&self) -> &str {
        self.body.of(&self.source)
    }

    /// The body with its escapes resolved, everything else as typed. A log line keeps this.
    pub fn text(&self) -> String {
        unescape(self.raw())
    }

    /// A cursor over the body from `start` on, in bytes of the whole input.
    pub(crate) fn cursor_from(&self, start: usize) -> Cursor {
        Cursor::new(&self.source, Span { start, end: self.body.end })
    }

    /// From the backslash to the end of `---`, in bytes of the whole input.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Where the body stands without blanks at its ends, in bytes of the whole input.
    pub const fn body(&self) -> Span {
        self.body
    }

    /// An error of the caller that points at a part of this command.
    pub fn refuse(&self, at: Span, message: impl Into<String>) -> ParseError {
        ParseError::new(ParseErrorKind::Refused, message, &self.source, at.start)
    }
}

impl PartialEq for Command {
    fn eq(&self, other: &Self) -> bool {
        (self.name(), self.raw()) == (other.name(), other.raw())
    }
}

impl Eq for Command {}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// Blanks keep the terminator apart from a hyphen or a backslash before it.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.raw() {
            "" => write!(f, "\\{} {TERMINATOR}", self.name()),
            raw => write!(f, "\\{} {raw} {TERMINATOR}", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, parse, parse_lenient};
    use crate::error::ParseErrorKind;

    fn bodies(input: &str) -> Vec<(String, String)> {
        let commands = parse(input).unwrap_or_else(|error| panic!("{input}: {error}"));
        commands.iter().map(|c| (c.name().to_owned(), c.raw().to_owned())).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn commands_end_at_the_first_three_hyphens_outside_queries() {
        let cases: [(&str, &[(&str, &str)]); 12] = [
            ("\\a---", &[("a", "")]),
            ("  \\a b ---\n", &[("a", "b")]),
            ("\\a b---\\c d---", &[("a", "b"), ("c", "d")]),
            ("\\last-seen x- ---", &[("last-seen", "x-")]),
            ("\\a--b ---", &[("a", "--b")]),
            ("\\a one \\--- two ---", &[("a", "one \\--- two")]),
            ("\\a C:\\new \\x \\\\---", &[("a", "C:\\new \\x \\\\")]),
            ("\\a $(\\b---) ---", &[("a", "$(\\b---)")]),
            ("\\a $( \\b x --- \\c--- ) y---", &[("a", "$( \\b x --- \\c--- ) y")]),
            ("\\a costs $(5) or $() ---", &[("a", "costs $(5) or $()")]),
            ("\\a x@y.org #1 ?( @- @( \" ( ---", &[("a", "x@y.org #1 ?( @- @( \" (")]),
            ("\\a $(\\\\b ---", &[("a", "$(\\\\b")]),
        ];
        for (input, expected) in cases {
            assert_eq!(bodies(input), pairs(expected), "{input}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_its_position() {
        use ParseErrorKind::{ExpectedCommand, UnclosedQuery, Unterminated};
        let cases = [
            ("", ExpectedCommand, 1),
            ("  ", ExpectedCommand, 3),
            ("hello", ExpectedCommand, 1),
            ("é \\a ---", ExpectedCommand, 1),
            ("\\ a ---", ExpectedCommand, 1),
            ("\\a ----", ExpectedCommand, 7),
            ("\\a --- b", ExpectedCommand, 8),
            ("\\a", Unterminated, 3),
            ("\\a b \\---", Unterminated, 10),
            ("\\a \\b --", Unterminated, 9),
            ("\\a --- \\b", Unterminated, 10),
            ("\\a $(\\b --- ---", UnclosedQuery, 13),
            ("\\a $(\\b ---", UnclosedQuery, 4),
            ("\\a $(\\b", Unterminated, 8),
            ("\\a $(\\b --- x) ---", UnclosedQuery, 13),
        ];
        for (input, kind, position) in cases {
            let error = parse(input).unwrap_err();
            assert_eq!((error.kind, error.position), (kind, position), "{input}: {error}");
        }
    }

    #[test]
    fn a_console_may_leave_the_last_terminator_out() {
        let commands = parse_lenient("\\a b --- \\c d -").unwrap();
        let texts: Vec<_> = commands.iter().map(Command::text).collect();
        assert_eq!(texts, ["b", "d -"]);
        assert_eq!(commands[1].to_string(), "\\c d - ---");
        assert!(parse_lenient("\\a $(\\b").is_err());
        assert!(parse_lenient("\\a $(\\b ---").is_err());
        assert_eq!(parse_lenient("\\a x\\").unwrap(), parse("\\a x\\ ---").unwrap());
    }

    #[test]
    fn limits_are_exact() {
        let long = |n: usize| format!("\\a {}---", "é".repeat(n - 6));
        assert!(parse(&long(10_000)).is_ok());
        let error = parse(&long(10_001)).unwrap_err();
        assert_eq!((error.kind, error.position), (ParseErrorKind::TooLong, 10_001));
        let deep = |n: usize| format!("\\a {}{}---", "$(\\a ".repeat(n), "---)".repeat(n));
        assert!(parse(&deep(10)).is_ok());
        let error = parse(&deep(11)).unwrap_err();
        assert_eq!((error.kind, error.position), (ParseErrorKind::TooDeep, 54));
    }

    #[test]
    fn a_command_can_say_anything() {
        for text in ["", "a --- b", "\\", "$(\\x", "\\---", "-", "@bob ?(", "--"] {
            let command = Command::new("say", text).unwrap();
            assert_eq!(command.text(), text);
            assert_eq!(parse(&command.to_string()).unwrap(), [command]);
        }
        for name in ["", "a b", "a-", "-a", "é", "a---\\b"] {
            assert!(Command::new(name, "x").is_err(), "{name}");
        }
    }
}
