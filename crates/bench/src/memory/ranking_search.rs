//! Whether a search for a better order of passages finds one that holds: expressions are chosen on the first conversations of a
//! person's file, and the others say what they are worth. By words alone, evidence as given.
//!
//! The search is the one that `abide evolve search` runs; nothing of the file is in what it finds but weights.

use std::{collections::HashSet, fmt};

use abide_evolution::search::{
    Cascade, Expression, FeatureRow, RankedCase, SearchBudget, SearchKind, SearchRun, SearchStep,
    starting_points,
};
use abide_memory::{QueryKind, SearchQuery};
use serde::Serialize;

use super::{
    conversation::{Conversation, RankedTurn},
    locomo,
    metrics::{Measures, Score},
    recall::{Locomo, TUNED_ON},
    systems::{MessageIndex, RANKED_MAX},
};
use crate::error::BenchError;

/// What structure is to add to recall at 10 on what is held out.
const AIM: f64 = 0.01;
/// Generations between two lines about progress.
const REPORT_EVERY: u32 = 10;

/// How the search is measured.
#[derive(Clone, Debug)]
pub struct RankingSearchPlan {
    /// The conversations.
    pub locomo: Locomo,
    /// Generations of each part.
    pub generations: u32,
    /// Expressions at a time.
    pub population: usize,
    /// One search each.
    pub seeds: Vec<u64>,
}

/// What the searches found, beside today's order.
#[derive(Clone, Debug, Serialize)]
pub struct RankingSearchReport {
    /// Generations of each part.
    pub generations: u32,
    /// Expressions at a time.
    pub population: usize,
    /// Questions that count, of the conversations that expressions were chosen on, and of the others.
    pub questions: (usize, usize),
    /// Recall at 10 of today's order, on both.
    pub today: (f64, f64),
    /// By seed.
    pub found: Vec<FoundOrders>,
}

/// What one search found.
#[derive(Clone, Debug, Serialize)]
pub struct FoundOrders {
    /// Its seed.
    pub seed: u64,
    /// The best of each part, weights first.
    pub orders: Vec<FoundOrder>,
}

/// One order that was found.
#[derive(Clone, Debug, Serialize)]
pub struct FoundOrder {
    /// `weights` or `structure`.
    pub kind: SearchKind,
    /// Expressions that were measured for it.
    pub evaluations: u64,
    /// Recall at 10 on the conversations that it was chosen on.
    pub tuned: f64,
    /// Recall at 10 on the others.
    pub held_out: f64,
    /// How likely so much more than today's order is there without effect.
    pub p: f64,
    /// What it is, in Scheme.
    pub expression: String,
}

/// A question with what was found for it.
struct AskedQuestion {
    talk: usize,
    question: usize,
    hits: Vec<RankedTurn>,
    rows: Vec<FeatureRow>,
}

/// Some of the conversations, with what was found in them.
struct Half {
    talks: Vec<Conversation>,
    asked: Vec<AskedQuestion>,
}

/// Runs a search for each seed; `tell` hears how far it is. Blocks for minutes.
pub fn ranking_search(
    plan: &RankingSearchPlan,
    tell: &dyn Fn(&str),
) -> Result<RankingSearchReport, BenchError> {
    let mut talks = locomo::read(&plan.locomo.data, plan.locomo.audit.as_deref())?;
    let held_out = Half::new(talks.split_off(TUNED_ON.min(talks.len())))?;
    let tuned = Half::new(talks)?;
    let (tuned_cases, held_out_cases) = (tuned.cases(), held_out.cases());
    if tuned_cases.is_empty() || held_out_cases.is_empty() {
        let message = format!("a search needs more than {TUNED_ON} conversations with questions");
        return Err(BenchError::Wrong(message));
    }
    let mut found = Vec::new();
    for seed in &plan.seeds {
        let budget = SearchBudget {
            kind: SearchKind::Structure,
            generations: plan.generations,
            population: plan.population,
            seed: *seed,
        };
        let run = search(budget, &tuned_cases, tell)?;
        let candidates = run.report(&tuned_cases, &held_out_cases).candidates.into_iter();
        let orders = candidates.map(|candidate| FoundOrder {
            kind: candidate.kind,
            evaluations: candidate.evaluations,
            tuned: tuned.measures(Some(&candidate.expression)).r10,
            held_out: held_out.measures(Some(&candidate.expression)).r10,
            p: candidate.p,
            expression: candidate.expression.scheme_term(),
        });
        found.push(FoundOrders { seed: *seed, orders: orders.collect() });
    }
    let (on_tuned, on_held_out) = (tuned.measures(None), held_out.measures(None));
    Ok(RankingSearchReport {
        generations: plan.generations,
        population: plan.population,
        questions: (on_tuned.questions, on_held_out.questions),
        today: (on_tuned.r10, on_held_out.r10),
        found,
    })
}

fn search(
    budget: SearchBudget,
    cases: &[RankedCase],
    tell: &dyn Fn(&str),
) -> Result<SearchRun, BenchError> {
    let mut run = SearchRun::new(budget).map_err(|error| BenchError::Wrong(error.to_string()))?;
    let points = starting_points(SearchKind::Structure);
    let Some(today) = points.first() else { return Ok(run) };
    let cascade = Cascade::new(cases, today);
    while run.step(&cascade, &|| false) == SearchStep::Measured {
        let (kind, progress) = run.progress();
        if progress.generation.is_multiple_of(REPORT_EVERY) {
            let best = progress.best_fitness.unwrap_or(0.0);
            let generation = progress.generation;
            tell(&format!("seed {}, {kind:?}, generation {generation}: {best:.4}", budget.seed));
        }
    }
    Ok(run)
}

impl Half {
    fn new(talks: Vec<Conversation>) -> Result<Self, BenchError> {
        let mut asked = Vec::new();
        for (talk, conversation) in talks.iter().enumerate() {
            let cut = MessageIndex::new(&conversation.turns);
            let now = conversation.turns.last().map(|turn| turn.at).unwrap_or_default();
            for (question, about) in conversation.questions.iter().enumerate() {
                let query = SearchQuery {
                    text: &about.text,
                    vector: None,
                    now,
                    asker: about.asker.as_deref(),
                    limit: RANKED_MAX,
                    kind: QueryKind::Conversation,
                    before: None,
                };
                let hits = cut.index.nearest(&query);
                let features = cut.index.features(&query, &hits);
                let rows = features.iter().map(|found| FeatureRow::named(&found.named()));
                let rows = rows.collect();
                asked.push(AskedQuestion { talk, question, hits: cut.shown(&hits)?, rows });
            }
        }
        Ok(Self { talks, asked })
    }

    /// What an order can be scored by: questions that count, with evidence among what was found.
    fn cases(&self) -> Vec<RankedCase> {
        let case = |(number, asked): (u32, &AskedQuestion)| {
            let question = self.talks.get(asked.talk)?.questions.get(asked.question)?;
            let evidence: HashSet<usize> = question.given.iter().copied().collect();
            let is_needed = |(_, hit): &(usize, &RankedTurn)| evidence.contains(&hit.turn);
            let places = asked.hits.iter().enumerate().filter(is_needed);
            let needed = places.map(|(place, _)| place).collect();
            let is_counted = question.category.is_counted();
            RankedCase::new(f64::from(number), asked.rows.clone(), needed)
                .ok()
                .filter(|_| is_counted)
        };
        (0..).zip(&self.asked).filter_map(case).collect()
    }

    /// How good an expression's order is; without one, today's.
    fn measures(&self, expression: Option<&Expression>) -> Measures {
        let score = |asked: &AskedQuestion| {
            let talk = self.talks.get(asked.talk)?;
            let question = talk.questions.get(asked.question)?;
            let hits = match expression {
                Some(expression) => reordered(asked, expression),
                None => asked.hits.clone(),
            };
            Some(Score::of(question.category, &talk.turns, &hits, &question.given))
        };
        Measures::of(&self.asked.iter().filter_map(score).collect::<Vec<_>>())
    }
}

/// The greatest first; equal values keep their order, as in the module that is proposed.
fn reordered(asked: &AskedQuestion, expression: &Expression) -> Vec<RankedTurn> {
    let mut valued: Vec<(f64, RankedTurn)> =
        asked.rows.iter().map(|row| expression.evaluate(row)).zip(asked.hits.clone()).collect();
    valued.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    valued.into_iter().map(|(_, hit)| hit).collect()
}

impl RankingSearchReport {
    /// The mean over seeds of what a part found on the conversations held out; none where it found nothing.
    pub fn mean(&self, kind: SearchKind) -> Option<f64> {
        let all = self.found.iter().flat_map(|found| &found.orders);
        let of: Vec<f64> =
            all.filter(|order| order.kind == kind).map(|order| order.held_out).collect();
        (!of.is_empty()).then(|| super::metrics::mean(of.into_iter()))
    }

    /// Whether structure gains as much over today's order as is aimed at.
    pub fn is_met(&self) -> bool {
        self.mean(SearchKind::Structure).is_some_and(|mean| mean >= self.today.1 + AIM)
    }
}

impl fmt::Display for RankingSearchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tuned, held_out) = self.questions;
        writeln!(
            f,
            "search for an order, {} generations of {} a part; {tuned} questions chosen on, {held_out} held out; R@10",
            self.generations, self.population
        )?;
        writeln!(
            f,
            "{:<12} {:>9} {:>9} {:>9} {:>11} {:>7}",
            "order", "seed", "chosen on", "held out", "expressions", "p"
        )?;
        let (on_tuned, on_held_out) = self.today;
        writeln!(f, "{:<12} {:>9} {on_tuned:>9.4} {on_held_out:>9.4}", "today", "")?;
        for found in &self.found {
            for order in &found.orders {
                let kind = kind_name(order.kind);
                writeln!(
                    f,
                    "{kind:<12} {:>9} {:>9.4} {:>9.4} {:>11} {:>7.4}",
                    found.seed, order.tuned, order.held_out, order.evaluations, order.p
                )?;
            }
        }
        for kind in [SearchKind::Weights, SearchKind::Structure] {
            if let Some(mean) = self.mean(kind) {
                let gain = mean - on_held_out;
                writeln!(
                    f,
                    "{:<12} {:>9} {:>9} {mean:>9.4}  {gain:+.4}",
                    kind_name(kind),
                    "mean",
                    ""
                )?;
            }
        }
        for found in &self.found {
            for order in &found.orders {
                writeln!(
                    f,
                    "\nseed {}, {}:\n  {}",
                    found.seed,
                    kind_name(order.kind),
                    order.expression
                )?;
            }
        }
        Ok(())
    }
}

const fn kind_name(kind: SearchKind) -> &'static str {
    match kind {
        SearchKind::Weights => "weights",
        SearchKind::Structure => "structure",
    }
}

#[cfg(test)]
mod tests {
    use abide_evolution::search::SearchKind;

    use super::{FeatureRow, Half, search};
    use crate::memory::kinds::KINDS;

    #[test]
    fn every_number_of_the_search_has_its_feature() {
        let named = abide_memory::SearchFeatures::default().named();
        let known = abide_evolution::search::RankFeature::ALL
            .map(abide_evolution::search::RankFeature::name);
        assert_eq!(named.map(|(name, _)| name), known);
    }

    #[test]
    fn a_search_on_made_talks_is_scored_as_the_recall_of_the_bench() {
        let kind = KINDS.first().unwrap();
        let half = Half::new(kind.talks(1, false)).unwrap();
        let cases = half.cases();
        assert!(!cases.is_empty() && cases.len() <= half.asked.len());
        let budget = super::SearchBudget {
            kind: SearchKind::Structure,
            generations: 2,
            population: 12,
            seed: 1,
        };
        let run = search(budget, &cases, &|_| {}).unwrap();
        let report = run.report(&cases, &cases);
        let today = half.measures(None);
        for candidate in report.candidates {
            let found = half.measures(Some(&candidate.expression));
            assert_eq!(found.questions, today.questions);
            assert!(found.r10 >= today.r10 - 0.1, "{found:?}");
        }
        assert!(FeatureRow::named(&[]).get(abide_evolution::search::RankFeature::Score) < 1e-9);
    }
}
