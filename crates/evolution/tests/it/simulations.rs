//! Simulations: how often candidates with and without effect are promoted. The bounds leave room for chance at these rounds.

use abide_evolution::{
    ComparedTarget, ComparisonProgress, JudgementState, Measure, Pair, judge, pairs_needed,
    statistics,
};

use crate::world::{ENDPOINT, MODULE, PROCESS, Truth, rounds, rule};

/// The share of simulated candidates that are promoted.
fn promoted(truth: Truth, pairs: usize, full_rounds: u32) -> f64 {
    let candidates = rounds(full_rounds);
    let is_promoted = |seed: &u32| {
        let pairs = truth.pairs(pairs, u64::from(*seed) + 1);
        let judgement = judge(&pairs, &rule(1), ComparisonProgress::Complete);
        judgement.state == JudgementState::Promote
    };
    let promoted = (0..candidates).filter(is_promoted).count();
    f64::from(u32::try_from(promoted).unwrap()) / f64::from(candidates)
}

/// Two looks can promote, at 100 and at 200 pairs.
fn at_most_one_in_twenty_is_promoted(truth: Truth) {
    let share = promoted(truth, 200, 20_000);
    assert!(share <= 0.05, "{share}");
}

/// EV-01
#[test]
fn at_most_one_in_twenty_modules_without_effect_is_promoted() {
    at_most_one_in_twenty_is_promoted(MODULE);
}

/// EV-01
#[test]
fn at_most_one_in_twenty_processes_without_effect_is_promoted() {
    at_most_one_in_twenty_is_promoted(PROCESS);
}

/// EV-01
#[test]
fn at_most_one_in_twenty_endpoints_without_effect_is_promoted() {
    at_most_one_in_twenty_is_promoted(ENDPOINT);
}

#[test]
fn the_kinds_have_the_spreads_that_they_stand_for() {
    for (truth, wanted) in [(MODULE, 0.21), (PROCESS, 0.45), (ENDPOINT, 0.57)] {
        let pairs = truth.pairs(5_000, 3);
        let ratios = ratios(&pairs);
        let spread = statistics::spread(&ratios).unwrap();
        println!("spread {spread} for {wanted}");
        assert!((spread / wanted - 1.0).abs() < 0.06, "{spread} is not {wanted}");
    }
}

/// EV-12: the levels of later proposals shrink, so that trying long enough promotes nothing.
#[test]
fn twenty_proposals_without_effect_in_a_row_promote_none_as_often_as_one_may() {
    let families = rounds(2_000);
    let is_promoted = |family: u32, attempt: u32| {
        let pairs = ENDPOINT.pairs(200, u64::from(family * 20 + attempt) + 90_001);
        let judgement = judge(&pairs, &rule(attempt), ComparisonProgress::Complete);
        judgement.state == JudgementState::Promote
    };
    let promoted =
        (0..families).filter(|family| (1..=20).any(|attempt| is_promoted(*family, attempt)));
    let promoted = promoted.count();
    println!("twenty in a row: {promoted} of {families} with one promoted");
    assert!(promoted * 20 <= families as usize, "{promoted} of {families}");
}

/// EV-02: both legs of a pair feel the machine that becomes quicker; nothing is compared with what was recorded before.
#[test]
fn a_machine_that_becomes_quicker_promotes_nothing() {
    let candidates = rounds(5_000);
    let promoted = (0..candidates).filter(|seed| {
        let mut pairs = MODULE.pairs(200, u64::from(*seed) + 7);
        for pair in &mut pairs[60..] {
            for leg in [&mut pair.main, &mut pair.candidate] {
                leg.wall_us = leg.wall_us.map(|us| us * 0.7);
            }
        }
        let judgement = judge(&pairs, &rule(1), ComparisonProgress::Complete);
        judgement.state == JudgementState::Promote
    });
    let promoted = promoted.count();
    assert!(promoted * 20 <= candidates as usize, "{promoted} of {candidates}");
}

/// EV-02
#[test]
fn load_in_waves_promotes_no_more_candidates_without_effect() {
    for memory_of_load in [0.8, 0.95] {
        let truth = Truth { load: (memory_of_load, 0.3), ..MODULE };
        let share = promoted(truth, 200, 10_000);
        println!("no effect, load {memory_of_load}: {share}");
        assert!(share <= 0.05, "{memory_of_load}: {share}");
    }
}

#[test]
fn a_module_that_saves_fifteen_percent_is_found_in_a_hundred_pairs() {
    for (change, pairs) in [(-0.15, 100), (-0.15, 200), (-0.20, 100), (-0.10, 100)] {
        let share = promoted(MODULE.changed(change), pairs, 10_000);
        println!("module, {change}, {pairs} pairs: {share}");
        assert!(change > -0.15 || share >= 0.9, "{change}, {pairs} pairs: {share}");
    }
}

/// With three runs a leg a hundred pairs are enough for the noisier kinds as well.
#[test]
fn three_runs_a_leg_make_noisy_kinds_decidable() {
    for (name, truth) in [("process", PROCESS), ("endpoint", ENDPOINT)] {
        let truth = Truth { runs: 3, ..truth.changed(-0.15) };
        let shares = [100, 200].map(|pairs| promoted(truth, pairs, 5_000));
        println!("three runs, {name}, -0.15, 100 and 200 pairs: {shares:?}");
        assert!(shares[0] >= 0.75 && shares[1] >= 0.88, "{name}: {shares:?}");
    }
}

/// Of one look at −15 %: a third more pairs than were worked out find it nine times in ten, a third fewer do not.
#[test]
fn the_number_of_pairs_that_is_worked_out_is_right_within_a_third() {
    for (name, truth) in [("process", PROCESS), ("endpoint", ENDPOINT)] {
        // The true spread, which no pilot knows.
        let ratios = ratios(&truth.pairs(20_000, 11));
        let spread = statistics::spread(&ratios).unwrap();
        let needed =
            (1..1_000_u32).find(|pairs| f64::from(*pairs) >= 600.0 * spread * spread).unwrap();
        let found = [2, 3, 4].map(|thirds: u32| {
            let length = (needed * thirds / 3) as usize;
            let candidates = rounds(8_000);
            let found = (0..candidates)
                .filter(|seed| is_found(truth.changed(-0.15), length, u64::from(*seed) + 1));
            f64::from(u32::try_from(found.count()).unwrap()) / f64::from(candidates)
        });
        println!("{name}: {needed} pairs worked out, power at 2/3, 1 and 4/3: {found:?}");
        assert!(found[0] < 0.9 && found[2] > 0.9, "{name}: {found:?}");
        assert!((found[1] - 0.9).abs() < 0.06, "{name}: {found:?}");
        // Twenty pairs know the spread roughly: right in the middle of many pilots.
        let mut numbers: Vec<f64> = (0..400)
            .filter_map(|seed| {
                let pilot = truth.pairs(22, seed + 1);
                let needed = pairs_needed(&pilot, ComparedTarget::Module, Measure::Wall).ok()?;
                Some(f64::from(u32::try_from(needed.pairs).unwrap()))
            })
            .collect();
        numbers.sort_by(f64::total_cmp);
        let middle = statistics::median(&numbers).unwrap();
        let whole = f64::from(needed);
        println!("{name}: median of what pilots say: {middle}");
        assert!((middle / whole - 1.0).abs() < 0.34, "{middle} is not {whole}");
    }
}

fn is_found(truth: Truth, length: usize, seed: u64) -> bool {
    let pairs = truth.pairs(length, seed);
    let ratios: Vec<f64> = pairs.iter().filter_map(|pair| pair.log_ratio(Measure::Wall)).collect();
    let p = statistics::wilcoxon(&ratios, statistics::Tail::Below);
    p <= 0.025 && statistics::trimmed_mean(&ratios).unwrap().exp() < 0.9
}

fn ratios(pairs: &[Pair]) -> Vec<f64> {
    pairs.iter().filter_map(|pair| pair.log_ratio(Measure::Wall)).collect()
}
