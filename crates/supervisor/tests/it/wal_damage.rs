//! Damage to the log: each byte of each file. What was acknowledged either comes back or is said to be lost, by number.

use abide_supervisor::{PrivateStateError, PrivateStateProblem, RestoredState, StoredEntry};

use crate::wal_world::{World, entries, entry, kinds, sequences};

/// Twelve entries in three segments and more, one batch of several among them.
fn written() -> World {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=3)).unwrap();
    for sequence in 4..=12 {
        state.append(&[entry(sequence)]).unwrap();
    }
    assert!(World::files(&world.wal).len() >= 3);
    world
}

fn has_suffix(name: &str, suffix: &str) -> bool {
    name.strip_suffix(suffix).is_some()
}

fn lost(restored: &RestoredState) -> Option<(u64, u64)> {
    restored.report.iter().find_map(|trouble| match trouble {
        PrivateStateProblem::EntriesLost { after_sequence, entries, .. } => {
            Some((*after_sequence, *entries))
        }
        _ => None,
    })
}

/// Holds a start on a damaged log to the rule: a beginning of what was acknowledged comes back, the rest is accounted for.
fn check(world: &World, acknowledged: u64) -> RestoredState {
    let (mut state, restored) = world.open();
    let count = restored.entries.len() as u64;
    assert_eq!(restored.entries, entries(1..=count), "a beginning");
    if count < acknowledged {
        let known = lost(&restored).map_or(0, |(after, entries)| {
            assert_eq!(after, count);
            entries
        });
        let is_told = known == acknowledged - count
            || kinds(&restored.report).iter().any(|kind| kind.ends_with("tail"));
        assert!(is_told, "{count} of {acknowledged}: {:?}", restored.report);
    }
    assert!(restored.next_sequence <= acknowledged + 1);
    // Said once, and life goes on behind it.
    let next = restored.next_sequence;
    state.append(&[entry(next)]).unwrap();
    world.disk.power_cycle();
    let (_, again) = world.open();
    let is_calm = kinds(&again.report).iter().all(|kind| *kind == "cold_start");
    assert!(is_calm, "{:?}", again.report);
    assert_eq!(again.entries.len() as u64, count + 1);
    restored
}

#[test]
fn a_flipped_bit_anywhere_in_the_log_is_found_and_its_cost_is_said() {
    let world = written();
    for name in World::files(&world.wal) {
        for at in 0..world.wal.content(&name).unwrap().len() {
            let damaged = world.fork();
            damaged.wal.flip(&name, at, 0x10);
            check(&damaged, 12);
        }
    }
}

#[test]
fn a_segment_that_ends_early_is_found_and_its_cost_is_said() {
    let world = written();
    let names = World::files(&world.wal);
    for (position, name) in names.iter().enumerate() {
        let length = world.wal.content(name).unwrap().len();
        for at in 0..length {
            let damaged = world.fork();
            damaged.wal.cut(name, at);
            if position + 1 < names.len() {
                check(&damaged, 12);
            } else {
                // Nothing behind the cut says that there was more.
                let restored = damaged.open().1;
                assert_eq!(lost(&restored), None);
                assert!(restored.entries.len() >= 3);
            }
        }
    }
}

#[test]
fn a_damaged_entry_that_was_acknowledged_last_is_told_from_a_torn_write() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=2)).unwrap();
    let before = world.wal.content("000000000001.wal").unwrap().len();
    state.append(&[entry(3)]).unwrap();
    world.wal.flip("000000000001.wal", before + 20, 1);
    let restored = check(&world, 3);
    assert_eq!(lost(&restored), Some((2, 1)), "the mark behind it says that it was kept");
    assert_eq!(kinds(&restored.report), ["wal_damaged", "entries_lost"]);
}

#[test]
fn a_torn_write_is_set_aside_once_and_costs_nothing() {
    let world = World::new(1);
    world.open().0.append(&entries(1..=2)).unwrap();
    let name = "000000000001.wal";
    let mut bytes = world.wal.content(name).unwrap();
    let whole = bytes.len() as u64;
    bytes.extend([0xab; 40]);
    world.wal.put(name, &bytes);
    let (_, restored) = world.open();
    let set_aside = format!("000000000001-{whole:012}.torn");
    let tail = PrivateStateProblem::TornTail {
        file: name.into(),
        offset: whole,
        bytes: 40,
        set_aside: set_aside.clone(),
    };
    assert_eq!(restored.report, [tail]);
    assert_eq!(world.wal.content(&set_aside).unwrap(), [0xab; 40]);
    assert_eq!(sequences(&restored), [1, 2]);
    let (mut state, _) = world.open_whole();
    state.append(&[entry(3)]).unwrap();
    assert_eq!(sequences(&world.open_whole().1), [1, 2, 3]);
}

#[test]
fn a_missing_segment_is_a_loss_and_what_stands_behind_it_is_copied_out() {
    let world = written();
    world.wal.take("000000000002.wal");
    let restored = check(&world, 12);
    let Some(PrivateStateProblem::EntriesLost { unusable, set_aside: Some(file), .. }) =
        restored.report.iter().find(|t| matches!(t, PrivateStateProblem::EntriesLost { .. }))
    else {
        panic!("{:?}", restored.report)
    };
    assert!(*unusable > 0);
    let copied = world.wal.content(file).unwrap();
    let text = String::from_utf8_lossy(&copied);
    assert!(text.contains("entry 12") && !text.contains("entry 1 "));
}

#[test]
fn damage_that_a_checkpoint_covers_costs_nothing() {
    let world = written();
    let (mut state, _) = world.open();
    state.checkpoint(b"one to twelve", None).unwrap();
    state.append(&[entry(13)]).unwrap();
    for name in ["000000000001.wal", "000000000002.wal"] {
        let damaged = world.fork();
        damaged.wal.flip(name, 60, 1);
        let (_, restored) = damaged.open();
        assert_eq!(kinds(&restored.report), ["wal_damaged"]);
        assert_eq!((sequences(&restored), restored.next_sequence), (vec![13], 14));
        let (_, again) = damaged.open_whole();
        assert_eq!(sequences(&again), [13]);
    }
}

#[test]
fn a_log_that_is_gone_behind_its_checkpoint_is_said() {
    let world = written();
    world.open().0.checkpoint(b"one to twelve", None).unwrap();
    for name in World::files(&world.wal) {
        world.wal.take(&name);
    }
    let (mut state, restored) = world.open();
    let behind = PrivateStateProblem::WalBehind { wal_sequence: 0, checkpoint_sequence: 12 };
    assert_eq!(restored.report, [behind]);
    assert_eq!(restored.snapshot.as_deref(), Some(&b"one to twelve"[..]));
    assert_eq!(restored.next_sequence, 13);
    state.append(&[entry(13)]).unwrap();
    assert_eq!(sequences(&world.open_whole().1), [13]);
}

#[test]
fn a_record_of_a_newer_version_stops_the_start_and_changes_nothing() {
    let world = written();
    let name = "000000000099.wal";
    let (segment, body) = (99_u64.to_le_bytes(), [9_u8, 1, 2]);
    let length = 3_u32.to_le_bytes();
    let sum = crc32c::crc32c(&[&segment[..], &[0; 8], &length, &body].concat()).to_le_bytes();
    world.wal.put(name, &[&length[..], &sum, &body].concat());
    let before = World::files(&world.wal);
    let error = world.try_open().unwrap_err();
    assert!(matches!(error, PrivateStateError::Newer { version: 9, .. }), "{error}");
    assert_eq!(World::files(&world.wal), before);
}

#[test]
fn set_aside_files_are_bounded_in_number() {
    let world = World::new(1);
    for next in 1..=40 {
        let (mut state, restored) = world.open();
        assert_eq!(restored.next_sequence, next);
        state.append(&[entry(next)]).unwrap();
        state.checkpoint(b"x", None).unwrap();
        state.tidy().unwrap();
        let name =
            World::files(&world.wal).into_iter().rfind(|name| has_suffix(name, ".wal")).unwrap();
        let mut bytes = world.wal.content(&name).unwrap();
        bytes.extend([1; 50]);
        world.wal.put(&name, &bytes);
    }
    let (mut state, _) = world.open();
    state.tidy().unwrap();
    let asides = World::files(&world.wal).iter().filter(|name| has_suffix(name, ".torn")).count();
    assert!(asides <= 17, "{asides}");
}

#[test]
fn bytes_that_look_like_a_record_at_another_place_are_none() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=2)).unwrap();
    let copy = world.wal.content("000000000001.wal").unwrap();
    state.append(&[StoredEntry { data: copy, ..entry(3) }]).unwrap();
    state.append(&[entry(4)]).unwrap();
    let name = World::files(&world.wal).into_iter().next().unwrap();
    let at = world.wal.content(&name).unwrap().windows(2).rposition(|w| w == b"me").unwrap();
    world.wal.flip(&name, at, 1);
    let (_, restored) = world.open();
    assert!(restored.entries.len() >= 2, "{restored:?}");
    assert_eq!(restored.entries[..2], entries(1..=2));
}

#[test]
fn a_record_that_was_taken_out_of_the_middle_is_a_loss_and_no_torn_write() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    let name = "000000000001.wal";
    let mut ends = vec![0];
    for sequence in 1..=5 {
        state.append(&[entry(sequence)]).unwrap();
        ends.push(world.wal.content(name).unwrap().len());
    }
    assert_eq!(World::files(&world.wal), [name]);
    drop(state);
    let whole = world.wal.content(name).unwrap();
    // One entry with its mark, several, and a stretch that begins and ends anywhere.
    let cuts = [(0, 1), (1, 2), (3, 4), (1, 4), (0, 4)].map(|(from, to)| (ends[from], ends[to]));
    let anywhere = (1..40).map(|shift| (ends[2] + shift, ends[3] + 2 * shift));
    for (from, to) in cuts.into_iter().chain(anywhere) {
        let damaged = world.fork();
        let mut bytes = whole.clone();
        bytes.drain(from..to);
        damaged.wal.put(name, &bytes);
        let restored = check(&damaged, 5);
        let kept = restored.entries.len() as u64;
        let (after, entries) = lost(&restored).unwrap_or_else(|| {
            panic!("{from}..{to} taken out: {:?}", restored.report);
        });
        assert_eq!((after, after + entries), (kept, 5), "{from}..{to} taken out");
        assert_eq!(restored.next_sequence, 6, "no number is used again");
        let kinds = kinds(&restored.report);
        assert!(!kinds.contains(&"torn_tail"), "{from}..{to} taken out: {kinds:?}");
    }
}
