//! What a person can do with an agent's process and see of it: over HTTP, by the command line, in the metrics.

use std::process::Output;

use serde_json::{Value, json};

use super::{
    programs::{Program, frames, table},
    trees,
    world::{World, leave, notes, pid_when_ready, process, processes_of_run, say, steer, until},
};
use crate::home::Keeper;

fn world() -> Option<(World, Keeper)> {
    let world = World::of("", &[("pia", Program::Python)])?;
    let keeper = world.up();
    Some((world, keeper))
}

fn data(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn before_its_first_stimulus_an_agent_has_no_process_and_then_all_of_it_is_shown() {
    let Some((world, keeper)) = world() else { return };
    let process_at_rest = process(&keeper.client, "pia");
    assert_eq!(process_at_rest["state"], "not_started");
    assert_eq!((&process_at_rest["pid"], &process_at_rest["run"]), (&Value::Null, &Value::Null));
    say(&keeper.client, "pia", "job:1");
    let pid = pid_when_ready(&keeper.client, "pia");
    let shown = until("a heartbeat and progress", || {
        Some(process(&keeper.client, "pia")).filter(|process| {
            process["last_heartbeat_at"].is_string() && process["last_progress_at"].is_string()
        })
    });
    let marked = trees::marked(&world.mark(), &[keeper.pid()]);
    assert_eq!(marked.len(), processes_of_run(&keeper.client, "pia"), "a shim and the agent");
    assert_eq!((&shown["protocol"], &shown["restarts"]), (&json!(3), &json!(0)), "{shown}");
    assert!(shown["sdk"].as_str().unwrap().starts_with("python"), "{shown}");
    assert_eq!((&shown["wal_sequence"], &shown["wal_lag"]), (&json!(1), &json!(1)), "{shown}");
    assert!(world.kill(pid));
    let again = until("another run", || {
        Some(process(&keeper.client, "pia")).filter(|process| process["restarts"] == 1)
    });
    assert_ne!(again["run"], shown["run"]);
}

#[test]
fn restart_park_and_resume_by_the_command_line() {
    let Some((world, keeper)) = world() else { return };
    say(&keeper.client, "pia", "job:1");
    let pid = pid_when_ready(&keeper.client, "pia");
    let table = data(&world.home.run(["agents", "ls"]));
    let line = table.lines().find(|line| line.starts_with("pia")).unwrap();
    assert!(line.split_whitespace().any(|word| word == pid.to_string()), "{table}");
    assert!(world.home.run(["agents", "restart", "pia"]).status.success());
    assert_ne!(pid_when_ready(&keeper.client, "pia"), pid);
    assert!(world.home.run(["agents", "park", "pia"]).status.success());
    let shown: Value =
        serde_json::from_str(&data(&world.home.run(["agents", "show", "pia"]))).unwrap();
    assert_eq!((&shown["state"], &shown["process"]["state"]), (&json!("parked"), &json!("parked")));
    assert_eq!(trees::marked(&world.mark(), &[keeper.pid()]), Vec::<u32>::new());
    let refused = steer(&keeper.client, "pia", "restart");
    assert_eq!(refused.status, 409, "{refused:?}");
    leave(&keeper.client, "pia", "job:2");
    // Parked stays parked over a death of the keeper, with what waits for it.
    keeper.kill();
    let keeper = world.up();
    let shown = keeper.client.read("/agents/pia");
    assert_eq!((&shown["state"], &shown["queue"]), (&json!("parked"), &json!(1)), "{shown}");
    assert_eq!(shown["process"]["state"], "parked", "{shown}");
    assert!(world.home.run(["agents", "resume", "pia"]).status.success());
    until("both jobs", || {
        let is_idle = keeper.client.read("/agents/pia")["state"] == "idle";
        is_idle.then_some(())
    });
    assert_eq!(notes(&keeper.client, "pia").len(), 2);
}

fn listed_checkpoints(world: &World) -> Vec<Value> {
    let listed = data(&world.home.run(["checkpoint", "ls", "pia", "--json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    listed["items"].as_array().unwrap().clone()
}

#[test]
fn checkpoints_by_the_command_line() {
    let Some((world, keeper)) = world() else { return };
    say(&keeper.client, "pia", "job:1");
    let first = data(&world.home.run(["checkpoint", "create", "pia"])).trim().to_owned();
    assert_eq!(process(&keeper.client, "pia")["checkpoint"]["id"], first.as_str());
    assert_eq!(process(&keeper.client, "pia")["wal_lag"], 0);
    say(&keeper.client, "pia", "job:2");
    let second = data(&world.home.run(["checkpoint", "create", "pia"])).trim().to_owned();
    assert_ne!(first, second);
    let listed = listed_checkpoints(&world);
    let ids: Vec<&str> =
        listed.iter().map(|item| item["checkpoint"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [second.as_str(), first.as_str()], "{listed:?}");
    let verified = data(&world.home.run(["checkpoint", "verify", "pia"]));
    assert_eq!(verified.matches(" ok").count(), 2, "{verified}");
    let restored = world.home.run(["checkpoint", "restore", "pia", &first]);
    let set_aside = String::from_utf8_lossy(&restored.stderr).into_owned();
    assert!(set_aside.contains("1 later checkpoints do not count any more"), "{set_aside}");
    assert_eq!(data(&restored).trim(), first, "the one that is in force");
    assert_eq!(notes(&keeper.client, "pia").len(), 1);
    let gone = world.home.run(["checkpoint", "restore", "pia", &second]);
    assert_eq!(gone.status.code(), Some(1), "it does not count any more: {gone:?}");
    let recorded =
        world.home.ledger().into_iter().filter(|line| line["kind"] == "agent.checkpointed");
    assert_eq!(recorded.count(), 2);
    assert_eq!(keeper.stop(), Some(0));
    // The files can be read by anybody at any time.
    let newest = listed_checkpoints(&world).remove(0)["file"].as_str().unwrap().to_owned();
    let newest = world.home.path().join("agents/pia/checkpoints").join(newest);
    let mut bytes = std::fs::read(&newest).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&newest, bytes).unwrap();
    let damaged = world.home.run(["checkpoint", "verify", "pia"]);
    assert_eq!(damaged.status.code(), Some(1), "{damaged:?}");
    assert!(String::from_utf8_lossy(&damaged.stderr).contains("1 of "), "{damaged:?}");
}

#[test]
fn the_metrics_show_each_process() {
    let Some((world, keeper)) = world() else { return };
    say(&keeper.client, "pia", "job:1");
    let pid = pid_when_ready(&keeper.client, "pia");
    assert!(world.kill(pid));
    say(&keeper.client, "pia", "job:2");
    let metrics = keeper.client.get("/metrics").text;
    for line in [
        "abide_process_running{agent=\"pia\"} 1",
        "abide_process_restarts{agent=\"pia\"} 1",
        "abide_process_wal_lag{agent=\"pia\"} 2",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}

#[test]
fn what_a_process_measures_is_in_the_metrics_and_once_in_the_ledger() {
    let Some(world) = World::new(|_| Some(table("mia", &frames(&["measure"])?))) else { return };
    let keeper = world.up();
    assert_eq!(say(&keeper.client, "mia", "hello"), "here");
    let metrics = keeper.client.get("/metrics").text;
    for line in [
        "abide_process_reported{agent=\"mia\",name=\"avg_latency\"} 12.5",
        "abide_process_reported{agent=\"mia\",name=\"x_moods\"} 3",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    assert!(world.kill(pid_when_ready(&keeper.client, "mia")));
    assert_eq!(say(&keeper.client, "mia", "hello"), "here");
    let measured = world.home.ledger().into_iter().filter(|line| line["kind"] == "agent.measured");
    assert_eq!(measured.count(), 1, "one report of many");
}

#[test]
fn what_cannot_be_done_is_refused_with_its_reason() {
    let Some((_world, keeper)) = world() else { return };
    let client = &keeper.client;
    assert_eq!(steer(client, "pia", "checkpoint").status, 409, "it does not run");
    assert_eq!(steer(client, "pia", "resume").status, 200, "it is not parked, and stays so");
    assert_eq!(steer(client, "nobody", "restart").status, 404);
    assert_eq!(steer(client, "pia", "dance").status, 404);
    let nil = json!({"checkpoint_id": "00000000-0000-0000-0000-000000000000"});
    assert_eq!(client.post("/agents/pia/restore", &nil).status, 404);
    assert_eq!(client.post("/agents/pia/restore", &json!({"checkpoint_id": "x"})).status, 404);
    assert_eq!(client.post("/agents/pia/restore", &json!({})).status, 422);
    assert_eq!(say(client, "pia", "size"), "0 MB", "nothing of that did any harm");
}
