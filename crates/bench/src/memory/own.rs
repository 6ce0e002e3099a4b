//! The set of our own: lives that are made from seeds, lived through by a real memory, and asked about.
//!
//! It measures what public sets of conversations do not: whether the newest of several answers is the one in force,
//! whether what was taken back stays away, whether nothing is found where nothing was said, and who said what of whom.
//! Search was not tuned on it. It must never hold a sentence of anybody else's data.
//!
//! Reading order: `attributes` and `happenings` (what can be said and asked), `life` (one life from a seed), `feed` (as
//! events, into a memory), `score`.

mod attributes;
mod feed;
mod happenings;
mod life;
mod score;

use abide_memory::{KnowledgeHandle, VECTORS_BATCH_MAX, VectorCursor};

pub use self::score::{Absence, OwnScores};
use self::{
    life::{Change, Life},
    score::ScoredQuestions,
};
use super::embedding::Embed;
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
};

impl Life {
    /// What a fact says.
    fn content_of(&self, number: usize) -> Option<&str> {
        self.exchanges.iter().find_map(|exchange| match &exchange.change {
            Some(Change::Learn { fact, content, .. }) if *fact == number => Some(content.as_str()),
            _ => None,
        })
    }
}

/// The scores over the lives of some seeds: by words alone, then with each embedder.
pub(super) fn measure(
    seeds: u64,
    embedders: &[Box<dyn Embed + '_>],
) -> Result<Vec<OwnScores>, BenchError> {
    let mut words = ScoredQuestions::default();
    let mut meant: Vec<ScoredQuestions> =
        embedders.iter().map(|_| ScoredQuestions::default()).collect();
    for seed in 1..=seeds {
        let life = Life::new(seed);
        let handle = feed::memory(&life)?;
        words.ask(&life, &handle, None)?;
        for (embedder, seen) in embedders.iter().zip(&mut meant) {
            embed(&handle, embedder.as_ref())?;
            seen.ask(&life, &handle, Some(embedder.as_ref()))?;
        }
    }
    let mut scores = vec![words.scores("words alone")];
    scores.extend(embedders.iter().zip(&meant).map(|(by, seen)| seen.scores(by.name())));
    Ok(scores)
}

/// Questions in people's words, for timing.
pub(super) fn questions() -> Vec<String> {
    Life::new(1).asks.into_iter().map(|ask| ask.text).collect()
}

/// What one system did, as rows with the floors that it must not fall below. Floors lie under what was seen when they were
/// written: they hold what there is, and are no aim.
pub(super) fn rows(scores: &OwnScores) -> Vec<Row> {
    let of = |shares: &[(&'static str, f64)], kind: &str| {
        let found = shares.iter().find(|(name, _)| *name == kind);
        found.map_or(0.0, |(_, share)| *share)
    };
    let figures = [
        ("own_replaced", "a replaced fact stays away", scores.none_replaced, 1.0),
        ("own_forgotten", "a retracted fact stays away", scores.forgotten, 1.0),
        ("own_fact_first", "the fact in force comes first", of(&scores.fact_first, "direct"), 0.8),
        ("own_passage", "the newest telling is found, of 5", of(&scores.passages_5, "direct"), 0.5),
        ("own_when", "the day is found, of 5", of(&scores.passages_5, "when"), 0.55),
        ("own_dated", "the right one of two months, of 5", of(&scores.passages_5, "dated"), 0.95),
        ("own_unheard", "told apart from the unheard-of", scores.absence.above_unheard, 0.8),
        ("own_of_another", "and from what others have", scores.absence.above_of_another, 0.55),
    ];
    let system = &scores.system;
    let row = |(id, title, value, floor): (&'static str, &str, f64, f64)| {
        let row =
            Row::new(id, format!("a life that is made here, {system}: {title}"), "of 1", &[value]);
        row.held_to(Bar::at_least(BarSubject::Value, floor))
    };
    figures.map(row).into()
}

/// Gives every text of a memory its vector.
fn embed(handle: &KnowledgeHandle, embedder: &dyn Embed) -> Result<(), BenchError> {
    let (model, mut cursor) = (embedder.model(), VectorCursor::default());
    loop {
        let missing = handle.missing_vectors(&model.id, cursor, VECTORS_BATCH_MAX);
        let missing = missing.map_err(BenchError::of("read a memory's texts"))?;
        let Some(last) = missing.last() else { return Ok(()) };
        cursor.pass(last.key);
        let texts: Vec<String> = missing.iter().map(|missing| missing.text.clone()).collect();
        let keys = missing.iter().map(|missing| missing.key);
        let vectors: Vec<_> = keys.zip(embedder.embed(&texts)?).collect();
        handle.put_vectors(&model, &vectors).map_err(BenchError::of("keep vectors"))?;
    }
}
