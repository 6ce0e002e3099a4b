//! Evolution: what a comparison of two codes of an agent says.
//!
//! Main and a candidate answer the same recorded requests side by side, and each request gives a [`Pair`]. [`pairs_needed`] says
//! beforehand how many it takes, [`judge`] says what they show, [`report`] shows it to people. What was promoted is watched while
//! the old code shadows it: [`CanaryStage`], [`watch()`]. Where a better ranking might come from is [`search`].
//!
//! ```
//! use abide_evolution::{
//!     ComparedTarget, ComparisonProgress, JudgementState, Leg, Measure, Pair, Rule, first_leg, judge,
//! };
//!
//! let rule = Rule {
//!     target: ComparedTarget::Module,
//!     size: Measure::Wall,
//!     attempt: 1,
//!     agreement_floor: 0.9,
//! };
//! let pair = |number: u32| {
//!     let request = format!("e{number}");
//!     let leg = |wall_us: f64| Leg {
//!         wall_us: Some(wall_us),
//!         memory_bytes: Some(3e7),
//!         ..Leg::answered()
//!     };
//!     let noise = f64::from(number % 7);
//!     Pair {
//!         first: first_leg(7, &request),
//!         request,
//!         main: leg(100.0 + noise),
//!         candidate: leg(80.0 + noise),
//!         agrees: Some(true),
//!         gap: None,
//!         divergence: None,
//!     }
//! };
//! let pairs: Vec<Pair> = (0..100).map(pair).collect();
//! let judgement = judge(&pairs, &rule, ComparisonProgress::Complete);
//! assert_eq!(judgement.state, JudgementState::Promote);
//! assert_eq!(
//!     judgement.reasons[0].to_string(),
//!     "the candidate takes less time: −19 %, p < 0.001"
//! );
//! ```
//!
//! Reading order: [`limits`], [`Pair`], [`statistics`], the private `sample` (which pairs can be used, and their figures), [`Rule`]
//! and [`judge`], [`pairs_needed`], [`watch()`] and [`CanaryStage`], [`report`], [`search`].
//!
//! Pure: no clock, no file, no task. What is random comes from a seed that is handed in, and logarithms from a library of our own
//! choice, so that everything can be made again from the ledger. Nothing here decides what a proposal may change, and no proposal
//! reaches what is here.

pub mod limits;
pub mod search;
pub mod statistics;

mod canary;
mod generator;
mod pair;
mod power;
mod report;
mod sample;
mod share;
mod verdict;
mod watch;
mod wording;

pub use canary::{CanaryDecision, CanaryRecord, CanaryStage};
pub use pair::{Leg, LegOutcome, LegRole, Measure, Pair, PairError, RecordGap};
pub use power::{PairsNeeded, PilotError, pairs_needed};
pub use report::{
    ComparisonReport, Distribution, DivergenceReport, FailureCount, MeasureReport, UnusableCount,
    report,
};
pub use sample::{ComparedTarget, Figures, UnusableReason, agreement_floor};
pub use share::{first_leg, is_in_share, seed_of};
pub use verdict::{ComparisonProgress, Judgement, JudgementState, Reason, Rule, judge};
pub use watch::{Regression, WatchFigures, e_value, watch};
