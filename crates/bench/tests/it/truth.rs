//! `abide bench memory --truth` on the lives that are held out: no share may fall below its floor. Floors lie at what was
//! reached when they were written: they hold what there is, and are raised with it.

use std::collections::BTreeSet;

use abide_bench::{TRUTH_LIVES, TruthHalf, TruthKind, TruthMeasure, TruthPlan, truth};

/// What is held, as shares of the questions of which it is judged. Where nothing is reached yet there is nothing to hold.
const FLOORS: [(TruthMeasure, f64); 9] = [
    (TruthMeasure::InForce, 0.9),
    (TruthMeasure::StaleMarked, 0.56),
    (TruthMeasure::Forgotten, 1.0),
    (TruthMeasure::RightPerson, 1.0),
    (TruthMeasure::NotLeaked, 1.0),
    (TruthMeasure::DateComputable, 0.85),
    (TruthMeasure::WishShown, 1.0),
    (TruthMeasure::WishGone, 1.0),
    (TruthMeasure::AbsenceSaid, 1.0),
];

#[test]
fn what_an_agent_is_shown_is_as_true_as_it_was_on_lives_that_are_held_out() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = (1..=TRUTH_LIVES).filter(|seed| seed % 2 == 0).collect();
    let plan = TruthPlan { seeds, ablate: true, ..TruthPlan::new(folder.path().into()) };
    let report = truth(&plan, &|_| {}).unwrap();
    let [held_out] = report.halves.as_slice() else { panic!("{report}") };
    assert_eq!((held_out.half, held_out.lives), (TruthHalf::HeldOut, 10));
    assert!(held_out.questions >= 150, "{} questions in half of the set", held_out.questions);
    for (measure, floor) in FLOORS {
        let count = held_out.all[&measure];
        assert!(count.of >= 10, "{measure:?} is judged of {} questions", count.of);
        assert!(count.share() >= floor, "{measure:?}: {} < {floor}\n{report}", count.share());
    }
    // A part that carries evidence takes it along.
    let without = |part: &str, measure: TruthMeasure| {
        let ablated = held_out.without.iter().find(|ablated| ablated.part == part);
        ablated.unwrap_or_else(|| panic!("no part {part}")).all[&measure].share()
    };
    assert!(without("standing wishes", TruthMeasure::WishShown) < 0.01, "{report}");
    assert!(without("date and time", TruthMeasure::DateComputable) < 0.01, "{report}");
    let in_force = held_out.all[&TruthMeasure::InForce].share();
    assert!(without("Relevant history", TruthMeasure::InForce) < in_force, "{report}");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "the scratch is left");
}

#[test]
fn the_two_halves_ask_the_same_kinds_in_other_words() {
    let folder = tempfile::tempdir().unwrap();
    let plan = TruthPlan {
        seeds: vec![1, 2],
        show_failures: true,
        ..TruthPlan::new(folder.path().into())
    };
    let report = truth(&plan, &|_| {}).unwrap();
    let kinds: Vec<BTreeSet<TruthKind>> =
        report.halves.iter().map(|half| half.kinds.keys().copied().collect()).collect();
    assert_eq!(kinds.len(), 2);
    assert_eq!(kinds[0], kinds[1]);
    assert_eq!(kinds[0].len(), 15, "{kinds:?}");
    assert!(report.failures.iter().all(|failure| failure.starts_with("life 1, ")), "{report}");
}
