//! A list of words or of phrases, in which one is looked up at once: hundreds of comparisons for each word of what is judged
//! would cost more than all else.

use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

/// Words, in lower case.
#[derive(Debug)]
pub(in crate::timeline) struct WordList {
    words: &'static [&'static str],
    index: OnceLock<HashSet<&'static str>>,
}

impl WordList {
    /// A list of these words.
    pub(super) const fn new(words: &'static [&'static str]) -> Self {
        Self { words, index: OnceLock::new() }
    }

    /// Whether it holds a word.
    pub(in crate::timeline) fn has(&self, word: &str) -> bool {
        self.index.get_or_init(|| self.words.iter().copied().collect()).contains(word)
    }
}

/// Several words in a row each, in lower case, with a space between them.
#[derive(Debug)]
pub(in crate::timeline) struct PhraseList {
    phrases: &'static [&'static str],
    /// By their first word.
    index: OnceLock<HashMap<&'static str, Vec<&'static str>>>,
}

impl PhraseList {
    /// A list of these phrases.
    pub(super) const fn new(phrases: &'static [&'static str]) -> Self {
        Self { phrases, index: OnceLock::new() }
    }

    /// Whether one of them stands in a text, of which these are the words; the text with a space around each word.
    pub(in crate::timeline) fn stands_in<'a>(
        &self,
        mut words: impl Iterator<Item = &'a str>,
        spaced: &str,
    ) -> bool {
        let index = self.index.get_or_init(|| {
            let mut index: HashMap<&str, Vec<&str>> = HashMap::new();
            for phrase in self.phrases {
                index.entry(phrase.split(' ').next().unwrap_or(phrase)).or_default().push(phrase);
            }
            index
        });
        let stands = |phrase: &&str| stands_in(phrase, spaced);
        words.any(|word| index.get(word).is_some_and(|phrases| phrases.iter().any(stands)))
    }
}

/// Whether a phrase stands in a text with a space around each word.
pub(super) fn stands_in(phrase: &str, spaced: &str) -> bool {
    spaced.match_indices(phrase).any(|(at, found)| {
        let (before, behind) = (spaced.get(..at), spaced.get(at + found.len()..));
        before.is_some_and(|text| text.ends_with(' '))
            && behind.is_some_and(|text| text.starts_with(' '))
    })
}
