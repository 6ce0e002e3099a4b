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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "CaseParts")]
pub struct RankedCase {
    at: f64,
    passages: Vec<FeatureRow>,
    needed: Vec<usize>,
    /// How today's code orders the passages, by their places; none: as the search found them.
    #[serde(skip_serializing_if = "Option::is_none")]
    today: Option<Vec<usize>>,
}

/// A case as it is written, before its rules were checked.
#[derive(Deserialize)]
struct CaseParts {
    at: f64,
    passages: Vec<FeatureRow>,
    needed: Vec<usize>,
    #[serde(default)]
    today: Option<Vec<usize>>,
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
    /// An order of its passages leaves some out, or has one twice.
    #[error("an order of a case does not have each of its {passages} passages once")]
    Order {
        /// How many there are.
        passages: usize,
    },
}

/// How good an order of each case was, over cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderFigures {
    /// The mean score; 0 without cases.
    pub score: f64,
    /// Cases that show nothing of what was needed among the first [`RECALL_AT`].
    pub missed: usize,
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
        Ok(Self { at, passages, needed, today: None })
    }

    /// The same where today's code orders the passages otherwise than they were found: their places from 0, the first shown first.
    ///
    /// # Errors
    /// [`CaseError::Order`] where it is no order of all of them.
    pub fn with_today(mut self, order: Vec<usize>) -> Result<Self, CaseError> {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..self.passages.len()) {
            return Err(CaseError::Order { passages: self.passages.len() });
        }
        self.today = Some(order);
        Ok(self)
    }

    /// The score of today's order, as [`RankedCase::score`].
    pub fn score_today(&self) -> f64 {
        let place = |needed: &usize| match &self.today {
            Some(order) => order.iter().position(|place| place == needed).unwrap_or(order.len()),
            None => *needed,
        };
        self.score_of_places(self.needed.iter().map(place))
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
        self.score_of_places(self.needed.iter().map(|needed| place(&values, *needed)))
    }

    /// The score of an order that has what was needed at these places.
    fn score_of_places(&self, places: impl Iterator<Item = usize>) -> f64 {
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

impl TryFrom<CaseParts> for RankedCase {
    type Error = CaseError;

    fn try_from(parts: CaseParts) -> Result<Self, CaseError> {
        let CaseParts { at, passages, needed, today } = parts;
        let case = Self::new(at, passages, needed)?;
        match today {
            Some(order) => case.with_today(order),
            None => Ok(case),
        }
    }
}

impl OrderFigures {
    /// The figures of today's order.
    pub fn today(cases: &[RankedCase]) -> Self {
        Self::of(cases.iter().map(RankedCase::score_today))
    }

    /// The figures of an expression. A case without a score is missed, and counts 0.
    pub fn expression(expression: &Expression, cases: &[RankedCase]) -> Self {
        Self::of(cases.iter().map(|case| case.score(expression)))
    }

    fn of(scores: impl ExactSizeIterator<Item = f64>) -> Self {
        let cases = scores.len().max(1);
        let (mut sum, mut missed) = (0.0, 0);
        for score in scores {
            sum += if score.is_nan() { 0.0 } else { score };
            // One that is found counts a tenth at least, the place of the first a hundredth at most.
            missed += usize::from(score.is_nan() || score <= RECIPROCAL_RANK_WEIGHT);
        }
        Self { score: sum / count(cases), missed }
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

/// How likely as much more than today's order as an expression has on cases is without effect (Wilcoxon, one-sided).
pub fn p_beside_today(candidate: &Expression, cases: &[RankedCase]) -> f64 {
    let gains: Vec<f64> =
        cases.iter().map(|case| case.score(candidate) - case.score_today()).collect();
    wilcoxon(&gains, Tail::Above)
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
    use super::{
        CaseError, OrderFigures, RankedCase, compare, mean_score, p_beside_today, split_by_time,
    };
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
    fn todays_order_is_that_of_the_search_or_that_of_the_code_in_force() {
        let case = |needed| RankedCase::new(0.0, rows(30), vec![needed]).unwrap();
        let reversed: Vec<usize> = (0..30).rev().collect();
        assert!((case(2).score_today() - (1.0 + 0.01 / 3.0)).abs() < 1e-12);
        let other = case(2).with_today(reversed.clone()).unwrap();
        assert!((other.score_today() - 0.01 / 28.0).abs() < 1e-12);
        let text = serde_json::to_string(&other).unwrap();
        assert_eq!(serde_json::from_str::<RankedCase>(&text).unwrap(), other);
        for wrong in [vec![0; 30], (1..31).collect(), (0..29).collect()] {
            assert_eq!(case(2).with_today(wrong), Err(CaseError::Order { passages: 30 }));
        }
        let damaged = text.replace("\"needed\":[2]", "\"needed\":[30]");
        assert!(serde_json::from_str::<RankedCase>(&damaged).is_err());
        let cases = [other, case(29)];
        let score = Expression::feature(RankFeature::Score);
        let (today, found) =
            (OrderFigures::today(&cases), OrderFigures::expression(&score, &cases));
        assert_eq!((today.missed, found.missed), (2, 1));
        assert!(found.score > 0.5 && p_beside_today(&score, &cases) < 1.0);
        assert_eq!(OrderFigures::today(&[]).missed, 0);
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
