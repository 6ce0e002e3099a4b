//! Regular expressions after `matches`. The engine is linear in the text whatever the expression says; its depth, its
//! weight and its size are bounded when it is read, before it is compiled.

use std::fmt;

use regex::{Regex, RegexBuilder};

use crate::{
    limits::{PATTERN_BYTES_MAX, PATTERN_CHARS_MAX, PATTERN_DEPTH_MAX},
    pattern_weight::weigh,
};

/// A regular expression that was checked and compiled. Equality is that of its text.
#[derive(Clone)]
pub struct Pattern {
    regex: Regex,
    weight: u64,
}

impl Pattern {
    /// Compiles an expression; the error says in one line why that fails.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.chars().nth(PATTERN_CHARS_MAX).is_some() {
            return Err(format!("the pattern has more than {PATTERN_CHARS_MAX} characters"));
        }
        let weight = weigh(text)?;
        let built = RegexBuilder::new(text)
            .nest_limit(PATTERN_DEPTH_MAX)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build();
        built.map(|regex| Self { regex, weight }).map_err(|error| reason(&error))
    }

    /// The expression as it was written.
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// Whether it matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// What a byte of a text may cost: the number of places in the pattern, repetitions written out. At least 1, at most
    /// [`PATTERN_WEIGHT_MAX`](crate::limits::PATTERN_WEIGHT_MAX).
    pub fn weight(&self) -> u64 {
        self.weight
    }
}

/// Syntax was checked before: what is left is its size. The library's error is a drawing of several lines; the last one
/// names the problem.
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
        assert_eq!(
            Pattern::new("a(").unwrap_err(),
            "not a regular expression: unclosed group, at character 2 of the pattern"
        );
        assert_eq!(Pattern::new("\\w{999}").unwrap_err(), "the pattern needs too much memory");
        assert!(Pattern::new("((a{99}){99}){99}").is_err());
        assert!(Pattern::new(&"a".repeat(PATTERN_CHARS_MAX)).is_ok());
        assert!(Pattern::new(&"a".repeat(PATTERN_CHARS_MAX + 1)).is_err());
    }

    #[test]
    fn what_would_take_long_is_refused_before_it_is_compiled() {
        let cases = [
            ("(?:){999999999}", 1),
            ("x|(?:){999999999}", 3),
            ("()*{999999999}", 1),
            ("(?:(?:(?:){9999}){9999}){9999}", 7),
            ("ab[a-z]{1,600}b", 3),
            ("(?:a{30}){40}", 1),
            ("(?x) é a{2000}", 8),
        ];
        for (pattern, at) in cases {
            let error = Pattern::new(pattern).unwrap_err();
            let place = format!("at character {at} of the pattern");
            assert!(error.ends_with(&place), "{pattern}: {error}");
        }
        let deep = format!("{}{}", "(".repeat(100), ")".repeat(100));
        assert!(Pattern::new(&deep).unwrap_err().contains("nest"), "{:?}", Pattern::new(&deep));
    }
}
