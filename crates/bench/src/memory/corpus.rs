//! A corpus of any size for timing: turns of invented words that are as unevenly frequent as words are.
//!
//! Nothing is to be found in it that means anything; what is found is measured elsewhere. The frequency of words is what
//! makes searching dear, and follows Zipf's law here.

use std::time::Duration;

use abide_domain::Timestamp;

use super::{conversation::SpokenTurn, rng::Rng};

/// Different words.
const WORDS: usize = 20_000;
/// Turns of one session.
const SESSION_TURNS: usize = 40;
/// Who speaks.
const SPEAKERS: [&str; 6] = ["nadia", "tomas", "ingrid", "kwame", "priya", "felix"];
/// Syllables that words are made of: three of them are a word of its own.
const SYLLABLES: [&str; 28] = [
    "ba", "ker", "mi", "lor", "tan", "vu", "sho", "pel", "gri", "dak", "fen", "wi", "jo", "zu",
    "cra", "nil", "hob", "quo", "rad", "ste", "om", "yar", "blu", "ket", "sim", "lo", "per", "ga",
];

/// Where words and turns come from.
#[derive(Debug)]
pub(super) struct Corpus {
    rng: Rng,
    words: Vec<String>,
}

impl Corpus {
    /// The corpus of a seed.
    pub(super) fn new(seed: u64) -> Self {
        let words = (0..WORDS).map(word).collect();
        Self { rng: Rng::new(seed), words }
    }

    /// The next turns.
    pub(super) fn turns(&mut self, count: usize) -> Vec<SpokenTurn> {
        (0..count).map(|index| self.turn(index)).collect()
    }

    fn turn(&mut self, index: usize) -> SpokenTurn {
        let length = 8 + self.rng.below(30);
        let mut text = (0..length).map(|_| self.word()).collect::<Vec<_>>().join(" ");
        if self.rng.chance(0.2) {
            text.push('?');
        }
        let (session, place) = (index / SESSION_TURNS, index % SESSION_TURNS);
        let hours = u64::try_from(session * 12).unwrap_or_default();
        let seconds = hours * 3_600 + u64::try_from(place * 30).unwrap_or_default();
        SpokenTurn {
            speaker: self.rng.pick(&SPEAKERS).copied().unwrap_or_default().to_owned(),
            role: abide_memory::SpeakerRole::Person,
            thread: format!("session {session}"),
            at: Timestamp::from_micros(1_600_000_000_000_000).plus(Duration::from_secs(seconds)),
            text,
            aside: String::new(),
        }
    }

    /// A question about one of the turns: some of its words, and a name.
    pub(super) fn question(&mut self, turns: &[SpokenTurn]) -> String {
        let Some(turn) = self.rng.pick(turns) else { return String::new() };
        let words: Vec<&str> = turn.text.split(' ').collect();
        let mut asked = vec!["what", "about", turn.speaker.as_str(), "and"];
        for _ in 0..6 {
            asked.extend(self.rng.pick(&words).copied());
        }
        asked.join(" ")
    }

    /// A word, the n-th of them with a chance of one in n.
    fn word(&mut self) -> String {
        #[expect(clippy::cast_precision_loss, reason = "20,000 words are few")]
        let top = (self.words.len() as f32).ln();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "e to at most its logarithm is at most the number of words"
        )]
        let rank = (self.rng.share() * top).exp() as usize;
        self.words.get(rank.saturating_sub(1)).cloned().unwrap_or_default()
    }

    /// A vector of length one whose direction lies near one of a few hundred others, as those of texts do.
    pub(super) fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        let mut around = Rng::new(self.rng.bits() % 300);
        let raw = (0..dimensions).map(|_| around.share() - 0.5 + 0.8 * (self.rng.share() - 0.5));
        let raw: Vec<f32> = raw.collect();
        let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        raw.iter().map(|x| x / length).collect()
    }
}

/// The n-th word.
fn word(number: usize) -> String {
    let base = SYLLABLES.len();
    let places = [number % base, number / base % base, number / base / base % base];
    places.iter().filter_map(|place| SYLLABLES.get(*place).copied()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::{Corpus, WORDS, word};

    #[test]
    fn words_differ() {
        assert_eq!((0..WORDS).map(word).collect::<HashSet<_>>().len(), WORDS);
    }

    #[test]
    fn few_words_are_frequent_and_many_are_rare() {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for turn in Corpus::new(1).turns(500) {
            for word in turn.text.trim_end_matches('?').split(' ') {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        }
        let most = counts.values().max().copied().unwrap();
        let once = counts.values().filter(|count| **count == 1).count();
        assert!(most > 400 && once > 1_000, "{most} {once}");
    }
}
