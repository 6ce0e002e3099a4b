//! A place in the input that moves forward: every parser of the language reads characters through it alone.
//!
//! Tests count each read and so check that parsing is linear: see `tests::effort`.

use std::sync::Arc;

use crate::{
    error::{ParseError, ParseErrorKind},
    span::Span,
};

/// A place in `source`, which never passes `end`.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    source: Arc<str>,
    at: usize,
    end: usize,
}

impl Cursor {
    /// At the start of `span`.
    pub(crate) fn new(source: &Arc<str>, span: Span) -> Self {
        Self { source: Arc::clone(source), at: span.start, end: span.end }
    }

    /// The whole input.
    pub(crate) const fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// The byte at which it is.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Moves to a byte at a character boundary.
    pub(crate) const fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// From `start` to here.
    pub(crate) const fn since(&self, start: usize) -> Span {
        Span { start, end: self.at }
    }

    /// From here to the end.
    pub(crate) const fn ahead(&self) -> Span {
        Span { start: self.at, end: self.end }
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    /// The text from here to the end.
    pub(crate) fn rest(&self) -> &str {
        self.ahead().of(&self.source)
    }

    /// The next character.
    pub(crate) fn peek(&self) -> Option<char> {
        effort::count(1);
        self.rest().chars().next()
    }

    /// The character after the next.
    pub(crate) fn peek_second(&self) -> Option<char> {
        effort::count(2);
        self.rest().chars().nth(1)
    }

    /// The character before this place, at or after `start`.
    pub(crate) fn previous(&self, start: usize) -> Option<char> {
        effort::count(1);
        Span { start, end: self.at }.of(&self.source).chars().next_back()
    }

    /// Takes the next character.
    pub(crate) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Whether `text` follows.
    pub(crate) fn looks_at(&self, text: &str) -> bool {
        effort::count(text.len());
        self.rest().starts_with(text)
    }

    /// Takes `text` if it follows.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let follows = self.looks_at(text);
        if follows {
            self.at += text.len();
        }
        follows
    }

    /// Takes characters as long as they fit.
    pub(crate) fn eat_while(&mut self, fits: impl Fn(char) -> bool) -> Span {
        let start = self.at;
        while self.peek().is_some_and(&fits) {
            self.bump();
        }
        self.since(start)
    }

    /// Takes blanks and newlines.
    pub(crate) fn skip_blanks(&mut self) {
        self.eat_while(char::is_whitespace);
    }

    /// The text of a span of the input.
    pub(crate) fn text(&self, span: Span) -> &str {
        span.of(&self.source)
    }

    /// An error at this place.
    pub(crate) fn error(&self, kind: ParseErrorKind, message: impl Into<String>) -> ParseError {
        self.error_at(self.at, kind, message)
    }

    /// An error at another place.
    pub(crate) fn error_at(
        &self,
        at: usize,
        kind: ParseErrorKind,
        message: impl Into<String>,
    ) -> ParseError {
        ParseError::new(kind, message, &self.source, at)
    }
}

/// Counts in tests how many characters are read.
pub(crate) mod effort {
    #[cfg(test)]
    thread_local! {
        static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    /// Adds reads.
    #[cfg(test)]
    pub(crate) fn count(looks: usize) {
        LOOKS.set(LOOKS.get() + looks);
    }

    /// Does nothing outside tests.
    #[cfg(not(test))]
    pub(crate) const fn count(_: usize) {}

    /// How many characters `work` reads.
    #[cfg(test)]
    pub(crate) fn of(work: impl FnOnce()) -> usize {
        let before = LOOKS.get();
        work();
        LOOKS.get() - before
    }
}

#[cfg(test)]
mod tests {
    use super::effort;
    use crate::{command::parse_lenient, limits::INPUT_CHARS_MAX, node::BodyNode};

    /// Most looks at characters for each byte of an input. An effort that grows with the square would be thousands.
    const LOOKS_MAX: usize = 250;

    /// Reads everything there is to read in an input, and the commands of its queries.
    fn read(input: &str) {
        let Ok(mut commands) = parse_lenient(input) else { return };
        while let Some(command) = commands.pop() {
            for node in command.content() {
                if let Ok(BodyNode::Query(inner)) = node {
                    commands.extend(inner);
                }
            }
        }
    }

    #[test]
    fn no_input_takes_more_than_linear_time() {
        let repeated = [
            "a",
            r"\",
            "-",
            r"\---",
            "$(",
            "$(   ",
            r"$(\a ---)",
            r"$( \a ",
            "?(",
            "?(tick>1)",
            "?(tick>1 ",
            "@",
            "@(",
            "@a",
            "@a.",
            "@a....",
            ".",
            "@(a,b)",
            "#",
            "# @",
            "not ",
            "?(not ",
            "(",
            ")",
            "\"",
            "'",
            r#""\\""#,
            r"---\a ",
            r"\a-",
            "a-",
            "-a",
            "tick > 1 or ",
            "and",
            "   ",
            "\n",
            "é",
            "9",
            "9.",
            "@(a ",
            "f(",
            "f(1,",
        ];
        let (opened, closed) = (format!(r"\a {}", r"$(\a ".repeat(10)), "---)".repeat(10));
        // What stands before and after: as an input, a body, a condition, a text in quotes, in queries, and so on.
        let frames = [
            ("", ""),
            (r"\a ", " ---"),
            (r"\a ?(", ")"),
            (r#"\a ?(content = ""#, "\")"),
            (r"\a $(\b ", " ---)"),
            (r"\a @", ""),
            (r"\a ?(f(", "))"),
            (r"\a ?(content contains ", ")"),
            (&opened, &closed),
        ];
        let mut worst = (0, String::new());
        for (before, after) in frames {
            for part in repeated {
                let left = INPUT_CHARS_MAX - before.len() - after.len();
                let middle = part.repeat(left / part.chars().count());
                let input = format!("{before}{middle}{after}");
                let looks = effort::of(|| read(&input));
                worst = worst.max((looks / input.len(), format!("{before}{part}…{after}")));
            }
        }
        // The inside of queries is read again at each of ten levels; everything else a few times.
        assert!(worst.0 <= LOOKS_MAX, "{worst:?}");
    }
}
