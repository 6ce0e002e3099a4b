//! How good an order of passages was: recorded cases with what turned out to be needed, and the score of an expression on them.
//!
//! A case never holds what was said, only features and places.

use serde::{Deserialize, Serialize};

use super::{expression::Expression, feature::FeatureRow};
use crate::{
    limits::{CASE_PASSAGES_MAX, HELD_OUT_PERCENT, RECALL_AT, RECIPROCAL_RANK_WEIGHT},
    statistics::{Tail, count, wilcoxon},
};

/// One recorded question: what was found, and which of it was needed.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedCase {
    at: f64,
    passages: Vec<FeatureRow>,
    needed: Vec<usize>,
}

/// Why a case is none.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CaseError {
    /// It has no passages or too many.
    #[error("a case has {passages} passages; 1 to {CASE_PASSAGES_MAX} are allowed")]
    Passages {
        /// How many.
        passages: usize,
    },
    /// Nothing was needed, so that every order is as good.
    #[error("a case needs none of its passages")]
    NothingNeeded,
    /// A needed passage is not there.
    #[error("a case needs passage {needed} of {passages}")]
    NotThere {
        /// Which, from 0.
        needed: usize,
        /// How many there are.
        passages: usize,
    },
    /// Its time is no number.
    #[error("a case has no time")]
    Time,
}

/// Two expressions on the cases that were held out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutFigures {
    /// How many cases.
    pub cases: usize,
    /// The mean score of the incumbent.
    pub incumbent: f64,
    /// The mean score of the candidate.
    pub candidate: f64,
    /// How likely so much more is without effect (Wilcoxon, one-sided); cases of one conversation count as independent.
    pub p: f64,
}

impl RankedCase {
    /// A case of `at` (Unix seconds) with its passages in the order of the search, and the places of those that were needed,
    /// from 0.
    ///
    /// # Errors
    /// [`CaseError`] where an order of it could not be scored.
    pub fn new(
        at: f64,
        passages: Vec<FeatureRow>,
        mut needed: Vec<usize>,
    ) -> Result<Self, CaseError> {
        if passages.is_empty() || passages.len() > CASE_PASSAGES_MAX {
            return Err(CaseError::Passages { passages: passages.len() });
        }
        if !at.is_finite() {
            return Err(CaseError::Time);
        }
        needed.sort_unstable();
        needed.dedup();
        let last = *needed.last().ok_or(CaseError::NothingNeeded)?;
        if last >= passages.len() {
            return Err(CaseError::NotThere { needed: last, passages: passages.len() });
        }
        Ok(Self { at, passages, needed })
    }

    /// Recall among the first [`RECALL_AT`], and a little for the place of the first needed passage; NaN where the expression
    /// gives no number for a passage.
    pub fn score(&self, expression: &Expression) -> f64 {
        let mut stack = Vec::new();
        let values: Vec<f64> =
            self.passages.iter().map(|row| expression.evaluate_with(row, &mut stack)).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return f64::NAN;
        }
        let places = self.needed.iter().map(|needed| place(&values, *needed));
        let (mut found, mut first) = (0, usize::MAX);
        for place in places {
            found += usize::from(place < RECALL_AT);
            first = first.min(place);
        }
        let most = self.needed.len().min(RECALL_AT);
        let reciprocal = 1.0 / count(first.saturating_add(1));
        count(found) / count(most) + RECIPROCAL_RANK_WEIGHT * reciprocal
    }
}

/// The place of one passage when all are ordered by their values, from 0; equal values keep their order.
fn place(values: &[f64], needed: usize) -> usize {
    let own = values.get(needed).copied().unwrap_or(f64::NEG_INFINITY);
    let before = values
        .iter()
        .enumerate()
        .filter(|(index, value)| **value > own || (*index < needed && **value >= own));
    before.count()
}

/// The mean score over cases: from 0 to 1.01; NaN without cases or where one has no score.
pub fn mean_score<'a>(
    expression: &Expression,
    cases: impl IntoIterator<Item = &'a RankedCase>,
) -> f64 {
    let (mut sum, mut number) = (0.0, 0_usize);
    for case in cases {
        sum += case.score(expression);
        number += 1;
    }
    sum / count(number)
}

/// Both expressions on the same cases.
pub fn compare(
    candidate: &Expression,
    incumbent: &Expression,
    cases: &[RankedCase],
) -> HeldOutFigures {
    let gains: Vec<f64> =
        cases.iter().map(|case| case.score(candidate) - case.score(incumbent)).collect();
    HeldOutFigures {
        cases: cases.len(),
        incumbent: mean_score(incumbent, cases),
        candidate: mean_score(candidate, cases),
        p: wilcoxon(&gains, Tail::Above),
    }
}

/// The older cases, for a search, and the newest [`HELD_OUT_PERCENT`], for its end. Cases of one time stay together, among the
/// older ones.
pub fn split_by_time(mut cases: Vec<RankedCase>) -> (Vec<RankedCase>, Vec<RankedCase>) {
    cases.sort_by(|left, right| left.at.total_cmp(&right.at));
    let tuned = cases.len() - cases.len() * HELD_OUT_PERCENT / 100;
    let Some(last) = tuned.checked_sub(1).and_then(|last| cases.get(last)).map(|case| case.at)
    else {
        return (cases, Vec::new());
    };
    let held_out = cases.split_off(cases.partition_point(|case| case.at <= last));
    (cases, held_out)
}

#[cfg(test)]
mod tests {
    use super::{CaseError, RankedCase, compare, mean_score, split_by_time};
    use crate::search::{Expression, ExpressionNode, FeatureRow, RankFeature};

    fn row(score: u32) -> FeatureRow {
        FeatureRow::new(|_| f64::from(score))
    }

    fn rows(number: u32) -> Vec<FeatureRow> {
        (0..number).map(row).collect()
    }

    #[test]
    fn an_order_is_scored_by_what_was_needed() {
        let score = Expression::feature(RankFeature::Score);
        let case = RankedCase::new(0.0, rows(30), vec![29, 28, 0, 0]).unwrap();
        assert!((case.score(&score) - (2.0 / 3.0 + 0.01)).abs() < 1e-12);
        let equal = Expression::new(vec![ExpressionNode::constant(1.0)]).unwrap();
        assert!((case.score(&equal) - (1.0 / 3.0 + 0.01)).abs() < 1e-12, "the offered order");
        let many = RankedCase::new(0.0, rows(30), (10..30).collect()).unwrap();
        assert!((many.score(&score) - 1.01).abs() < 1e-12, "ten is all that can be found");
        assert!(mean_score(&score, &[]).is_nan());
    }

    /// EV-16
    #[test]
    fn a_value_that_is_no_number_has_no_score() {
        let mut nodes = vec![ExpressionNode::Multiply; 23];
        nodes.extend([ExpressionNode::Feature(RankFeature::Score); 24]);
        let power = Expression::new(nodes).unwrap();
        let passages = vec![FeatureRow::new(|_| 1e200), row(1)];
        let case = RankedCase::new(0.0, passages, vec![0]).unwrap();
        assert!(case.score(&power).is_nan());
        assert!(mean_score(&power, [&case]).is_nan());
    }

    #[test]
    fn cases_that_cannot_be_scored_are_refused() {
        assert_eq!(RankedCase::new(0.0, rows(3), vec![]), Err(CaseError::NothingNeeded));
        let error = RankedCase::new(0.0, rows(3), vec![3]);
        assert_eq!(error, Err(CaseError::NotThere { needed: 3, passages: 3 }));
        assert!(RankedCase::new(0.0, rows(101), vec![3]).is_err());
        assert!(RankedCase::new(0.0, rows(0), vec![]).is_err());
        assert_eq!(RankedCase::new(f64::NAN, rows(3), vec![1]), Err(CaseError::Time));
    }

    #[test]
    fn the_newest_cases_are_held_out_and_none_stands_on_both_sides_of_a_time() {
        let cases = |times: &[u32]| {
            let case = |at: &u32| RankedCase::new(f64::from(*at), rows(2), vec![0]).unwrap();
            split_by_time(times.iter().map(case).collect())
        };
        let (tuned, held_out) = cases(&[9, 1, 2, 3, 8, 4, 5, 6, 7, 0]);
        assert_eq!((tuned.len(), held_out.len()), (7, 3));
        assert!(held_out.iter().all(|case| case.at >= 7.0));
        let (tuned, held_out) = cases(&[1, 1, 1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!((tuned.len(), held_out.len()), (10, 0), "the seventh is of the second time");
        assert_eq!(cases(&[]).0.len(), 0);
    }

    #[test]
    fn held_out_figures_compare_case_by_case() {
        let cases: Vec<_> =
            (0..20).map(|at| RankedCase::new(f64::from(at), rows(30), vec![29]).unwrap()).collect();
        let better = Expression::feature(RankFeature::Score);
        let worse = Expression::weighted_sum(&[(-1.0, RankFeature::Score)]);
        let figures = compare(&better, &worse, &cases);
        assert_eq!(figures.cases, 20);
        assert!(figures.candidate > 1.0 && figures.incumbent < 0.01 && figures.p < 0.001);
        assert!(compare(&better, &better, &cases).p >= 1.0);
    }
}
