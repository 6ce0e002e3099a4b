//! What an append takes, refuses and answers.

use abide_supervisor::{
    BATCH_BYTES_MAX, ENTRY_BYTES_MAX, Numbering, OPERATION_BYTES_MAX, PrivateState,
    PrivateStateLimits, SEQUENCE_MAX, StoredEntry, WalAppendError, WalAppended,
};
use uuid::Uuid;

use crate::wal_world::{RUN, World, entries, entry, sequences};

fn appended(durable: u64, stored: u64, replayed: u64) -> WalAppended {
    WalAppended { durable, stored, replayed, wants_checkpoint: false }
}

#[test]
fn entries_come_back_verbatim_with_operations_that_nobody_knows() {
    let world = World::new(1);
    let odd = [
        StoredEntry {
            sequence: 1,
            timestamp: i64::MIN,
            operation: String::new(),
            data: Vec::new(),
        },
        StoredEntry {
            sequence: 2,
            timestamp: -1,
            operation: "müßte: ✓\n".into(),
            data: vec![0; 3_000],
        },
        StoredEntry {
            sequence: 3,
            timestamp: 9,
            operation: "x".repeat(16_384),
            data: vec![0xc1, 0xff],
        },
    ];
    world.open().0.append(&odd).unwrap();
    assert_eq!(world.open_whole().1.entries, odd);
}

#[test]
fn an_entry_is_on_the_disk_before_it_is_acknowledged() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    for sequence in 1..=30 {
        assert_eq!(state.append(&[entry(sequence)]).unwrap(), appended(sequence, 1, 0));
        let after = world.fork();
        after.disk.power_cycle();
        assert_eq!(after.open_whole().1.entries, entries(1..=sequence));
    }
}

#[test]
fn a_batch_costs_one_write_and_one_sync_and_a_mark() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&[entry(1)]).unwrap();
    for (count, next) in [(1, 2), (5, 3)] {
        let before = world.disk.operations();
        state.append(&entries(next..next + count)).unwrap();
        assert_eq!(world.disk.operations() - before, 3);
    }
}

#[test]
fn repeated_entries_are_acknowledged_and_dropped_also_after_a_restart() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=5)).unwrap();
    assert_eq!(state.append(&entries(2..=4)).unwrap(), appended(5, 0, 3));
    assert_eq!(state.append(&entries(4..=7)).unwrap(), appended(7, 2, 2));
    let (mut state, restored) = world.open_whole();
    assert_eq!((sequences(&restored), restored.next_sequence), ((1..=7).collect(), 8));
    assert_eq!(state.append(&entries(1..=8)).unwrap(), appended(8, 1, 7));
    assert_eq!(state.append(&[]).unwrap(), appended(8, 0, 0));
}

#[test]
fn a_gap_is_an_error_that_says_what_is_waited_for_also_inside_a_batch() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    let gap = |state: &mut PrivateState, batch: &[u64]| match state
        .append(&entries(batch.iter().copied()))
    {
        Err(WalAppendError::SequenceGap { expected, got }) => (expected, got),
        other => panic!("{other:?}"),
    };
    assert_eq!(gap(&mut state, &[2]), (1, 2), "protocol 3 counts from 1");
    assert_eq!(gap(&mut state, &[1, 2, 4, 5]), (3, 4));
    assert_eq!(state.durable_sequence(), 2, "what stands before the gap is kept");
    assert_eq!(gap(&mut state, &[9]), (3, 9));
    assert_eq!(sequences(&world.open_whole().1), [1, 2]);
}

#[test]
fn an_old_protocol_begins_with_any_number_and_anew_in_each_run() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.begin_run(RUN, Numbering::AsItStarts);
    assert_eq!(state.append(&entries([700, 701])).unwrap(), appended(701, 2, 0));
    assert_eq!(state.append(&entries([700, 701, 702])).unwrap(), appended(702, 1, 2));
    let error = state.append(&entries([704])).unwrap_err();
    assert!(matches!(error, WalAppendError::SequenceGap { expected: 703, got: 704 }), "{error}");
    // The next run counts from 1: were that taken for repetition, acknowledged entries would be thrown away.
    let (mut state, _) = world.open_whole();
    state.begin_run(Uuid::from_u128(2), Numbering::AsItStarts);
    assert_eq!(state.append(&entries([1, 2])).unwrap(), appended(2, 2, 0));
    state.checkpoint(b"700 701 702 1 2", None).unwrap();
    state.append(&entries([3])).unwrap();
    let (_, restored) = world.open_whole();
    assert_eq!(sequences(&restored), [3]);
    assert_eq!(restored.checkpoint.unwrap().wal_position, 5);
}

#[test]
fn sizes_beyond_their_limits_are_refused_whole() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    let with = |operation: usize, data: usize| StoredEntry {
        operation: "o".repeat(operation),
        data: vec![1; data],
        ..entry(2)
    };
    let large = u32::try_from(BATCH_BYTES_MAX).unwrap() as usize / 10;
    let many =
        (1..=11).map(|sequence| StoredEntry { data: vec![0; large], ..entry(sequence) }).collect();
    let cases: [(&str, Vec<StoredEntry>); 3] = [
        ("operation", vec![entry(1), with(OPERATION_BYTES_MAX + 1, 0)]),
        ("data", vec![entry(1), with(1, ENTRY_BYTES_MAX + 1)]),
        ("batch", many),
    ];
    for (name, batch) in cases {
        let error = state.append(&batch).unwrap_err();
        assert!(matches!(error, WalAppendError::TooLarge { part, .. } if part == name), "{error}");
        assert_eq!(error.code(), "TOO_LARGE");
    }
    let last = StoredEntry { sequence: SEQUENCE_MAX + 1, ..entry(1) };
    let error = state.append(&[last]).unwrap_err();
    assert!(matches!(error, WalAppendError::SequenceRange { .. }), "{error}");
    assert_eq!(state.durable_sequence(), 0);
    state.append(&[entry(1), with(OPERATION_BYTES_MAX, ENTRY_BYTES_MAX)]).unwrap();
    assert_eq!(world.open_whole().1.entries.len(), 2);
}

#[test]
fn a_full_log_asks_for_a_checkpoint_then_refuses_until_it_has_one() {
    let mut world = World::new(1);
    let limits = PrivateStateLimits {
        wal_entries_max: 8,
        checkpoint_entries: 5,
        ..PrivateStateLimits::default()
    };
    world.options.limits = limits;
    let (mut state, _) = world.open();
    assert!(!state.append(&entries(1..=4)).unwrap().wants_checkpoint);
    assert!(state.append(&entries(5..=6)).unwrap().wants_checkpoint);
    let error = state.append(&entries(7..=9)).unwrap_err();
    assert!(matches!(error, WalAppendError::Full { entries: 6, .. }), "{error}");
    assert_eq!(error.code(), "WAL_FULL");
    assert_eq!(state.durable_sequence(), 6, "nothing of it was stored");
    state.append(&entries(5..=8)).unwrap();
    let (mut state, restored) = world.open_whole();
    assert_eq!(restored.entries.len(), 8);
    assert!(state.status().wants_checkpoint);
    assert!(state.append(&[entry(9)]).is_err(), "a restart makes no room");
    state.checkpoint(b"", Some(5)).unwrap();
    assert!(!state.append(&[entry(9)]).unwrap().wants_checkpoint);
    assert_eq!(state.status().wal_entries, 4);
}

#[test]
fn the_log_is_full_by_bytes_too_and_a_checkpoint_frees_them() {
    let mut world = World::new(1);
    world.options.limits =
        PrivateStateLimits { wal_bytes_max: 4_000, ..PrivateStateLimits::default() };
    let (mut state, _) = world.open();
    let big = |sequence| StoredEntry { data: vec![7; 900], ..entry(sequence) };
    assert!(!state.append(&[big(1)]).unwrap().wants_checkpoint);
    assert!(state.append(&[big(2), big(3)]).unwrap().wants_checkpoint);
    state.append(&[big(4)]).unwrap();
    assert!(matches!(state.append(&[big(5)]), Err(WalAppendError::Full { entries: 4, .. })));
    state.checkpoint(b"", None).unwrap();
    for sequence in 5..=8 {
        state.append(&[big(sequence)]).unwrap();
    }
}

#[test]
fn a_full_disk_refuses_and_the_same_entries_can_be_sent_again() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=3)).unwrap();
    for room in [0, 1, 30, 60] {
        world.disk.set_capacity(Some(world.disk.used_bytes() + room));
        let error = state.append(&entries(4..=8)).unwrap_err();
        assert!(matches!(error, WalAppendError::DiskFull(_)), "{error}");
        assert_eq!((error.code(), state.durable_sequence()), ("WAL_FULL", 3));
        let after = world.fork();
        after.disk.set_capacity(None);
        assert_eq!(sequences(&after.open_whole().1), [1, 2, 3], "nothing of it is left");
    }
    world.disk.set_capacity(None);
    state.append(&entries(4..=8)).unwrap();
    world.disk.power_cycle();
    assert_eq!(world.open_whole().1.entries, entries(1..=8));
}

#[test]
fn after_a_failed_sync_nothing_is_taken_until_the_state_is_opened_again() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=2)).unwrap();
    world.disk.fail_sync_at(1);
    for _ in 0..3 {
        let error = state.append(&entries(3..=3)).unwrap_err();
        assert!(matches!(error, WalAppendError::Broken { .. }), "{error}");
        assert_eq!((error.code(), state.durable_sequence()), ("NOT_READY", 2));
    }
    // A checkpoint is still possible: it holds what was acknowledged.
    state.checkpoint(b"1 2", None).unwrap();
    let (mut state, _) = world.open();
    state.append(&entries(3..=4)).unwrap();
    world.disk.power_cycle();
    assert_eq!(sequences(&world.open_whole().1), [3, 4]);
}

#[test]
fn segments_beyond_ten_are_read_in_the_order_of_their_numbers() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    for sequence in 1..=120 {
        state.append(&[entry(sequence)]).unwrap();
    }
    assert!(World::files(&world.wal).len() > 20);
    assert_eq!(world.open_whole().1.entries, entries(1..=120));
}
