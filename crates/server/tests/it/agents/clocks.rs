//! Slow is not dead, and busy is not alive (BC-20): what silence, a stop of either side and a hung turn come to.
//!
//! The times are a fraction of the defaults, which only `make soak` waits for.

use std::{thread, time::Duration};

use abide_testkit::rounds;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    programs::Program,
    trees,
    world::{World, end_of, leave, notes, pid_of, pid_when_ready, process, say, tell, until},
};
use crate::home::Keeper;

const QUICK: &str = "[supervisor]\nheartbeat_timeout = \"500ms\"\nkill_after = \"3s\"\n";

fn world(head: &str) -> Option<World> {
    World::of(head, &[("pia", Program::Python)])
}

/// Lets time pass: what is tested is that nothing happens in it.
fn pass(time: Duration) {
    let mut left = time;
    while let Some(rest) = left.checked_sub(Duration::from_millis(100)) {
        thread::park_timeout(Duration::from_millis(100));
        left = rest;
    }
}

fn runs_ended(world: &World) -> Vec<Value> {
    let ledger = world.home.ledger().into_iter();
    ledger.filter(|line| line["kind"] == "agent.exited").collect()
}

#[test]
fn a_hung_agent_that_goes_on_breathing_is_replaced_at_its_deadline() {
    let limits =
        "[limits]\nturn = \"1s\"\nattempts = 20\n[supervisor]\nheartbeat_timeout = \"5s\"\n";
    let Some(world) = world(limits) else { return };
    let keeper = world.up();
    say(&keeper.client, "pia", "job:before");
    let pid = pid_when_ready(&keeper.client, "pia");
    let epoch = tell(&keeper.client, "pia", "hang:");
    assert_eq!(epoch["state"], "committed", "{epoch}");
    assert_ne!(pid_when_ready(&keeper.client, "pia"), pid);
    let ended = runs_ended(&world);
    assert_eq!(ended.len(), 1, "{ended:?}");
    assert_eq!(ended[0]["data"]["reason"], "deadline");
    assert_eq!(notes(&keeper.client, "pia").len(), 1, "its state came with it");
    let kinds: Vec<Value> = world.home.ledger().iter().map(|line| line["kind"].clone()).collect();
    assert!(!kinds.contains(&json!("agent.unresponsive")), "it was heard all the time");
}

#[test]
fn bc_20_an_agent_that_is_stopped_for_a_while_is_noticed_and_not_killed() {
    let head = "[supervisor]\nheartbeat_timeout = \"500ms\"\nkill_after = \"60s\"\n";
    let Some(world) = world(head) else { return };
    let keeper = world.up();
    say(&keeper.client, "pia", "list");
    let pid = pid_when_ready(&keeper.client, "pia");
    let mut events = keeper.client.events("/events?kinds=agent.*", &[]);
    assert!(trees::signal(pid, &world.mark(), Signal::STOP));
    events.until("agent.unresponsive");
    let agent = keeper.client.read("/agents/pia");
    assert_eq!(
        (&agent["state"], &agent["process"]["state"]),
        (&json!("unresponsive"), &json!("unresponsive"))
    );
    let epoch = leave(&keeper.client, "pia", "job:while it stands");
    assert!(trees::signal(pid, &world.mark(), Signal::CONT));
    events.until("agent.responsive");
    assert_eq!(end_of(&keeper.client, &epoch)["state"], "committed");
    assert_eq!(pid_when_ready(&keeper.client, "pia"), pid, "it is the same process");
    assert_eq!(runs_ended(&world), Vec::<Value>::new());
}

#[test]
fn an_agent_that_is_stopped_for_too_long_is_replaced() {
    let Some(world) = world(QUICK) else { return };
    let keeper = world.up();
    say(&keeper.client, "pia", "job:before");
    let pid = pid_when_ready(&keeper.client, "pia");
    let mut events = keeper.client.events("/events?kinds=agent.*", &[]);
    assert!(trees::signal(pid, &world.mark(), Signal::STOP));
    let ended = events.until("agent.exited").pop().unwrap();
    assert_eq!(ended.data["data"]["reason"], "silent", "{ended:?}");
    events.until("agent.ready");
    assert_eq!(notes(&keeper.client, "pia").len(), 1);
}

/// Stops the keeper for longer than it would have let an agent be silent.
fn stop_keeper(head: &str, time: Duration) {
    let Some(world) = world(head) else { return };
    let keeper = world.up();
    say(&keeper.client, "pia", "job:before");
    let pid = pid_when_ready(&keeper.client, "pia");
    assert!(trees::signal(keeper.pid(), &world.mark(), Signal::STOP));
    pass(time);
    assert!(trees::signal(keeper.pid(), &world.mark(), Signal::CONT));
    wait_for_heartbeats(&keeper);
    say(&keeper.client, "pia", "job:behind");
    assert_eq!(pid_when_ready(&keeper.client, "pia"), pid);
    assert_eq!(runs_ended(&world), Vec::<Value>::new());
}

/// Until the clocks have been looked at several times: each moves the heartbeat that is shown.
fn wait_for_heartbeats(keeper: &Keeper) {
    let beat = || process(&keeper.client, "pia")["last_heartbeat_at"].clone();
    for _ in 0..3 {
        let last = beat();
        until("another heartbeat", || (beat() != last).then_some(()));
    }
}

#[test]
fn bc_20_a_keeper_that_is_stopped_for_longer_than_its_limits_restarts_nobody() {
    stop_keeper(QUICK, Duration::from_secs(5));
}

#[test]
fn bc_20_the_default_limits_hold_over_stops_of_20_and_60_seconds() {
    // A minute and a half of waiting: only where all rounds are asked for.
    if rounds(100) < 100 {
        return;
    }
    stop_keeper("", Duration::from_mins(1));
    let Some(world) = world("") else { return };
    let keeper = world.up();
    say(&keeper.client, "pia", "list");
    let pid = pid_when_ready(&keeper.client, "pia");
    assert!(trees::signal(pid, &world.mark(), Signal::STOP));
    pass(Duration::from_secs(20));
    assert!(trees::signal(pid, &world.mark(), Signal::CONT));
    say(&keeper.client, "pia", "job:behind");
    assert_eq!(pid_of(&process(&keeper.client, "pia")), Some(pid));
    assert_eq!(runs_ended(&world), Vec::<Value>::new());
}

#[test]
fn bc_20_heartbeats_that_wait_behind_a_large_checkpoint_are_no_silence() {
    let Some(world) = world(QUICK) else { return };
    let keeper = world.up();
    let megabytes = rounds(95).max(16);
    assert_eq!(say(&keeper.client, "pia", &format!("grow:{megabytes}")), format!("{megabytes} MB"));
    let pid = pid_when_ready(&keeper.client, "pia");
    for _ in 0..2 {
        let kept = super::world::steer(&keeper.client, "pia", "checkpoint");
        assert_eq!(kept.status, 200, "{kept:?}");
        assert!(
            kept.json()["process"]["checkpoint"]["bytes"].as_u64()
                > Some(u64::from(megabytes) << 20)
        );
    }
    assert_eq!(pid_when_ready(&keeper.client, "pia"), pid);
    assert!(world.kill(pid));
    assert_eq!(say(&keeper.client, "pia", "size"), format!("{megabytes} MB"), "it is given back");
    let ended = runs_ended(&world);
    assert_eq!(ended.len(), 1, "only the one that was killed: {ended:?}");
}
