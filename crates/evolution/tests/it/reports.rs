//! The report: the same bytes from the same pairs, whatever these are.

use abide_evolution::{
    ComparisonProgress, ComparisonReport, Leg, LegRole, Pair, first_leg, report,
};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::world::{MODULE, rule};

fn leg() -> impl Strategy<Value = Leg> {
    let value = prop_oneof![
        8 => (1.0..1e6_f64).prop_map(Some),
        1 => Just(None),
        1 => any::<f64>().prop_map(Some),
    ];
    let measured = (value.clone(), value.clone(), value).prop_map(|(wall, memory, tokens)| Leg {
        wall_us: wall,
        memory_bytes: memory,
        tokens,
        ..Leg::answered()
    });
    prop_oneof![
        9 => measured,
        1 => any::<Option<bool>>().prop_map(|repeats| Leg::failed("time", repeats)),
    ]
}

fn pairs() -> impl Strategy<Value = Vec<Pair>> {
    let pair = (leg(), leg(), any::<Option<bool>>(), proptest::option::of("[a-z]{1,9}"));
    proptest::collection::vec(pair, 0..220).prop_map(|pairs| {
        let numbered = pairs.into_iter().enumerate();
        numbered
            .map(|(number, (main, candidate, agrees, divergence))| {
                let request = format!("e{number}");
                let first = first_leg(7, &request);
                Pair { request, first, main, candidate, agrees, gap: None, divergence }
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Also after the pairs have been through the ledger.
    #[test]
    fn the_same_pairs_give_the_same_bytes(pairs in pairs(), seed: u64) {
        let bytes = |pairs: &[Pair]| {
            let report = report(pairs, &rule(1), ComparisonProgress::Complete, seed);
            serde_json::to_string(&report).unwrap()
        };
        let first = bytes(&pairs);
        let lines: Vec<String> =
            pairs.iter().map(|pair| serde_json::to_string(pair).unwrap()).collect();
        let read: Vec<Pair> =
            lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(&first, &bytes(&read));
        prop_assert!(serde_json::from_str::<ComparisonReport>(&first).is_ok());
    }
}

/// Also by another build, on another machine, a year later. Who changes a byte changes the number of the form as well.
#[test]
fn a_report_that_was_made_once_is_made_again_byte_for_byte() {
    let leg = |wall: u32, memory: u32| Leg {
        wall_us: Some(f64::from(wall)),
        memory_bytes: Some(f64::from(memory)),
        ..Leg::answered()
    };
    let pair = |number: u32| {
        let request = format!("e{number}");
        let wall = 1_000 + number * 7_919 % 211;
        Pair {
            first: first_leg(7, &request),
            request,
            main: leg(wall, 1_000_000 + number),
            candidate: leg(wall * 4 / 5 + number * 104_729 % 97, 1_000_000 + number * 31 % 500),
            agrees: Some(!number.is_multiple_of(20)),
            gap: None,
            divergence: number.is_multiple_of(20).then(|| "another order".to_owned()),
        }
    };
    let pairs: Vec<Pair> = (0..120).map(pair).collect();
    let report = report(&pairs, &rule(1), ComparisonProgress::Complete, 7);
    let bytes = serde_json::to_vec(&report).unwrap();
    let digest = Sha256::digest(&bytes);
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(report.version, 1);
    assert_eq!(digest[..4], [0xfd, 0x50, 0x95, 0x28], "{text}");
}

#[test]
fn a_report_says_what_a_person_wants_to_know() {
    let mut pairs = MODULE.changed(-0.2).pairs(120, 9);
    pairs[5].divergence = Some("another order".to_owned());
    let report = report(&pairs, &rule(2), ComparisonProgress::Complete, 7);
    assert_eq!(report.version, 1);
    assert_eq!((report.pairs, report.usable, report.divergences_total), (120, 120, 1));
    assert!((45..75).contains(&report.main_first));
    let [wall, memory] = &report.measures[..] else { panic!("{:?}", report.measures) };
    assert!(wall.interval.low < wall.change && wall.change < wall.interval.high);
    assert!(wall.candidate.p50 < wall.main.p50 && wall.p < 0.001);
    assert!(memory.p > 0.05 && memory.change.abs() < 0.02);
    let sentence = &report.sentences[0];
    assert!(sentence.starts_with("the candidate takes less time: −"), "{sentence}");
    assert!(sentence.contains(" % (95 %: −") && sentence.ends_with("), p < 0.001"), "{sentence}");
    assert_eq!(report.failures[0].kind, "time");
    let needed = report.needed.unwrap().to_string();
    assert!(needed.starts_with("100 pairs find a gain of 15 % nine times in ten"), "{needed}");
    assert_eq!(first_leg(7, "e1"), LegRole::Main);
}
