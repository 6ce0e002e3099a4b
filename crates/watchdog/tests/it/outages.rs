//! When the network is down, in many worlds: what the rule never does.

use abide_domain::Timestamp;
use abide_watchdog::{ModelContact, ModelReach, network};

use crate::world::{Dice, START, id, rounds, seconds};

fn at(second: u64) -> Timestamp {
    Timestamp::from_micros(START).plus(seconds(second))
}

const NOW: u64 = 1000;

/// The newest askings of some agents.
fn world(dice: &mut Dice) -> Vec<ModelContact> {
    (0..dice.below(8))
        .map(|n| ModelContact {
            agent: id(&format!("agent-{n}")),
            at: at(dice.between(600, NOW)),
            way: match dice.below(5) {
                0 => ModelReach::Open,
                1 => ModelReach::Unknown,
                host => ModelReach::Closed { host: format!("host-{host}.test") },
            },
        })
        .collect()
}

fn is_closed(asking: &ModelContact) -> bool {
    matches!(asking.way, ModelReach::Closed { .. })
}

#[test]
fn an_outage_is_never_made_up_and_never_outlives_an_answer() {
    let (mut down, mut up) = (0, 0);
    for seed in 0..u64::from(rounds(200_000)) {
        let mut dice = Dice(seed);
        let askings = world(&mut dice);
        let found = network(at(NOW), &askings);
        match &found {
            Some(_) => down += 1,
            None => up += 1,
        }
        // The order of the askings says nothing.
        let mut turned = askings.clone();
        turned.reverse();
        assert_eq!(network(at(NOW), &turned), found, "seed {seed}");
        // What does not say whether it reached its model cannot change a yes to a no by its way, only by its number.
        if found.is_some() {
            let closed: Vec<_> = askings.iter().filter(|asking| is_closed(asking)).collect();
            assert!(!closed.is_empty(), "seed {seed}: an outage that nobody met");
            assert!(closed.len() > 1 || askings.len() == 1, "seed {seed}: one among several");
            // An answer since ends it.
            let answered = ModelContact { agent: id("late"), at: at(NOW), way: ModelReach::Open };
            let with = [askings.clone(), vec![answered]].concat();
            assert_eq!(network(at(NOW), &with), None, "seed {seed}");
            // One more that finds no way does not.
            let unreached = ModelContact {
                agent: id("late"),
                at: at(NOW),
                way: ModelReach::Closed { host: "x".into() },
            };
            let with = [askings.clone(), vec![unreached]].concat();
            assert!(network(at(NOW), &with).is_some(), "seed {seed}");
        }
        // It ends by itself when nobody asks any more.
        assert_eq!(network(at(NOW + 301), &askings), None, "seed {seed}");
        // Where every model was reached or said nothing there is none.
        let calm: Vec<_> = askings.into_iter().filter(|asking| !is_closed(asking)).collect();
        assert_eq!(network(at(NOW), &calm), None, "seed {seed}");
    }
    assert!(down > 100 && up > 100, "{down} worlds with an outage, {up} without");
}
