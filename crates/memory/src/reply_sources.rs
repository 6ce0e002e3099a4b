//! Which of the passages that a question finds a reply rests on, by its words: what the record shows was needed.
//!
//! Pure and by words alone. A passage counts where it shares words with the reply that the question does not have and that few of
//! the passages hold. A reply in other words than its source shows nothing, and then nothing is said: it must name no passage for
//! words that are everywhere.

use std::collections::{HashMap, HashSet};

use crate::search::words;

/// Passages of one question that a reply is taken to rest on at most.
const REPLY_SOURCES_MAX: usize = 3;

/// Words that a passage must share with the reply at least, beside those of the question.
const SHARED_WORDS_MIN: usize = 2;
/// What share of the best passage's weight another must have.
const BESIDE_BEST: f64 = 0.6;
/// A word that more than this share of the passages hold says nothing about any of them.
const COMMON_SHARE: f64 = 0.2;

/// The places of the passages that a reply rests on, best first; none where its words do not tell.
pub fn reply_sources(question: &str, reply: &str, passages: &[&str]) -> Vec<usize> {
    let asked: HashSet<String> = words(question).into_iter().collect();
    let replied: HashSet<String> =
        words(reply).into_iter().filter(|word| !asked.contains(word)).collect();
    let held: Vec<HashSet<String>> = passages
        .iter()
        .map(|passage| words(passage).into_iter().filter(|word| replied.contains(word)).collect())
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in held.iter().flatten() {
        *counts.entry(word).or_default() += 1;
    }
    let weight = |word: &String| {
        let count = counts.get(word.as_str()).copied().unwrap_or(1);
        let share = as_f64(count) / as_f64(passages.len());
        let is_common = count > 1 && share > COMMON_SHARE;
        if is_common { 0.0 } else { (1.0 + as_f64(passages.len()) / as_f64(count)).ln() }
    };
    let mut weighed: Vec<(usize, f64)> = held
        .iter()
        .enumerate()
        .filter(|(_, held)| {
            held.iter().filter(|word| weight(word) > 0.0).count() >= SHARED_WORDS_MIN
        })
        .map(|(place, held)| {
            // In a fixed order, so that rounding is the same every time.
            let mut weights: Vec<f64> = held.iter().map(weight).collect();
            weights.sort_by(f64::total_cmp);
            (place, weights.iter().sum())
        })
        .collect();
    weighed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let least = weighed.first().map_or(0.0, |(_, best)| best * BESIDE_BEST);
    weighed.retain(|(_, weight)| *weight >= least);
    weighed.into_iter().take(REPLY_SOURCES_MAX).map(|(place, _)| place).collect()
}

#[expect(clippy::cast_precision_loss, reason = "at most some hundred passages")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::reply_sources;

    const PASSAGES: [&str; 6] = [
        "my sister Ana moved to Porto in March",
        "the deploy key is rotated on Fridays by the infra team",
        "Ana likes strong coffee and long walks",
        "I have a dentist appointment on Tuesday",
        "the build takes nine minutes",
        "we had pizza yesterday",
    ];

    #[test]
    fn a_reply_rests_on_the_passage_whose_rare_words_it_says() {
        let found = reply_sources("Where does Ana live?", "In Porto, since March.", &PASSAGES);
        assert_eq!(found, [0]);
    }

    #[test]
    fn words_of_the_question_prove_nothing() {
        let found =
            reply_sources("Does Ana like strong coffee?", "Ana, coffee: strong.", &PASSAGES);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn one_word_and_words_that_all_passages_hold_prove_nothing() {
        assert!(reply_sources("When?", "On Tuesday.", &PASSAGES).is_empty());
        let same = ["the blue boat sails", "the blue boat sinks", "the blue boat floats"];
        assert!(reply_sources("What?", "The blue boat.", &same).is_empty());
    }
}
