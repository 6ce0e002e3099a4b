//! Regular expressions after `matches`. The engine is linear in the text whatever the expression says; its size is
//! bounded when it is read.

use std::fmt;

use regex::{Regex, RegexBuilder};

use crate::limits::{PATTERN_BYTES_MAX, PATTERN_CHARS_MAX};

/// A regular expression that was checked and compiled. Equality is that of its text.
#[derive(Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles an expression; the error says in one line why that fails.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.chars().nth(PATTERN_CHARS_MAX).is_some() {
            return Err(format!("the pattern has more than {PATTERN_CHARS_MAX} characters"));
        }
        let built = RegexBuilder::new(text)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build();
        built.map(Self).map_err(|error| reason(&error))
    }

    /// The expression as it was written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether it matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// The library's error is a drawing of several lines; the last one names the problem.
fn reason(error: &regex::Error) -> String {
    if let regex::Error::CompiledTooBig(_) = error {
        return "the pattern needs too much memory".to_owned();
    }
    let text = error.to_string();
    let line = text.lines().next_back().unwrap_or_default();
    format!("not a regular expression: {}", line.trim_start_matches("error: "))
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{PATTERN_CHARS_MAX, Pattern};

    #[test]
    fn patterns_are_checked_and_bounded() {
        assert!(Pattern::new("^err(or)?\\b.*\\d+$").unwrap().is_match("error no 42"));
        assert!(!Pattern::new("^Error").unwrap().is_match("error"));
        assert_eq!(Pattern::new("a(").unwrap_err(), "not a regular expression: unclosed group");
        assert_eq!(Pattern::new("\\w{999}").unwrap_err(), "the pattern needs too much memory");
        assert!(Pattern::new("((a{99}){99}){99}").is_err());
        assert!(Pattern::new(&"a".repeat(PATTERN_CHARS_MAX)).is_ok());
        assert!(Pattern::new(&"a".repeat(PATTERN_CHARS_MAX + 1)).is_err());
    }
}
