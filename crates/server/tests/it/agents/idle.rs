//! BC-37: a house in which nothing happens stays as it is, whoever looks in.

use abide_testkit::rounds;
use serde_json::Value;

use super::{
    programs::{frames, table},
    trees,
    world::{World, process, quiet_descriptors, say, until},
};
use crate::home::Keeper;

/// Agents that are there and have nothing to do.
const AGENTS: usize = 6;
/// Looks of somebody who comes and goes, in `make soak`.
const LOOKS: u32 = 1_000;
/// Memory that the allocator may keep for itself after the first looks, in KB.
const SLACK_KB: u64 = 8 * 1024;

/// What a keeper holds.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    descriptors: usize,
    threads: usize,
    events: u64,
}

impl Held {
    fn by(keeper: &Keeper) -> Self {
        let events = keeper.client.read("/snapshot")["seq"].as_u64().unwrap();
        Self {
            descriptors: quiet_descriptors(keeper.pid()),
            threads: trees::threads(keeper.pid()),
            events,
        }
    }
}

fn world() -> Option<World> {
    World::new(|_| {
        let command = frames(&["plain"])?;
        let tables: String =
            (0..AGENTS).map(|number| table(&format!("agent{number}"), &command)).collect();
        Some(format!("[supervisor]\nhibernate_after = \"1s\"\n{tables}"))
    })
}

/// Somebody looks at everything and goes away in the middle of a stream.
fn look_in(keeper: &Keeper, times: u32) {
    for _ in 0..times {
        let mut events = keeper.client.events("/events?after=0", &[]);
        events.next().unwrap();
        keeper.client.read("/agents");
        assert_eq!(keeper.client.get("/metrics").status, 200);
    }
}

fn wait_until_all_rest(keeper: &Keeper) {
    for number in 0..AGENTS {
        until("a hibernated agent", || {
            let state = process(&keeper.client, &format!("agent{number}"))["state"].clone();
            (state == "hibernated").then_some(())
        });
    }
}

#[test]
fn bc_37_idle_agents_cost_no_process_no_descriptor_and_no_event() {
    let Some(world) = world() else { return };
    let keeper = world.up();
    let mut held = Vec::new();
    for round in 0..3 {
        for number in 0..AGENTS {
            assert_eq!(say(&keeper.client, &format!("agent{number}"), "hello"), "here");
        }
        wait_until_all_rest(&keeper);
        let left = trees::marked(&world.mark(), &[keeper.pid()]);
        assert_eq!(left, Vec::<u32>::new(), "round {round}");
        assert_eq!(trees::zombies(&[keeper.pid()]), Vec::<u32>::new());
        held.push(quiet_descriptors(keeper.pid()));
    }
    assert!(held.iter().all(|count| *count <= held[0]), "{held:?}");
    look_in(&keeper, 20);
    let before = Held::by(&keeper);
    let memory = trees::resident_kb(keeper.pid());
    look_in(&keeper, rounds(LOOKS));
    // Threads for blocking work end some time after it; none is added.
    let after = Held::by(&keeper);
    assert_eq!((after.descriptors, after.events), (before.descriptors, before.events));
    assert!(after.threads <= before.threads + 2, "{after:?}, before {before:?}");
    let grown = trees::resident_kb(keeper.pid()).saturating_sub(memory);
    assert!(grown < SLACK_KB, "{grown} KB more");
    let ended: Vec<Value> = world
        .home
        .ledger()
        .into_iter()
        .filter(|line| line["kind"] == "agent.exited" && line["data"]["reason"] != "hibernated")
        .collect();
    assert_eq!(ended, Vec::<Value>::new());
}
