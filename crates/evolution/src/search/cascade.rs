//! The fitness of an expression at a small price: few cases first, and more only for what is not clearly worse than the incumbent.
//! Whatever stopped early is worse than whatever went on.

use super::{
    case::{RankedCase, mean_score},
    expression::Expression,
};
use crate::{
    limits::{CASCADE_CASES, CASCADE_SLACK},
    statistics::count,
};

/// Cases in stages, with the incumbent's score on each stage.
#[derive(Debug)]
pub struct Cascade<'a> {
    /// The cases of each stage but the last, and what an expression must reach on them.
    stages: Vec<(Vec<&'a RankedCase>, f64)>,
    cases: &'a [RankedCase],
}

impl<'a> Cascade<'a> {
    /// A cascade over `cases`; `incumbent` is what orders passages today.
    pub fn new(cases: &'a [RankedCase], incumbent: &Expression) -> Self {
        let sizes = CASCADE_CASES.into_iter().filter(|size| *size < cases.len());
        let stages = sizes.map(|size| {
            // Spread over the whole time, not the oldest ones.
            let stage: Vec<_> = cases.iter().step_by(cases.len() / size).take(size).collect();
            let bar = mean_score(incumbent, stage.iter().copied()) - CASCADE_SLACK;
            (stage, bar)
        });
        Self { stages: stages.collect(), cases }
    }

    /// The mean score over all cases; less than −0.9 where it stopped before, the sooner the less; NaN where a case has no score.
    pub fn fitness(&self, expression: &Expression) -> f64 {
        for (passed, (stage, bar)) in self.stages.iter().enumerate() {
            let score = mean_score(expression, stage.iter().copied());
            if score.is_nan() {
                return score;
            }
            // Scores go up to 1.01: two apart, no stage reaches into the next.
            if score < *bar {
                return score - 2.0 * count(self.stages.len() - passed);
            }
        }
        mean_score(expression, self.cases)
    }
}

#[cfg(test)]
mod tests {
    use super::Cascade;
    use crate::search::{
        Expression, ExpressionNode, FeatureRow, RankFeature, RankedCase, mean_score,
    };

    #[test]
    fn what_stops_early_is_worse_than_what_goes_on() {
        let rows: Vec<_> = (0..30).map(|score| FeatureRow::new(|_| f64::from(score))).collect();
        let case = |at: u32| {
            // The newest cases need what stands first, which the score does not find.
            let needed = if at % 10 == 9 { 0 } else { 29 };
            RankedCase::new(f64::from(at), rows.clone(), vec![needed]).unwrap()
        };
        let cases: Vec<_> = (0..400).map(case).collect();
        let score = Expression::feature(RankFeature::Score);
        let cascade = Cascade::new(&cases, &score);
        let constant = Expression::new(vec![ExpressionNode::constant(1.0)]).unwrap();
        assert!((cascade.fitness(&score) - mean_score(&score, &cases)).abs() < 1e-12);
        assert!(cascade.fitness(&constant) < -0.9);
        let few = Cascade::new(&cases[..20], &score);
        assert!(few.fitness(&constant) > 0.0, "all of twenty cases are met at once");
        assert!(Cascade::new(&[], &score).fitness(&score).is_nan());
    }
}
