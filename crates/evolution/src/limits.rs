//! Every threshold, level and bound of a comparison, with its origin. A proposal can change none of them.

/// Fewest usable pairs that say anything at all; below it every verdict is "not enough".
pub const PAIRS_MIN: usize = 30;
/// Fewest usable pairs after which a candidate is promoted without a person: no error in 100 pairs still allows 3 %.
pub const PAIRS_ALONE: usize = 100;
/// Where the evidence is looked at while a comparison runs, and the level of each look, before it is shared out.
///
/// Looking whenever a pair arrives would promote a fifth of all candidates without effect; these levels keep three looks
/// together below 5 %.
pub const LOOKS: [(usize, f64); 3] = [(50, 0.0015), (100, 0.0181), (200, 0.0436)];
/// Pairs of one comparison; more are not looked at.
pub const PAIRS_MAX: usize = 1_000;

/// What must be saved of the size metric: a tenth.
pub const SIZE_CHANGE: f64 = -0.10;
/// What must be saved of the errors: a fifth.
pub const ERRORS_CHANGE: f64 = -0.20;
/// What memory may not grow by: a half.
pub const MEMORY_CHANGE: f64 = 0.50;
/// The newest share of the pairs in which memory is looked at again: a leak shows itself late.
pub const MEMORY_LATE_SHARE: usize = 4;
/// The level at which more errors of the candidate refuse it. Not shared out: a guard is no second chance.
pub const WORSE_LEVEL: f64 = 0.05;
/// By how much answers may agree less with main than main agrees with itself, where nothing else is handed in.
pub const AGREEMENT_TOLERANCE: f64 = 0.05;
/// What is cut from each end of the sorted log ratios before their mean is taken, in percent.
pub const TRIM_PERCENT: usize = 25;

/// Pilot pairs from which the needed number of pairs is worked out.
pub const PILOT_PAIRS_MIN: usize = 20;
/// Pairs for a power of 90 % at −15 %, over the squared spread of the log ratios; from simulation.
pub const PAIRS_PER_VARIANCE: f64 = 600.0;
/// Spread of the log ratios above which a request runs three times a leg.
pub const SPREAD_NOISY: f64 = 0.40;
/// How often a request runs in each leg where it is noisy; the median counts.
pub const RUNS_NOISY: u32 = 3;
/// The variance of the median of three normal values over that of one.
pub const VARIANCE_OF_THREE: f64 = 0.449;

/// How much slower or dearer is a regression: a tenth.
pub const REGRESSION_CHANGE: f64 = 0.10;
/// The level of the tests at the ends of all stages of the canary together; each stage has an equal part of it. A whole level
/// for each stage rolled 9 of 100 equal codes back in simulations of noisy requests.
pub const REGRESSION_LEVEL: f64 = 0.05;
/// The e-value of the size at which the watch acts: under no effect it is reached once in 20 watches at most.
pub const E_VALUE_SIZE: f64 = 20.0;
/// The e-value of the errors at which the watch acts, by the same rule once in 40.
pub const E_VALUE_ERRORS: f64 = 40.0;
/// Alternatives between an even chance and certainty that the e-value is the mean over.
pub const E_VALUE_STEPS: u32 = 50;
/// Stages of the canary: percent of the requests, and the pairs after which the stage ends.
pub const CANARY_STAGES: [(u8, usize); 3] = [(10, 30), (50, 50), (100, 100)];

/// Resamples of a bootstrap interval.
pub const RESAMPLES: usize = 2_000;
/// Divergences that a report shows.
pub const DIVERGENCES_SHOWN: usize = 50;
/// Largest measurement in any unit: 46 days in microseconds, 4 TB in bytes.
pub const MEASUREMENT_MAX: f64 = 4e12;
/// Longest name of a request, in bytes.
pub const REQUEST_BYTES_MAX: usize = 128;
/// Longest kind of a failure, in bytes.
pub const FAILURE_BYTES_MAX: usize = 64;
/// Longest text of a divergence, in bytes.
pub const DIVERGENCE_BYTES_MAX: usize = 1_024;

/// Nodes of one expression of a search: what a person can still read, and what is computed for 100 passages in a blink.
pub const EXPRESSION_NODES_MAX: usize = 48;
/// Largest constant of an expression, above and below zero.
pub const CONSTANT_MAX: f64 = 1_000.0;
/// Steps of a constant: ten thousandths, so that it is the same number in JSON and in Scheme.
pub const CONSTANT_STEPS: f64 = 10_000.0;
/// Divisors nearer to zero than this count as one.
pub const DIVISOR_MIN: f64 = 0.000_001;
/// Populations of a search that breed apart.
pub const ISLANDS_MAX: usize = 16;
/// Expressions of one population.
pub const ISLAND_SIZE_MAX: usize = 500;
/// Expressions that a search may begin with.
pub const SEEDS_MAX: usize = 50;
/// Generations after which each population's best goes to the next population.
pub const MIGRATION_GENERATIONS: u32 = 10;
/// Expressions that compete for being a parent.
pub const TOURNAMENT: usize = 4;
/// The best of a population that live on unchanged.
pub const ELITE: usize = 2;
/// What a node costs in fitness: a longer expression must be better.
pub const NODE_PENALTY: f64 = 0.000_2;
/// Passages from the front within which a needed one counts as found.
pub const RECALL_AT: usize = 10;
/// What the place of the first needed passage counts beside the recall: it breaks ties, no more.
pub const RECIPROCAL_RANK_WEIGHT: f64 = 0.01;
/// Passages of one case.
pub const CASE_PASSAGES_MAX: usize = 100;
/// Cases that an expression meets first, and then, before it meets all of them.
pub const CASCADE_CASES: [usize; 2] = [20, 200];
/// By how much an expression may be worse than the incumbent on few cases and still meet more.
pub const CASCADE_SLACK: f64 = 0.05;
/// The newest percent of the cases, which a search never sees.
pub const HELD_OUT_PERCENT: usize = 30;
/// Expressions of all populations of a search together.
pub const POPULATION: std::ops::RangeInclusive<usize> = 12..=1_000;
/// The same where nobody says.
pub const POPULATION_DEFAULT: usize = 120;
/// Expressions of one population at about: smaller ones breed themselves poor, larger ones are all alike.
pub const ISLAND_SIZE: usize = 40;
/// Generations of each part of a search.
pub const GENERATIONS: std::ops::RangeInclusive<u32> = 1..=500;
/// The same where nobody says.
pub const GENERATIONS_DEFAULT: u32 = 60;
/// Fewest cases of a search, those that are held out included: on twelve held out three more found are a quarter.
pub const SEARCH_CASES_MIN: usize = 40;
/// Most cases of a search, the newest.
pub const SEARCH_CASES_MAX: usize = 500;
