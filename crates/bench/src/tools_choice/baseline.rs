//! Plain BM25 over the words of name, text, parameters and server, as others search tools: what the choice is compared with.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::tool::ToolSpec;
use abide_memory::words;
use serde_json::Value;

/// The usual values.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The words of tools with their counts.
#[derive(Debug)]
pub(super) struct PlainSearch {
    counts: Vec<BTreeMap<String, f64>>,
    lengths: Vec<f64>,
    average: f64,
    having: BTreeMap<String, f64>,
}

impl PlainSearch {
    pub(super) fn new(specs: &[ToolSpec]) -> Self {
        let mut search =
            Self { counts: Vec::new(), lengths: Vec::new(), average: 1.0, having: BTreeMap::new() };
        for spec in specs {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            let mut length = 0.0;
            for word in words(&text_of(spec)) {
                *counts.entry(word).or_default() += 1.0;
                length += 1.0;
            }
            for word in counts.keys() {
                *search.having.entry(word.clone()).or_default() += 1.0;
            }
            search.counts.push(counts);
            search.lengths.push(length);
        }
        let total: f64 = search.lengths.iter().sum();
        search.average = (total / count(specs.len().max(1))).max(1.0);
        search
    }

    /// Places of the tools that share a word with the text, the best first.
    pub(super) fn rank(&self, text: &str) -> Vec<usize> {
        let asked: BTreeSet<String> = words(text).into_iter().collect();
        let scored = self.counts.iter().zip(&self.lengths).enumerate();
        let mut scored: Vec<(usize, f64)> = scored
            .map(|(place, (counts, length))| {
                (place, asked.iter().map(|word| self.score(word, counts, *length)).sum())
            })
            .filter(|(_, score)| *score > 0.0)
            .collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        scored.into_iter().map(|(place, _)| place).collect()
    }

    fn score(&self, word: &str, counts: &BTreeMap<String, f64>, length: f64) -> f64 {
        let Some(times) = counts.get(word) else { return 0.0 };
        let having = self.having.get(word).copied().unwrap_or_default();
        let rarity = (1.0 + (count(self.counts.len()) - having + 0.5) / (having + 0.5)).ln();
        rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / self.average))
    }
}

/// The name twice, as the figures of others have it.
fn text_of(spec: &ToolSpec) -> String {
    let name = spec.name.replace(['_', '.'], " ");
    let mut text = format!("{name} {name} {}", spec.description);
    let properties = spec.parameters.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let described = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let name = name.replace('_', " ");
        text.extend([" ", name.as_str(), " ", described]);
    }
    text
}

fn count(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
