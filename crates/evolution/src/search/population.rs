//! The state of a search: populations that breed apart, one generation a step. All of it is one value that can be written down
//! and read again; a search that goes on from there is the same as one that never stopped.

use serde::{Deserialize, Serialize};

use super::{
    expression::Expression,
    variation::{crossed, grown, moved_constant, mutated},
};
use crate::{
    generator::Generator,
    limits::{
        ELITE, ISLAND_SIZE_MAX, ISLANDS_MAX, MIGRATION_GENERATIONS, NODE_PENALTY, SEEDS_MAX,
        TOURNAMENT,
    },
    statistics::count,
};

/// Fitness counts in millionths and up to this size, so that it is the same number after it has been JSON.
const FITNESS_MAX: f64 = 1_000_000.0;
/// The chance that a child has two parents.
const CHANCE_CROSSED: f64 = 0.4;

/// What may change of the expressions that a search begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// Constants alone.
    Weights,
    /// Everything.
    Structure,
}

/// What a search is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPlan {
    /// What may change.
    pub kind: SearchKind,
    /// What everything that is random follows from.
    pub seed: u64,
    /// Populations, 1 to [`ISLANDS_MAX`].
    pub islands: usize,
    /// Expressions of each, more than [`ELITE`] and up to [`ISLAND_SIZE_MAX`].
    pub island_size: usize,
    /// What it begins with: 1 to [`SEEDS_MAX`] expressions, today's order first.
    pub seeds: Vec<Expression>,
}

/// Why a search cannot begin.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SearchPlanError {
    /// There are no populations or too many.
    #[error("a search has {islands} populations; 1 to {ISLANDS_MAX} are allowed")]
    Islands {
        /// How many.
        islands: usize,
    },
    /// They are too small or too large.
    #[error("a population has {size} expressions; {} to {ISLAND_SIZE_MAX} are allowed", ELITE + 1)]
    Size {
        /// How large.
        size: usize,
    },
    /// There is nothing to begin with, or too much.
    #[error("a search begins with {seeds} expressions; 1 to {SEEDS_MAX} are allowed")]
    Seeds {
        /// How many.
        seeds: usize,
    },
}

/// An expression with its fitness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// The expression.
    pub expression: Expression,
    /// What it reached, in millionths; `None` where it was not measured yet or gave no number, which is the worst.
    pub fitness: Option<f64>,
    /// Whether its fitness is known.
    is_measured: bool,
}

/// A search between two generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchState {
    kind: SearchKind,
    generator: Generator,
    islands: Vec<Vec<Individual>>,
    generation: u32,
    evaluations: u64,
    best: Option<Individual>,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchProgress {
    /// Generations that were measured.
    pub generation: u32,
    /// Expressions that were measured.
    pub evaluations: u64,
    /// The fitness of the best so far; `None` where none gave a number.
    pub best_fitness: Option<f64>,
}

impl SearchState {
    /// A search that has measured nothing yet.
    ///
    /// # Errors
    /// [`SearchPlanError`] where the plan is beyond its bounds.
    pub fn new(plan: &SearchPlan) -> Result<Self, SearchPlanError> {
        if plan.islands == 0 || plan.islands > ISLANDS_MAX {
            return Err(SearchPlanError::Islands { islands: plan.islands });
        }
        if plan.island_size <= ELITE || plan.island_size > ISLAND_SIZE_MAX {
            return Err(SearchPlanError::Size { size: plan.island_size });
        }
        if plan.seeds.is_empty() || plan.seeds.len() > SEEDS_MAX {
            return Err(SearchPlanError::Seeds { seeds: plan.seeds.len() });
        }
        let mut generator = Generator::new(plan.seed);
        let islands = (0..plan.islands).map(|_| first_population(plan, &mut generator)).collect();
        let (generation, evaluations, best) = (0, 0, None);
        Ok(Self { kind: plan.kind, generator, islands, generation, evaluations, best })
    }

    /// Measures what is not measured yet and breeds the next generation. A fitness that is NaN is the worst.
    pub fn step(&mut self, fitness: impl Fn(&Expression) -> f64) -> SearchProgress {
        for individual in self.islands.iter_mut().flatten() {
            if !individual.is_measured {
                individual.fitness = counted(fitness(&individual.expression));
                individual.is_measured = true;
                self.evaluations += 1;
            }
            if self.best.as_ref().is_none_or(|best| individual.worth() > best.worth()) {
                self.best = Some(individual.clone());
            }
        }
        self.generation += 1;
        for island in &mut self.islands {
            // Stable, and so the same in every run.
            island.sort_by(|left, right| right.worth().total_cmp(&left.worth()));
        }
        if self.generation.is_multiple_of(MIGRATION_GENERATIONS) {
            self.migrate();
        }
        for island in &mut self.islands {
            *island = next_generation(island, self.kind, &mut self.generator);
        }
        self.progress()
    }

    /// How far it has come.
    pub fn progress(&self) -> SearchProgress {
        SearchProgress {
            generation: self.generation,
            evaluations: self.evaluations,
            best_fitness: self.best.as_ref().and_then(|best| best.fitness),
        }
    }

    /// The best so far, its length counted against it; `None` before the first step.
    pub const fn best(&self) -> Option<&Individual> {
        self.best.as_ref()
    }

    /// The best of each population takes the place of the worst of the next one.
    fn migrate(&mut self) {
        let best: Vec<Option<Individual>> =
            self.islands.iter().map(|island| island.first().cloned()).collect();
        let from = best.into_iter().cycle().skip(self.islands.len().saturating_sub(1));
        for (island, guest) in self.islands.iter_mut().zip(from) {
            if let (Some(place), Some(guest)) = (island.last_mut(), guest) {
                *place = guest;
            }
        }
    }
}

impl Individual {
    const fn new(expression: Expression) -> Self {
        Self { expression, fitness: None, is_measured: false }
    }

    /// Its fitness less what its length costs; what gave no number is below everything.
    fn worth(&self) -> f64 {
        let penalty = NODE_PENALTY * count(self.expression.nodes().len());
        self.fitness.map_or(f64::NEG_INFINITY, |fitness| fitness - penalty)
    }
}

/// A fitness as it counts: in millionths, none where it is NaN.
fn counted(fitness: f64) -> Option<f64> {
    let within = fitness.clamp(-FITNESS_MAX, FITNESS_MAX);
    (!fitness.is_nan()).then(|| libm::round(within * FITNESS_MAX) / FITNESS_MAX + 0.0)
}

/// The seeds, and from them as many as there is place for.
fn first_population(plan: &SearchPlan, generator: &mut Generator) -> Vec<Individual> {
    let mut island: Vec<Individual> =
        plan.seeds.iter().take(plan.island_size).cloned().map(Individual::new).collect();
    while island.len() < plan.island_size {
        let Some(seed) = generator.pick(&plan.seeds) else { return island };
        let child = match plan.kind {
            SearchKind::Weights => moved(seed, generator),
            SearchKind::Structure if generator.happens(0.5) => mutated(seed, generator),
            SearchKind::Structure => grown(generator),
        };
        island.push(Individual::new(child));
    }
    island
}

/// `sorted` is a measured population, the best first.
fn next_generation(
    sorted: &[Individual],
    kind: SearchKind,
    generator: &mut Generator,
) -> Vec<Individual> {
    let mut next: Vec<Individual> = sorted.iter().take(ELITE).cloned().collect();
    while next.len() < sorted.len() {
        let Some(parent) = parent(sorted, generator) else { return next };
        let child = match kind {
            SearchKind::Weights => moved(&parent.expression, generator),
            SearchKind::Structure if generator.happens(CHANCE_CROSSED) => {
                let other = self::parent(sorted, generator).unwrap_or(parent);
                crossed(&parent.expression, &other.expression, generator)
            }
            SearchKind::Structure => mutated(&parent.expression, generator),
        };
        let is_same = child == parent.expression;
        next.push(if is_same { parent.clone() } else { Individual::new(child) });
    }
    next
}

/// The best of a few that are drawn by chance.
fn parent<'a>(sorted: &'a [Individual], generator: &mut Generator) -> Option<&'a Individual> {
    let drawn = (0..TOURNAMENT).map(|_| generator.below(sorted.len())).min()?;
    sorted.get(drawn)
}

/// One or two constants a step away; the same where there is none.
fn moved(parent: &Expression, generator: &mut Generator) -> Expression {
    let once = moved_constant(parent, generator).unwrap_or_else(|| parent.clone());
    if generator.happens(0.5) {
        return once;
    }
    moved_constant(&once, generator).unwrap_or(once)
}
