//! The example as a real process: stdout is the frames' alone, `kill -9` at any moment loses nothing and doubles nothing.

use std::{
    path::PathBuf,
    process::{ExitStatus, Stdio},
};

use abide_wire::{
    CheckpointAck, CheckpointReason, CheckpointRequest, FromAgent, HotReload, WalAck,
};
use tokio::{
    io::AsyncReadExt as _,
    process::{Child, Command},
};

use crate::keeper::{Keeper, Store};

/// An example, as cargo builds it beside the tests.
fn example(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.join("examples").join(name)
}

fn start(store: Store) -> (Keeper, Child) {
    run("echo", store)
}

fn run(name: &str, store: Store) -> (Keeper, Child) {
    let mut child = Command::new(example(name))
        .env("ABIDE_AGENT", "renamed")
        .env("ABIDE_RUN", "run-1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let keeper = Keeper::new(child.stdout.take().unwrap(), child.stdin.take().unwrap(), store);
    (keeper, child)
}

async fn end(mut child: Child) -> ExitStatus {
    child.wait().await.unwrap()
}

#[tokio::test]
async fn an_agent_is_called_as_its_keeper_says_and_ends_with_it() {
    let (mut keeper, child) = start(Store::default());
    let hello = keeper.open().await;
    assert_eq!((hello.agent.as_str(), hello.run.as_str()), ("renamed", "run-1"));
    drop(keeper);
    assert!(end(child).await.success());
}

#[tokio::test]
async fn prints_and_children_land_on_stderr_and_stdin_is_empty() {
    let (mut keeper, mut child) = run("noisy", Store::default());
    keeper.open().await;
    keeper.ask("r1", "go").await;
    assert_eq!(keeper.answer("r1").await, "stdin holds \"\"");
    drop(keeper);
    let mut words = String::new();
    child.stderr.take().unwrap().read_to_string(&mut words).await.unwrap();
    for word in ["a line for people", "bytes without an end", "from a child"] {
        assert!(words.contains(word), "{words}");
    }
    assert!(end(child).await.success());
}

#[tokio::test]
async fn a_shutdown_ends_it_with_its_state_written_down() {
    let (mut keeper, child) = start(Store::default());
    keeper.open().await;
    keeper.ask("r1", "tea").await;
    assert_eq!(keeper.answer("r1").await, "I heard: tea (message 1)");
    keeper.shut_down(true).await;
    keeper.keep_checkpoint().await;
    keeper.wait_for_end().await;
    assert!(end(child).await.success());
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[tokio::test]
async fn no_entry_is_lost_or_applied_twice_over_sixty_kills() {
    let mut dice = Dice(7);
    let mut store = Store::default();
    let mut answered = 0;
    for _ in 0..60 {
        let (mut keeper, mut child) = start(store);
        let lives = dice.below(12);
        answered += live_and_die(&mut keeper, &mut child, lives, &mut dice).await;
        store = keeper.into_store();
    }
    assert!(answered > 30, "{answered}");
    let (mut keeper, _child) = start(store);
    keeper.open().await;
    keeper.ask("last", "end").await;
    let count = keeper.store.history.len() + 1;
    assert_eq!(keeper.answer("last").await, format!("I heard: end (message {count})"));
}

/// One life: it is killed after some frames, in the middle of whatever it does. Says how many answers came.
async fn live_and_die(keeper: &mut Keeper, child: &mut Child, frames: u64, dice: &mut Dice) -> u32 {
    keeper.open().await;
    keeper.ask("r0", "m").await;
    let mut answered = 0;
    for frame in 0..frames {
        match keeper.next().await.unwrap() {
            FromAgent::WalEntry(entry) => {
                // Stored, and perhaps the agent dies before it hears of it.
                let sequence = keeper.store.add(&[entry]);
                if dice.below(8) == 0 {
                    break;
                }
                keeper.send(WalAck { sequence }).await;
            }
            FromAgent::ProcessResponse(response) => {
                let count = keeper.store.history.len();
                let voice = response.read_voice().unwrap();
                assert_eq!(voice.final_response.unwrap(), format!("I heard: m (message {count})"));
                answered += 1;
                if dice.below(3) == 0 {
                    keeper.send(CheckpointRequest { reason: CheckpointReason::Interval }).await;
                }
                keeper.ask(&format!("r{frame}"), "m").await;
            }
            FromAgent::Checkpoint(checkpoint) => {
                // Kept, and perhaps the agent dies before it hears of it.
                keeper.store.keep(checkpoint);
                keeper.send(CheckpointAck { checkpoint_id: "c1".into(), size: 1 }).await;
            }
            _ => {}
        }
    }
    child.start_kill().unwrap();
    child.wait().await.unwrap();
    answered
}

#[tokio::test]
async fn the_evolving_example_proposes_weights_and_answers_by_what_it_was_given() {
    let (mut keeper, child) = run("evolving", Store::default());
    assert!(keeper.open().await.capabilities.contains(&"hot_reload".to_owned()));
    keeper.ask("r1", "ox elephant").await;
    assert!(matches!(keeper.next_loud().await, Some(FromAgent::Evidence(_))));
    assert_eq!(keeper.answer("r1").await, "elephant (word 1)");
    keeper.ask("r2", "improve: length -1 vowels 0").await;
    let Some(FromAgent::EvolutionIntent(intent)) = keeper.next_loud().await else {
        panic!("no intent");
    };
    keeper.answer("r2").await;
    for (request, code, loads, answer) in [
        ("r3", &*intent.new_code, true, "ox (word 2)"),
        ("r4", "length much", false, "ox (word 3)"),
    ] {
        keeper
            .send(HotReload {
                code: code.into(),
                module: "memory".into(),
                backup_checkpoint_id: "c1".into(),
            })
            .await;
        let Some(FromAgent::HotReloadAck(ack)) = keeper.next_loud().await else { panic!("no ack") };
        assert_eq!(ack.ok, loads, "{ack:?}");
        keeper.ask(request, "ox elephant").await;
        assert!(matches!(keeper.next_loud().await, Some(FromAgent::Evidence(_))));
        assert_eq!(keeper.answer(request).await, answer);
    }
    drop(keeper);
    assert!(end(child).await.success());
}
