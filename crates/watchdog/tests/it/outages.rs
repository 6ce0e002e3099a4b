//! When the network is down, in many worlds: what the rule never does.

use abide_domain::Timestamp;
use abide_watchdog::{ModelContact, ModelReach, unreachable_agents};

use crate::world::{Dice, START, id, rounds, seconds};

fn at(second: u64) -> Timestamp {
    Timestamp::from_micros(START).plus(seconds(second))
}

const NOW: u64 = 1000;

/// The newest contacts of some agents.
fn world(dice: &mut Dice) -> Vec<ModelContact> {
    (0..dice.below(8))
        .map(|n| ModelContact {
            agent: id(&format!("agent-{n}")),
            service: "one".into(),
            at: at(dice.between(600, NOW)),
            reach: match dice.below(5) {
                0 => ModelReach::Reached,
                1 => ModelReach::Unknown,
                host => ModelReach::Unreachable { host: format!("host-{host}.test") },
            },
        })
        .collect()
}

fn is_closed(contact: &ModelContact) -> bool {
    matches!(contact.reach, ModelReach::Unreachable { .. })
}

#[test]
fn an_outage_is_never_made_up_and_never_outlives_an_answer() {
    let (mut down, mut up) = (0, 0);
    for seed in 0..u64::from(rounds(200_000)) {
        let mut dice = Dice(seed);
        let contacts = world(&mut dice);
        let found = unreachable_agents(at(NOW), &contacts);
        match found.len() {
            0 => up += 1,
            _ => down += 1,
        }
        // The order of the contacts says nothing.
        let mut turned = contacts.clone();
        turned.reverse();
        assert_eq!(unreachable_agents(at(NOW), &turned), found, "seed {seed}");
        // What does not say whether it reached its model cannot change a yes to a no by its way, only by its number.
        if !found.is_empty() {
            let closed: Vec<_> = contacts.iter().filter(|contact| is_closed(contact)).collect();
            assert!(!closed.is_empty(), "seed {seed}: an outage that nobody met");
            assert!(closed.len() > 1 || contacts.len() == 1, "seed {seed}: one among several");
            // Who is found is one that met it.
            assert!(found.keys().all(|agent| closed.iter().any(|one| one.agent == *agent)));
            // What another service says is nothing to it.
            let elsewhere = ModelContact {
                agent: id("other"),
                service: "two".into(),
                at: at(NOW),
                reach: ModelReach::Reached,
            };
            let with = [contacts.clone(), vec![elsewhere]].concat();
            assert_eq!(unreachable_agents(at(NOW), &with), found, "seed {seed}");
            // An answer since ends it.
            let late = |reach| ModelContact {
                agent: id("late"),
                service: "one".into(),
                at: at(NOW),
                reach,
            };
            let answered = late(ModelReach::Reached);
            let with = [contacts.clone(), vec![answered]].concat();
            assert!(unreachable_agents(at(NOW), &with).is_empty(), "seed {seed}");
            // One more that finds no way does not.
            let unreached = late(ModelReach::Unreachable { host: "x".into() });
            let with = [contacts.clone(), vec![unreached]].concat();
            assert!(unreachable_agents(at(NOW), &with).len() > found.len(), "seed {seed}");
        }
        // It ends by itself when nobody asks any more.
        assert!(unreachable_agents(at(NOW + 301), &contacts).is_empty(), "seed {seed}");
        // Where every model was reached or said nothing there is none.
        let calm: Vec<_> = contacts.into_iter().filter(|contact| !is_closed(contact)).collect();
        assert!(unreachable_agents(at(NOW), &calm).is_empty(), "seed {seed}");
    }
    assert!(down > 100 && up > 100, "{down} worlds with an outage, {up} without");
}
