//! The report of a comparison: every figure that a person sees, made from pairs, rule and seed alone.
//!
//! The same pairs give the same bytes, on any machine. It shows what the verdict looked at, and decides nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    limits::{DIVERGENCES_SHOWN, PILOT_PAIRS_MIN},
    pair::{Leg, LegOutcome, LegRole, Measure, Pair},
    power::{PairsNeeded, pairs_needed},
    sample::{Sample, UnusableReason, UsablePair, change, log_ratios},
    statistics::{
        ConfidenceInterval, Tail, adjusted_p_values, quantile, trimmed_mean_interval, wilcoxon,
    },
    verdict::{ComparisonProgress, Judgement, Rule, judge},
};

/// The form of reports; another number where the same pairs give other bytes.
const VERSION: u32 = 1;

/// Every figure of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonReport {
    /// The form of the report.
    pub version: u32,
    /// What intervals were drawn from.
    pub seed: u64,
    /// What the pairs were judged by.
    pub rule: Rule,
    /// Whether more were to come.
    pub progress: ComparisonProgress,
    /// The verdict with its figures.
    pub judgement: Judgement,
    /// Its reasons as sentences, with intervals.
    pub sentences: Vec<String>,
    /// All pairs.
    pub pairs: usize,
    /// Pairs that could be used.
    pub usable: usize,
    /// Pairs that could not, by the reason.
    pub unusable: Vec<UnusableCount>,
    /// Usable pairs in which main ran first.
    pub main_first: usize,
    /// What was measured, in a fixed order; measures that no pair has are left out.
    pub measures: Vec<MeasureReport>,
    /// Kinds of failures, by name.
    pub failures: Vec<FailureCount>,
    /// The first divergences, in the order of the pairs.
    pub divergences: Vec<DivergenceReport>,
    /// How many divergences there are.
    pub divergences_total: usize,
    /// The pairs that were needed, by the first measured ones; `None` while there are too few of these.
    pub needed: Option<PairsNeeded>,
}

/// How many pairs could not be used for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusableCount {
    /// The reason.
    pub because: UnusableReason,
    /// How many.
    pub pairs: usize,
}

/// One measure of the pairs that the verdict looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasureReport {
    /// Which.
    pub measure: Measure,
    /// Pairs that have it in both legs.
    pub pairs: usize,
    /// How main's values are distributed, in the measure's unit.
    pub main: Distribution,
    /// How the candidate's are.
    pub candidate: Distribution,
    /// The change, as a share of main's.
    pub change: f64,
    /// Where it lies in 95 of 100 resamples.
    pub interval: ConfidenceInterval,
    /// For the size measure the one-sided value that the verdict used. For the others, which decide nothing, the two-sided one,
    /// adjusted for their number (Benjamini and Hochberg).
    pub p: f64,
}

/// Quantiles of a leg's values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// 5 of 100 lie below.
    pub p5: f64,
    /// The lower quartile.
    pub p25: f64,
    /// The median.
    pub p50: f64,
    /// The upper quartile.
    pub p75: f64,
    /// 5 of 100 lie above.
    pub p95: f64,
}

/// How often each leg failed in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureCount {
    /// The kind of the failure; `unmeasured` for an answer of the candidate without a measurement.
    pub kind: String,
    /// How often main did.
    pub main: usize,
    /// How often the candidate did.
    pub candidate: usize,
}

/// A pair whose answers differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DivergenceReport {
    /// The request.
    pub request: String,
    /// In what they differ first.
    pub text: String,
}

/// Makes the report of a comparison.
pub fn report(
    pairs: &[Pair],
    rule: &Rule,
    progress: ComparisonProgress,
    seed: u64,
) -> ComparisonReport {
    let judgement = judge(pairs, rule, progress);
    let sample = Sample::of(pairs, rule.target, rule.size);
    let examined = sample.first(judgement.figures.pairs);
    let measures = measures(examined, rule.size, seed);
    let size = measures.iter().find(|report| report.measure == rule.size);
    let sentences = judgement.reasons.iter();
    let sentences = sentences
        .map(|reason| size.map_or_else(|| reason.to_string(), |it| reason.sentence(&it.interval)))
        .collect();
    let divergences: Vec<&Pair> = pairs.iter().filter(|pair| pair.divergence.is_some()).collect();
    ComparisonReport {
        version: VERSION,
        seed,
        rule: rule.clone(),
        progress,
        judgement,
        sentences,
        pairs: pairs.len(),
        usable: sample.usable.len(),
        unusable: unusable(&sample.unusable),
        main_first: sample.usable.iter().filter(|it| it.pair.first == LegRole::Main).count(),
        measures,
        failures: failures(examined),
        divergences: divergences
            .iter()
            .take(DIVERGENCES_SHOWN)
            .map(|pair| DivergenceReport {
                request: pair.request.clone(),
                text: pair.divergence.clone().unwrap_or_default(),
            })
            .collect(),
        divergences_total: divergences.len(),
        needed: needed(pairs, rule),
    }
}

/// By the first pairs, as it was said before the comparison began.
fn needed(pairs: &[Pair], rule: &Rule) -> Option<PairsNeeded> {
    let is_enough = |length: &usize| {
        let pilot = pairs.get(..*length).unwrap_or(pairs);
        pairs_needed(pilot, rule.target, rule.size).is_ok()
    };
    let length = (PILOT_PAIRS_MIN..=pairs.len().min(PILOT_PAIRS_MIN * 2)).find(is_enough)?;
    pairs_needed(pairs.get(..length)?, rule.target, rule.size).ok()
}

fn measures(examined: &[UsablePair<'_>], size: Measure, seed: u64) -> Vec<MeasureReport> {
    let mut reports: Vec<MeasureReport> = Measure::ALL
        .into_iter()
        .enumerate()
        .filter_map(|(index, measure)| {
            let own_seed = seed.wrapping_add(u64::try_from(index).unwrap_or_default());
            measure_report(examined, measure, size, own_seed)
        })
        .collect();
    let shown = |report: &&mut MeasureReport| report.measure != size;
    let p_values: Vec<f64> = reports.iter_mut().filter(shown).map(|report| report.p).collect();
    let adjusted = adjusted_p_values(&p_values);
    for (report, p) in reports.iter_mut().filter(shown).zip(adjusted) {
        report.p = p;
    }
    reports
}

fn measure_report(
    examined: &[UsablePair<'_>],
    measure: Measure,
    size: Measure,
    seed: u64,
) -> Option<MeasureReport> {
    let ratios = log_ratios(examined, measure);
    let interval = trimmed_mean_interval(&ratios, seed)?;
    let has_ratio = |pair: &&UsablePair<'_>| pair.pair.log_ratio(measure).is_some();
    let values = |leg: fn(&Pair) -> &Leg| -> Vec<f64> {
        let pairs = examined.iter().filter(|pair| pair.is_measured()).filter(has_ratio);
        pairs.filter_map(|pair| leg(pair.pair).measured(measure)).collect()
    };
    let less = wilcoxon(&ratios, Tail::Below);
    let either = (2.0 * less.min(wilcoxon(&ratios, Tail::Above))).min(1.0);
    Some(MeasureReport {
        measure,
        pairs: ratios.len(),
        main: Distribution::of(&values(|pair| &pair.main))?,
        candidate: Distribution::of(&values(|pair| &pair.candidate))?,
        change: change(&ratios)?,
        interval: ConfidenceInterval {
            low: libm::expm1(interval.low),
            high: libm::expm1(interval.high),
        },
        p: if measure == size { less } else { either },
    })
}

impl Distribution {
    fn of(values: &[f64]) -> Option<Self> {
        let at = |percent| quantile(values, percent);
        Some(Self { p5: at(5)?, p25: at(25)?, p50: at(50)?, p75: at(75)?, p95: at(95)? })
    }
}

fn unusable(reasons: &[UnusableReason]) -> Vec<UnusableCount> {
    let mut counts = BTreeMap::new();
    for reason in reasons {
        *counts.entry(*reason).or_insert(0) += 1;
    }
    counts.into_iter().map(|(because, pairs)| UnusableCount { because, pairs }).collect()
}

fn failures(examined: &[UsablePair<'_>]) -> Vec<FailureCount> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for usable in examined {
        if usable.has_main_failed {
            counts.entry(kind(&usable.pair.main)).or_default().0 += 1;
        }
        if usable.has_candidate_failed {
            counts.entry(kind(&usable.pair.candidate)).or_default().1 += 1;
        }
    }
    let counts = counts.into_iter();
    counts
        .map(|(kind, (main, candidate))| FailureCount { kind: kind.to_owned(), main, candidate })
        .collect()
}

fn kind(leg: &Leg) -> &str {
    match &leg.outcome {
        LegOutcome::Failed { kind, .. } => kind,
        LegOutcome::Answered => "unmeasured",
    }
}
