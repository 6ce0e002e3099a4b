//! What a question asks for: words that mean something, a person, a time.
//!
//! Reads the question only; what fits it is the formula's to say. A speaker's name is a wish about who spoke and no word
//! to look for, since people seldom say their own names.

use std::collections::HashMap;

use super::{
    QUERY_WORDS_MAX, QueryKind, SearchQuery,
    calendar::{AskedTime, asks_when, says_when},
    talking::is_about_talk,
    words::{tokens, truncate, words_of},
};

/// Speakers that are parts, not persons: their names are plain words.
const PARTS: [&str; 12] = [
    "user",
    "agent",
    "assistant",
    "system",
    "watchdog",
    "cron",
    "human",
    "bot",
    "api",
    "cli",
    "unknown",
    "anonymous",
];
/// Words by which those who ask mean themselves. Not "me", which asks for an answer ("tell me"), and not "we".
/// In English, German, French and Spanish.
const ASKERS_WORDS: [&str; 20] = [
    "i", "my", "mine", "myself", "ich", "mein", "meine", "meinem", "meinen", "meiner", "meines",
    "mir", "mich", "je", "mon", "mes", "yo", "mi", "mis", "mio",
];

/// Who speaks in the documents.
#[derive(Clone, Debug, Default)]
pub(super) struct Speakers {
    known: HashMap<Box<str>, u32>,
    all: Vec<Speaker>,
}

#[derive(Clone, Debug)]
struct Speaker {
    /// The words of the name; none for a part.
    name: Vec<String>,
    documents: u32,
}

impl Speakers {
    /// Counts a document of a speaker. Returns the speaker's number.
    pub(super) fn count(&mut self, speaker: &str) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let number = *self.known.entry(speaker.into()).or_insert(next);
        if number == next {
            let name = tokens(speaker);
            let is_part = name.iter().all(|word| PARTS.contains(&word.as_str()));
            let name = if is_part { Vec::new() } else { name };
            self.all.push(Speaker { name, documents: 0 });
        }
        if let Some(speaker) = self.all.get_mut(number as usize) {
            speaker.documents += 1;
        }
        number
    }

    /// Takes one document of a speaker back.
    pub(super) fn take_out(&mut self, number: u32) {
        if let Some(speaker) = self.all.get_mut(number as usize) {
            speaker.documents = speaker.documents.saturating_sub(1);
        }
    }

    /// Names of those who have documents, with their numbers.
    fn names(&self) -> impl Iterator<Item = (u32, &[String])> {
        let present = (0..).zip(&self.all).filter(|(_, speaker)| speaker.documents > 0);
        present
            .map(|(number, speaker)| (number, speaker.name.as_slice()))
            .filter(|(_, name)| !name.is_empty())
    }

    /// The stems of a speaker's name.
    pub(super) fn name_stems(&self, number: u32) -> Vec<String> {
        self.all.get(number as usize).map(|speaker| words_of(&speaker.name)).unwrap_or_default()
    }

    /// The one speaker that is named; `None` where there is none or more than one.
    fn named(&self, tokens: &[String]) -> Option<u32> {
        let mut named =
            self.names().filter(|(_, name)| tokens.windows(name.len()).any(|at| at == *name));
        let (number, _) = named.next()?;
        named.next().is_none().then_some(number)
    }

    /// Whether a word is a part of a speaker's name.
    fn is_name(&self, word: &str) -> bool {
        self.names().any(|(_, name)| name.iter().any(|part| part == word))
    }

    /// The text without the words of speakers' names and without those about the talk itself; as it is where nothing else
    /// would be left.
    pub(super) fn without_names(&self, text: &str) -> String {
        let text = truncate(text);
        let (mut kept, mut read): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        let all = tokens(text);
        for word in text.split_whitespace() {
            let parts = tokens(word);
            let from = read.len();
            read.extend(parts.iter().cloned());
            let is_aside = |(place, part): (usize, &String)| {
                self.is_name(part) || (read.len() <= all.len() && is_about_talk(&all, from + place))
            };
            if parts.is_empty() || !parts.iter().enumerate().all(is_aside) {
                kept.push(word);
            }
        }
        let left = kept.join(" ");
        if tokens(&left).is_empty() { text.to_owned() } else { left }
    }
}

/// A question, read.
#[derive(Clone, Debug, Default)]
pub(super) struct Question {
    /// Different stems to look for.
    pub(super) terms: Vec<String>,
    /// Those of them that only say when; none where no days are meant.
    time_words: Vec<String>,
    /// The speaker whose words are wanted: the one that is named, or the one who asks.
    pub(super) speaker: Option<u32>,
    /// The one who asks, as far as that is known.
    pub(super) asker: Option<u32>,
    /// The speaker that is named. What others said is no match then, unless it names that one too; of those who ask,
    /// others speak without their names.
    pub(super) named: Option<u32>,
    /// The days that are meant.
    pub(super) time: Option<AskedTime>,
    /// A time is wanted.
    pub(super) asks_when: bool,
}

impl Question {
    /// Reads a query.
    pub(super) fn read(query: &SearchQuery<'_>, speakers: &Speakers) -> Self {
        let tokens = tokens(query.text);
        if query.kind == QueryKind::Plain {
            return Self { terms: unique_words(words_of(&tokens)), ..Self::default() };
        }
        let meant = tokens
            .iter()
            .enumerate()
            .filter(|(place, word)| !speakers.is_name(word) && !is_about_talk(&tokens, *place));
        let meant: Vec<String> = meant.map(|(_, word)| word.clone()).collect();
        let mut terms = unique_words(words_of(&meant));
        if terms.is_empty() {
            terms = unique_words(words_of(&tokens));
        }
        let time = AskedTime::read(&tokens, query.now);
        let timed = tokens.iter().filter(|word| time.is_some() && says_when(word)).cloned();
        let named = speakers.named(&tokens);
        Self {
            terms,
            named,
            time_words: words_of(&timed.collect::<Vec<_>>()),
            speaker: named.or_else(|| asker(query, &tokens, speakers)),
            asker: query.asker.and_then(|asker| speakers.known.get(asker).copied()),
            time,
            asks_when: asks_when(&tokens),
        }
    }

    /// Whether one of the stems only says when.
    pub(super) fn is_time_word(&self, stem: &str) -> bool {
        self.time_words.iter().any(|word| word == stem)
    }
}

/// Those who ask, where the question speaks of them.
fn asker(query: &SearchQuery<'_>, tokens: &[String], speakers: &Speakers) -> Option<u32> {
    let means_asker = tokens.iter().any(|word| ASKERS_WORDS.contains(&word.as_str()));
    let names_others = tokens.iter().any(|word| speakers.is_name(word));
    let asker = query.asker.filter(|_| means_asker && !names_others)?;
    speakers.known.get(asker).copied()
}

/// Each word once, in order, up to the named limit.
pub(super) fn unique_words(words: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for word in words {
        if kept.len() < QUERY_WORDS_MAX && !kept.contains(&word) {
            kept.push(word);
        }
    }
    kept
}
