//! The report of a change as a caller sees it. All of it is made from the ledger: no clock, no random number and nothing of this run
//! stands in it.

use std::collections::BTreeMap;

use abide_domain::event::{ComparedLeg, ComparedPair};
use abide_evolution::limits::DIVERGENCES_SHOWN;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::view::{ComparedLegView, EvolutionTrialView, EvolutionView};
use crate::evolution::TrialReport;

/// The form of reports; another number where the same lines give other bytes.
const VERSION: u32 = 1;

/// What a change is, what was measured of it, and in what it differs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct EvolutionReportView {
    /// The form of this report.
    version: u32,
    /// The change, as it stands.
    evolution: EvolutionView,
    /// What would change of a mind, by keys.
    #[schema(value_type = Object)]
    change: BTreeMap<String, Value>,
    /// How it is tried; null: as the configuration says.
    trial: Option<EvolutionTrialView>,
    /// Where chance came from, as a text: numbers of JSON are too short; null before its trial.
    seed: Option<String>,
    /// Every figure of its trial, with intervals, the rule and its form; null before its trial.
    #[schema(value_type = Option<Object>)]
    comparison: Option<Value>,
    /// How many pairs would have been needed, in a sentence; null where too few were measured to say that.
    power: Option<String>,
    /// Pairs of which it is known whether the answers agree, and those in which they do.
    agreement: AgreementView,
    /// What a judge said; null where none was asked.
    judge: Option<JudgeView>,
    /// What the code in force did in all.
    main: LegTotalsView,
    /// What the candidate did in all.
    candidate: LegTotalsView,
    /// Pairs in which they differ, the first fifty, with what both did.
    divergences: Vec<ReportedDivergenceView>,
    /// How many there are.
    divergences_total: usize,
    /// Pairs since it was loaded.
    watched: AgreementView,
}

/// A pair in which they differ.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ReportedDivergenceView {
    /// The epoch that the request belongs to.
    request: String,
    /// The first thing in which they differ.
    divergence: String,
    /// What the code in force did.
    main: ComparedLegView,
    /// What the candidate did.
    candidate: ComparedLegView,
}

/// How often answers agree.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
struct AgreementView {
    /// Pairs.
    pairs: usize,
    /// Those of which it is known.
    judged: usize,
    /// Those that agree.
    agreeing: usize,
    /// The floor: what asking the same mind twice gives; null where that was not done.
    floor: Option<FloorView>,
}

/// How often a mind agrees with itself.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
struct FloorView {
    /// Requests on which it was asked twice.
    requests: usize,
    /// Those on which its answers agree.
    agreeing: usize,
    /// Those on which the candidate's agrees with its first.
    candidate_agreeing: usize,
}

/// What a judge said.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
struct JudgeView {
    /// Pairs in which the candidate's reply is better.
    better: usize,
    /// Pairs in which it is worse.
    worse: usize,
    /// Pairs in which neither is.
    tie: usize,
    /// Pairs about which it gave no answer that can be read.
    unread: usize,
    /// What it cost, in millionths of a US dollar; null where no price is known.
    spent_microusd: Option<u64>,
    /// How likely so many more on one side are without a difference.
    p: f64,
}

/// What one of the two did in all.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
struct LegTotalsView {
    /// Requests that it failed on.
    errors: usize,
    /// Calls of tools.
    calls: usize,
    /// Tokens of answering each request once; null where nobody counts them.
    tokens: Option<u64>,
    /// What answering each request once cost, in millionths of a US dollar, as far as prices are known; null where none is.
    cost_microusd: Option<u64>,
    /// Answers of tokens whose price nobody knows.
    unpriced: usize,
    /// What all that was asked for it cost, repetitions as well, in millionths of a US dollar; null where no price is known.
    spent_microusd: Option<u64>,
}

impl EvolutionReportView {
    /// Of a change, with what its lines say.
    pub(super) fn new(evolution: EvolutionView, seed: Option<u64>, report: TrialReport) -> Self {
        let TrialReport { proposed, pairs, watched, comparison, floor, judged } = report;
        let needed = comparison.as_ref().and_then(|comparison| comparison.needed.as_ref());
        let power = needed.map(ToString::to_string);
        let differing: Vec<&ComparedPair> =
            pairs.iter().filter(|pair| pair.divergence.is_some()).collect();
        let floor = floor.map(|floor| FloorView {
            requests: floor.requests,
            agreeing: floor.agreeing,
            candidate_agreeing: floor.candidate_agreeing,
        });
        let shown = differing.iter().take(DIVERGENCES_SHOWN);
        Self {
            version: VERSION,
            evolution,
            change: proposed.change,
            trial: proposed.trial.map(EvolutionTrialView::from),
            seed: seed.map(|seed| seed.to_string()),
            // Its own form of serialisation cannot fail: it has no keys that are no texts.
            comparison: comparison.and_then(|comparison| serde_json::to_value(comparison).ok()),
            power,
            agreement: AgreementView { floor, ..AgreementView::of(&pairs) },
            judge: judged.map(|said| JudgeView {
                better: said.better,
                worse: said.worse,
                tie: said.tie,
                unread: said.unread,
                spent_microusd: said.spent_microusd,
                p: (said.p * 10_000.0).round() / 10_000.0,
            }),
            main: LegTotalsView::of(&pairs, |pair| &pair.main),
            candidate: LegTotalsView::of(&pairs, |pair| &pair.candidate),
            divergences: shown.map(|pair| ReportedDivergenceView::of(pair)).collect(),
            divergences_total: differing.len(),
            watched: AgreementView::of(&watched),
        }
    }
}

impl ReportedDivergenceView {
    fn of(pair: &ComparedPair) -> Self {
        Self {
            request: pair.request.clone(),
            divergence: pair.divergence.clone().unwrap_or_default(),
            main: (&pair.main).into(),
            candidate: (&pair.candidate).into(),
        }
    }
}

impl AgreementView {
    fn of(pairs: &[ComparedPair]) -> Self {
        let count = |agrees: bool| pairs.iter().filter(|pair| pair.agrees == Some(agrees)).count();
        let (agreeing, differing) = (count(true), count(false));
        Self { pairs: pairs.len(), judged: agreeing + differing, agreeing, floor: None }
    }
}

impl LegTotalsView {
    fn of(pairs: &[ComparedPair], leg: fn(&ComparedPair) -> &ComparedLeg) -> Self {
        let legs = || pairs.iter().map(leg);
        Self {
            errors: legs().filter(|leg| leg.error.is_some()).count(),
            calls: legs().map(|leg| leg.calls.len()).sum(),
            tokens: legs().filter_map(|leg| leg.tokens).reduce(u64::saturating_add),
            cost_microusd: legs().filter_map(|leg| leg.cost_microusd).reduce(u64::saturating_add),
            unpriced: legs()
                .filter(|leg| leg.cost_microusd.is_none() && leg.tokens.is_some_and(|it| it > 0))
                .count(),
            spent_microusd: legs()
                .filter_map(ComparedLeg::spent_in_all)
                .reduce(u64::saturating_add),
        }
    }
}
