//! The simulator in every test run, with few seeds; `cargo xtask sim --seeds N` runs many.

use abide_testkit::{
    rounds,
    sim::{Plan, run},
};

#[test]
fn the_laws_hold_over_many_seeds() {
    for seed in 1..=u64::from(rounds(300)) {
        let outcome = run(seed, Plan::default()).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert!(outcome.acknowledged > 0 && outcome.committed > 0, "{outcome:?}");
    }
}

#[test]
fn a_seed_replays_exactly() {
    let once = run(7, Plan::default()).unwrap();
    let again = run(7, Plan::default()).unwrap();
    assert_eq!(once, again, "the chain covers every byte of the ledger");
    let other = run(8, Plan::default()).unwrap();
    assert_ne!(once.chain, other.chain);
}
