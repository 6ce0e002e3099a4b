//! The watch after a promotion: whether the new code is worse than the old one, which shadows its requests.
//!
//! Here `main` of a pair is the old code and `candidate` the new one. The evidence may be looked at after every pair: an e-value
//! holds its level at any number of looks, which a p value does not. It rolls back and never promotes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    limits::{E_VALUE_ERRORS, E_VALUE_SIZE, E_VALUE_STEPS, REGRESSION_CHANGE},
    pair::{Measure, Pair},
    sample::{ComparedTarget, Sample, change, log_ratios},
    statistics::count,
    wording::{needs_more, probability, signed_percent, times},
};

/// What the pairs since a promotion say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchFigures {
    /// Usable pairs.
    pub pairs: usize,
    /// Change of the size measure, as a share of the old code's; `None` where nothing could be compared.
    pub size_change: Option<f64>,
    /// How strongly the pairs speak for the new code being slower or dearer: 1 is not at all.
    pub size_e_value: f64,
    /// How strongly they speak for it failing more often.
    pub errors_e_value: f64,
    /// What follows, if anything does.
    pub regression: Option<Regression>,
}

/// Why the old code comes back. Its `Display` is one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "regression")]
pub enum Regression {
    /// An error of the new code alone came again each time.
    RepeatedErrors {
        /// Requests on which it did.
        errors: usize,
    },
    /// It fails more often, seen in the watch.
    MoreErrors {
        /// Requests on which the new code failed alone.
        new: usize,
        /// Requests on which the old code failed alone.
        old: usize,
    },
    /// It is slower or dearer, seen in the watch.
    Larger {
        /// The size measure.
        measure: Measure,
        /// Its change.
        change: f64,
        /// The e-value of it.
        e_value: f64,
    },
    /// It is slower or dearer, seen at the end of a stage of the canary.
    LargerInStage {
        /// The size measure.
        measure: Measure,
        /// Its change.
        change: f64,
        /// The p value of it.
        p: f64,
    },
    /// It needs more memory than allowed, seen at the end of a stage of the canary.
    MoreMemory {
        /// The change.
        change: f64,
    },
}

/// Looks at the pairs since a promotion, in the order in which they were run; at the first
/// [`PAIRS_MAX`](crate::limits::PAIRS_MAX) usable ones, after which the new code is no longer new.
pub fn watch(pairs: &[Pair], target: ComparedTarget, size: Measure) -> WatchFigures {
    let sample = Sample::of(pairs, target, size);
    let usable = &sample.usable;
    let ratios = log_ratios(usable, size);
    let above = ratios.iter().filter(|ratio| **ratio > 0.0).count();
    let below = ratios.iter().filter(|ratio| **ratio < 0.0).count();
    let new = usable.iter().filter(|pair| pair.is_candidate_error()).count();
    let old = usable.iter().filter(|pair| pair.has_main_failed && !pair.has_candidate_failed);
    let old = old.count();
    let mut figures = WatchFigures {
        pairs: usable.len(),
        size_change: change(&ratios),
        size_e_value: e_value(above, below),
        errors_e_value: e_value(new, old),
        regression: None,
    };
    let repeated = usable.iter().filter(|pair| pair.repeats() == Some(true)).count();
    let larger = figures.size_change.filter(|change| *change > REGRESSION_CHANGE);
    figures.regression = if repeated > 0 {
        Some(Regression::RepeatedErrors { errors: repeated })
    } else if figures.errors_e_value >= E_VALUE_ERRORS {
        Some(Regression::MoreErrors { new, old })
    } else if figures.size_e_value >= E_VALUE_SIZE {
        let e_value = figures.size_e_value;
        larger.map(|change| Regression::Larger { measure: size, change, e_value })
    } else {
        None
    };
    figures
}

/// The e-value of "worse as often as better" after so many of each: the mean over chances q of being worse, from an even
/// one to certainty, of how much better q explains them.
pub fn e_value(worse: usize, better: usize) -> f64 {
    let logarithm = |step: u32| {
        let chance = 0.5 + 0.5 * (f64::from(step) + 0.5) / f64::from(E_VALUE_STEPS);
        count(worse) * libm::log(2.0 * chance) + count(better) * libm::log(2.0 - 2.0 * chance)
    };
    let sum: f64 = (0..E_VALUE_STEPS).map(|step| libm::exp(logarithm(step))).sum();
    // 1,000 pairs stay below e^693; more than every number is more than every threshold, and JSON has no infinity.
    (sum / f64::from(E_VALUE_STEPS)).min(f64::MAX)
}

impl fmt::Display for Regression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RepeatedErrors { errors } => write!(
                formatter,
                "errors of the new code alone come again each time (requests: {errors})"
            ),
            Self::MoreErrors { new, old } => write!(
                formatter,
                "the new code fails more often: {} where the old one does not, {} the other way round",
                times(*new),
                times(*old)
            ),
            Self::Larger { measure, change, e_value } => write!(
                formatter,
                "the new code {}: {}, e-value {e_value:.0}",
                needs_more(*measure),
                signed_percent(*change)
            ),
            Self::LargerInStage { measure, change, p } => write!(
                formatter,
                "the new code {}: {}, {}",
                needs_more(*measure),
                signed_percent(*change),
                probability(*p)
            ),
            Self::MoreMemory { change } => {
                write!(formatter, "the new code needs too much memory: {}", signed_percent(*change))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::e_value;

    #[test]
    fn the_e_value_is_one_without_evidence_and_grows_with_it() {
        assert!((e_value(0, 0) - 1.0).abs() < 1e-12);
        assert!(e_value(0, 20) < 1.0);
        assert!(e_value(5, 0) < 20.0);
        assert!(e_value(9, 0) > 20.0);
        assert!(e_value(1_000, 0).is_finite() && e_value(100_000, 0).is_finite());
    }

    /// Both chances lead to a mean of one: no strategy of looking can gain from it.
    #[test]
    fn the_e_value_is_a_fair_bet() {
        for (worse, better) in [(0, 0), (3, 1), (10, 30), (40, 2)] {
            let next = e_value(worse + 1, better).midpoint(e_value(worse, better + 1));
            assert!((next / e_value(worse, better) - 1.0).abs() < 1e-9);
        }
    }
}
