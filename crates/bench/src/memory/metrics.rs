//! How well a ranking found the evidence, and the mean of it over questions.
//!
//! Recall at k is the share of a question's evidence turns among the first k, averaged over questions: a question with
//! ten evidence turns counts as much as one with one.

use std::collections::HashSet;

use serde::Serialize;

use super::conversation::{Category, RankedTurn, SpokenTurn};
use crate::spread::{float_of, quantile_of};

/// Samples of the bootstrap that an interval is taken from.
const RESAMPLES: usize = 1_000;

/// How one ranking did on one question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Score {
    category: Category,
    r5: f64,
    r10: f64,
    r20: f64,
    all10: f64,
    mrr: f64,
    session1: f64,
    r500_tokens: f64,
    r1000_tokens: f64,
}

/// Means over questions of the categories that count; the adversarial ones stand apart in [`Measures::categories`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Questions that count.
    pub questions: usize,
    /// Recall of evidence turns among the first 5.
    pub r5: f64,
    /// Among the first 10.
    pub r10: f64,
    /// Half of 95 % of the bootstrap over questions lies below, half above: both ends for `r10`.
    pub r10_interval: (f64, f64),
    /// Among the first 20.
    pub r20: f64,
    /// Share of questions with all evidence among the first 10.
    pub all10: f64,
    /// Mean of one divided by the rank of the first evidence turn.
    pub mrr: f64,
    /// Share of questions whose first hit is of a session with evidence.
    pub session1: f64,
    /// Recall among the first turns that together take at most 500 tokens.
    pub r500_tokens: f64,
    /// And 1,000.
    pub r1000_tokens: f64,
    /// Recall among the first 10, by category; none where there are no such questions.
    pub categories: Vec<(&'static str, Option<f64>)>,
}

impl Score {
    /// Compares a ranking, best first, with the evidence.
    pub(super) fn of(
        category: Category,
        turns: &[SpokenTurn],
        ranked: &[RankedTurn],
        evidence: &[usize],
    ) -> Self {
        let wanted: HashSet<usize> = evidence.iter().copied().collect();
        let ranking: &[usize] = &ranked.iter().map(|ranked| ranked.turn).collect::<Vec<_>>();
        let first = ranking.iter().position(|ordinal| wanted.contains(ordinal));
        let sessions: HashSet<&str> = threads(turns, evidence).collect();
        let top = ranking.first().map_or(&[][..], std::slice::from_ref);
        let r10 = share(ranking, 10, &wanted);
        Self {
            category,
            r5: share(ranking, 5, &wanted),
            r10,
            r20: share(ranking, 20, &wanted),
            all10: if r10 >= 1.0 { 1.0 } else { 0.0 },
            mrr: first.map_or(0.0, |rank| 1.0 / float_of(rank + 1)),
            session1: f64::from(u8::from(threads(turns, top).any(|it| sessions.contains(it)))),
            r500_tokens: share(ranking, within(ranked, 500), &wanted),
            r1000_tokens: share(ranking, within(ranked, 1_000), &wanted),
        }
    }
}

fn threads<'a>(turns: &'a [SpokenTurn], ordinals: &'a [usize]) -> impl Iterator<Item = &'a str> {
    ordinals.iter().filter_map(|ordinal| Some(turns.get(*ordinal)?.thread.as_str()))
}

/// The share of the wanted ones among the first `k`.
fn share(ranking: &[usize], k: usize, wanted: &HashSet<usize>) -> f64 {
    let found = ranking.iter().take(k).filter(|ordinal| wanted.contains(ordinal)).count();
    float_of(found) / float_of(wanted.len().max(1))
}

/// How many of the first turns fit into a budget together.
fn within(ranked: &[RankedTurn], budget: usize) -> usize {
    let mut spent = 0;
    let costs = ranked.iter().map(|ranked| ranked.tokens);
    let fits = costs.take_while(|cost| {
        spent += cost;
        spent <= budget
    });
    fits.count()
}

impl Measures {
    /// The means of scores.
    pub(super) fn of(scores: &[Score]) -> Self {
        let counted: Vec<&Score> =
            scores.iter().filter(|score| score.category.is_counted()).collect();
        let mean_of = |field: fn(&Score) -> f64| mean(counted.iter().map(|score| field(score)));
        let r10: Vec<f64> = counted.iter().map(|score| score.r10).collect();
        let by = |category: Category| {
            let of = scores.iter().filter(move |score| score.category == category);
            let of: Vec<f64> = of.map(|score| score.r10).collect();
            (category.as_str(), (!of.is_empty()).then(|| mean(of.into_iter())))
        };
        Self {
            questions: counted.len(),
            r5: mean_of(|score| score.r5),
            r10: mean_of(|score| score.r10),
            r10_interval: interval(&r10),
            r20: mean_of(|score| score.r20),
            all10: mean_of(|score| score.all10),
            mrr: mean_of(|score| score.mrr),
            session1: mean_of(|score| score.session1),
            r500_tokens: mean_of(|score| score.r500_tokens),
            r1000_tokens: mean_of(|score| score.r1000_tokens),
            categories: Category::ALL.map(by).into(),
        }
    }

    /// Recall among the first 10 of one category.
    pub(super) fn category(&self, category: Category) -> Option<f64> {
        let found = self.categories.iter().find(|(name, _)| *name == category.as_str());
        found.and_then(|(_, recall)| *recall)
    }
}

pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    values.sum::<f64>() / float_of(count.max(1))
}

/// Both ends of the middle 95 % of the means of resampled values.
fn interval(values: &[f64]) -> (f64, f64) {
    let mut rng = super::rng::Rng::new(1);
    let means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = (0..values.len()).map(|_| rng.pick(values).copied().unwrap_or_default());
            mean(drawn)
        })
        .collect();
    (quantile_of(&means, 0.025), quantile_of(&means, 0.975))
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::{Category, Measures, RankedTurn, Score, SpokenTurn};

    /// Turns of 25 tokens each, two to a session.
    fn turns(count: usize) -> Vec<SpokenTurn> {
        let turn = |ordinal: usize| SpokenTurn {
            speaker: "Ann".into(),
            role: abide_memory::SpeakerRole::Person,
            thread: format!("{}", ordinal / 2),
            at: Timestamp::default(),
            text: "x".repeat(95),
            aside: String::new(),
        };
        (0..count).map(turn).collect()
    }

    /// All turns in their order, whole.
    fn ranking(turns: &[SpokenTurn]) -> Vec<RankedTurn> {
        let ranked = |(turn, of): (usize, &SpokenTurn)| RankedTurn { turn, tokens: of.tokens() };
        turns.iter().enumerate().map(ranked).collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn a_ranking_is_scored_by_the_evidence_that_it_brings() {
        let turns = turns(60);
        let ranking = ranking(&turns);
        // Ranks 3, 9, 15 and 40.
        let score = Score::of(Category::MultiHop, &turns, &ranking, &[2, 8, 14, 39]);
        close(score.r5, 0.25);
        close(score.r10, 0.5);
        close(score.r20, 0.75);
        close(score.all10, 0.0);
        close(score.mrr, 1.0 / 3.0);
        // 500 tokens hold 20 turns, 1,000 hold 40.
        close(score.r500_tokens, 0.75);
        close(score.r1000_tokens, 1.0);
        close(score.session1, 0.0);
        close(Score::of(Category::MultiHop, &turns, &ranking, &[1]).session1, 1.0);
        close(Score::of(Category::MultiHop, &turns, &ranking, &[0, 9]).all10, 1.0);
    }

    #[test]
    fn what_is_not_ranked_is_not_found() {
        let score = Score::of(Category::Temporal, &turns(4), &[], &[2]);
        for found in [score.r20, score.mrr, score.session1, score.r1000_tokens, score.all10] {
            close(found, 0.0);
        }
    }

    #[test]
    fn a_long_turn_of_which_a_passage_is_shown_leaves_room_for_others() {
        let turns = turns(2);
        let shown = |tokens| [RankedTurn { turn: 0, tokens }, RankedTurn { turn: 1, tokens: 20 }];
        let score = |tokens| Score::of(Category::SingleHop, &turns, &shown(tokens), &[1]);
        close(score(800).r500_tokens, 0.0);
        close(score(90).r500_tokens, 1.0);
    }

    #[test]
    fn adversarial_questions_stand_apart() {
        let turns = turns(30);
        let ranking = ranking(&turns);
        let scores = [
            Score::of(Category::SingleHop, &turns, &ranking, &[0]),
            Score::of(Category::SingleHop, &turns, &ranking, &[25]),
            Score::of(Category::Adversarial, &turns, &ranking, &[25]),
        ];
        let measures = Measures::of(&scores);
        assert_eq!(measures.questions, 2);
        close(measures.r10, 0.5);
        close(measures.category(Category::Adversarial).unwrap(), 0.0);
        assert_eq!(measures.category(Category::Temporal), None);
        assert!(measures.r10_interval.0 < 0.5 && measures.r10_interval.1 > 0.5);
    }
}
