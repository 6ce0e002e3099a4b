//! `kill -9` of an agent at any point of its conversations: everything is answered, nothing that was acknowledged is lost,
//! no tool runs twice, nobody and no descriptor is left.

use std::{hint::black_box, thread};

use abide_testkit::{SplitMix64, rounds};
use serde_json::{Value, json};

use super::{
    programs::Program,
    trees,
    world::{
        World, check_job, pid_of, pid_when_ready, process, processes_of_run, quiet_descriptors,
        steer, tell, until_as_before,
    },
};
use crate::client::Client;

/// Conversations in `make soak`, each with one death.
const CONVERSATIONS: u32 = 500;
const AGENTS: [&str; 4] = ["ada", "bob", "cyd", "dan"];
/// Events of an agent in a conversation that is not disturbed, and of the restart behind it.
const EVENTS: u64 = 14;
/// A person starts an agent anew after so many conversations: the pauses between its restarts begin again.
const RESTART_EVERY: u32 = 2;

/// Has every agent killed once in each of its conversations.
fn survive(program: Program) {
    let Some(world) = World::of("", &AGENTS.map(|agent| (agent, program))) else { return };
    let keeper = world.up();
    for agent in AGENTS {
        let job = format!("job:{agent}:first");
        let epoch = tell(&keeper.client, agent, &program.message(&job));
        check_job(&job, &epoch, &world.executions());
    }
    let before = quiet_descriptors(keeper.pid());
    let share = rounds(CONVERSATIONS).div_ceil(4);
    let (world, client) = (&world, &keeper.client);
    let deaths: u32 = thread::scope(|scope| {
        let converse = |(seed, agent)| {
            scope.spawn(move || {
                let dice = SplitMix64::new(seed);
                Conversation { world, client, program, agent, dice }.go_on(share)
            })
        };
        let all: Vec<_> = (1..).zip(AGENTS).map(converse).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert!(deaths > share * 3, "only {deaths} deaths");
    for agent in AGENTS.into_iter().filter(|_| program.lists()) {
        let notes = world.check_memory(client, agent);
        assert!(notes.len() >= share as usize, "{agent}: {notes:?}");
    }
    for agent in AGENTS {
        pid_when_ready(client, agent);
    }
    until_as_before(keeper.pid(), before);
    let alive = trees::marked(&world.mark(), &[]);
    let of_agents: usize = AGENTS.iter().map(|agent| processes_of_run(client, agent)).sum();
    assert_eq!(alive.len(), 1 + of_agents, "the keeper, each agent and its shim");
    assert_eq!(trees::zombies(&alive), Vec::<u32>::new());
    assert_eq!(keeper.stop(), Some(0));
    trees::wait_until_gone(&world.mark());
}

/// What one agent goes through.
struct Conversation<'a> {
    world: &'a World,
    client: &'a Client,
    program: Program,
    agent: &'static str,
    dice: SplitMix64,
}

impl Conversation<'_> {
    fn go_on(mut self, count: u32) -> u32 {
        let (mut deaths, mut sequence) = (0, 0);
        for n in 0..count {
            let job = format!("job:{}:{n}", self.agent);
            let (epoch, died) = self.one(&job);
            deaths += died;
            let outcome = check_job(&job, &epoch, &self.world.executions());
            assert_eq!(outcome, "ok", "the keeper ran it, and lives");
            pid_when_ready(self.client, self.agent);
            let durable = process(self.client, self.agent)["wal_sequence"].as_u64().unwrap();
            assert!(durable >= sequence, "{}: {durable} after {sequence}", self.agent);
            sequence = durable;
            if n % RESTART_EVERY == RESTART_EVERY - 1 {
                let restarted = steer(self.client, self.agent, "restart");
                assert_eq!(restarted.status, 200, "{restarted:?}");
            }
        }
        deaths
    }

    /// A job during which the agent is killed; gives how often.
    fn one(&mut self, job: &str) -> (Value, u32) {
        let body = json!({"message": self.program.message(job), "citizen": self.agent}).to_string();
        let headers = [("content-type", "application/json"), ("idempotency-key", job)];
        let mut events = self.client.events(&format!("/events?citizen={}", self.agent), &[]);
        let accepted = self.client.send("POST", "/start-epoch", &headers, &body);
        assert_eq!(accepted.status, 202, "{job}: {accepted:?}");
        if self.dice.below(3) == 0 {
            // Comes to nothing where the agent dies before it has made one.
            steer(self.client, self.agent, "checkpoint");
        }
        for _ in 0..self.dice.below(EVENTS) {
            if events.next().unwrap().kind == "epoch.committed" {
                break;
            }
        }
        // Events come with the syncs; a death must also fall between two of them.
        (0..self.dice.below(200_000)).for_each(|spin| _ = black_box(spin));
        let mut deaths = u32::from(self.kill());
        // A run in four is killed before it has come up, or soon after.
        if self.dice.below(4) == 0 {
            events.until("agent.started");
            (0..self.dice.below(2_000_000)).for_each(|spin| _ = black_box(spin));
            deaths += u32::from(self.kill());
        }
        drop(events);
        let answered = self.client.send("POST", "/start-epoch?wait=1", &headers, &body);
        assert_eq!(answered.status, 200, "{job}: {answered:?}");
        (answered.json(), deaths)
    }

    fn kill(&self) -> bool {
        pid_of(&process(self.client, self.agent)).is_some_and(|pid| self.world.kill(pid))
    }
}

#[test]
fn a_python_agent_that_dies_at_any_moment_answers_everything_and_forgets_nothing() {
    survive(Program::Python);
}

#[test]
fn a_typescript_agent_that_dies_at_any_moment_answers_everything_and_forgets_nothing() {
    survive(Program::TypeScript);
}

#[test]
fn the_built_in_agent_that_dies_at_any_moment_answers_everything() {
    survive(Program::BuiltIn);
}
