//! What a stimulus gives to go by: who speaks, over what, which words mean something, which files are named.
//!
//! Pure, from the envelope alone. The words are those of the one tokenizer of memory, in the form in which they were
//! written.

use abide_domain::{
    envelope::{Channel, StimulusEnvelope},
    is_reserved_name,
};

use crate::words;

/// Most keywords that are taken from a stimulus.
pub const KEYWORDS_MAX: usize = 12;
/// Characters of a stimulus that are looked at for keywords: what it is about stands at its beginning.
const LOOKED_AT_CHARS_MAX: usize = 2_000;
/// Most files that are taken from it.
const FILES_MAX: usize = 3;
/// The sender of what the keeper itself says; no person.
const KEEPER_SENDER: &str = "system";
/// Words of politeness that say nothing about the matter.
const POLITE: [&str; 14] = [
    "hey", "hi", "hello", "please", "thanks", "thank", "ok", "okay", "yes", "no", "sorry", "well",
    "dear", "bye",
];
/// Words that point back at what was spoken of, in English, German, French and Spanish.
const POINTING: [&str; 30] = [
    "it", "its", "that", "this", "those", "these", "them", "they", "then", "again", "same",
    "still", "so", "es", "das", "dies", "davon", "damit", "dazu", "dann", "ça", "cela", "ceci",
    "alors", "eso", "esto", "ello", "entonces", "it's", "that's",
];

/// What a stimulus gives to go by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StimulusCues {
    /// Who speaks, where that is a person; none where an agent or the keeper itself does.
    pub partner: Option<String>,
    /// Whether another agent speaks: what is said over the keeper's own channel under a name that is not the keeper's.
    pub is_of_agent: bool,
    /// Words that mean something, in their order, each once.
    pub keywords: Vec<String>,
    /// Files that are named.
    pub files: Vec<String>,
    /// Whether a word of it points back at what was spoken of.
    pub points_back: bool,
}

impl StimulusCues {
    /// Reads a stimulus.
    pub fn of(envelope: &StimulusEnvelope) -> Self {
        let is_of_keeper = is_reserved_name(&envelope.sender);
        let is_of_agent = !is_of_keeper && envelope.channel == Channel::System;
        let partner = (!is_of_keeper && !is_of_agent).then(|| envelope.sender.clone());
        let names = [envelope.citizen.as_str(), KEEPER_SENDER];
        let keywords = keywords(&envelope.content, &names);
        let files = tokens(&envelope.content).filter(|token| is_file(token));
        let files = files.map(str::to_owned).take(FILES_MAX).collect();
        let mut said = tokens(&envelope.content).map(str::to_lowercase);
        let points_back = said.any(|token| POINTING.contains(&token.as_str()));
        Self { partner, is_of_agent, keywords, files, points_back }
    }

    /// The keywords on one line; empty where there are none.
    pub fn topic(&self) -> String {
        self.keywords.join(" ")
    }

    /// Whether it can only mean what was spoken of last: it names next to nothing, or little and points back ("did you figure
    /// it out?").
    pub(super) const fn means_the_last(&self) -> bool {
        self.keywords.len() <= 1 || (self.keywords.len() <= 3 && self.points_back)
    }
}

/// The words of a text that mean something, in their order, each once.
pub(super) fn keywords(text: &str, names: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut stems: Vec<String> = Vec::new();
    for token in tokens(text) {
        let token = token.to_lowercase();
        let is_name = names.contains(&token.as_str()) || POLITE.contains(&token.as_str());
        let stem = words(&token).join(" ");
        if is_name || stem.is_empty() || stems.contains(&stem) {
            continue;
        }
        stems.push(stem);
        found.push(token);
        if found.len() == KEYWORDS_MAX {
            break;
        }
    }
    found
}

/// The pieces of the beginning of a text, files whole.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let end = text.char_indices().nth(LOOKED_AT_CHARS_MAX).map_or(text.len(), |(end, _)| end);
    text.get(..end)
        .unwrap_or(text)
        .split(|c: char| !(c.is_alphanumeric() || "._/-'\u{2019}".contains(c)))
        .map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|token| !token.is_empty())
}

/// `engine/tick_scheduler.py`, `main.rs`: a name, a dot and a short ending.
fn is_file(token: &str) -> bool {
    let Some((stem, ending)) = token.rsplit_once('.') else { return false };
    let is_ending = (1..=5).contains(&ending.len())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        && ending.bytes().any(|b| b.is_ascii_alphabetic());
    is_ending && stem.chars().any(char::is_alphabetic) && !stem.ends_with('.')
}

/// How to speak over a channel.
pub const fn tone_of(channel: Channel) -> &'static str {
    match channel {
        Channel::Telegram => "short and informal, as one writes on a phone",
        Channel::Direct => "open and direct, technical where it helps",
        Channel::Api => "plain and complete: a program may read this",
        Channel::System => "a report: the keeper asks, not a person",
        Channel::Manual => "as in direct talk: a person runs this by hand",
        Channel::Irc => "one or two plain lines, without Markdown: others read along",
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::envelope::{Channel, StimulusEnvelope};

    use super::StimulusCues;

    fn cue(content: &str, sender: &str, channel: Channel) -> StimulusCues {
        StimulusCues::of(&StimulusEnvelope {
            content: content.into(),
            sender: sender.into(),
            channel,
            timestamp: "2024-11-20T18:45:00Z".parse().unwrap(),
            sender_zone: None,
            last_driver_output: None,
            citizen: "felix".parse().unwrap(),
            session_id: None,
        })
    }

    #[test]
    fn words_that_mean_something_are_taken_once_and_in_order() {
        let cue = cue("Hey Felix, the race condition: is it a RACE?", "nicolas", Channel::Telegram);
        assert_eq!(cue.keywords, ["race", "condition"]);
        assert_eq!(cue.partner.as_deref(), Some("nicolas"));
        assert_eq!(cue.topic(), "race condition");
    }

    #[test]
    fn files_are_seen() {
        let text = "See engine/tick_scheduler.py and lib.rs from yesterday. Version 1.2 is due tomorrow...";
        let cue = cue(text, "ada", Channel::Direct);
        assert_eq!(cue.files, ["engine/tick_scheduler.py", "lib.rs"]);
    }

    #[test]
    fn the_keeper_is_no_partner_and_a_greeting_says_nothing() {
        assert_eq!(cue("Daily check", "system", Channel::System).partner, None);
        assert!(cue("Hello!", "nicolas", Channel::Api).keywords.is_empty());
        assert!(cue("\u{0}\n ?!", "nicolas", Channel::Api).keywords.is_empty());
    }
}
