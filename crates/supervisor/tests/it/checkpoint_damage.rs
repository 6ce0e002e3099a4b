//! Damage to checkpoints: each byte of each file, and everything at once. Never an empty start that is not announced.

use std::sync::Arc;

use abide_supervisor::{PrivateState, PrivateStateProblem, RestoredState};

use crate::wal_world::{BadSector, World, entries, entry, kinds, sequences};

/// Checkpoints through 4 and 8 with entries through 10; the log behind the first is gone.
fn written() -> World {
    written_on(1)
}

fn written_on(seed: u64) -> World {
    let world = World::new(seed);
    let (mut state, _) = world.open();
    for sequence in 1..=10 {
        state.append(&[entry(sequence)]).unwrap();
        if sequence % 4 == 0 {
            state.checkpoint(format!("through {sequence}").as_bytes(), None).unwrap();
            state.tidy().unwrap();
        }
    }
    assert!(!World::files(&world.wal).contains(&"000000000001.wal".into()));
    world
}

fn state_of(restored: &RestoredState) -> (Option<&str>, Vec<u64>) {
    let snapshot = restored.snapshot.as_deref().map(|bytes| str::from_utf8(bytes).unwrap());
    (snapshot, sequences(restored))
}

#[test]
fn a_flipped_bit_or_cut_anywhere_in_the_newest_falls_back_on_the_one_before() {
    let world = written();
    let name = "000000000002.ckpt";
    let length = world.checkpoints.content(name).unwrap().len();
    for at in 0..length {
        let damage: [&dyn Fn(&World); 2] =
            [&|world| world.checkpoints.flip(name, at, 0x04), &|world| {
                world.checkpoints.cut(name, at);
            }];
        for damage in damage {
            let damaged = world.fork();
            damage(&damaged);
            let (_, restored) = damaged.open();
            assert_eq!(kinds(&restored.report), ["checkpoint_damaged"], "byte {at}");
            assert_eq!(state_of(&restored), (Some("through 4"), (5..=10).collect()));
            assert_eq!(restored.next_sequence, 11);
        }
    }
}

#[test]
fn damage_to_an_older_one_costs_nothing_now() {
    let world = written();
    for at in [10, 1023, 1024, 1040] {
        let damaged = world.fork();
        damaged.checkpoints.flip("000000000001.ckpt", at, 1);
        let (_, restored) = damaged.open();
        assert_eq!(state_of(&restored), (Some("through 8"), vec![9, 10]));
    }
}

#[test]
fn checkpoints_that_are_missing_are_fallen_back_behind_as_well() {
    let world = written();
    world.checkpoints.take("000000000002.ckpt");
    let (_, restored) = world.open();
    assert_eq!(state_of(&restored), (Some("through 4"), (5..=10).collect()));
}

#[test]
fn when_none_verifies_but_the_log_is_whole_nothing_is_lost() {
    let world = World::new(1);
    let (mut state, _) = world.open();
    state.append(&entries(1..=6)).unwrap();
    state.checkpoint(b"through 6", None).unwrap();
    state.tidy().unwrap();
    state.append(&[entry(7)]).unwrap();
    world.checkpoints.flip("000000000001.ckpt", 1030, 1);
    let (_, restored) = world.open();
    assert_eq!(kinds(&restored.report), ["checkpoint_damaged"]);
    assert_eq!(state_of(&restored), (None, (1..=7).collect()));
}

/// Ways to lose everything.
fn ruins(seed: u64) -> Vec<World> {
    let ruin = |ruin: &dyn Fn(&World)| {
        let world = written_on(seed);
        ruin(&world);
        world
    };
    let all = |world: &World, at: usize| {
        for name in World::files(&world.checkpoints) {
            world.checkpoints.flip(&name, at, 1);
        }
    };
    vec![
        ruin(&|world| all(world, 1030)),
        ruin(&|world| all(world, 30)),
        ruin(&|world| {
            for name in World::files(&world.checkpoints) {
                world.checkpoints.take(&name);
            }
        }),
        ruin(&|world| {
            all(world, 30);
            for name in World::files(&world.wal) {
                world.wal.take(&name);
            }
        }),
        ruin(&|world| {
            all(world, 1030);
            for name in World::files(&world.wal) {
                world.wal.put(&name, &[]);
            }
        }),
    ]
}

#[test]
fn a_cold_start_is_announced_until_there_is_a_state_again() {
    for world in ruins(1) {
        let (_, restored) = world.open();
        assert_eq!(state_of(&restored), (None, vec![]));
        let cold = restored.report.iter().find_map(|trouble| match trouble {
            PrivateStateProblem::ColdStart { through_sequence, .. } => Some(*through_sequence),
            _ => None,
        });
        assert_eq!(cold, Some(restored.next_sequence - 1), "{:?}", restored.report);
        // The keeper died before it could tell anybody.
        world.disk.power_cycle();
        let (mut state, again) = world.open();
        assert_eq!(kinds(&again.report), ["cold_start"]);
        let next = again.next_sequence;
        assert_eq!(next, restored.next_sequence);
        state.append(&[entry(next)]).unwrap();
        state.checkpoint(b"new", None).unwrap();
        state.append(&[entry(next + 1)]).unwrap();
        state.tidy().unwrap();
        let (_, restored) = world.open_whole();
        assert_eq!(state_of(&restored), (Some("new"), vec![next + 1]));
    }
}

#[test]
fn a_crash_anywhere_in_a_cold_start_leaves_it_announced() {
    for seed in 0..3 {
        for (index, world) in ruins(seed).into_iter().enumerate() {
            for (n, is_power_cut) in (1..=14).flat_map(|n| [(n, false), (n, true)]) {
                let world = world.fork();
                world.disk.fail_power_at(n);
                drop(world.try_open());
                if is_power_cut {
                    world.disk.power_cycle();
                } else {
                    world.disk.kill();
                }
                let (_, restored) = world.open();
                let is_said = kinds(&restored.report).contains(&"cold_start");
                assert!(is_said, "ruin {index}, operation {n}: {:?}", restored.report);
            }
        }
    }
}

#[test]
fn a_new_agent_begins_without_a_report() {
    let world = World::new(1);
    let (_, restored) = world.open_whole();
    assert_eq!((state_of(&restored), restored.next_sequence), ((None, vec![]), 1));
    let (_, restored) = world.open_whole();
    assert_eq!(restored.next_sequence, 1);
}

#[test]
fn a_damaged_sector_is_fallen_back_behind_but_an_unreadable_disk_stops_the_start() {
    let world = written();
    for (code, opens) in [(5, true), (24, false), (13, false)] {
        let mut folders = world.fork().folders();
        folders.checkpoints =
            Arc::new(BadSector { folder: folders.checkpoints, file: "000000000002.ckpt", code });
        let opened = PrivateState::open(folders, world.options.clone());
        match opened {
            Ok((_, restored)) => {
                assert!(opens);
                assert_eq!(state_of(&restored), (Some("through 4"), (5..=10).collect()));
            }
            Err(error) => assert!(!opens, "{error}"),
        }
    }
}
