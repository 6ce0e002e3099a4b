//! How checkpoints are made, listed, verified, kept and removed.

use std::{sync::Arc, time::Duration};

use abide_ledger::storage::Access;
use abide_supervisor::{
    CheckpointStep, CheckpointWriteError, PrivateState, PrivateStateError, PrivateStateLimits,
    list_checkpoints, verify_checkpoint,
};
use sha2::{Digest as _, Sha256};

use crate::wal_world::{BadSector, RUN, World, entries, entry, sequences};

fn numbers(world: &World) -> Vec<u64> {
    let listed = list_checkpoints(&world.checkpoints, &world.options.agent).unwrap();
    listed.iter().map(|listed| listed.checkpoint.as_ref().unwrap().number).collect()
}

/// Appends an entry and makes a checkpoint of everything.
fn day(state: &mut PrivateState, sequence: u64) {
    state.append(&[entry(sequence)]).unwrap();
    state.checkpoint(format!("through {sequence}").as_bytes(), Some(sequence)).unwrap();
}

#[test]
fn any_bytes_come_back_with_the_entries_after_them() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    let snapshots = [Vec::new(), vec![0; 300_000], (0..=255).cycle().take(70_001).collect()];
    for (snapshot, through) in snapshots.into_iter().zip([2, 4, 6]) {
        state.append(&entries(through - 1..=through)).unwrap();
        let checkpoint = state.checkpoint(&snapshot, Some(through - 1)).unwrap();
        assert_eq!(checkpoint.raw_bytes, snapshot.len() as u64);
        let on_disk = world.checkpoints.content(&checkpoint.file).unwrap();
        assert_eq!(checkpoint.bytes, on_disk.len() as u64);
        let (_, restored) = world.open_whole();
        assert_eq!(restored.snapshot, Some(snapshot));
        assert_eq!(restored.checkpoint, Some(checkpoint));
        assert_eq!((sequences(&restored), restored.next_sequence), (vec![through], through + 1));
    }
}

#[test]
fn the_first_line_of_a_checkpoint_is_json_and_its_digest_can_be_computed_by_hand() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=3)).unwrap();
    let checkpoint = state.checkpoint(b"the state", None).unwrap();
    let bytes = world.checkpoints.content("000000000001.ckpt").unwrap();
    let (head, body) = bytes.split_at(1024);
    let line: serde_json::Value = serde_json::from_slice(head).unwrap();
    let expected = serde_json::json!({
        "magic": "abide-checkpoint", "version": 1, "number": 1,
        "created": "2026-11-27T22:10:03.000000Z", "id": checkpoint.id.to_string(),
        "agent": "felix", "run": RUN.to_string(), "raw_bytes": 9, "stored_bytes": body.len(),
        "compression": "zstd", "sha256": hex::encode(Sha256::digest(body)),
        "wal_sequence": 3, "wal_position": 3, "crc32c": line["crc32c"],
    });
    assert_eq!(line, expected);
    assert_eq!(zstd::decode_all(body).unwrap(), b"the state");
}

#[test]
fn a_checkpoint_cannot_hold_what_was_never_received() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=5)).unwrap();
    state.checkpoint(b"", Some(3)).unwrap();
    for named in [6, 2, u64::MAX] {
        let error = state.checkpoint(b"", Some(named)).unwrap_err();
        assert!(matches!(error, CheckpointWriteError::UnknownSequence { last: 5, .. }), "{error}");
        assert_eq!(error.code(), "INVALID_MESSAGE");
    }
    state.checkpoint(b"", Some(3)).unwrap();
    assert_eq!(sequences(&world.open_whole().1), [4, 5]);
}

#[test]
fn a_state_that_is_too_large_is_refused() {
    let mut world = World::new(1);
    world.options.limits =
        PrivateStateLimits { checkpoint_bytes_max: 100, ..PrivateStateLimits::default() };
    let (mut state, _) = world.open();
    let error = state.checkpoint(&[0; 101], None).unwrap_err();
    assert!(matches!(error, CheckpointWriteError::TooLarge { bytes: 101, max: 100 }), "{error}");
    state.checkpoint(&[0; 100], None).unwrap();
    assert_eq!(world.open_whole().1.snapshot.unwrap(), [0; 100]);
}

#[test]
fn the_two_newest_stay_whatever_their_age_and_others_for_a_day() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    for sequence in 1..=4 {
        day(&mut state, sequence);
        world.clock.advance(Duration::from_hours(7));
        state.tidy().unwrap();
    }
    assert_eq!(numbers(&world), [4, 3, 2], "the first is 28 hours old");
}

#[test]
fn years_later_two_are_left() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    for sequence in 1..=5 {
        day(&mut state, sequence);
    }
    assert_eq!(state.tidy().unwrap().checkpoints, []);
    world.clock.advance(Duration::from_hours(24 * 1000));
    let gone = state.tidy().unwrap().checkpoints;
    assert_eq!(gone.iter().map(|checkpoint| checkpoint.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(numbers(&world), [5, 4]);
}

#[test]
fn without_room_older_ones_go_before_their_time_but_never_the_two_newest() {
    let mut world = World::new(1);
    world.options.limits.disk_bytes_max = 1;
    let (mut state, _) = world.open();
    for sequence in 1..=5 {
        day(&mut state, sequence);
        state.tidy().unwrap();
    }
    assert_eq!(numbers(&world), [5, 4]);
    assert_eq!(world.open_whole().1.snapshot.unwrap(), b"through 5");
}

#[test]
fn the_log_is_removed_only_behind_the_oldest_that_is_kept() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    for sequence in 1..=30 {
        state.append(&[entry(sequence)]).unwrap();
    }
    state.checkpoint(b"through 30", None).unwrap();
    assert_eq!(state.tidy().unwrap().segments, 0, "one alone could be damaged");
    for sequence in 31..=60 {
        state.append(&[entry(sequence)]).unwrap();
    }
    state.checkpoint(b"through 60", None).unwrap();
    assert!(state.tidy().unwrap().segments > 3);
    state.append(&[entry(61)]).unwrap();
    // The newest is damaged: the one before it and what the log still holds lead to the same state.
    world.checkpoints.flip("000000000002.ckpt", 1030, 1);
    let (_, restored) = world.open();
    assert_eq!(restored.report.len(), 1);
    assert_eq!(restored.snapshot.as_deref(), Some(&b"through 30"[..]));
    assert_eq!(restored.entries, entries(31..=61));
}

#[test]
fn nothing_is_removed_while_newer_ones_do_not_verify() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    for sequence in 1..=4 {
        day(&mut state, sequence);
    }
    drop(state);
    for name in ["000000000002.ckpt", "000000000003.ckpt"] {
        world.checkpoints.flip(name, 1030, 1);
    }
    world.clock.advance(Duration::from_hours(100));
    let (mut state, restored) = world.open_whole();
    assert_eq!(restored.snapshot.unwrap(), b"through 4");
    assert_eq!(state.tidy().unwrap().checkpoints, [], "only one newer one verifies");
    day(&mut state, 5);
    let gone = state.tidy().unwrap().checkpoints;
    assert_eq!(gone.iter().map(|checkpoint| checkpoint.number).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn each_step_that_fails_is_named_and_the_one_before_stays() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    day(&mut state, 1);
    let fails = |state: &mut PrivateState| match state.checkpoint(b"another", None) {
        Err(error @ CheckpointWriteError::Disk { step, .. }) => {
            assert_eq!(error.code(), "CHECKPOINT_FAILED");
            step
        }
        other => panic!("{other:?}"),
    };
    world.disk.set_capacity(Some(world.disk.used_bytes()));
    assert_eq!(fails(&mut state), CheckpointStep::Write);
    world.disk.set_capacity(None);
    world.disk.fail_sync_at(1);
    assert_eq!(fails(&mut state), CheckpointStep::Sync);
    world.disk.fail_sync_at(2);
    assert_eq!(fails(&mut state), CheckpointStep::SyncFolder);
    world.disk.set_read_only(true);
    assert_eq!(fails(&mut state), CheckpointStep::Create);
    world.disk.set_read_only(false);
    assert_eq!(World::files(&world.checkpoints), ["000000000001.ckpt"]);
    assert_eq!(world.fork().open_whole().1.snapshot.unwrap(), b"through 1");
    assert_eq!(state.checkpoint(b"another", None).unwrap().number, 6, "no number twice");
}

#[test]
fn one_that_does_not_read_back_is_not_acknowledged() {
    let world = World::new(1);
    day(&mut world.open().0, 1);
    let mut folders = world.folders();
    let (folder, file) = (folders.checkpoints, "000000000002.ckpt");
    folders.checkpoints = Arc::new(BadSector { folder, file, code: 5 });
    let (mut state, _) = PrivateState::open(folders, world.options.clone()).unwrap();
    let error = state.checkpoint(b"another", None).unwrap_err();
    assert!(
        matches!(error, CheckpointWriteError::Disk { step: CheckpointStep::ReadBack, .. }),
        "{error}"
    );
    assert_eq!(World::files(&world.checkpoints), ["000000000001.ckpt"]);
    assert_eq!(world.open_whole().1.snapshot.unwrap(), b"through 1");
}

#[test]
fn lists_are_newest_first_and_verify_reads_every_byte() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    for sequence in 1..=3 {
        day(&mut state, sequence);
    }
    world.checkpoints.flip("000000000002.ckpt", 1040, 1);
    world.checkpoints.flip("000000000001.ckpt", 30, 1);
    let agent = &world.options.agent;
    let listed = list_checkpoints(&world.checkpoints, agent).unwrap();
    let files: Vec<_> = listed.iter().map(|listed| listed.file.as_str()).collect();
    assert_eq!(files, ["000000000003.ckpt", "000000000002.ckpt", "000000000001.ckpt"]);
    let problems: Vec<_> = listed.iter().map(|listed| listed.problem.as_deref()).collect();
    assert_eq!(problems, [None, None, Some("its header is damaged")]);
    let verified: Vec<_> = listed
        .iter()
        .map(|listed| verify_checkpoint(&world.checkpoints, agent, listed).problem)
        .collect();
    assert_eq!(verified[0], None);
    assert!(verified[1].is_some() && verified[2].is_some(), "{verified:?}");
}

#[test]
fn another_agents_checkpoint_is_not_restored() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    day(&mut state, 1);
    let mut other = world.clone();
    other.options.agent = "ada".parse().unwrap();
    let (_, restored) = other.open();
    assert_eq!(restored.snapshot, None);
    assert!(!restored.report.is_empty());
}

#[test]
fn a_checkpoint_of_a_newer_version_stops_the_start_and_changes_nothing() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    day(&mut state, 1);
    let text = "{\"magic\":\"abide-checkpoint\",\"version\":2";
    let line = format!("{text},\"crc32c\":\"{:08x}\"}}", crc32c::crc32c(text.as_bytes()));
    let block = format!("{line:1023}\n");
    world.checkpoints.put("000000000002.ckpt", block.as_bytes());
    let before = World::files(&world.checkpoints);
    let error = world.try_open().unwrap_err();
    assert!(matches!(error, PrivateStateError::Newer { version: 2, .. }), "{error}");
    assert_eq!(World::files(&world.checkpoints), before);
}

#[test]
fn on_a_real_folder_it_works_the_same() {
    use abide_ledger::FileStorage;
    use abide_supervisor::PrivateStateFolders;

    let folder = tempfile::tempdir().unwrap();
    let world = World::new(1);
    let folders = || PrivateStateFolders {
        wal: Arc::new(FileStorage::create(&folder.path().join("felix/wal")).unwrap()),
        checkpoints: Arc::new(
            FileStorage::create(&folder.path().join("felix/checkpoints")).unwrap(),
        ),
    };
    let (mut state, _) = PrivateState::open(folders(), world.options.clone()).unwrap();
    state.append(&entries(1..=20)).unwrap();
    state.checkpoint(&vec![5; 1_000_000], Some(18)).unwrap();
    state.tidy().unwrap();
    drop(state);
    let (_, restored) = PrivateState::open(folders(), world.options).unwrap();
    assert_eq!(restored.report, []);
    assert_eq!(restored.snapshot.as_ref().unwrap().len(), 1_000_000);
    assert_eq!(sequences(&restored), [19, 20]);
    let file = folders().checkpoints.open("000000000001.ckpt", Access::Read).unwrap();
    assert_eq!(file.size().unwrap(), restored.checkpoint.unwrap().bytes);
}
