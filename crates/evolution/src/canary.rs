//! The canary: a promoted code serves a part of the requests, then more, while the old one shadows them.
//!
//! Stages end by their number of pairs, never by time alone: a stage without traffic ends with the old code, as nothing was seen.
//! Time is handed in as a length.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    limits::{CANARY_STAGES, MEMORY_CHANGE, REGRESSION_CHANGE, REGRESSION_LEVEL},
    pair::{Measure, Pair},
    sample::{ComparedTarget, Figures, Sample, log_ratios},
    statistics::{Tail, count, holm, wilcoxon},
    watch::{Regression, watch},
};

/// A stage: which part of the requests the new code serves, and how many pairs are seen of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CanaryStage {
    /// Percent of the requests; see [`is_in_share`](crate::is_in_share).
    pub percent: u8,
    /// Usable pairs after which it ends.
    pub pairs: usize,
}

/// What has been seen since a promotion.
#[derive(Clone, Copy, Debug)]
pub struct CanaryRecord<'a> {
    /// Whose codes they are.
    pub target: ComparedTarget,
    /// The size measure.
    pub size: Measure,
    /// All pairs since the promotion, in the order in which they were run.
    pub pairs: &'a [Pair],
    /// How many of these were there when the stage began.
    pub pairs_before: usize,
    /// How long the stage has lasted.
    pub age: Duration,
    /// How long it waits for its pairs.
    pub limit: Duration,
}

/// What follows for a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "decision")]
pub enum CanaryDecision {
    /// It goes on.
    Continue {
        /// Usable pairs of the stage so far.
        pairs: usize,
    },
    /// The next stage begins.
    Advance {
        /// Which.
        stage: CanaryStage,
    },
    /// The last stage has ended well: the new code is kept.
    Keep,
    /// The old code comes back.
    RollBack {
        /// Why.
        because: Regression,
    },
    /// The old code comes back, for too few requests came.
    Expire {
        /// Usable pairs of the stage.
        pairs: usize,
    },
}

impl CanaryStage {
    /// The first stage.
    pub const fn first() -> Self {
        let [(percent, pairs), ..] = CANARY_STAGES;
        Self { percent, pairs }
    }

    /// The stage after this one; `None` after the last.
    pub fn next(self) -> Option<Self> {
        let (percent, pairs) =
            CANARY_STAGES.into_iter().find(|(percent, _)| *percent > self.percent)?;
        Some(Self { percent, pairs })
    }

    /// What follows from what was seen in this stage.
    pub fn judge(self, record: &CanaryRecord<'_>) -> CanaryDecision {
        if let Some(because) = watch(record.pairs, record.target, record.size).regression {
            return CanaryDecision::RollBack { because };
        }
        let pairs = record.pairs.get(record.pairs_before..).unwrap_or_default();
        let sample = Sample::of(pairs, record.target, record.size);
        let usable = sample.usable.len();
        if usable >= self.pairs {
            return match regression_of_stage(&sample, self.pairs, record) {
                Some(because) => CanaryDecision::RollBack { because },
                None => self
                    .next()
                    .map_or(CanaryDecision::Keep, |stage| CanaryDecision::Advance { stage }),
            };
        }
        if record.age >= record.limit {
            return CanaryDecision::Expire { pairs: usable };
        }
        CanaryDecision::Continue { pairs: usable }
    }
}

/// The tests at a stage's end, on its own pairs, which no earlier decision has used: size and errors at one level together (Holm).
fn regression_of_stage(
    sample: &Sample<'_>,
    pairs: usize,
    record: &CanaryRecord<'_>,
) -> Option<Regression> {
    let pairs = sample.first(pairs);
    let figures = Figures::of(pairs, record.size);
    let p = wilcoxon(&log_ratios(pairs, record.size), Tail::Above);
    let level = REGRESSION_LEVEL / count(CANARY_STAGES.len());
    let [is_larger, fails_more] = holm([p, figures.worse_p], level);
    let change = figures.size_change.filter(|change| is_larger && *change > REGRESSION_CHANGE);
    if let Some(change) = change {
        return Some(Regression::LargerInStage { measure: record.size, change, p });
    }
    if fails_more {
        let new = figures.candidate_only_errors;
        return Some(Regression::MoreErrors { new, old: figures.main_only_errors });
    }
    let has_guard = record.target.guard() == Some(Measure::Memory);
    let change = figures.memory_change.filter(|change| has_guard && *change >= MEMORY_CHANGE);
    change.map(|change| Regression::MoreMemory { change })
}
