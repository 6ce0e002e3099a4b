//! Agents that somebody else starts: they come by the keeper's socket, and one that was replaced can do nothing more (BC-20).

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use rustix::process::Signal;

use super::{
    programs::{Program, python_path},
    trees,
    world::{World, end_of, leave, notes, say},
};

const HEAD: &str = "[supervisor]\nheartbeat_timeout = \"500ms\"\nkill_after = \"60s\"\n[[agent]]\nid = \"pia\"\nmind = \"agent\"\ntransport = \"socket\"\n";

/// An agent that this test started, and ends.
struct Comer(Child);

/// What the agent shows, as a person would read it for it.
fn secret_of(world: &World) -> String {
    let file = world.home.path().join("agents/pia/socket-secret");
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

impl Comer {
    fn start(world: &World, witness: &Path) -> Self {
        let [program, script, witness] =
            <[String; 3]>::try_from(Program::Python.command(witness).unwrap()).unwrap();
        let address = format!("unix:{}", world.home.path().join("keeper.sock").display());
        let child = Command::new(program)
            .args([script, witness, address, secret_of(world)])
            .env_clear()
            .env("PYTHONPATH", python_path())
            .env(trees::MARK, world.mark())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Comer {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn bc_20_a_process_that_was_replaced_while_it_stood_still_can_write_nothing_when_it_goes_on() {
    let is_there = |folder: &Path| Program::Python.command(folder).map(|_| HEAD.to_owned());
    let Some(world) = World::new(is_there) else { return };
    let keeper = world.up();
    let (early, late) = (world.beside().join("early"), world.beside().join("late"));
    let mut first = Comer::start(&world, &early);
    assert_eq!(say(&keeper.client, "pia", "job:1"), "job:1 is done: ok");
    let mut events = keeper.client.events("/events?kinds=agent.*", &[]);
    assert!(trees::signal(first.0.id(), &world.mark(), Signal::STOP));
    let epoch = leave(&keeper.client, "pia", "job:2");
    events.until("agent.unresponsive");
    let _second = Comer::start(&world, &late);
    events.until("agent.ready");
    assert_eq!(end_of(&keeper.client, &epoch)["final_response"], "job:2 is done: ok");
    assert!(trees::signal(first.0.id(), &world.mark(), Signal::CONT));
    assert!(!first.0.wait().unwrap().success(), "it is told that it is over");
    let remembered = notes(&keeper.client, "pia");
    assert_eq!(remembered.len(), 2, "{remembered:?}");
    let lines = |path| std::fs::read_to_string(path).unwrap().lines().count();
    assert_eq!((lines(&early), lines(&late)), (1, 1), "what came late was not acknowledged");
    assert_eq!(world.executions()["job:2"], 1);
}
