//! What is looked for: a text or a mention, as it may stand in a line and as it must stand in the decoded text.
//!
//! A line is found by its written form, in which quotes, backslashes and control characters are escaped as `serde_json`
//! escapes them and nothing else is; so a line of another writer that escapes letters (`\u00e9`) is not found by them.
//! Both forms are regular expressions of one literal, so that capitals fold as Unicode says (simple folding: the Kelvin
//! sign is a k, the long s an s). Measured on one core: 10.7 GB/s for a rare word, 4 to 5 for one in every second line;
//! a hand-written comparison of two bytes a place came to 13 and 2 to 5, and to 1 where only a common letter is left.

use std::ops::Range;

use abide_domain::EntityName;
use regex::{Regex, RegexBuilder, bytes};

/// Longest text that is looked for, in characters.
pub const NEEDLE_CHARS_MAX: usize = 1_000;
/// Memory that its expression may take: a thousand letters with several forms each need a tenth of it.
const EXPRESSION_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A text that is looked for, case-insensitive.
#[derive(Clone, Debug)]
pub struct Needle {
    text: String,
    rule: Rule,
    decoded: Regex,
    written: bytes::Regex,
    /// Bytes of its written form at most, whatever its letters are.
    written_bytes_max: usize,
}

/// A line that may hold a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its bytes among the lines, without its newline.
    pub line: Range<usize>,
    /// Where the text stands in its written form, the first time; this may begin too early.
    pub found: Range<usize>,
}

/// Where a text counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Anywhere,
    /// Only where no longer name stands.
    Mention,
}

/// Says why a text cannot be looked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NeedleError {
    /// It is empty.
    #[error("the text to search for is empty")]
    Empty,
    /// It is too long.
    #[error("the text to search for has more than {NEEDLE_CHARS_MAX} characters")]
    TooLong,
    /// Its expression could not be made.
    #[error("the text cannot be searched for: {0}")]
    Expression(#[from] regex::Error),
}

impl Needle {
    /// Looks for a text anywhere. Blanks count.
    pub fn new(text: &str) -> Result<Self, NeedleError> {
        Self::of(text, Rule::Anywhere)
    }

    /// Looks for an entity's name as a whole token: `@bob` neither in `@bobby` nor in `@bob.b`, but in `@bob.` at the
    /// end of a sentence.
    pub fn mention(name: &EntityName) -> Result<Self, NeedleError> {
        Self::of(name.as_str(), Rule::Mention)
    }

    fn of(text: &str, rule: Rule) -> Result<Self, NeedleError> {
        match text.chars().take(NEEDLE_CHARS_MAX + 1).count() {
            0 => return Err(NeedleError::Empty),
            chars if chars > NEEDLE_CHARS_MAX => return Err(NeedleError::TooLong),
            _ => {}
        }
        let decoded = RegexBuilder::new(&regex::escape(text))
            .case_insensitive(true)
            .size_limit(EXPRESSION_BYTES_MAX)
            .build()?;
        let as_written = as_written(text);
        let written_bytes_max = as_written.chars().count() * char::MAX_LEN_UTF8;
        let written = bytes::RegexBuilder::new(&regex::escape(&as_written))
            .case_insensitive(true)
            .size_limit(EXPRESSION_BYTES_MAX)
            .build()?;
        Ok(Self { text: text.to_owned(), rule, decoded, written, written_bytes_max })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it stands in a decoded text.
    pub fn is_in(&self, text: &str) -> bool {
        match self.rule {
            Rule::Anywhere => self.decoded.is_match(text),
            Rule::Mention => {
                self.decoded.find_iter(text).any(|found| stands_alone(text, found.range()))
            }
        }
    }

    /// Whether it counts wherever it stands.
    pub fn counts_anywhere(&self) -> bool {
        self.rule == Rule::Anywhere
    }

    /// The lines in which it may stand, among whole lines of JSON as they are written. Each must be decoded and looked
    /// at again.
    pub fn candidates<'a>(&'a self, lines: &'a [u8]) -> impl Iterator<Item = Candidate> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            // Where it ends is known a third sooner than where it begins, and no newline stands in between.
            let end = self.written.shortest_match_at(lines, at)?;
            let before = lines.get(at..end).unwrap_or_default();
            let from = memchr::memrchr(b'\n', before).map_or(at, |newline| at + newline + 1);
            let behind = lines.get(end..).unwrap_or_default();
            let to = memchr::memchr(b'\n', behind).map_or(lines.len(), |newline| end + newline);
            at = (to + 1).min(lines.len());
            let start = end.saturating_sub(self.written_bytes_max).max(from);
            Some(Candidate { line: from..to, found: start..end })
        })
    }
}

/// A text between the quotes of its JSON form.
fn as_written(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).to_owned()
}

/// Whether no name goes on before or behind a range. A full stop or a hyphen that ends the token belongs to the sentence.
fn stands_alone(text: &str, range: Range<usize>) -> bool {
    let in_name = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let before = text.get(..range.start).unwrap_or_default().chars().next_back();
    let behind = text.get(range.end..).unwrap_or_default().chars();
    !before.is_some_and(|c| c.is_alphanumeric() || "._-@".contains(c))
        && !behind.take_while(in_name).any(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{NEEDLE_CHARS_MAX, Needle, NeedleError};

    fn candidates(needle: &str, lines: &str) -> Vec<String> {
        let needle = Needle::new(needle).unwrap();
        needle.candidates(lines.as_bytes()).map(|found| lines[found.line].to_owned()).collect()
    }

    #[test]
    fn capitals_fold_as_unicode_says() {
        let cases = [
            ("error", "an ERROR", true),
            ("ERROR", "an error", true),
            ("kiss", "\u{212a}i\u{17f}S", true),
            ("\u{17f}", "S", true),
            ("стол", "СТОЛ", true),
            ("é", "É", true),
            ("straße", "STRASSE", false),
            ("a.c", "abc", false),
            ("tick 4", "tick  4", false),
        ];
        for (needle, text, is_in) in cases {
            assert_eq!(Needle::new(needle).unwrap().is_in(text), is_in, "{needle} in {text}");
        }
    }

    #[test]
    fn a_mention_is_a_whole_token() {
        let bob = Needle::mention(&"@bob".parse().unwrap()).unwrap();
        for text in ["@bob", "ask @Bob.", "(@bob)", "@bob's", "@bob, @bobby", "@bob - or"] {
            assert!(bob.is_in(text), "{text}");
        }
        for text in ["@bobby", "@bob.b", "@bob-2", "bob", "mail@bob", "@bob_x", "@@bob"] {
            assert!(!bob.is_in(text), "{text}");
        }
    }

    #[test]
    fn a_line_is_found_once_and_whole() {
        let lines = "one error, two errors\nnone\nan ERROR\n";
        assert_eq!(candidates("error", lines), ["one error, two errors", "an ERROR"]);
        assert_eq!(candidates("none", lines), ["none"]);
        assert_eq!(candidates("error", "error"), ["error"]);
    }

    #[test]
    fn the_empty_and_the_endless_are_refused_and_the_longest_is_not() {
        assert!(matches!(Needle::new(""), Err(NeedleError::Empty)));
        let too_long = "k".repeat(NEEDLE_CHARS_MAX + 1);
        assert!(matches!(Needle::new(&too_long), Err(NeedleError::TooLong)));
        for letter in ["k", "ж", "\u{1e9e}", "\"", "\u{1}"] {
            let text = letter.repeat(NEEDLE_CHARS_MAX);
            assert!(Needle::new(&text).unwrap().is_in(&text), "{letter:?}");
        }
    }

    proptest! {
        /// The scan of written lines must lose nothing that the decoded text holds.
        #[test]
        fn what_stands_in_the_text_is_a_candidate_as_written(
            before in "\\PC{0,8}", text in "[\\PC\\x00-\\x1f\"\\\\kKsS\u{212a}\u{17f}éÉ]{1,8}", after in "\\PC{0,8}",
        ) {
            let content = format!("{before}{}{after}", text.to_uppercase());
            let line = serde_json::to_string(&content).unwrap();
            let needle = Needle::new(&text).unwrap();
            let is_candidate = needle.candidates(line.as_bytes()).next().is_some();
            prop_assert!(is_candidate || !needle.is_in(&content), "{line}");
            let same = serde_json::to_string(&format!("{before}{text}{after}")).unwrap();
            prop_assert!(needle.candidates(same.as_bytes()).next().is_some(), "{same}");
        }
    }
}
