//! `kill -9` of the keeper in the same conversations, while checkpoints are made: its agents' trees go with it, the next
//! keeper answers everything, and each agent has what was acknowledged to it.

use std::{collections::HashMap, hint::black_box, thread};

use abide_testkit::{SplitMix64, rounds};
use serde_json::{Value, json};

use super::{
    programs::Program,
    trees,
    world::{World, check_job, steer},
};
use crate::{
    client::Client,
    home::Keeper,
    process::scene::{Switchboard, assert_verified, of_kind},
};

/// Conversations of each agent in `make soak`.
const CONVERSATIONS: u32 = 500;
/// Of each agent in the life of a keeper.
const JOBS: u32 = 10;
/// Events of such a life.
const EVENTS: u64 = 200;
const AGENTS: [(&str, Program); 3] =
    [("pia", Program::Python), ("tim", Program::TypeScript), ("ivy", Program::BuiltIn)];

/// Everybody asks, the keeper dies, the next one takes over.
fn life(
    world: &World,
    first: Keeper,
    name: u32,
    dice: &mut SplitMix64,
) -> (Keeper, Vec<Submitted>) {
    let board = Switchboard::new(&first.client);
    let mut events = first.client.events("/events", &[]);
    let (seen, spins) = (dice.below(EVENTS), dice.below(200_000));
    thread::scope(|scope| {
        let (board, client) = (&board, first.client.clone());
        let jobs = AGENTS.iter().flat_map(|(agent, program)| {
            (0..JOBS).map(move |n| (*agent, *program, format!("job:{agent}:{name}:{n}")))
        });
        let ask = |(agent, program, job)| scope.spawn(move || ask(board, agent, program, job));
        let callers: Vec<_> = jobs.map(ask).collect();
        scope.spawn(move || keep_checkpointing(&client));
        for _ in 0..seen {
            events.next().unwrap();
        }
        (0..spins).for_each(|spin| _ = black_box(spin));
        first.kill();
        trees::wait_until_gone(&world.mark());
        let second = world.up();
        board.connect(&second.client);
        let told = callers.into_iter().map(|caller| caller.join().unwrap()).collect();
        (second, told)
    })
}

/// Has checkpoints made until the keeper is gone.
fn keep_checkpointing(client: &Client) {
    let headers = [("content-type", "application/json")];
    for agent in ["pia", "tim"].into_iter().cycle() {
        let path = format!("/agents/{agent}/checkpoint");
        if client.attempt("POST", &path, &headers, "{}").is_none() {
            return;
        }
    }
}

/// A job and how it ended.
struct Submitted {
    job: String,
    epoch: Value,
}

fn ask(board: &Switchboard, agent: &str, program: Program, job: String) -> Submitted {
    let body = json!({"message": program.message(&job), "citizen": agent});
    let answered = board.post("/start-epoch?wait=1", &job, &body);
    assert_eq!(answered.status, 200, "{job}: {answered:?}");
    Submitted { job, epoch: answered.json() }
}

fn check(told: &[Submitted], executions: &HashMap<String, usize>) {
    for Submitted { job, epoch } in told {
        check_job(job, epoch, executions);
    }
}

#[test]
fn with_the_keeper_its_agents_go_and_the_next_one_answers_everything() {
    let Some(world) = World::of("", &AGENTS) else { return };
    let mut dice = SplitMix64::new(9);
    let mut keeper = world.up();
    let lives = rounds(CONVERSATIONS).div_ceil(JOBS);
    for name in 0..lives {
        let (next, told) = life(&world, keeper, name, &mut dice);
        keeper = next;
        check(&told, &world.executions());
        for (agent, _) in AGENTS.iter().filter(|(_, program)| program.lists()) {
            let notes = world.check_memory(&keeper.client, agent);
            assert!(notes.len() >= (JOBS * (name + 1)) as usize, "{agent}: {notes:?}");
            // A death may have left no checkpoint to begin from: the next life has one.
            assert_eq!(steer(&keeper.client, agent, "checkpoint").status, 200);
        }
    }
    assert_eq!(keeper.stop(), Some(0));
    trees::wait_until_gone(&world.mark());
    assert_verified(&world.home);
    let ledger = world.home.ledger();
    assert_eq!(of_kind(&ledger, "epoch.aborted"), Vec::<&Value>::new());
    assert_eq!(of_kind(&ledger, "agent.state_troubled"), Vec::<&Value>::new(), "nothing is lost");
}
