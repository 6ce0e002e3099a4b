//! What ours is compared with, over the same words and vectors: BM25, cosine, and the two plain ways to fuse them.
//!
//! Each turn carries its speaker's name, which is the form in which these do best. Ties stand in the order of the turns.

use std::collections::{BTreeSet, HashMap};

use super::conversation::SpokenTurn;
use crate::spread::float_of;

/// How much repeated words of a turn count, and how much its length does.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// BM25 over the words of turns.
#[derive(Debug)]
pub(super) struct Bm25 {
    postings: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean_length: f64,
}

impl Bm25 {
    /// Over turns, cut by a tokenizer.
    pub(super) fn new(turns: &[SpokenTurn], words: impl Fn(&str) -> Vec<String>) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::with_capacity(turns.len());
        for (ordinal, turn) in turns.iter().enumerate() {
            let found = words(&named(turn));
            lengths.push(float_of(found.len()));
            for word in found {
                let list = postings.entry(word).or_default();
                match list.last_mut() {
                    Some((last, count)) if *last == ordinal => *count += 1.0,
                    _ => list.push((ordinal, 1.0)),
                }
            }
        }
        let mean_length = lengths.iter().sum::<f64>() / float_of(lengths.len().max(1));
        Self { postings, lengths, mean_length }
    }

    /// The score of every turn.
    pub(super) fn scores(&self, query: &[String]) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        let total = float_of(self.lengths.len());
        for word in query.iter().collect::<BTreeSet<_>>() {
            let Some(list) = self.postings.get(word) else { continue };
            let with = float_of(list.len());
            let idf = (1.0 + (total - with + 0.5) / (with + 0.5)).ln();
            for (ordinal, count) in list {
                let length = self.lengths.get(*ordinal).copied().unwrap_or_default();
                let norm = K1 * (1.0 - B + B * length / self.mean_length);
                if let Some(score) = scores.get_mut(*ordinal) {
                    *score += idf * count * (K1 + 1.0) / (count + norm);
                }
            }
        }
        scores
    }
}

/// A turn with its speaker: what words and vectors of the compared systems are made of.
pub(super) fn named(turn: &SpokenTurn) -> String {
    format!("{}: {}", turn.speaker, turn.embeddable())
}

/// The cosine of every turn; vectors need no length of one.
pub(super) fn cosines(turns: &[Vec<f32>], query: &[f32]) -> Vec<f64> {
    let dot =
        |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    let length = |vector: &[f32]| f64::max(f64::sqrt(dot(vector, vector)), 1e-9);
    let of_query = length(query);
    turns
        .iter()
        .map(|turn| {
            let product: f64 = dot(turn, query);
            product / (length(turn) * of_query)
        })
        .collect()
}

/// Ordinals by score, best first; the first `limit`.
pub(super) fn ranked(scores: &[f64], limit: usize) -> Vec<usize> {
    let mut order: Vec<(usize, f64)> = scores.iter().copied().enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.into_iter().take(limit).map(|(ordinal, _)| ordinal).collect()
}

/// Reciprocal rank fusion: one divided by `k` and the rank, added over two rankings of everything.
pub(super) fn reciprocal_ranks(one: &[f64], other: &[f64], k: f64) -> Vec<f64> {
    let mut fused = vec![0.0; one.len()];
    for scores in [one, other] {
        for (rank, ordinal) in ranked(scores, scores.len()).into_iter().enumerate() {
            if let Some(score) = fused.get_mut(ordinal) {
                *score += 1.0 / (k + float_of(rank + 1));
            }
        }
    }
    fused
}

/// The sum of both, each brought to mean 0 and deviation 1 over the turns.
pub(super) fn z_sum(one: &[f64], other: &[f64]) -> Vec<f64> {
    let (one, other) = (standard(one), standard(other));
    one.iter().zip(&other).map(|(a, b)| a + b).collect()
}

fn standard(scores: &[f64]) -> Vec<f64> {
    let count = float_of(scores.len().max(1));
    let mean = scores.iter().sum::<f64>() / count;
    let spread = (scores.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
    scores.iter().map(|x| if spread > 0.0 { (x - mean) / spread } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::{Bm25, SpokenTurn, cosines, ranked, reciprocal_ranks, z_sum};

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn turn(text: &str) -> SpokenTurn {
        SpokenTurn {
            speaker: "Ann".into(),
            role: abide_memory::SpeakerRole::Person,
            thread: "1".into(),
            at: Timestamp::default(),
            text: text.into(),
            aside: String::new(),
        }
    }

    #[test]
    fn rare_words_in_short_turns_count_most() {
        let turns = ["the kite flew", "the kite", "the dog and the kite and the rain", "the dog"];
        let turns = turns.map(turn);
        let bm25 = Bm25::new(&turns, words);
        assert_eq!(ranked(&bm25.scores(&words("the kite")), 4), [1, 0, 2, 3]);
        assert_eq!(ranked(&bm25.scores(&words("dog")), 2), [3, 2]);
        // By hand: 3 of 4 turns hold "kite", once; the turn has 3 words with its speaker, the mean is 5.
        let idf = f64::ln(1.0 + 1.5 / 3.5);
        let expected = idf * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 3.0 / 4.75));
        let found = bm25.scores(&words("kite kite"))[1];
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn fusions_weigh_both_lists() {
        let (lexical, dense) = ([9.0, 1.0, 0.0], [0.1, 0.9, 0.8]);
        // Ranks 1, 2, 3 and 3, 1, 2.
        let fused = reciprocal_ranks(&lexical, &dense, 60.0);
        assert!((fused[0] - (1.0 / 61.0 + 1.0 / 63.0)).abs() < 1e-12);
        assert_eq!(ranked(&fused, 3), [1, 0, 2]);
        let summed = z_sum(&lexical, &dense);
        assert!(summed.iter().sum::<f64>().abs() < 1e-9);
        // Scores that are all the same say nothing.
        assert_eq!(ranked(&z_sum(&[1.0; 3], &dense), 3), [1, 2, 0]);
    }

    #[test]
    fn cosines_do_not_look_at_lengths() {
        let found = cosines(&[vec![2.0, 0.0], vec![0.0, 3.0], vec![0.0, 0.0]], &[4.0, 0.0]);
        assert_eq!(found, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn ties_stand_in_the_order_of_the_turns() {
        assert_eq!(ranked(&[1.0, 2.0, 1.0, 2.0], 3), [1, 3, 0]);
    }
}
