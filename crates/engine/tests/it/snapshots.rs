//! A start from a snapshot gives the state that a fold of the whole ledger gives, whatever became of the snapshot.
//!
//! Cases of public reports: MM-21 (other code), MM-22 (ahead of the log, or of another), MM-23 (only the latest), MM-24 (cut in the
//! middle of a write), MM-26 (unequal folds), MM-27 (decodes, yet wrong).

use std::sync::Arc;

use abide_domain::{event::Decision, turn::TurnRequest};
use abide_engine::{snapshot::Snapshots, state::State};
use abide_ledger::{Storage as _, storage::fault::FaultStorage};
use abide_testkit::rig::{Rig, RigAnswer, Setup, TestTool, call, say, silence};
use serde_json::json;

fn does(request: &TurnRequest, _: usize) -> RigAnswer {
    let console = |line: &str| call("stdout", json!({"command": line}));
    match (&*request.message, request.turn) {
        ("remember", 1) => {
            call("memory.remember_fact", json!({"content": format!("fact of {}", request.epoch)}))
        }
        ("push", 1) => call("world.push", json!({})),
        ("grant", 1) => console(r"\grant @ada ---"),
        ("note", 1) => console("the notes of the day"),
        ("wake", 1) => console(r#"\wake ?(content HAS "train" AND sleep(5h)) look at trains ---"#),
        ("say", 1) => console(r"\say @ada hello ---"),
        ("wait", _) => silence(),
        _ => say("so").costing(5),
    }
}

/// What is said to the agents of a life, one after the other.
const SAID: &[&str] =
    &["hello", "remember", "note", "grant", "wake", "push", "say", "note", "hello", "remember"];

async fn born() -> Rig {
    let setup = Setup::new(does)
        .tool(TestTool::world("world.push"))
        .with(|setup| setup.ask = vec!["world.push"])
        .with(|setup| setup.agents = vec!["felix", "ada"]);
    setup.start().await
}

/// Says one thing and waits for what comes of it; a person allows what is asked.
async fn live(rig: &Rig, said: &str) {
    let epoch = rig.begin_interactive(said).await;
    if said == "push" {
        rig.until(epoch, "approval.requested").await;
        let (approval, _) = rig.pending_approval().unwrap();
        rig.decide(approval, Decision::Approve, None).await.unwrap();
    }
    rig.ended(epoch).await;
    rig.until_quiet().await;
}

fn names(disk: &FaultStorage) -> Vec<String> {
    let mut names = disk.list().unwrap();
    names.retain(|name| name.ends_with(".snapshot"));
    names.sort();
    names
}

/// The state of all events up to one, folded from the first.
fn folded(rig: &Rig, through: u64) -> State {
    let mut state = State::default();
    for entry in rig.entries().iter().take_while(|entry| entry.seq <= through) {
        state.apply(entry).unwrap();
    }
    state
}

/// The state of all events, from the newest snapshot on.
fn from_snapshot(rig: &Rig) -> (u64, State) {
    let mut state = rig.snapshots.newest(rig.keeper().ledger()).unwrap_or_default();
    let from = state.seq;
    for entry in rig.entries() {
        state.apply(&entry).unwrap();
    }
    (from, state)
}

#[tokio::test(start_paused = true)]
async fn mm_26_at_every_point_of_a_life_a_snapshot_and_the_rest_are_the_whole() {
    let mut rig = born().await;
    for said in SAID {
        // Also with epochs open, and with one that waits behind it.
        let open = rig.begin("wait").await;
        rig.until(open, "turn.started").await;
        let advanced = rig.snapshots.advance(rig.keeper().ledger()).unwrap().unwrap();
        let (from, _) = from_snapshot(&rig);
        assert_eq!(from, advanced);
        assert_eq!(
            rig.snapshots.newest(rig.keeper().ledger()).unwrap(),
            folded(&rig, from),
            "{said}"
        );
        rig.keeper().abort(open, String::new()).await.unwrap();
        rig.ended(open).await;
        live(&rig, said).await;
        let (_, state) = from_snapshot(&rig);
        assert_eq!(state, folded(&rig, u64::MAX), "{said}");
        let lived = rig.digest();
        rig.restart().await;
        assert_eq!(rig.digest(), lived, "{said}");
        assert_eq!(rig.digest_rebuilt(), lived, "{said}");
    }
    assert_eq!(names(&rig.snapshot_disk).len(), 3, "no more are kept");
}

/// A life with a snapshot of its middle and one of its end, and the names of the two.
async fn lived() -> (Rig, [String; 2]) {
    let rig = born().await;
    for said in &SAID[..5] {
        live(&rig, said).await;
    }
    rig.snapshots.advance(rig.keeper().ledger()).unwrap();
    for said in &SAID[5..] {
        live(&rig, said).await;
    }
    rig.snapshots.advance(rig.keeper().ledger()).unwrap();
    let names = names(&rig.snapshot_disk).try_into().unwrap();
    (rig, names)
}

/// That the snapshots of a disk give the state of the ledger, from the one that is expected on.
fn gives_the_whole(rig: &Rig, disk: &FaultStorage, from: u64, case: &str) {
    let snapshots = Snapshots::new(Arc::new(disk.fork()));
    let newest = snapshots.newest(rig.keeper().ledger());
    assert_eq!(newest.as_ref().map_or(0, |state| state.seq), from, "{case}");
    let mut state = newest.unwrap_or_default();
    for entry in rig.entries() {
        state.apply(&entry).unwrap();
    }
    assert_eq!(state, folded(rig, u64::MAX), "{case}");
}

fn seq_of(name: &str) -> u64 {
    name.trim_start_matches("state-").trim_end_matches(".snapshot").parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn mm_23_mm_24_mm_27_a_damaged_snapshot_gives_way_to_the_one_before() {
    let (rig, [older, newer]) = lived().await;
    let whole = rig.snapshot_disk.content(&newer).unwrap();
    gives_the_whole(&rig, &rig.snapshot_disk, seq_of(&newer), "nothing is wrong");
    // Cut at every 4 KiB, and at each byte of the head and the end.
    let cuts = (0..whole.len()).step_by(4_096).chain(0..200).chain(whole.len() - 40..whole.len());
    for cut in cuts {
        let disk = rig.snapshot_disk.fork();
        disk.cut(&newer, cut);
        gives_the_whole(&rig, &disk, seq_of(&older), &format!("cut at {cut}"));
    }
    for at in (0..whole.len()).step_by(97).chain(0..144) {
        let disk = rig.snapshot_disk.fork();
        disk.flip(&newer, at, 1);
        gives_the_whole(&rig, &disk, seq_of(&older), &format!("a bit of byte {at}"));
    }
    let disk = rig.snapshot_disk.fork();
    disk.cut(&newer, 10);
    disk.cut(&older, 10);
    gives_the_whole(&rig, &disk, 0, "both are cut");
}

#[tokio::test(start_paused = true)]
async fn mm_24_a_power_cut_at_every_operation_of_a_write_leaves_one_that_fits() {
    let (rig, [_, newer]) = lived().await;
    live(&rig, "hello").await;
    for operation in 1.. {
        let disk = rig.snapshot_disk.fork();
        disk.fail_power_at(operation);
        let made = Snapshots::new(Arc::new(disk.clone())).advance(rig.keeper().ledger());
        let is_done = !disk.is_off();
        disk.power_cycle();
        let snapshots = Snapshots::new(Arc::new(disk.fork()));
        let state = snapshots.newest(rig.keeper().ledger()).unwrap();
        assert!(state.seq >= seq_of(&newer), "operation {operation}");
        assert_eq!(state, folded(&rig, state.seq), "operation {operation}");
        if is_done {
            assert!(made.is_ok());
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn mm_22_a_snapshot_ahead_of_the_ledger_or_of_another_one_is_set_aside() {
    let (rig, [_, newer]) = lived().await;
    let other = born().await;
    for said in SAID.iter().rev().chain(SAID) {
        live(&other, said).await;
        other.snapshots.advance(other.keeper().ledger()).unwrap();
        let name = names(&other.snapshot_disk).pop().unwrap();
        let disk = FaultStorage::new(3);
        disk.put(&name, &other.snapshot_disk.content(&name).unwrap());
        gives_the_whole(&rig, &disk, 0, &name);
        disk.put(&newer, &rig.snapshot_disk.content(&newer).unwrap());
        gives_the_whole(&rig, &disk, seq_of(&newer), &name);
    }
    assert!(names(&other.snapshot_disk).iter().any(|name| seq_of(name) > seq_of(&newer)));
}

#[tokio::test(start_paused = true)]
async fn mm_21_a_snapshot_of_another_fold_is_not_used_and_not_damaged() {
    let (rig, [older, newer]) = lived().await;
    let disk = rig.snapshot_disk.fork();
    // The sixteen characters after the magic name the fold.
    disk.flip(&newer, 20, 1);
    let snapshots = Snapshots::new(Arc::new(disk.fork()));
    assert_eq!(snapshots.newest(rig.keeper().ledger()).unwrap().seq, seq_of(&older));
    assert_eq!(names(&disk), [older, newer], "an older program may still read it");
}

#[tokio::test(start_paused = true)]
async fn all_snapshots_can_be_removed_with_what_was_set_aside() {
    let (rig, [_, newer]) = lived().await;
    rig.snapshot_disk.cut(&newer, 100);
    assert!(rig.snapshots.newest(rig.keeper().ledger()).is_some());
    assert!(rig.snapshot_disk.list().unwrap().iter().any(|name| name.ends_with(".set-aside")));
    rig.snapshots.remove_all().unwrap();
    assert!(rig.snapshot_disk.list().unwrap().is_empty());
    assert_eq!(rig.snapshots.newest(rig.keeper().ledger()), None);
}
