//! The simulator in every test run, with few seeds; `cargo xtask sim --seeds N` runs many.

use abide_testkit::{
    rounds,
    sim::{SimPlan, run},
};

#[test]
fn the_laws_hold_over_many_seeds() {
    let mut society = [0; 3];
    for seed in 1..=u64::from(rounds(300)) {
        let outcome = run(seed, SimPlan::default()).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert!(outcome.acknowledged > 0 && outcome.committed > 0, "{outcome:?}");
        let seen = [outcome.notes, outcome.said, outcome.woken];
        society.iter_mut().zip(seen).for_each(|(sum, seen)| *sum += seen);
    }
    assert!(society.iter().all(|sum| *sum > 0), "notes, words and wakes: {society:?}");
}

#[test]
fn a_seed_replays_exactly() {
    let once = run(7, SimPlan::default()).unwrap();
    let again = run(7, SimPlan::default()).unwrap();
    assert_eq!(once, again, "the chain covers every byte of the ledger");
    let other = run(8, SimPlan::default()).unwrap();
    assert_ne!(once.chain, other.chain);
}
