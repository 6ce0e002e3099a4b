//! Whether a claim rests on what people said: the one thing that a model is not believed about.

use std::collections::HashSet;

use super::{
    MeaningDoubt, Passage, SaidWords, check_meaning,
    meaning::is_confirmation,
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

/// Whether the passages at these places hold what a claim says. Only people's own words count; the agent's reply does
/// where a person confirmed it in their next message.
pub fn is_supported(claim: &str, passages: &[Passage], sources: &[usize]) -> bool {
    let said = sources.iter().flat_map(|&at| words(&said_at(passages, at)));
    are_held(claim, &said.collect())
}

/// Whether a text holds what a claim says, by its words alone: not whether it says the opposite.
pub fn is_said_in(claim: &str, text: &str) -> bool {
    are_held(claim, &words(text).into_iter().collect())
}

/// Whether enough of a claim's words, and all of its numbers, are among those that were said.
fn are_held(claim: &str, said: &HashSet<String>) -> bool {
    let claimed = words(claim);
    let held = claimed.iter().filter(|word| said.contains(*word)).count();
    let numbers = claimed.iter().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    // A number is never grammar.
    let has_numbers = numbers.into_iter().all(|number| said.contains(number));
    !claimed.is_empty() && has_numbers && held * 100 >= claimed.len() * SUPPORT_PERCENT_MIN
}

/// Holds a claim against the statements of the passages at these places, and gives the place of the one that says it; else
/// why none does.
pub fn held_by(
    claim: &str,
    passages: &[Passage],
    sources: &[usize],
) -> Result<usize, MeaningDoubt> {
    let mut nearest = MeaningDoubt::Reworded;
    for &at in sources {
        let Some((passage, own)) = own_at(passages, at) else { continue };
        let before = before(passages, at).map(|before| &*before.reply);
        match check_meaning(claim, SaidWords { speaker: &passage.sender, own: &own, before }) {
            Ok(()) => return Ok(at),
            Err(doubt) if nearest == MeaningDoubt::Reworded => nearest = doubt,
            Err(_) => {}
        }
    }
    Err(nearest)
}

/// What people said in the passages at these places, for somebody who is to judge a claim.
pub fn said_in(passages: &[Passage], sources: &[usize]) -> String {
    let said = sources.iter().filter_map(|at| own_at(passages, *at));
    let lines = said.map(|(passage, own)| format!("{}: {}", passage.sender, own.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

/// A passage and its sender's own words; none where it is nobody's.
fn own_at(passages: &[Passage], at: usize) -> Option<(&Passage, String)> {
    let passage = passages.get(at)?;
    let is_form = || repeated_texts(passages).contains_key(&normalise(&passage.stimulus));
    let is_nobodys = !passage.is_of_person() || is_prompt(&passage.stimulus) || is_form();
    (!is_nobodys).then(|| (passage, own_words(&passage.stimulus)))
}

/// The exchange before in the same session, where no foreign text stood before it.
fn before(passages: &[Passage], at: usize) -> Option<&Passage> {
    let session = &passages.get(at)?.session;
    let earlier = passages.get(..at).unwrap_or_default().iter().rev();
    earlier.into_iter().find(|passage| passage.session == *session).filter(|p| !p.untrusted)
}

/// What a person said in a passage, and what they said yes to.
fn said_at(passages: &[Passage], at: usize) -> String {
    let Some((passage, own)) = own_at(passages, at) else { return String::new() };
    // Who said it is known from the envelope, not from the words.
    let mut said = format!("{own}\n{}", passage.sender);
    if let Some(before) = before(passages, at).filter(|_| is_confirmation(&own)) {
        said.push('\n');
        said.push_str(&before.reply);
    }
    said
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
