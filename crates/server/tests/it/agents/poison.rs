//! BC-17: an input that ends its agent's process every time is given up after its attempts, also when the keeper dies
//! between them; everybody else, and whatever comes behind it, is answered.

use serde_json::{Value, json};

use super::{
    programs::Program,
    trees,
    world::{World, end_of, leave, pid_when_ready, say, steer},
};

/// Attempts at a turn, by the default limits.
const ATTEMPTS: usize = 3;
/// Ends of the keeper during one turn that do not yet make its message poison.
const KEEPER_ENDS: usize = 4;

fn world() -> Option<World> {
    World::of("", &[("pia", Program::Python), ("pim", Program::Python)])
}

/// How often an agent saw an input.
fn sightings(world: &World, input: &str) -> usize {
    world.witnessed("pia").iter().filter(|line| *line == input).count()
}

fn check_aborted(epoch: &Value) {
    assert_eq!(
        (&epoch["state"], &epoch["abort"]["code"]),
        (&json!("aborted"), &json!("poison")),
        "{epoch}"
    );
}

#[test]
fn bc_17_an_input_that_crashes_its_agent_is_given_up_and_the_next_is_answered() {
    let Some(world) = world() else { return };
    let keeper = world.up();
    say(&keeper.client, "pia", "job:before");
    let poison = leave(&keeper.client, "pia", "die:1");
    let next = leave(&keeper.client, "pia", "job:behind");
    assert_eq!(say(&keeper.client, "pim", "job:beside"), "job:beside is done: ok");
    check_aborted(&end_of(&keeper.client, &poison));
    assert_eq!(end_of(&keeper.client, &next)["final_response"], "job:behind is done: ok");
    assert_eq!(sightings(&world, "die:1"), ATTEMPTS);
    let ledger = world.home.ledger();
    let ends: Vec<&Value> = ledger.iter().filter(|line| line["kind"] == "agent.exited").collect();
    assert_eq!(ends.len(), ATTEMPTS, "{ends:?}");
    assert!(ends.iter().all(|end| end["data"]["reason"] == "signalled"), "{ends:?}");
    assert!(ends.iter().all(|end| end["entity"] == "@pia"), "{ends:?}");
}

#[test]
fn bc_17_attempts_are_counted_over_deaths_of_the_keeper() {
    let Some(world) = world() else { return };
    let mut keeper = world.up();
    say(&keeper.client, "pia", "job:before");
    let poison = leave(&keeper.client, "pia", "die:2");
    // Each of five keepers dies on the news that the agent has: the count must not begin again.
    for life in 0..5 {
        let kinds = "/events?after=0&citizen=pia&kinds=agent.exited,epoch.aborted";
        let mut events = keeper.client.events(kinds, &[]);
        for _ in 0..=life {
            if events.next().unwrap().kind == "epoch.aborted" {
                break;
            }
        }
        keeper.kill();
        trees::wait_until_gone(&world.mark());
        keeper = world.up();
    }
    check_aborted(&end_of(&keeper.client, &poison));
    // An attempt during which the keeper died is counted apart, whether or not the agent had come to see the input.
    let seen = sightings(&world, "die:2");
    assert!((1..=ATTEMPTS + KEEPER_ENDS).contains(&seen), "{seen} times");
    assert_eq!(say(&keeper.client, "pia", "job:behind"), "job:behind is done: ok");
    assert_eq!(say(&keeper.client, "pim", "job:beside"), "job:beside is done: ok");
}

#[test]
fn bc_17_an_agent_that_ends_again_and_again_is_a_matter_for_a_person_and_one_word_starts_it_clean()
{
    let Some(world) = world() else { return };
    let keeper = world.up();
    let mut pages = keeper.client.events("/events?kinds=agent.restarts_frequent", &[]);
    for n in 0..2 {
        check_aborted(&end_of(&keeper.client, &leave(&keeper.client, "pia", &format!("die:{n}"))));
    }
    assert_eq!(pages.next().unwrap().kind, "agent.restarts_frequent");
    let has_matter = || {
        let items = keeper.client.read("/attention")["items"].clone();
        items.as_array().unwrap().iter().any(|item| item["id"] == "process:pia")
    };
    assert!(has_matter());
    assert_eq!(steer(&keeper.client, "pia", "restart").status, 200);
    pid_when_ready(&keeper.client, "pia");
    assert_eq!(say(&keeper.client, "pia", "job:behind"), "job:behind is done: ok");
    assert!(!has_matter(), "one word settles it");
}
