//! What pairs say, as the keeper writes it down. The rule is `abide_evolution`'s; nothing of a proposal changes it.

use std::{collections::BTreeMap, time::Duration};

use abide_domain::{
    event::{ComparedLeg, ComparedPair, EvolutionDecided, EvolutionDecision},
    evolution::EvolutionTarget,
    text::shortened,
};
use abide_engine::state::EvolutionRecord;
use abide_evolution::{
    CanaryDecision, CanaryRecord, CanaryStage, ComparedTarget, ComparisonProgress, Figures,
    Judgement, JudgementState, Measure, Rule, judge,
    limits::{AGREEMENT_TOLERANCE, PAIRS_ALONE},
};

use super::{pairs::measured_pairs, recorded::RecordedPairs};

/// What must become smaller of a module.
const SIZE: Measure = Measure::Wall;
/// The least share of requests on which a module's answer must be as good as that of the code in force, which agrees with itself on
/// all: it has no chance in it.
const AGREEMENT_MIN: f64 = 0.95;

/// Pairs of a program's trial in which the code in force is asked twice, by two processes, to see how often it agrees with itself.
pub(super) const PAIRS_WITH_ITSELF: usize = 20;
/// Characters of an error of the candidate that a verdict quotes.
const ERROR_CHARS_MAX: usize = 200;

/// What comes of a trial by its pairs; none while more of them may tell more.
pub(super) fn judge_trial(
    record: &EvolutionRecord,
    pairs: &[ComparedPair],
    (progress, needs_person): (ComparisonProgress, bool),
) -> Option<EvolutionDecided> {
    if is_own(record) {
        return judge_own(record, pairs, (progress, needs_person));
    }
    let rule = rule_of(record, pairs);
    let judgement = judge(&measured_pairs(pairs), &rule, progress);
    let floor = MindFloor::of(pairs);
    let is_decisive = matches!(judgement.state, JudgementState::Promote | JudgementState::Reject);
    let is_over = progress == ComparisonProgress::Complete;
    (is_over || is_decisive).then(|| {
        let mut decided = decided(record, (&judgement, &rule, floor), needs_person);
        if decided.decision == EvolutionDecision::Rejected
            && let Some(error) = commonest_error(pairs)
        {
            decided.reason = format!("{}; {error}", decided.reason);
        }
        decided
    })
}

/// What the candidate failed with most often, and the code in force did not, in words.
fn commonest_error(pairs: &[ComparedPair]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in pairs {
        if let Some(error) = pair.candidate.error.as_ref().filter(|_| !fail_alike(pair)) {
            *counts.entry(error).or_default() += 1;
        }
    }
    let (error, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let of = pairs.len();
    let error = shortened(error, ERROR_CHARS_MAX);
    Some(format!("on {count} of {of} requests the candidate failed so: {error}"))
}

/// Whether both ended a request in the same way.
pub(super) fn fail_alike(pair: &ComparedPair) -> bool {
    pair.main.error == pair.candidate.error
}

/// What a trial is judged by.
pub(super) fn rule_of(record: &EvolutionRecord, pairs: &[ComparedPair]) -> Rule {
    let attempt = record.seed.map_or(1, |(_, attempt)| attempt);
    let (target, size, agreement_floor) = match record.target() {
        // A mind is only compared: nothing is decided by how often two agree.
        Some(EvolutionTarget::Mind) => (ComparedTarget::Mind, size_of_minds(pairs), 0.0),
        // Whatever both have must give the same.
        _ if is_own(record) => (ComparedTarget::Module, SIZE, 1.0),
        _ => (ComparedTarget::Module, SIZE, agreement_min(pairs)),
    };
    Rule { target, size, attempt, agreement_floor }
}

/// How often a mind that was asked twice agreed with itself: the floor of how often another one can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MindFloor {
    /// Requests on which it was asked twice.
    pub(crate) requests: usize,
    /// Those on which its answers agree.
    pub(crate) agreeing: usize,
    /// Those on which the candidate's agrees with its first.
    pub(crate) candidate_agreeing: usize,
}

impl MindFloor {
    /// Of the pairs of a trial; none where it was never asked twice.
    pub(super) fn of(pairs: &[ComparedPair]) -> Option<Self> {
        let twice: Vec<_> = pairs.iter().filter(|pair| pair.main.again_agrees.is_some()).collect();
        let count = |is: fn(&ComparedPair) -> Option<bool>| {
            twice.iter().filter(|pair| is(pair) == Some(true)).count()
        };
        (!twice.is_empty()).then(|| Self {
            requests: twice.len(),
            agreeing: count(|pair| pair.main.again_agrees),
            candidate_agreeing: count(|pair| pair.agrees),
        })
    }

    fn in_words(self) -> String {
        let Self { requests, agreeing, candidate_agreeing } = self;
        format!(
            "asked twice, the mind in force agrees with itself on {agreeing} of {requests} requests, and the candidate with it on \
             {candidate_agreeing} of the same"
        )
    }
}

/// Whether it is about tools or commands that the agent made, in Scheme.
fn is_own(record: &EvolutionRecord) -> bool {
    let target = record.target();
    !record.is_of_program()
        && matches!(target, Some(EvolutionTarget::ToolFramework | EvolutionTarget::Dsl))
}

/// What comes of tools or commands. Whatever both have must give the same; where the record does not say that they are better, a person
/// decides, for what is new was never asked for.
fn judge_own(
    record: &EvolutionRecord,
    pairs: &[ComparedPair],
    (progress, needs_person): (ComparisonProgress, bool),
) -> Option<EvolutionDecided> {
    let rule = rule_of(record, pairs);
    let judgement = judge(&measured_pairs(pairs), &rule, progress);
    let by_rule = decided(record, (&judgement, &rule, None), needs_person);
    if record.only_compares() {
        return (progress == ComparisonProgress::Complete).then_some(by_rule);
    }
    if let Some(worse) = pairs.iter().find(|pair| pair.agrees == Some(false)) {
        let difference = worse.divergence.as_deref().unwrap_or("it gives something else");
        let reason = format!("not as good: {difference}");
        let decision = EvolutionDecision::Rejected;
        return Some(EvolutionDecided { decision, reason, needs_person: false, ..by_rule });
    }
    if judgement.state == JudgementState::Promote {
        return Some(by_rule);
    }
    if progress != ComparisonProgress::Complete {
        return None;
    }
    if pairs.len() >= PAIRS_ALONE && record.adds.is_empty() {
        return Some(by_rule);
    }
    let cases = pairs.len();
    let reason = format!(
        "in {cases} conversations of the record nothing speaks against it, and nothing says that it is better"
    );
    Some(EvolutionDecided {
        decision: EvolutionDecision::Marginal,
        reason,
        needs_person: false,
        ..by_rule
    })
}

/// The least share of requests on which answers must agree: less only where the code in force does not agree with itself either,
/// which only programs are asked for.
fn agreement_min(pairs: &[ComparedPair]) -> f64 {
    let with_itself: Vec<bool> =
        pairs.iter().filter_map(|pair| pair.main.again_agrees).take(PAIRS_WITH_ITSELF).collect();
    if with_itself.len() < PAIRS_WITH_ITSELF {
        return AGREEMENT_MIN;
    }
    let agreeing = with_itself.iter().filter(|agrees| **agrees).count();
    #[expect(clippy::cast_precision_loss, reason = "twenty pairs")]
    let share = agreeing as f64 / with_itself.len() as f64;
    // In ten-thousandths, so that it is the same number after it has been JSON.
    ((share - AGREEMENT_TOLERANCE) * 10_000.0).round() / 10_000.0
}

/// What the change of the size measure is called among the figures.
const fn size_name(size: Measure) -> &'static str {
    match size {
        Measure::Cost => "cost",
        Measure::Tokens => "tokens",
        Measure::Wall | Measure::Cpu | Measure::Memory | Measure::Calls => "latency",
    }
}

/// Cost where both have a price, else tokens; time where nobody counts them.
fn size_of_minds(pairs: &[ComparedPair]) -> Measure {
    let have = |of: fn(&ComparedLeg) -> Option<u64>| {
        let legs = pairs.iter().flat_map(|pair| [&pair.main, &pair.candidate]);
        let mut answered = legs.filter(|leg| leg.error.is_none()).peekable();
        answered.peek().is_some() && answered.all(|leg| of(leg).is_some_and(|count| count > 0))
    };
    if have(|leg| leg.cost_microusd) {
        Measure::Cost
    } else if have(|leg| leg.tokens) {
        Measure::Tokens
    } else {
        Measure::Wall
    }
}

/// What comes of a proposal by its judgement.
fn decided(
    record: &EvolutionRecord,
    (judgement, rule, floor): (&Judgement, &Rule, Option<MindFloor>),
    needs_person: bool,
) -> EvolutionDecided {
    let decision = match judgement.state {
        _ if record.only_compares() => EvolutionDecision::Reported,
        JudgementState::Promote => EvolutionDecision::Promoted,
        JudgementState::Marginal => EvolutionDecision::Marginal,
        JudgementState::Reject | JudgementState::NotEnough => EvolutionDecision::Rejected,
    };
    let mut reason = in_words(judgement);
    let mut measured = measured(&judgement.figures, size_name(rule.size));
    if let Some(floor) = floor {
        reason = format!("{reason}; {}", floor.in_words());
        #[expect(clippy::cast_precision_loss, reason = "a handful of requests")]
        let share = floor.agreeing as f64 / floor.requests as f64;
        measured.insert("agreement_floor".to_owned(), (share * 10_000.0).round() / 10_000.0);
    }
    EvolutionDecided {
        evolution_id: record.id,
        decision,
        reason,
        measured,
        needs_person: needs_person && decision == EvolutionDecision::Promoted,
    }
}

fn in_words(judgement: &Judgement) -> String {
    let reasons: Vec<String> = judgement.reasons.iter().map(ToString::to_string).collect();
    let words = reasons.join("; ");
    let verdict = match judgement.state {
        JudgementState::Promote => "better",
        JudgementState::Marginal => "too little was measured to decide without a person",
        JudgementState::Reject => "not better",
        JudgementState::NotEnough => "not enough was measured",
    };
    format!("{verdict}: {words}")
}

#[expect(clippy::cast_precision_loss, reason = "at most some hundred pairs")]
fn measured(figures: &Figures, size: &str) -> BTreeMap<String, f64> {
    let pairs = figures.pairs as f64;
    let accuracy = (figures.pairs > 0)
        .then(|| (figures.main_errors as f64 - figures.candidate_errors as f64) / pairs);
    let named = [
        ("pairs", Some(pairs)),
        (size, figures.size_change),
        (&*format!("{size}_p"), Some(figures.size_p)),
        ("errors", figures.errors_change),
        ("errors_p", Some(figures.errors_p)),
        ("memory", figures.memory_change),
        ("accuracy", accuracy),
        ("agreement", figures.agreement),
    ];
    let finite = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
    finite
        .filter(|(_, value)| value.is_finite())
        .map(|(name, value)| (name.to_owned(), (value * 10_000.0).round() / 10_000.0))
        .collect()
}

/// What follows for a stage of the watch. `stage` is its share and how many pairs it needs; `limit` how long it waits for them.
pub(super) fn judge_stage(
    pairs: &RecordedPairs,
    (percent, needed): (u8, u32),
    (age, limit): (Duration, Duration),
) -> CanaryDecision {
    let stage = CanaryStage { percent, pairs: usize::try_from(needed).unwrap_or(usize::MAX) };
    let measured = measured_pairs(&pairs.watch);
    let record = CanaryRecord {
        target: ComparedTarget::Module,
        size: SIZE,
        pairs: &measured,
        pairs_before: pairs.before_stage,
        age,
        limit,
    };
    stage.judge(&record)
}
