//! Cases that other systems got wrong, by their numbers.

use abide_evolution::{
    ComparisonProgress, Judgement, JudgementState, Leg, Pair, Reason, RecordGap, UnusableCount,
    UnusableReason, judge, report,
};

use crate::world::{MODULE, rule};

const GAIN: f64 = -0.3;

fn complete(pairs: &[Pair]) -> Judgement {
    judge(pairs, &rule(1), ComparisonProgress::Complete)
}

/// A clear gain without chance errors.
fn better(length: usize) -> Vec<Pair> {
    let mut truth = MODULE.changed(GAIN);
    truth.errors = 0.0;
    truth.pairs(length, 5)
}

#[test]
fn a_clear_gain_is_promoted_and_says_why() {
    let judgement = complete(&better(100));
    assert_eq!(judgement.state, JudgementState::Promote);
    let [Reason::Smaller { change, p, .. }] = judgement.reasons[..] else {
        panic!("{:?}", judgement.reasons)
    };
    assert!(change < -0.2 && p < 0.001);
    let sentence = judgement.reasons[0].to_string();
    assert!(sentence.starts_with("the candidate takes less time: −"), "{sentence}");
    assert!(sentence.ends_with(" %, p < 0.001"), "{sentence}");
}

/// EV-06
#[test]
fn a_measurement_that_is_missing_or_no_number_never_promotes() {
    for value in [None, Some(f64::NAN), Some(0.0), Some(-5.0), Some(f64::INFINITY)] {
        let mut pairs = better(100);
        for pair in &mut pairs {
            pair.candidate.wall_us = value;
        }
        let judgement = complete(&pairs);
        assert_eq!(judgement.state, JudgementState::NotEnough, "{value:?}");
        assert_eq!(judgement.reasons, [Reason::NeverMeasured]);
        // Some of them are failures, not good times.
        let mut pairs = better(100);
        for pair in &mut pairs[..20] {
            pair.candidate.wall_us = value;
        }
        let judgement = complete(&pairs);
        assert_eq!(judgement.state, JudgementState::Reject, "{value:?}");
        assert!(matches!(judgement.reasons[0], Reason::MoreErrors { main: 0, candidate: 20, .. }));
        // What main lacks is nobody's failure and no pair.
        let mut pairs = better(140);
        for pair in &mut pairs[..20] {
            pair.main.memory_bytes = value;
        }
        assert_eq!(complete(&pairs).figures.pairs, 100);
    }
}

/// EV-06
#[test]
fn a_candidate_that_fails_everywhere_is_not_enough() {
    let mut pairs = better(200);
    for pair in &mut pairs {
        pair.candidate = Leg::failed("panic", Some(true));
    }
    assert_eq!(complete(&pairs).state, JudgementState::NotEnough);
}

/// EV-07
#[test]
fn three_errors_against_none_decide_nothing() {
    let mut truth = MODULE;
    truth.errors = 0.0;
    let mut pairs = truth.pairs(100, 4);
    for pair in &mut pairs[..3] {
        pair.main = Leg::failed("time", None);
    }
    let judgement = complete(&pairs);
    assert_eq!(judgement.state, JudgementState::Reject, "not promoted for fewer errors");
    assert!(matches!(judgement.reasons[..], [Reason::NotSmaller { .. }]));
    let mut pairs = better(100);
    for pair in &mut pairs[..3] {
        pair.candidate = Leg::failed("time", Some(false));
    }
    assert_eq!(complete(&pairs).state, JudgementState::Promote, "chance errors do not refuse");
}

/// EV-08
#[test]
fn an_error_of_the_candidate_alone_that_comes_again_refuses_it() {
    let mut pairs = better(200);
    pairs[30].candidate = Leg::failed("panic", Some(true));
    let judgement = complete(&pairs);
    assert_eq!(judgement.state, JudgementState::Reject);
    assert_eq!(judgement.reasons, [Reason::RepeatedErrors { errors: 1 }]);
    // Where main fails as well it is the request's fault.
    pairs[30].main = Leg::failed("panic", Some(true));
    assert_eq!(complete(&pairs).state, JudgementState::Promote);
    // Not run again: not known, so no.
    pairs[30].main = pairs[31].main.clone();
    pairs[30].candidate = Leg::failed("panic", None);
    let judgement = complete(&pairs);
    assert_eq!(judgement.state, JudgementState::NotEnough);
    assert_eq!(judgement.reasons[0], Reason::NotRunAgain { errors: 1 });
}

/// EV-08
#[test]
fn a_leak_that_begins_late_refuses_the_candidate() {
    let mut pairs = better(100);
    for (number, pair) in pairs.iter_mut().enumerate().skip(60) {
        let growth = 1.0 + 0.05 * f64::from(u32::try_from(number - 60).unwrap());
        pair.candidate.memory_bytes = pair.candidate.memory_bytes.map(|bytes| bytes * growth);
    }
    let judgement = complete(&pairs);
    assert_eq!(judgement.state, JudgementState::Reject);
    assert!(matches!(judgement.reasons[..], [Reason::MoreMemory { .. }]));
    assert!(judgement.figures.memory_change.unwrap() < 0.5, "the whole does not show it");
}

/// EV-11
#[test]
fn an_aborted_comparison_is_never_a_yes() {
    for length in [60, 100, 200] {
        let judgement = judge(&better(length), &rule(1), ComparisonProgress::Aborted);
        assert_eq!(judgement.state, JudgementState::NotEnough, "{length} pairs");
        assert_eq!(judgement.reasons[0], Reason::Aborted);
    }
}

/// EV-12
#[test]
fn the_twentieth_proposal_needs_stronger_evidence() {
    let pairs = MODULE.changed(-0.15).pairs(100, 8);
    let level = |attempt| judge(&pairs, &rule(attempt), ComparisonProgress::Complete).level;
    assert!((level(1) - 0.0181 / 2.0).abs() < 1e-12);
    assert!((level(20) - 0.0181 / 420.0).abs() < 1e-12);
    let shares: f64 = (1..10_000).map(|attempt| rule(attempt).share()).sum();
    assert!(shares < 1.0);
    assert!((rule(0).share() - rule(1).share()).abs() < f64::EPSILON);
}

#[test]
fn few_pairs_ask_a_person_and_fewer_say_nothing() {
    let states = [0, 29, 30, 99, 100].map(|length| complete(&better(length)).state);
    assert_eq!(
        states,
        [
            JudgementState::NotEnough,
            JudgementState::NotEnough,
            JudgementState::Marginal,
            JudgementState::Marginal,
            JudgementState::Promote
        ]
    );
}

#[test]
fn agreement_below_the_floor_refuses_and_unknown_agreement_asks_a_person() {
    let mut pairs = better(100);
    for pair in &mut pairs {
        pair.agrees = None;
    }
    let judgement = complete(&pairs);
    assert_eq!(judgement.state, JudgementState::Marginal);
    assert_eq!(judgement.reasons[0], Reason::AgreementUnknown { judged: 0 });
    // While more pairs come, they may bring the knowledge.
    let running = judge(&pairs, &rule(1), ComparisonProgress::Running);
    assert_eq!(running.state, JudgementState::NotEnough);
    assert_eq!(running.reasons[0], Reason::NextLook { pairs: 100 });
    let mut more = better(200);
    for pair in &mut more[..150] {
        pair.agrees = None;
    }
    assert_eq!(complete(&more).state, JudgementState::Promote);
    for (number, pair) in pairs.iter_mut().enumerate() {
        pair.agrees = Some(number % 8 != 0);
    }
    let judgement = complete(&pairs);
    assert_eq!(judgement.state, JudgementState::Reject);
    assert!(matches!(judgement.reasons[..], [Reason::LessAgreement { .. }]));
    let nan = abide_evolution::Rule { agreement_floor: f64::NAN, ..rule(1) };
    let judgement = judge(&better(100), &nan, ComparisonProgress::Complete);
    assert_eq!(judgement.state, JudgementState::Reject);
}

#[test]
fn fewer_errors_promote_without_a_gain_in_size() {
    let mut truth = MODULE;
    truth.errors = 0.0;
    let mut pairs = truth.pairs(200, 6);
    for pair in &mut pairs[..15] {
        pair.main = Leg::failed("time", None);
    }
    let judgement = complete(&pairs);
    assert_eq!(judgement.state, JudgementState::Promote);
    assert!(matches!(judgement.reasons[0], Reason::FewerErrors { main: 15, candidate: 0, .. }));
}

/// EV-05
#[test]
fn what_the_record_does_not_let_be_compared_counts_for_nobody() {
    let mut pairs = better(120);
    for pair in &mut pairs[..30] {
        pair.candidate = Leg::failed("time", Some(true));
        pair.gap = Some(RecordGap::OutcomeUnknown);
    }
    let judgement = complete(&pairs);
    assert_eq!((judgement.state, judgement.figures.pairs), (JudgementState::Marginal, 90));
    let report = report(&pairs, &rule(1), ComparisonProgress::Complete, 7);
    let because = UnusableReason::Record(RecordGap::OutcomeUnknown);
    assert_eq!(report.unusable, [UnusableCount { because, pairs: 30 }]);
}

#[test]
fn a_request_counts_once() {
    let mut pairs = better(60);
    pairs.extend(better(60));
    assert_eq!(complete(&pairs).figures.pairs, 60);
}

/// Once a running comparison has decided, more pairs change nothing, and between looks nothing is decided.
#[test]
fn looking_more_often_changes_no_verdict() {
    for seed in 0..40 {
        let pairs = MODULE.changed(-0.11).pairs(200, seed + 1);
        let mut decided = None;
        for length in 0..=200 {
            let judgement = judge(&pairs[..length], &rule(1), ComparisonProgress::Running);
            let is_end =
                matches!(judgement.state, JudgementState::Promote | JudgementState::Reject);
            if let Some(state) = decided {
                assert_eq!(judgement.state, state, "seed {seed}, {length} pairs");
            } else if is_end {
                decided = Some(judgement.state);
            }
        }
        assert_eq!(decided, Some(complete(&pairs).state), "seed {seed}");
    }
}
