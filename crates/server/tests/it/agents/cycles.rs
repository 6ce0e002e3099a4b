//! BC-26: an agent with descendants that do not want to go is restarted again and again, and with each run all of them go.

use abide_testkit::rounds;

use crate::client::Client;

use super::{
    programs::{frames, table},
    trees,
    world::{
        World, pid_when_ready, processes_of_run, quiet_descriptors, say, steer, until_as_before,
    },
};

/// Restarts in `make soak`.
const CYCLES: u32 = 500;
/// The agent's child, and the one in a session of its own.
const DESCENDANTS: usize = 2;

/// How many processes a run of the family has.
fn family(client: &Client) -> usize {
    processes_of_run(client, "fay") + DESCENDANTS
}

fn world() -> Option<World> {
    World::new(|_| Some(table("fay", &frames(&["family"])?)))
}

#[test]
fn bc_26_restarts_leave_no_descendant_no_zombie_and_no_descriptor() {
    let Some(world) = world() else { return };
    let keeper = world.up();
    say(&keeper.client, "fay", "hello");
    let before = quiet_descriptors(keeper.pid());
    let mut events = keeper.client.events("/events?kinds=agent.*", &[]);
    for cycle in 0..rounds(CYCLES) {
        let old = trees::marked(&world.mark(), &[keeper.pid()]);
        assert_eq!(old.len(), family(&keeper.client), "cycle {cycle}");
        if cycle % 2 == 0 {
            assert_eq!(steer(&keeper.client, "fay", "restart").status, 200);
        } else {
            // No pause follows the first death after a restart by hand.
            let pid = pid_when_ready(&keeper.client, "fay");
            assert!(world.kill(pid));
        }
        events.until("agent.exited");
        let left = trees::marked(&world.mark(), &[keeper.pid()]);
        assert!(old.iter().all(|pid| !left.contains(pid)), "cycle {cycle}: {old:?}, {left:?}");
        events.until("agent.ready");
    }
    drop(events);
    let alive = trees::marked(&world.mark(), &[]);
    assert_eq!(trees::zombies(&alive), Vec::<u32>::new());
    until_as_before(keeper.pid(), before);
    assert_eq!(keeper.stop(), Some(0));
    trees::wait_until_gone(&world.mark());
}

#[test]
fn bc_26_nobody_survives_a_keeper_that_is_killed() {
    let Some(world) = world() else { return };
    for _ in 0..rounds(50) {
        let keeper = world.up();
        say(&keeper.client, "fay", "hello");
        let marked = trees::marked(&world.mark(), &[keeper.pid()]);
        assert_eq!(marked.len(), family(&keeper.client));
        keeper.kill();
        trees::wait_until_gone(&world.mark());
    }
}

#[test]
fn bc_26_nobody_survives_a_shim_that_is_killed() {
    let Some(world) = world() else { return };
    let keeper = world.up();
    for _ in 0..rounds(50) {
        say(&keeper.client, "fay", "hello");
        let pid = pid_when_ready(&keeper.client, "fay");
        let old = trees::marked(&world.mark(), &[keeper.pid()]);
        assert_eq!(old.len(), family(&keeper.client));
        let mut events = keeper.client.events("/events?kinds=agent.*", &[]);
        assert!(world.kill(trees::shim(pid, keeper.pid())));
        events.until("agent.exited");
        let left = trees::marked(&world.mark(), &[keeper.pid()]);
        assert!(old.iter().all(|pid| !left.contains(pid)), "{old:?}, {left:?}");
        assert_eq!(steer(&keeper.client, "fay", "restart").status, 200);
    }
}
