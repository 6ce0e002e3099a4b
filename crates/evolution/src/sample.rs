//! What a set of pairs says in figures: which pairs can be used, how the legs ended, the figures that the rule looks at.
//!
//! It counts and never judges. A measurement that the candidate lacks is a failure of the candidate; one that main lacks makes the
//! pair unusable for both.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::{
    limits::{MEMORY_LATE_SHARE, PAIRS_MAX},
    pair::{Leg, LegOutcome, Measure, Pair, RecordGap},
    statistics::{Tail, count, mcnemar, trimmed_mean, wilcoxon},
};

/// Whose two codes are compared; it says what must be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedTarget {
    /// A module in a process of its own: memory counts as a guard.
    Module,
    /// A mind: model, prompt, identity or settings. Its memory is somebody else's.
    Mind,
}

impl ComparedTarget {
    /// What each leg that answered must have measured, beside the size measure.
    pub(crate) const fn guard(self) -> Option<Measure> {
        match self {
            Self::Module => Some(Measure::Memory),
            Self::Mind => None,
        }
    }
}

/// Why a pair says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnusableReason {
    /// Main answered, and this was not measured of it.
    MainUnmeasured(Measure),
    /// The record does not let its legs be compared.
    Record(RecordGap),
    /// Its request has been compared already.
    Repeated,
    /// It stands beyond the most pairs of a comparison.
    TooMany,
}

/// A pair that can be used, read by the measures that its target needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsablePair<'a> {
    pub(crate) pair: &'a Pair,
    pub(crate) has_main_failed: bool,
    /// Also where it answered without a measurement that counts.
    pub(crate) has_candidate_failed: bool,
}

/// The pairs of a comparison, in the order in which they were run.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) usable: Vec<UsablePair<'a>>,
    pub(crate) unusable: Vec<UnusableReason>,
}

/// What a set of usable pairs says. Changes are shares of main: −0.14 is 14 % less; `None` where nothing could be compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Usable pairs.
    pub pairs: usize,
    /// Those in which both legs answered.
    pub measured: usize,
    /// Change of the size measure, by the trimmed mean of the log ratios.
    pub size_change: Option<f64>,
    /// How likely such a change to less is without effect.
    pub size_p: f64,
    /// Requests on which main failed.
    pub main_errors: usize,
    /// Requests on which the candidate failed or was not measured.
    pub candidate_errors: usize,
    /// Requests on which the candidate alone failed.
    pub candidate_only_errors: usize,
    /// Requests on which main alone failed.
    pub main_only_errors: usize,
    /// Change of the number of errors; `None` where main had none.
    pub errors_change: Option<f64>,
    /// How likely so many fewer errors are without effect.
    pub errors_p: f64,
    /// How likely so many more errors are without effect.
    pub worse_p: f64,
    /// Change of memory.
    pub memory_change: Option<f64>,
    /// Change of memory in the newest quarter of the pairs.
    pub memory_late_change: Option<f64>,
    /// Pairs whose agreement is known.
    pub agreement_judged: usize,
    /// The share of these that agree.
    pub agreement: Option<f64>,
}

impl<'a> Sample<'a> {
    /// Reads `pairs` by what `target` and the size measure need.
    pub(crate) fn of(pairs: &'a [Pair], target: ComparedTarget, size: Measure) -> Self {
        let mut sample = Self { usable: Vec::new(), unusable: Vec::new() };
        let mut requests = HashSet::new();
        for pair in pairs {
            let unmeasured = |leg: &Leg| {
                let needed = [Some(size), target.guard()].into_iter().flatten();
                let has_answered = leg.outcome == LegOutcome::Answered;
                needed.filter(|_| has_answered).find(|measure| leg.measured(*measure).is_none())
            };
            if sample.usable.len() >= PAIRS_MAX {
                sample.unusable.push(UnusableReason::TooMany);
            } else if !requests.insert(pair.request.as_str()) {
                sample.unusable.push(UnusableReason::Repeated);
            } else if let Some(gap) = pair.gap {
                sample.unusable.push(UnusableReason::Record(gap));
            } else if let Some(measure) = unmeasured(&pair.main) {
                sample.unusable.push(UnusableReason::MainUnmeasured(measure));
            } else {
                let is_unmeasured = unmeasured(&pair.candidate).is_some();
                sample.usable.push(UsablePair {
                    pair,
                    has_main_failed: pair.main.has_failed(),
                    has_candidate_failed: is_unmeasured || pair.candidate.has_failed(),
                });
            }
        }
        sample
    }

    /// The first `pairs` usable ones.
    pub(crate) fn first(&self, pairs: usize) -> &[UsablePair<'a>] {
        self.usable.get(..pairs).unwrap_or(&self.usable)
    }
}

impl UsablePair<'_> {
    /// Whether the candidate alone failed.
    pub(crate) const fn is_candidate_error(&self) -> bool {
        self.has_candidate_failed && !self.has_main_failed
    }

    /// Whether both legs answered, with all that counts.
    pub(crate) const fn is_measured(&self) -> bool {
        !self.has_candidate_failed && !self.has_main_failed
    }

    /// Whether a failure of the candidate alone came again; `None` where it did not fail alone or was not run again.
    pub(crate) fn repeats(&self) -> Option<bool> {
        match &self.pair.candidate.outcome {
            LegOutcome::Failed { repeats, .. } if self.is_candidate_error() => *repeats,
            _ => None,
        }
    }

    /// Whether the answers agree. No answer agrees with none; where main has none, there is nothing to agree with.
    fn agrees(&self) -> Option<bool> {
        match (self.has_main_failed, self.has_candidate_failed) {
            (true, _) => None,
            (false, true) => Some(false),
            (false, false) => self.pair.agrees,
        }
    }
}

impl Figures {
    /// Of these pairs.
    pub(crate) fn of(pairs: &[UsablePair<'_>], size: Measure) -> Self {
        let ratios = log_ratios(pairs, size);
        let memory = log_ratios(pairs, Measure::Memory);
        let late = memory.len() - memory.len() / MEMORY_LATE_SHARE;
        let how_many = |which: &dyn Fn(&UsablePair<'_>) -> bool| -> usize {
            pairs.iter().filter(|pair| which(pair)).count()
        };
        let main_errors = how_many(&|pair| pair.has_main_failed);
        let candidate_errors = how_many(&|pair| pair.has_candidate_failed);
        let candidate_only = how_many(&|pair| pair.is_candidate_error());
        let main_only = how_many(&|pair| pair.has_main_failed && !pair.has_candidate_failed);
        let (agreement_judged, agreement) = agreement(pairs);
        Self {
            pairs: pairs.len(),
            measured: how_many(&|pair| pair.is_measured()),
            size_change: change(&ratios),
            size_p: wilcoxon(&ratios, Tail::Below),
            main_errors,
            candidate_errors,
            candidate_only_errors: candidate_only,
            main_only_errors: main_only,
            errors_change: (main_errors > 0)
                .then(|| count(candidate_errors) / count(main_errors) - 1.0),
            errors_p: mcnemar(main_only, candidate_only),
            worse_p: mcnemar(candidate_only, main_only),
            memory_change: change(&memory),
            memory_late_change: memory.get(late..).and_then(change),
            agreement_judged,
            agreement,
        }
    }
}

/// ln(candidate / main) of the pairs that have it.
pub(crate) fn log_ratios(pairs: &[UsablePair<'_>], measure: Measure) -> Vec<f64> {
    let measured = pairs.iter().filter(|pair| pair.is_measured());
    measured.filter_map(|pair| pair.pair.log_ratio(measure)).collect()
}

/// The change that log ratios stand for, as a share of main.
pub(crate) fn change(log_ratios: &[f64]) -> Option<f64> {
    trimmed_mean(log_ratios).map(libm::expm1)
}

fn agreement(pairs: &[UsablePair<'_>]) -> (usize, Option<f64>) {
    let judged: Vec<bool> = pairs.iter().filter_map(UsablePair::agrees).collect();
    let agreeing = judged.iter().filter(|agrees| **agrees).count();
    let share = (!judged.is_empty()).then(|| count(agreeing) / count(judged.len()));
    (judged.len(), share)
}

/// The floor of agreement that pairs of main with itself give: their share of agreement less `tolerance`; `None` where none of
/// them could be judged, which is no floor of zero. In ten-thousandths, so that it is the same number after it has been JSON.
pub fn agreement_floor(
    main_with_itself: &[Pair],
    target: ComparedTarget,
    size: Measure,
    tolerance: f64,
) -> Option<f64> {
    let sample = Sample::of(main_with_itself, target, size);
    let share = agreement(&sample.usable).1?;
    Some(libm::round((share - tolerance) * 10_000.0) / 10_000.0)
}
