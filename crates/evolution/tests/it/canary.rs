//! The watch and the canary: how often an equal code is rolled back, and how soon a worse one is.

use std::time::Duration;

use abide_evolution::{
    CanaryDecision, CanaryRecord, CanaryStage, ComparedTarget, Leg, Measure, Pair, Regression,
    limits::CANARY_STAGES, watch,
};

use crate::world::{ENDPOINT, MODULE, PROCESS, Truth, rounds};

/// How long a stage waits here.
const LIMIT: Duration = Duration::from_hours(48);

fn record(pairs: &[Pair], pairs_before: usize) -> CanaryRecord<'_> {
    CanaryRecord {
        target: ComparedTarget::Module,
        size: Measure::Wall,
        pairs,
        pairs_before,
        age: Duration::from_mins(1),
        limit: LIMIT,
    }
}

/// Lets pairs come one by one through all stages. What ended it, and after how many pairs.
fn run(pairs: &[Pair]) -> (CanaryDecision, usize) {
    let mut stage = CanaryStage::first();
    let mut before = 0;
    for length in (0..=pairs.len()).step_by(10) {
        match stage.judge(&record(&pairs[..length], before)) {
            CanaryDecision::Continue { .. } => {}
            CanaryDecision::Advance { stage: next } => (stage, before) = (next, length),
            end => return (end, length),
        }
    }
    (CanaryDecision::Continue { pairs: 0 }, pairs.len())
}

fn rolled_back(truth: Truth, full: u32) -> (f64, f64) {
    let codes = rounds(full);
    let mut rolled_back = 0;
    let mut pairs_seen = 0;
    for seed in 0..codes {
        let (end, length) = run(&truth.pairs(200, u64::from(seed) + 1));
        assert!(!matches!(end, CanaryDecision::Continue { .. }), "200 pairs end every stage");
        if matches!(end, CanaryDecision::RollBack { .. }) {
            rolled_back += 1;
            pairs_seen += u32::try_from(length).unwrap();
        }
    }
    (
        f64::from(rolled_back) / f64::from(codes),
        f64::from(pairs_seen) / f64::from(rolled_back.max(1)),
    )
}

#[test]
fn worse_codes_are_rolled_back_and_equal_ones_seldom() {
    for (name, truth) in [("module", MODULE), ("process", PROCESS), ("endpoint", ENDPOINT)] {
        let (equal, _) = rolled_back(truth, 4_000);
        let (worse, pairs) = rolled_back(truth.changed(0.3), 2_000);
        println!("{name}: equal {equal}, +30 % {worse} after {pairs:.0} pairs");
        assert!(equal <= 0.06, "{name}: {equal} of equal codes rolled back");
        assert!(worse >= 0.97, "{name}: {worse} of worse codes rolled back");
    }
}

#[test]
fn the_watch_may_look_as_often_as_it_likes() {
    for (name, truth) in [("module", MODULE), ("endpoint", ENDPOINT)] {
        let codes = rounds(5_000);
        let is_stopped = |seed: &u32| {
            let pairs = truth.pairs(300, u64::from(*seed) + 1);
            (0..=300).step_by(10).any(|length| {
                watch(&pairs[..length], ComparedTarget::Module, Measure::Wall).regression.is_some()
            })
        };
        let stopped = (0..codes).filter(is_stopped).count();
        println!("watch, {name}: {stopped} of {codes} equal codes stopped");
        assert!(stopped * 20 <= codes as usize, "{stopped} of {codes}");
    }
}

/// EV-09
#[test]
fn a_stage_without_traffic_ends_with_the_old_code() {
    let mut seen = record(&[], 0);
    seen.age = LIMIT.mul_f64(0.999);
    assert_eq!(CanaryStage::first().judge(&seen), CanaryDecision::Continue { pairs: 0 });
    seen.age = LIMIT;
    assert_eq!(CanaryStage::first().judge(&seen), CanaryDecision::Expire { pairs: 0 });
    // Pairs of the stages before do not count, nor does what cannot be used.
    let mut pairs = MODULE.pairs(100, 3);
    seen.pairs = &pairs;
    seen.pairs_before = 100;
    assert_eq!(CanaryStage::first().judge(&seen), CanaryDecision::Expire { pairs: 0 });
    for pair in &mut pairs {
        pair.main.wall_us = None;
    }
    let mut seen = record(&pairs, 0);
    seen.age = LIMIT;
    assert!(matches!(CanaryStage::first().judge(&seen), CanaryDecision::Expire { pairs: 0..30 }));
}

#[test]
fn stages_follow_each_other_up_to_all_requests() {
    let mut stage = Some(CanaryStage::first());
    for (percent, pairs) in CANARY_STAGES {
        assert_eq!(stage, Some(CanaryStage { percent, pairs }));
        stage = stage.and_then(CanaryStage::next);
    }
    assert_eq!(stage, None);
}

#[test]
fn an_error_that_comes_again_rolls_back_at_once() {
    let mut pairs = MODULE.pairs(12, 3);
    pairs[11].main = pairs[10].main.clone();
    pairs[11].candidate = Leg::failed("panic", Some(true));
    let end = CanaryStage::first().judge(&record(&pairs, 0));
    let because = Regression::RepeatedErrors { errors: 1 };
    assert_eq!(end, CanaryDecision::RollBack { because: because.clone() });
    assert_eq!(
        because.to_string(),
        "errors of the new code alone come again each time (requests: 1)"
    );
}
