//! BC-09: while a tool runs, the agent's context is shortened, its state written down, its process ended: the tool has run
//! once, and its result reaches the mind that asked for it.

use abide_testkit::rounds;
use serde_json::Value;

use super::{
    programs::Program,
    world::{World, check_job, end_of, leave, pid_when_ready, say, steer},
};
use crate::client::Client;

/// A context that a few long messages fill.
const HEAD: &str = "[context]\ntokens_max = 1000\n";

/// What happens to the agent while its tool runs.
type Meanwhile = fn(&World, &Client);

fn while_a_tool_runs(meanwhile: Meanwhile) {
    let Some(world) = World::of(HEAD, &[("pia", Program::Python)]) else { return };
    let keeper = world.up();
    let client = keeper.client.clone();
    // Fills the context, so that the turns behind the tool are asked with a shortened one.
    for n in 0..3 {
        say(&client, "pia", &format!("job:filler {n} {}", "all work and no play ".repeat(80)));
    }
    for n in 0..rounds(20) {
        let job = format!("job:slow:{n}");
        let mut events = client.events("/events?kinds=tool.*", &[]);
        let epoch = leave(&client, "pia", &job);
        events.until("tool.requested");
        meanwhile(&world, &client);
        let ended = end_of(&client, &epoch);
        assert_eq!(check_job(&job, &ended, &world.executions()), "ok");
        assert_eq!(ended["final_response"], format!("{job} is done: ok"), "{ended}");
        assert_eq!(ended["turns"].as_array().map(Vec::len), Some(2), "{ended}");
    }
    world.check_memory(&client, "pia");
    let aborted = world.home.ledger().into_iter().filter(|line| line["kind"] == "epoch.aborted");
    assert_eq!(aborted.collect::<Vec<Value>>(), Vec::<Value>::new());
}

#[test]
fn bc_09_a_checkpoint_while_a_tool_runs_drops_nothing() {
    while_a_tool_runs(|_, client| {
        assert_eq!(steer(client, "pia", "checkpoint").status, 200);
    });
}

#[test]
fn bc_09_a_death_while_a_tool_runs_repeats_nothing() {
    while_a_tool_runs(|world, client| {
        assert!(world.kill(pid_when_ready(client, "pia")));
        // The pauses between deaths begin again.
        assert_eq!(steer(client, "pia", "restart").status, 200);
    });
}

#[test]
fn bc_09_a_restart_while_a_tool_runs_repeats_nothing() {
    while_a_tool_runs(|_, client| {
        assert_eq!(steer(client, "pia", "restart").status, 200);
    });
}
