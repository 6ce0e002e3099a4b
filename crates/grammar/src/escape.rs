//! Escapes: `\---` stands for three hyphens that end nothing, `\\` for a backslash; any other backslash for itself.

use std::fmt;

/// The end of a command.
pub(crate) const TERMINATOR: &str = "---";
/// The terminator as text within a command.
pub(crate) const TERMINATOR_ESCAPE: &str = "\\---";

/// Writes any text so that it can stand in a command: [`unescape`] gives it back.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // Writing to a string cannot fail.
    if write_escaped(&mut escaped, text, None).is_err() {
        escaped.clear();
    }
    escaped
}

/// Writes a text with its escapes, and with a backslash before each `quote`.
pub(crate) fn write_escaped(
    to: &mut dyn fmt::Write,
    text: &str,
    quote: Option<char>,
) -> fmt::Result {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(TERMINATOR) {
            to.write_str(TERMINATOR_ESCAPE)?;
            rest = after;
            continue;
        }
        if c == '\\' || quote == Some(c) {
            to.write_char('\\')?;
        }
        to.write_char(c)?;
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    Ok(())
}

/// Resolves the escapes in the raw body of a command.
pub fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(rest.get(..at).unwrap_or_default());
        let after = rest.get(at + 1..).unwrap_or_default();
        if let Some(after) = after.strip_prefix(TERMINATOR) {
            text.push_str(TERMINATOR);
            rest = after;
        } else {
            text.push('\\');
            rest = after.strip_prefix('\\').unwrap_or(after);
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{escape, unescape};

    #[test]
    fn only_two_escapes_mean_something() {
        let cases = [
            ("a \\--- b", "a --- b"),
            ("a \\\\ b", "a \\ b"),
            ("C:\\new \\d+ \\-- \\", "C:\\new \\d+ \\-- \\"),
            ("\\\\\\---", "\\---"),
            ("\\----", "----"),
        ];
        for (raw, text) in cases {
            assert_eq!(unescape(raw), text, "{raw}");
        }
        assert_eq!(escape("-- --- ------- \\"), "-- \\--- \\---\\---- \\\\");
    }

    proptest! {
        #[test]
        fn what_was_escaped_is_unescaped(text in "([-\\\\ a]|.){0,40}") {
            let escaped = escape(&text);
            prop_assert_eq!(unescape(&escaped), text);
            prop_assert!(!escaped.replace("\\---", "").contains("---"));
        }
    }
}
