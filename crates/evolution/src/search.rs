//! The search for a better order of passages: genetic programming over expressions, scored by an agent's own record.
//!
//! Reading order: [`RankFeature`] says what an expression may look at, [`Expression`] computes a number from it and prints itself
//! as a module in Scheme, [`RankedCase`] says how good an order was, [`SearchState`] breeds. The search never sees the cases
//! that are held out, and its result is a proposal like any other: the verdict on it is not made here. [`SearchRun`] is a whole
//! search, from what it begins with ([`starting_points`]) to what its end says ([`SearchReport`]).
//!
//! The gain of such searches is mostly in features and weights. So [`SearchKind::Weights`] moves the constants of the given
//! expressions and nothing else: what it finds with the same number of evaluations is what [`SearchKind::Structure`] has to beat.

mod cascade;
mod case;
mod expression;
mod feature;
mod population;
mod run;
mod scheme;
mod start;
mod variation;

pub use cascade::Cascade;
pub use case::{
    CaseError, HeldOutFigures, OrderFigures, RankedCase, compare, mean_score, p_beside_today,
    split_by_time,
};
pub use expression::{Expression, ExpressionError, ExpressionNode};
pub use feature::{FeatureRow, RankFeature};
pub use population::{
    Individual, SearchKind, SearchPlan, SearchPlanError, SearchProgress, SearchState,
};
pub use run::{
    CandidateFigures, SearchBudget, SearchBudgetError, SearchReport, SearchRun, SearchStep,
};
pub use start::starting_points;
