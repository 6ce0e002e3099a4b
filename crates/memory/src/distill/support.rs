//! Whether a claim rests on what people said: the one thing that a model is not believed about.

use std::collections::HashSet;

use super::{
    Passage,
    own_words::{is_prompt, own_words, repeated_texts},
};
use crate::normalise;

/// The share of a claim's words, in hundredths, that its sources must hold: the rest may be the model's grammar.
const SUPPORT_PERCENT_MIN: usize = 60;
/// Shortest word whose beginning stands for it: `prefers` and `preference` are one.
const STEM_CHARS: usize = 6;

/// Words that carry no claim.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "for", "from", "has", "have", "he",
    "her", "him", "his", "i", "im", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or",
    "our", "said", "says", "she", "s", "that", "the", "their", "them", "they", "this", "to", "us",
    "user", "users", "was", "we", "were", "who", "will", "with", "you", "your",
];

/// Words with which somebody says yes to what was just said.
const CONFIRMATIONS: &[&str] = &[
    "yes",
    "yep",
    "yeah",
    "right",
    "correct",
    "exactly",
    "true",
    "indeed",
    "that's right",
    "thats right",
    "confirmed",
    "jup",
];

/// Whether the passages at these places hold what a claim says. Only people's own words count; the agent's reply does
/// where a person confirmed it in their next message.
pub fn is_supported(claim: &str, passages: &[Passage], sources: &[usize]) -> bool {
    let mut said = HashSet::new();
    for &at in sources {
        said.extend(words(&said_at(passages, at)));
    }
    let claimed = words(claim);
    let held = claimed.iter().filter(|word| said.contains(*word)).count();
    let numbers = claimed.iter().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    // A number is never grammar.
    let has_numbers = numbers.into_iter().all(|number| said.contains(number));
    !claimed.is_empty() && has_numbers && held * 100 >= claimed.len() * SUPPORT_PERCENT_MIN
}

/// What a person said in a passage, and what they said yes to.
fn said_at(passages: &[Passage], at: usize) -> String {
    let Some(passage) = passages.get(at) else { return String::new() };
    let is_form = || repeated_texts(passages).contains_key(&normalise(&passage.stimulus));
    if !passage.is_of_person() || is_prompt(&passage.stimulus) || is_form() {
        return String::new();
    }
    let own = own_words(&passage.stimulus);
    // Who said it is known from the envelope, not from the words.
    let mut said = format!("{own}\n{}", passage.sender);
    let before =
        passages.get(..at).unwrap_or_default().iter().rev().find(|p| p.session == passage.session);
    if let Some(before) = before.filter(|before| !before.untrusted && is_confirmation(&own)) {
        said.push('\n');
        said.push_str(&before.reply);
    }
    said
}

pub(super) fn is_confirmation(own: &str) -> bool {
    let lower = own.trim_start().to_lowercase();
    CONFIRMATIONS.iter().any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// The words of a text that claim something, in a form in which inflections are equal.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let all = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let bare = all
        .map(|word| word.trim_matches('\'').trim_end_matches("'s"))
        .filter(|word| !word.is_empty());
    bare.filter(|word| !EMPTY_WORDS.contains(word)).map(stem).collect()
}

fn stem(word: &str) -> String {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return word.to_owned();
    }
    let shorter = word.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(word);
    shorter.chars().take(STEM_CHARS).collect()
}
