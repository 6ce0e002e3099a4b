//! The SDKs' examples, as their readme files tell people to run them: they remember over every kind of end.

use serde_json::json;

use super::{
    programs::{Program, example, table},
    trees,
    world::{World, end_of, leave, pid_when_ready, say, steer, until},
};

/// Speaks with an example over all that can happen to its process.
fn remembers(program: Program) {
    let Some(world) = World::new(|_| Some(table("echo", &example(program)?))) else { return };
    let keeper = world.up();
    let client = keeper.client.clone();
    let hear = |number: u32| {
        let heard = say(&client, "echo", "good morning");
        assert_eq!(heard, format!("I heard: good morning (message {number})"));
    };
    hear(1);
    hear(2);
    assert!(world.kill(pid_when_ready(&client, "echo")));
    hear(3);
    let kept = steer(&client, "echo", "checkpoint");
    assert_eq!(kept.status, 200, "{kept:?}");
    let checkpoint = kept.json()["process"]["checkpoint"].clone();
    assert_eq!(checkpoint["wal_sequence"], 3, "{checkpoint}");
    hear(4);
    assert!(world.kill(pid_when_ready(&client, "echo")));
    hear(5);
    assert_eq!(steer(&client, "echo", "restart").status, 200);
    hear(6);

    let body = json!({"checkpoint_id": checkpoint["id"]});
    let restored = client.post("/agents/echo/restore", &body);
    assert_eq!(restored.status, 200, "{restored:?}");
    hear(4);

    assert_eq!(steer(&client, "echo", "park").json()["state"], "parked");
    until("a parked process", || {
        let left = trees::marked(&world.mark(), &[keeper.pid()]);
        left.is_empty().then_some(())
    });
    let waiting = leave(&client, "echo", "good night");
    assert_eq!(steer(&client, "echo", "resume").status, 200);
    let answered = end_of(&client, &waiting);
    assert_eq!(answered["final_response"], "I heard: good night (message 5)", "{answered}");

    assert_eq!(keeper.stop(), Some(0));
    trees::wait_until_gone(&world.mark());
    let keeper = world.up();
    let heard = say(&keeper.client, "echo", "good morning");
    assert_eq!(heard, "I heard: good morning (message 6)", "over a stop of the keeper");
    keeper.kill();
    let keeper = world.up();
    let heard = say(&keeper.client, "echo", "good morning");
    assert_eq!(heard, "I heard: good morning (message 7)", "over its death");
}

#[test]
fn the_python_example_remembers_over_every_end() {
    remembers(Program::Python);
}

#[test]
fn the_typescript_example_remembers_over_every_end() {
    remembers(Program::TypeScript);
}
