//! The rule that reads standing wishes in a message. Pure: sentence by sentence, by words alone.
//!
//! It takes a sentence for a wish only where it speaks to the agent about the agent's own manner: it begins with an order,
//! or with what somebody wants of the answers, and says that it holds from here on. What is quoted, asked, reported or
//! passed on is none. It misses rather than invents: what it misses is still recalled as what was said.

use abide_domain::text::shortened;
use serde::{Deserialize, Serialize};

use super::phrases::{
    FILLERS, FORWARDED, LANGUAGES, MANNERS, NAMING, NEGATIONS, OF_ANSWERS, ONCE, STANDING,
    STOPPING, TAKING_BACK, VERBS, WISHING,
};
use crate::words;

/// The longest wish, in Unicode scalar values.
const WISH_CHARS_MAX: usize = 240;
/// Characters of a message that are looked at.
const LOOKED_AT_CHARS_MAX: usize = 4_000;

/// What a sentence does to the wishes of whoever says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum WishChange {
    /// It states one.
    State(StatedWish),
    /// It takes one back.
    TakeBack(StatedWish),
    /// It ends what was wished (first), or else it is a wish itself (second).
    Stop(StatedWish, StatedWish),
}

/// A wish as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StatedWish {
    pub(super) text: String,
    /// Its words that mean something, as stems, each once.
    stems: Vec<String>,
    /// What there can be only one wish of.
    slot: Option<WishSlot>,
}

/// What there can be only one wish of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum WishSlot {
    /// The language of the answers.
    Language,
    /// How the person is called.
    Name,
}

impl StatedWish {
    fn of(sentence: &str, tokens: &[String]) -> Self {
        let text = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
        let marks: Vec<String> = STANDING.iter().flat_map(|mark| words(mark)).collect();
        let mut stems = words(&text);
        stems.retain(|stem| !marks.contains(stem));
        stems.sort_unstable();
        stems.dedup();
        let is_language =
            tokens.iter().any(|token| LANGUAGES.iter().any(|(name, _)| name == token));
        let is_negated = NEGATIONS.iter().any(|no| contains(tokens, no));
        let is_name = !is_negated && NAMING.iter().any(|naming| contains(tokens, naming));
        let slot = if is_name {
            Some(WishSlot::Name)
        } else {
            (is_language && !is_negated).then_some(WishSlot::Language)
        };
        Self { text: shortened(&text, WISH_CHARS_MAX), stems, slot }
    }

    /// Whether this wish takes the place of an earlier one: the same slot, or the same words.
    pub(super) fn replaces(&self, earlier: &Self) -> bool {
        (self.slot.is_some() && self.slot == earlier.slot) || self.stems == earlier.stems
    }

    /// Whether this sentence, which takes something back, means that wish: it names what the wish asks to be done, and
    /// at least half of its words are the wish's.
    pub(super) fn means(&self, wish: &Self) -> bool {
        let is_shared = |stem: &&String| wish.stems.contains(stem);
        let shared: Vec<&String> = self.stems.iter().filter(is_shared).collect();
        let is_deed = shared.iter().any(|stem| {
            is_verb(stem) || LANGUAGES.iter().any(|(name, _)| name.starts_with(stem.as_str()))
        });
        is_deed && shared.len() >= 2 && shared.len() * 2 >= self.stems.len()
    }
}

/// What a message changes, in its order.
pub(super) fn changes(message: &str) -> Vec<WishChange> {
    let end = message.char_indices().nth(LOOKED_AT_CHARS_MAX).map_or(message.len(), |(end, _)| end);
    let message = message.get(..end).unwrap_or(message);
    if FORWARDED.iter().any(|mark| starts(&tokens(message), mark).is_some() && is_head(message)) {
        return Vec::new();
    }
    let mut is_fenced = false;
    let mut found = Vec::new();
    for line in message.lines() {
        let line = line.trim();
        is_fenced ^= line.starts_with("```") || line.starts_with("~~~");
        if is_fenced || line.starts_with('>') {
            continue;
        }
        found.extend(sentences(line).filter_map(change));
    }
    found
}

/// Whether the first word of a message is a heading, as in `Fwd: …`.
fn is_head(message: &str) -> bool {
    let first_line = message.trim_start().lines().next().unwrap_or_default();
    first_line.contains(':') || first_line.starts_with(['-', '[', '('])
}

/// The sentences of a line, each with the mark that ends it.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(['.', '!', '?', ';']).map(str::trim).filter(|part| !part.is_empty())
}

fn change(sentence: &str) -> Option<WishChange> {
    if sentence.ends_with('?') || sentence.contains(['"', '\u{201c}', '\u{201e}', '\u{ab}']) {
        return None;
    }
    let all = tokens(sentence);
    let rest = without_fillers(sentence, &all);
    let stated = || StatedWish::of(sentence, rest);
    if STOPPING.iter().any(|stop| starts(rest, stop).is_some()) {
        let is_ours = rest.iter().any(|token| is_verb(token));
        return is_ours.then(|| WishChange::Stop(stated(), stated()));
    }
    if TAKING_BACK.iter().any(|back| starts(rest, back).is_some()) && !is_ordered(rest) {
        return Some(WishChange::TakeBack(stated()));
    }
    (is_ordered(rest) || is_wanted(rest)).then(|| WishChange::State(stated()))
}

/// An order about the agent's manner: `always answer in French`, `answer in French from now on`, `don't call me Bob`,
/// `whenever I ask for a price, give it in euros`.
fn is_ordered(rest: &[String]) -> bool {
    let mut is_standing = STANDING.iter().any(|mark| contains(rest, mark));
    let mut rest = rest;
    let mut is_negated = false;
    for _ in 0..3 {
        if let Some(count) = longest_start(rest, &STANDING) {
            is_negated |= longest_start(rest, &NEGATIONS).is_some();
            rest = rest.get(count..).unwrap_or_default();
            if is_conditional(rest) {
                return is_standing && rest.iter().skip(1).any(|token| is_verb(token));
            }
        } else if let Some(count) = longest_start(rest, &NEGATIONS) {
            is_negated = true;
            rest = rest.get(count..).unwrap_or_default();
        } else if let Some(count) = longest_start(rest, &FILLERS) {
            rest = rest.get(count..).unwrap_or_default();
        }
    }
    // `ne m'appelle jamais Bob`, `no me llames Bob`: a pronoun stands before the verb.
    let first = rest.iter().take(2).map(|token| token.trim_start_matches("m'"));
    let mut first = first.filter(|token| !matches!(*token, "me" | "mich" | "mir"));
    let Some(verb) = first.next() else { return false };
    if NAMING.iter().any(|naming| starts(rest, naming).is_some()) && !is_once(rest) {
        is_standing = true;
    }
    let is_manner = is_negated && MANNERS.iter().any(|manner| verb.starts_with(manner));
    is_verb(verb) && (is_standing || (is_manner && !is_once(rest)))
}

/// `whenever I …, answer …`: what follows is a condition, and the order comes later.
fn is_conditional(rest: &[String]) -> bool {
    let first = rest.first().map_or("", String::as_str);
    matches!(
        first,
        "i" | "we"
            | "when"
            | "if"
            | "you"
            | "ich"
            | "wenn"
            | "wir"
            | "que"
            | "je"
            | "somebody"
            | "someone"
    )
}

/// What somebody wants of the answers: `I prefer short answers`, `ich möchte immer auf Deutsch angesprochen werden`.
fn is_wanted(rest: &[String]) -> bool {
    let is_wish = WISHING.iter().any(|wishing| starts(rest, wishing).is_some());
    let is_of_answers = OF_ANSWERS.iter().any(|mark| contains(rest, mark));
    let is_preferred = rest.iter().take(4).any(|token| {
        token.contains("pref") || token.contains("préf") || token.contains("bevorzug")
    });
    let is_standing = STANDING.iter().any(|mark| contains(rest, mark));
    let is_told = matches!(
        rest.first().map_or("", String::as_str),
        "you" | "du" | "tu" | "debes" | "deberías"
    );
    let is_manner = rest.iter().any(|token| is_verb(token));
    is_wish
        && ((is_of_answers && (is_preferred || is_standing))
            || (is_told && is_standing && is_manner))
}

fn is_once(rest: &[String]) -> bool {
    rest.iter().any(|token| ONCE.contains(&token.as_str()))
}

fn is_verb(token: &str) -> bool {
    VERBS.iter().any(|verb| match verb.len() {
        // Short ones are whole words: `be`, `di`, `use`.
        0..=3 => {
            token == *verb
                || token.strip_suffix("ing").is_some_and(|stem| stem == verb.trim_end_matches('e'))
        }
        _ => {
            token.starts_with(verb)
                || token.strip_suffix("ing").is_some_and(|stem| stem == verb.trim_end_matches('e'))
        }
    })
}

/// The words of a text in lower case; apostrophes belong to words.
fn tokens(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    let parts = parts.map(|part| part.trim_matches('\''));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The words behind politeness, and behind the name of whom the sentence speaks to: `Felix, please always …`.
fn without_fillers<'a>(sentence: &str, all: &'a [String]) -> &'a [String] {
    let mut rest = all;
    let head = sentence.split(',').next().unwrap_or_default();
    let is_addressed = head.len() < sentence.len() && tokens(head).len() == 1;
    let is_name = is_addressed
        && longest_start(rest, &FILLERS).is_none()
        && longest_start(rest, &STANDING).is_none()
        && !rest.first().is_some_and(|token| is_verb(token));
    if is_name {
        rest = rest.get(1..).unwrap_or_default();
    }
    while let Some(count) = longest_start(rest, &FILLERS) {
        // `no me llames Bob` is a wish, not a no.
        let is_negation = starts(rest, "no").is_some()
            && rest.get(1).is_some_and(|next| next == "me" || is_verb(next));
        if is_negation {
            break;
        }
        rest = rest.get(count..).unwrap_or_default();
    }
    rest
}

/// The number of words of the longest of these phrases that some words begin with.
fn longest_start(tokens: &[String], phrases: &[&str]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| starts(tokens, phrase)).max()
}

/// The number of words of a phrase, where some words begin with it.
fn starts(tokens: &[String], phrase: &str) -> Option<usize> {
    let mut count = 0;
    for word in phrase.split(' ') {
        if tokens.get(count).is_none_or(|token| token != word) {
            return None;
        }
        count += 1;
    }
    Some(count)
}

fn contains(tokens: &[String], phrase: &str) -> bool {
    (0..tokens.len()).any(|at| tokens.get(at..).is_some_and(|rest| starts(rest, phrase).is_some()))
}
