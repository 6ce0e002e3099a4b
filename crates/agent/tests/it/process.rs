//! The built-in agent as a real process that is killed at any moment: its state is what its log says, exactly.

use std::{path::PathBuf, process::Stdio};

use abide_agent::CheckpointState;
use abide_sdk::State as _;
use abide_testkit::SplitMix64;
use abide_wire::{
    CheckpointAck, CheckpointReason, CheckpointRequest, FromAgent, ProcessRequest, Snapshot, WalAck,
};
use tokio::process::{Child, Command};

use crate::{
    epoch,
    keeper::{Keeper, Store},
};

/// The example, as cargo builds it beside the tests.
fn program() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.join("examples/agent")
}

fn spawn(store: Store) -> (Keeper, Child) {
    let mut child = Command::new(program())
        .env_remove("ABIDE_MODEL")
        .env("ABIDE_AGENT", "felix")
        .env("ABIDE_RUN", "run-1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let keeper = Keeper::new(child.stdout.take().unwrap(), child.stdin.take().unwrap(), store);
    (keeper, child)
}

#[tokio::test]
async fn its_state_is_what_its_log_says_after_fifty_kills() {
    let mut dice = SplitMix64::new(11);
    let mut store = Store::default();
    let mut asked = 0;
    for _ in 0..50 {
        let (mut keeper, mut child) = spawn(store);
        live(&mut keeper, &mut asked, &mut dice).await;
        child.start_kill().unwrap();
        child.wait().await.unwrap();
        store = keeper.into_store();
    }
    let (mut keeper, mut child) = spawn(store);
    keeper.open().await;
    let checkpoint = keeper.take_checkpoint().await;
    let kept = Snapshot::from_raw(&checkpoint.state.unpack().unwrap()).unwrap();
    let mut expected = CheckpointState::new("felix");
    for entry in &keeper.store.history {
        expected.apply(entry).unwrap();
    }
    assert_eq!(&kept, expected.snapshot());
    assert!(kept.metrics.unwrap().total_requests.unwrap() > 20);
    keeper.shut_down(false).await;
    keeper.wait_for_end().await;
    assert!(child.wait().await.unwrap().success());
}

/// One life of some frames.
async fn live(keeper: &mut Keeper, asked: &mut u128, dice: &mut SplitMix64) {
    keeper.open().await;
    ask_next(keeper, asked).await;
    for _ in 0..dice.next_u64() % 14 {
        let entries = match keeper.next().await.unwrap() {
            FromAgent::WalEntry(entry) => vec![entry],
            FromAgent::WalBatch(entries) => entries,
            FromAgent::ProcessResponse(_) => {
                if dice.next_u64().is_multiple_of(3) {
                    keeper.send(CheckpointRequest { reason: CheckpointReason::Interval }).await;
                }
                ask_next(keeper, asked).await;
                continue;
            }
            FromAgent::Checkpoint(checkpoint) => {
                keeper.store.keep(checkpoint);
                keeper.send(CheckpointAck { checkpoint_id: "c1".into(), size: 1 }).await;
                continue;
            }
            _ => continue,
        };
        let sequence = keeper.store.add(&entries);
        if dice.next_u64().is_multiple_of(8) {
            // It dies before it hears that they are stored.
            return;
        }
        keeper.send(WalAck { sequence }).await;
    }
}

async fn ask_next(keeper: &mut Keeper, asked: &mut u128) {
    *asked += 1;
    let request = epoch(*asked, "what do I like?");
    keeper.send(ProcessRequest::from_turn(format!("r{asked}"), &request)).await;
}
