//! Going back to an older checkpoint by hand.

use abide_supervisor::{
    PrivateState, PrivateStateLimits, PrivateStateProblem, RestoreError, list_checkpoints,
};
use uuid::Uuid;

use crate::wal_world::{World, entries, entry, sequences};

/// Three checkpoints, through 5, 10 and 15, and entries through 18.
fn written() -> (World, PrivateState, Vec<Uuid>) {
    let world = World::new(1);
    let (mut state, _) = world.open();
    let mut ids = Vec::new();
    for through in [5, 10, 15] {
        state.append(&entries(through - 4..=through)).unwrap();
        let snapshot = format!("through {through}");
        ids.push(state.checkpoint(snapshot.as_bytes(), None).unwrap().id);
    }
    state.append(&entries(16..=18)).unwrap();
    (world, state, ids)
}

#[test]
fn later_entries_and_checkpoints_are_put_aside_and_said() {
    let (world, mut state, ids) = written();
    let restored = state.restore(ids[1]).unwrap();
    assert_eq!(restored.snapshot.as_deref(), Some(&b"through 10"[..]));
    assert_eq!((restored.entries.len(), restored.next_sequence), (0, 19));
    let [PrivateStateProblem::LaterSetAside { entries: 8, file: Some(file), checkpoints }] =
        restored.report.as_slice()
    else {
        panic!("{:?}", restored.report)
    };
    assert_eq!(checkpoints, &["000000000003.ckpt.aside"]);
    let copied = world.wal.content(file).unwrap();
    let text = String::from_utf8_lossy(&copied);
    assert!((11..=18).all(|sequence| text.contains(&format!("entry {sequence} "))));
    assert!(!text.contains("entry 10 "));
    assert_eq!(
        world.checkpoints.content("000000000003.ckpt.aside").map(|b| b.len() > 1024),
        Some(true)
    );
}

#[test]
fn the_state_stays_where_it_was_put_and_numbers_go_on() {
    let (world, mut state, ids) = written();
    state.restore(ids[0]).unwrap();
    world.disk.power_cycle();
    let (mut state, restored) = world.open_whole();
    assert_eq!(restored.snapshot.as_deref(), Some(&b"through 5"[..]));
    assert_eq!((sequences(&restored), restored.next_sequence), (vec![], 19));
    state.append(&entries(19..=21)).unwrap();
    let (mut state, restored) = world.open_whole();
    assert_eq!(sequences(&restored), [19, 20, 21]);
    let checkpoint = state.checkpoint(b"5 and 19 20", Some(20)).unwrap();
    assert_eq!((checkpoint.number, checkpoint.wal_sequence), (4, 20), "no number twice");
    let (mut state, restored) = world.open_whole();
    assert_eq!(sequences(&restored), [21]);
    // Back once more, over what was written since.
    state.restore(ids[0]).unwrap();
    state.append(&[entry(22)]).unwrap();
    let (_, restored) = world.open_whole();
    assert_eq!(restored.snapshot.as_deref(), Some(&b"through 5"[..]));
    assert_eq!(sequences(&restored), [22]);
}

#[test]
fn behind_a_way_back_older_checkpoints_lead_to_the_restored_state_too() {
    let (world, mut state, ids) = written();
    state.restore(ids[1]).unwrap();
    state.append(&[entry(19)]).unwrap();
    world.checkpoints.flip("000000000002.ckpt", 1030, 1);
    let (_, restored) = world.open();
    assert_eq!(restored.snapshot.as_deref(), Some(&b"through 5"[..]));
    assert_eq!(sequences(&restored), [6, 7, 8, 9, 10, 19], "11 to 18 were put aside");
}

#[test]
fn the_newest_can_be_restored_without_the_entries_after_it() {
    let (world, mut state, ids) = written();
    let restored = state.restore(ids[2]).unwrap();
    assert_eq!(restored.entries.len(), 0);
    let (_, restored) = world.open_whole();
    assert_eq!(restored.snapshot.as_deref(), Some(&b"through 15"[..]));
    assert_eq!((sequences(&restored), restored.next_sequence), (vec![], 19));
}

#[test]
fn one_that_does_not_verify_is_refused_and_nothing_changes() {
    let (world, mut state, ids) = written();
    world.checkpoints.flip("000000000001.ckpt", 1030, 1);
    let error = state.restore(ids[0]).unwrap_err();
    assert!(matches!(error, RestoreError::Damaged { .. }), "{error}");
    let error = state.restore(Uuid::from_u128(4)).unwrap_err();
    assert!(matches!(error, RestoreError::Unknown { .. }), "{error}");
    state.append(&[entry(19)]).unwrap();
    assert_eq!(sequences(&world.open_whole().1), [16, 17, 18, 19]);
    assert_eq!(list_checkpoints(&world.checkpoints, &world.options.agent).unwrap().len(), 3);
}

#[test]
fn what_was_put_aside_takes_no_room_in_the_log() {
    let mut world = World::new(1);
    world.options.limits = PrivateStateLimits {
        wal_entries_max: 5,
        wal_bytes_max: 600,
        ..PrivateStateLimits::default()
    };
    let (mut state, _) = world.open();
    let id = state.checkpoint(b"nothing", None).unwrap().id;
    state.append(&entries(1..=5)).unwrap();
    assert!(state.append(&entries(6..=6)).is_err());
    state.restore(id).unwrap();
    assert!(!state.status().wants_checkpoint);
    state.append(&entries(6..=10)).unwrap();
    let (_, restored) = world.open_whole();
    assert_eq!(sequences(&restored), [6, 7, 8, 9, 10]);
}
