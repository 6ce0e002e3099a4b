//! A clause as the rules read it, and what one states.

use super::super::FactCategory;

/// Most words of a value: longer ones are stories.
const VALUE_WORDS_MAX: usize = 20;

/// Words that make a statement something else than a fact.
const HEDGES: &[&str] = &[
    "maybe",
    "perhaps",
    "probably",
    "possibly",
    "might",
    "could",
    "would",
    "should",
    "if",
    "unless",
    "whether",
    "think",
    "guess",
    "suppose",
    "imagine",
    "pretend",
    "joke",
    "joking",
    "kidding",
    "example",
    "e.g.",
    "hypothetically",
    "not",
    "never",
    "isn't",
    "aren't",
    "wasn't",
    "don't",
    "doesn't",
    "didn't",
    "won't",
    "can't",
    "no",
    "nobody",
    "none",
    "wish",
    "hope",
    "almost",
    "unsure",
    "?",
];

/// A value that begins so points at something that only the conversation knows.
pub(super) const POINTERS: &[&str] = &[
    "it",
    "that",
    "this",
    "these",
    "those",
    "them",
    "him",
    "her",
    "you",
    "there",
    "here",
    "to",
    "how",
    "what",
    "when",
    "where",
    "why",
    "who",
    "which",
    "one",
    "both",
    "either",
    "neither",
    "something",
    "anything",
    "nothing",
    "everything",
];

/// A clause as the rules read it.
#[derive(Clone, Copy)]
pub(super) struct Clause<'a> {
    /// As it was written.
    pub(super) text: &'a str,
    /// In lower case, byte for byte in the same places.
    pub(super) lower: &'a str,
    /// Who said it.
    pub(super) sender: &'a str,
}

/// What a rule made of a clause.
#[derive(Debug, PartialEq)]
pub(super) struct Claim {
    pub(super) content: String,
    pub(super) category: FactCategory,
    pub(super) tag: &'static str,
    /// What there is one value of at a time, below its subject.
    pub(super) slot: Option<String>,
}

impl<'a> Clause<'a> {
    /// What follows one of these beginnings.
    pub(super) fn after(self, heads: &[&str]) -> Option<Self> {
        let length = heads
            .iter()
            .filter(|head| self.lower.starts_with(**head))
            .map(|head| head.len())
            .max()?;
        let (text, lower) = (self.text.get(length..)?.trim(), self.lower.get(length..)?.trim());
        (!text.is_empty()).then_some(Self { text, lower, ..self })
    }

    /// What stands before and behind the first of these words.
    pub(super) fn around(self, words: &[&str]) -> Option<(Self, &'a str, Self)> {
        let found = words.iter().filter_map(|word| Some((self.lower.find(word)?, *word)));
        let (at, word) = found.min_by_key(|(at, word)| (*at, usize::MAX - word.len()))?;
        let (end, from) = (at, at + word.len());
        let part =
            |text: &'a str, lower: &'a str| Self { text: text.trim(), lower: lower.trim(), ..self };
        let before = part(self.text.get(..end)?, self.lower.get(..end)?);
        let behind = part(self.text.get(from..)?, self.lower.get(from..)?);
        let is_whole = !before.text.is_empty() && !behind.text.is_empty();
        is_whole.then_some((before, self.lower.get(at..from)?, behind))
    }

    /// The value, where it is one: short, sure, and of things that have a name.
    pub(super) fn value(self) -> Option<&'a str> {
        let mut words = self
            .lower
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|word| !word.is_empty());
        let first = words.next()?;
        let count = self.lower.split_whitespace().count();
        let is_sure = !POINTERS.contains(&first)
            && !HEDGES.contains(&first)
            && words.all(|word| !HEDGES.contains(&word));
        let is_plain = !self.lower.contains(" i ") && !self.lower.ends_with(" i");
        (is_sure && is_plain && count <= VALUE_WORDS_MAX).then_some(self.text)
    }

    /// The value up to the first comma or reason.
    pub(super) fn short_value(self) -> Option<&'a str> {
        let ends =
            [", ", " because ", " since ", " so ", " but ", " (", " which ", " where ", " and "];
        let end =
            ends.iter().filter_map(|end| self.lower.find(end)).min().unwrap_or(self.lower.len());
        let cut = Self {
            text: self.text.get(..end)?.trim(),
            lower: self.lower.get(..end)?.trim(),
            ..self
        };
        cut.value()
    }
}

/// A clause as a sentence: its first letter large.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a text begins as names do.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
}
