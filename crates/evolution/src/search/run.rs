//! A whole search: a tuning of weights, then the structure with as many generations, then both on the cases that were held out.
//!
//! One value that can be written down after each generation and read again. What it found is said beside today's order and beside
//! the best by weights alone; whether it is good enough is not said here.

use serde::{Deserialize, Serialize};

use super::{
    cascade::Cascade,
    case::{OrderFigures, RankedCase, p_beside_today},
    expression::Expression,
    population::{SearchKind, SearchPlan, SearchPlanError, SearchProgress, SearchState},
    start::starting_points,
};
use crate::limits::{GENERATIONS, ISLAND_SIZE, ISLANDS_MAX, POPULATION};

/// What a search may take, and what its chance follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchBudget {
    /// How far it goes: weights alone, or structure after them.
    pub kind: SearchKind,
    /// Generations of each part, within [`GENERATIONS`].
    pub generations: u32,
    /// Expressions of all populations together, within [`POPULATION`].
    pub population: usize,
    /// What everything that is random follows from.
    pub seed: u64,
}

/// Why a budget is none.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SearchBudgetError {
    /// Too few generations or too many.
    #[error("{generations} generations; a search has {} to {}", GENERATIONS.start(), GENERATIONS.end())]
    Generations {
        /// How many.
        generations: u32,
    },
    /// Too few expressions or too many.
    #[error("{population} expressions at a time; a search has {} to {}", POPULATION.start(), POPULATION.end())]
    Population {
        /// How many.
        population: usize,
    },
    /// They cannot be shared out.
    #[error(transparent)]
    Plan(#[from] SearchPlanError),
}

/// A search between two generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchRun {
    budget: SearchBudget,
    weights: SearchState,
    structure: Option<SearchState>,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchStep {
    /// A generation was measured, and there are more.
    Measured,
    /// It was interrupted; the search is where it was.
    Interrupted,
    /// All generations were measured before.
    Done,
}

/// An expression that was found, on the cases that it was chosen by and on those that it never saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateFigures {
    /// Which part found it.
    pub kind: SearchKind,
    /// What it is.
    pub expression: Expression,
    /// Expressions that were measured for it.
    pub evaluations: u64,
    /// On the older cases.
    pub tuned: OrderFigures,
    /// On the newest ones, which were held out.
    pub held_out: OrderFigures,
    /// How likely so much more than today's order is there without effect; of one comparison.
    pub p: f64,
}

/// What a search says at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchReport {
    /// What it was given.
    pub budget: SearchBudget,
    /// Generations that were measured, of all parts together.
    pub generations: u32,
    /// Cases that expressions were chosen by.
    pub tuned_cases: usize,
    /// Cases that were held out.
    pub held_out_cases: usize,
    /// Today's order on the older cases.
    pub tuned_today: OrderFigures,
    /// Today's order on the cases that were held out.
    pub held_out_today: OrderFigures,
    /// The best of each part, weights first; one that gave no number is left out.
    pub candidates: Vec<CandidateFigures>,
}

impl SearchBudget {
    /// Whether it is within its bounds.
    ///
    /// # Errors
    /// [`SearchBudgetError`] where it is not.
    pub fn check(&self) -> Result<(), SearchBudgetError> {
        if !GENERATIONS.contains(&self.generations) {
            return Err(SearchBudgetError::Generations { generations: self.generations });
        }
        if !POPULATION.contains(&self.population) {
            return Err(SearchBudgetError::Population { population: self.population });
        }
        Ok(())
    }

    /// Generations of all parts together.
    pub const fn generations_in_all(&self) -> u32 {
        match self.kind {
            SearchKind::Weights => self.generations,
            SearchKind::Structure => self.generations * 2,
        }
    }

    fn plan(&self, kind: SearchKind) -> SearchPlan {
        let islands = (self.population / ISLAND_SIZE).clamp(1, ISLANDS_MAX);
        let island_size = self.population / islands;
        SearchPlan { kind, seed: self.seed, islands, island_size, seeds: starting_points(kind) }
    }
}

impl SearchRun {
    /// A search that has measured nothing yet.
    ///
    /// # Errors
    /// [`SearchBudgetError`] where the budget is beyond its bounds.
    pub fn new(budget: SearchBudget) -> Result<Self, SearchBudgetError> {
        budget.check()?;
        let state = |kind| SearchState::new(&budget.plan(kind));
        let structure = match budget.kind {
            SearchKind::Weights => None,
            SearchKind::Structure => Some(state(SearchKind::Structure)?),
        };
        Ok(Self { budget, weights: state(SearchKind::Weights)?, structure })
    }

    /// What it was given.
    pub const fn budget(&self) -> &SearchBudget {
        &self.budget
    }

    /// Which part is at work, and how far it is.
    pub fn progress(&self) -> (SearchKind, SearchProgress) {
        let weights = self.weights.progress();
        match &self.structure {
            Some(structure) if weights.generation >= self.budget.generations => {
                (SearchKind::Structure, structure.progress())
            }
            _ => (SearchKind::Weights, weights),
        }
    }

    /// Generations and expressions that were measured, in all parts together.
    pub fn measured(&self) -> (u32, u64) {
        let parts = std::iter::once(&self.weights).chain(&self.structure);
        let parts = parts.map(SearchState::progress);
        parts.fold((0, 0), |(generations, evaluations), part| {
            (generations + part.generation, evaluations + part.evaluations)
        })
    }

    /// Measures a generation of the part that is at work. Where `is_stopped` says so meanwhile, nothing has happened.
    pub fn step(&mut self, cases: &Cascade<'_>, is_stopped: &dyn Fn() -> bool) -> SearchStep {
        let generations = self.budget.generations;
        let mut parts = std::iter::once(&mut self.weights).chain(&mut self.structure);
        let Some(part) = parts.find(|part| part.progress().generation < generations) else {
            return SearchStep::Done;
        };
        let mut next = part.clone();
        // What is not measured any more is not kept either.
        next.step(|expression| if is_stopped() { f64::NAN } else { cases.fitness(expression) });
        if is_stopped() {
            return SearchStep::Interrupted;
        }
        *part = next;
        SearchStep::Measured
    }

    /// What was found, on both sides of the split.
    pub fn report(&self, tuned: &[RankedCase], held_out: &[RankedCase]) -> SearchReport {
        let figures = |kind: SearchKind, state: &SearchState| {
            let best = state.best().filter(|best| best.fitness.is_some())?;
            let expression = best.expression.clone();
            Some(CandidateFigures {
                kind,
                evaluations: state.progress().evaluations,
                tuned: OrderFigures::expression(&expression, tuned),
                held_out: OrderFigures::expression(&expression, held_out),
                p: p_beside_today(&expression, held_out),
                expression,
            })
        };
        let weights = figures(SearchKind::Weights, &self.weights);
        let structure =
            self.structure.as_ref().and_then(|state| figures(SearchKind::Structure, state));
        SearchReport {
            budget: self.budget,
            generations: self.measured().0,
            tuned_cases: tuned.len(),
            held_out_cases: held_out.len(),
            tuned_today: OrderFigures::today(tuned),
            held_out_today: OrderFigures::today(held_out),
            candidates: weights.into_iter().chain(structure).collect(),
        }
    }
}

impl SearchReport {
    /// The best on the cases that were held out, where it is better there than today's order; of equals the one by weights.
    pub fn winner(&self) -> Option<&CandidateFigures> {
        let mut best: Option<&CandidateFigures> = None;
        for candidate in &self.candidates {
            let bar = best.map_or(self.held_out_today.score, |best| best.held_out.score);
            if candidate.held_out.score > bar {
                best = Some(candidate);
            }
        }
        best
    }

    /// The p of a candidate, with the looks at what was held out counted: each candidate was one (Bonferroni).
    pub fn corrected_p(&self, candidate: &CandidateFigures) -> f64 {
        (candidate.p * crate::statistics::count(self.candidates.len())).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{SearchBudget, SearchBudgetError, SearchKind, SearchRun, SearchStep};
    use crate::search::{Cascade, FeatureRow, RankFeature, RankedCase, starting_points};

    const BUDGET: SearchBudget =
        SearchBudget { kind: SearchKind::Structure, generations: 6, population: 90, seed: 5 };

    /// Cases in which the longest of thirty passages was needed, which the search found last.
    fn cases(number: u32) -> Vec<RankedCase> {
        let row = |place: u32, case: u32| {
            FeatureRow::new(|feature| match feature {
                RankFeature::Score => f64::from(30 - place),
                RankFeature::Rank => f64::from(place),
                RankFeature::Length => f64::from(place * 2 + case % 3),
                _ => 0.0,
            })
        };
        let case = |number: u32| {
            let rows = (0..30).map(|place| row(place, number)).collect();
            RankedCase::new(f64::from(number), rows, vec![29]).unwrap()
        };
        (0..number).map(case).collect()
    }

    fn searched(run: &mut SearchRun, cases: &[RankedCase]) -> usize {
        let today = &starting_points(SearchKind::Structure)[0];
        let cascade = Cascade::new(cases, today);
        let mut steps = 0;
        while run.step(&cascade, &|| false) == SearchStep::Measured {
            steps += 1;
        }
        steps
    }

    #[test]
    fn a_search_tunes_weights_first_and_says_what_both_found_beside_today() {
        let (tuned, held_out) = (cases(40), cases(20));
        let mut run = SearchRun::new(BUDGET).unwrap();
        assert_eq!(run.progress().0, SearchKind::Weights);
        assert_eq!(searched(&mut run, &tuned), 12);
        assert_eq!((run.progress().0, run.measured().0), (SearchKind::Structure, 12));
        let report = run.report(&tuned, &held_out);
        assert_eq!((report.held_out_today.missed, report.candidates.len()), (20, 2));
        let winner = report.winner().unwrap();
        assert!(winner.held_out.score > 1.0 && winner.held_out.missed == 0, "{report:?}");
        assert!(report.corrected_p(winner) < 0.001);
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(
            serde_json::to_string(&serde_json::from_str::<super::SearchReport>(&text).unwrap())
                .unwrap(),
            text
        );
    }

    #[test]
    fn what_is_no_better_than_today_does_not_win() {
        let first = |at| RankedCase::new(at, vec![FeatureRow::new(|_| 1.0); 5], vec![0]).unwrap();
        let cases: Vec<_> = (0..30).map(|at| first(f64::from(at))).collect();
        let mut run = SearchRun::new(BUDGET).unwrap();
        searched(&mut run, &cases);
        assert_eq!(run.report(&cases, &cases).winner(), None);
    }

    #[test]
    fn a_search_that_is_interrupted_and_read_again_finds_the_same() {
        let tuned = cases(30);
        let cascade = Cascade::new(&tuned, &starting_points(SearchKind::Structure)[0]);
        let mut whole = SearchRun::new(BUDGET).unwrap();
        let mut broken = whole.clone();
        while whole.step(&cascade, &|| false) == SearchStep::Measured {
            let before = broken.clone();
            assert_eq!(broken.step(&cascade, &|| true), SearchStep::Interrupted);
            assert_eq!(broken, before);
            broken = serde_json::from_str(&serde_json::to_string(&broken).unwrap()).unwrap();
            broken.step(&cascade, &|| false);
        }
        assert_eq!(broken, whole);
    }

    #[test]
    fn budgets_have_bounds() {
        for (budget, error) in [
            (
                SearchBudget { generations: 0, ..BUDGET },
                SearchBudgetError::Generations { generations: 0 },
            ),
            (
                SearchBudget { population: 11, ..BUDGET },
                SearchBudgetError::Population { population: 11 },
            ),
            (
                SearchBudget { population: 1_001, ..BUDGET },
                SearchBudgetError::Population { population: 1_001 },
            ),
        ] {
            assert_eq!(SearchRun::new(budget), Err(error));
        }
        for population in [12, 39, 40, 79, 1_000] {
            assert!(SearchRun::new(SearchBudget { population, ..BUDGET }).is_ok(), "{population}");
        }
        assert_eq!(SearchBudget { kind: SearchKind::Weights, ..BUDGET }.generations_in_all(), 6);
    }
}
