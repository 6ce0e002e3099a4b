//! Facts without a model: what people plainly state about themselves and their work, and nothing else.
//!
//! Each rule reads a whole clause from its first word, so that reports, quotations, hopes and stories do not match. A
//! rule that could be wrong is not here: what is missed stays in the conversations and can be found there, what is wrong
//! would be believed. Identity is left as it is, and no dream is made up.

use futures_util::future::{BoxFuture, ready};

use super::{
    DistillOutcome, Distilled, Distiller, FACTS_A_PART_MAX, FactCategory, FoundDream, FoundFact,
    Material, Passage,
    own_words::{form_letters, is_prompt, own_words},
    sentence::clauses,
};
use crate::normalise;

mod project;
mod user;

/// How sure a plain statement is.
const CONFIDENCE: f64 = 0.8;
/// How sure one is that its speaker asked to remember.
const CONFIDENCE_ASKED: f64 = 0.9;
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
const POINTERS: &[&str] = &[
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

/// What asks for a statement to be kept.
const REMEMBER: &[&str] = &[
    "remember that ",
    "remember: ",
    "remember, ",
    "remember ",
    "don't forget that ",
    "do not forget that ",
    "note that ",
    "note: ",
    "keep in mind that ",
    "for the record, ",
    "for the record: ",
    "take note that ",
];

/// A clause as the rules read it.
#[derive(Clone, Copy)]
struct Clause<'a> {
    /// As it was written.
    text: &'a str,
    /// In lower case, byte for byte in the same places.
    lower: &'a str,
    /// Who said it.
    sender: &'a str,
}

/// What a rule made of a clause.
#[derive(Debug, PartialEq)]
struct Claim {
    content: String,
    category: FactCategory,
    tag: &'static str,
    /// What there is one value of at a time, below its subject.
    slot: Option<String>,
}

/// Distils by rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleDistiller;

impl Distiller for RuleDistiller {
    fn name(&self) -> String {
        "rules".to_owned()
    }

    fn is_paid(&self) -> bool {
        false
    }

    fn facts<'a>(&'a self, material: &'a Material) -> BoxFuture<'a, Distilled<Vec<FoundFact>>> {
        let found = facts(&material.passages);
        let outcome =
            if found.is_empty() { DistillOutcome::Empty } else { DistillOutcome::Found(found) };
        Box::pin(ready(Distilled::free(outcome)))
    }

    fn identity<'a>(&'a self, _: &'a Material) -> BoxFuture<'a, Distilled<String>> {
        Box::pin(ready(Distilled::free(DistillOutcome::Empty)))
    }

    fn dream<'a>(&'a self, _: &'a Material) -> BoxFuture<'a, Distilled<FoundDream>> {
        let why = "a dream needs a model, and none is asked".to_owned();
        Box::pin(ready(Distilled::free(DistillOutcome::Skipped(why))))
    }
}

/// All facts that people stated, in the order in which they did.
fn facts(passages: &[Passage]) -> Vec<FoundFact> {
    let forms = form_letters(passages);
    let mut said_by_agent: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for passage in passages {
        let is_own = passage.is_of_person()
            && !is_prompt(&passage.stimulus)
            && !forms.contains_key(&normalise(&passage.stimulus));
        if is_own {
            let own = own_words(&passage.stimulus);
            for clause in clauses(&own) {
                let is_echo = said_by_agent.iter().any(|reply| reply.contains(&normalise(clause)));
                if !is_echo && let Some(claim) = claim(clause, &passage.sender) {
                    found.push(fact(claim, passage));
                }
            }
        }
        said_by_agent.push(normalise(&passage.reply));
    }
    found.truncate(FACTS_A_PART_MAX);
    found
}

fn fact((claim, confidence): (Claim, f64), passage: &Passage) -> FoundFact {
    FoundFact {
        content: claim.content,
        category: claim.category,
        tags: vec![claim.tag.to_owned()],
        confidence,
        slot: claim.slot,
        replaces: None,
        sources: vec![passage.epoch],
        told_by: passage.sender.clone(),
        said_at: passage.sent_at,
        // The statement is the person's own, whatever the agent had before it.
        untrusted: false,
    }
}

/// What a clause states, and how sure that is.
fn claim(text: &str, sender: &str) -> Option<(Claim, f64)> {
    let lower = text.to_ascii_lowercase();
    if let Some(length) =
        REMEMBER.iter().filter(|cue| lower.starts_with(**cue)).map(|cue| cue.len()).max()
    {
        let asked = text.get(length..)?.trim();
        let lower = asked.to_ascii_lowercase();
        let clause = Clause { text: asked, lower: &lower, sender };
        let claim = stated(clause).or_else(|| kept(clause))?;
        return Some((claim, CONFIDENCE_ASKED));
    }
    stated(Clause { text, lower: &lower, sender }).map(|claim| (claim, CONFIDENCE))
}

fn stated(clause: Clause<'_>) -> Option<Claim> {
    user::claim(clause).or_else(|| project::claim(clause))
}

/// What somebody asked to remember, in their own words.
fn kept(clause: Clause<'_>) -> Option<Claim> {
    let Clause { text, lower, sender } = clause;
    let words = text.split_whitespace().count();
    let first = lower.split_whitespace().next()?;
    if !(3..=40).contains(&words) || POINTERS.contains(&first) {
        return None;
    }
    let is_personal = ["i", "i'm", "i've", "my", "we", "our", "we're"].contains(&first);
    let content = if is_personal { format!("{sender}: {text}") } else { sentence(text) };
    let category = if is_personal { FactCategory::User } else { FactCategory::Project };
    Some(Claim { content, category, tag: "remembered", slot: None })
}

impl<'a> Clause<'a> {
    /// What follows one of these beginnings.
    fn after(self, heads: &[&str]) -> Option<Self> {
        let length = heads
            .iter()
            .filter(|head| self.lower.starts_with(**head))
            .map(|head| head.len())
            .max()?;
        let (text, lower) = (self.text.get(length..)?.trim(), self.lower.get(length..)?.trim());
        (!text.is_empty()).then_some(Self { text, lower, ..self })
    }

    /// What stands before and behind the first of these words.
    fn around(self, words: &[&str]) -> Option<(Self, &'a str, Self)> {
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
    fn value(self) -> Option<&'a str> {
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
    fn short_value(self) -> Option<&'a str> {
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
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a text begins as names do.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
}

#[cfg(test)]
mod tests;
