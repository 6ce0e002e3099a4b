//! One life, cut at each of its operations in each way that a disk and a process can fail.
//!
//! After every cut: what was acknowledged is restored, nothing is doubled, no loss is claimed where none was, and life goes
//! on.

use crate::{
    wal_life::{Life, Step},
    wal_world::{World, rounds},
};

/// A life that meets everything: several segments, three checkpoints, removal of the first, a way back.
const LIFE: [Step; 21] = [
    Step::Append { fresh: 1, repeated: 0 },
    Step::Append { fresh: 7, repeated: 1 },
    Step::Checkpoint { lag: 2 },
    Step::Tidy,
    Step::Append { fresh: 9, repeated: 0 },
    Step::Kill,
    Step::Append { fresh: 2, repeated: 2 },
    Step::Checkpoint { lag: 0 },
    Step::Wait { hours: 25 },
    Step::Tidy,
    Step::Append { fresh: 5, repeated: 0 },
    Step::Checkpoint { lag: 3 },
    Step::Tidy,
    Step::Append { fresh: 6, repeated: 0 },
    Step::Checkpoint { lag: 1 },
    Step::PowerCut,
    Step::Append { fresh: 1, repeated: 0 },
    Step::GoBack { n: 1 },
    Step::Append { fresh: 2, repeated: 0 },
    Step::Checkpoint { lag: 0 },
    Step::Tidy,
];

fn operations() -> u64 {
    let mut life = Life::new(World::new(1));
    for step in LIFE {
        life.step(step).unwrap();
    }
    life.world.disk.operations()
}

/// Lives until the disk fails, or to the end.
fn live(life: &mut Life) {
    for step in LIFE {
        if life.step(step).is_err() {
            return;
        }
    }
}

#[test]
fn a_power_cut_at_any_operation_loses_nothing_that_was_acknowledged() {
    for n in 1..=operations() {
        for seed in 0..rounds(60) {
            let mut life = Life::new(World::new(seed));
            life.world.disk.fail_power_at(n);
            live(&mut life);
            life.recover(true);
            life.go_on();
        }
    }
}

#[test]
fn a_kill_at_any_operation_loses_nothing_that_was_acknowledged() {
    for n in 1..=operations() {
        let mut life = Life::new(World::new(n));
        life.world.disk.fail_power_at(n);
        live(&mut life);
        life.recover(false);
        life.go_on();
    }
}

#[test]
fn a_power_cut_soon_after_a_kill_loses_nothing_either() {
    // The kill leaves bytes in the page cache that the start takes for entries: it must bring them to the disk itself.
    for n in 1..=operations() {
        for seed in 0..rounds(30) {
            let mut life = Life::new(World::new(seed * 1_000 + n));
            life.world.disk.fail_power_at(n);
            live(&mut life);
            life.recover(false);
            life.recover(true);
            life.go_on();
        }
    }
}

#[test]
fn a_crash_while_a_crash_is_being_recovered_from_loses_nothing() {
    for n in 1..=operations() {
        for second in 1..=6 {
            let mut life = Life::new(World::new(n * 10 + second));
            life.world.disk.fail_power_at(n);
            live(&mut life);
            life.crash(true);
            life.world.disk.fail_power_at(second);
            drop(life.open());
            life.recover(true);
            life.go_on();
        }
    }
}

#[test]
fn a_failed_sync_acknowledges_nothing_and_what_it_left_in_memory_is_not_believed() {
    let mut syncs = 0;
    loop {
        syncs += 1;
        let mut life = Life::new(World::new(syncs));
        life.world.disk.fail_sync_at(syncs);
        let has_failed = LIFE.into_iter().any(|step| life.step(step).is_err());
        // The process lives on: it opens the state again, and then the power fails.
        if has_failed {
            life.recover(false);
        }
        life.recover(true);
        life.go_on();
        if syncs > 80 {
            assert!(!has_failed, "the life has fewer syncs than are cut");
            return;
        }
    }
}

#[test]
fn a_failed_write_at_any_operation_loses_nothing_that_was_acknowledged() {
    for n in 1..=operations() {
        for is_power_cut in [false, true] {
            let mut life = Life::new(World::new(n));
            life.world.disk.fail_write_at(n);
            live(&mut life);
            life.recover(is_power_cut);
            life.go_on();
        }
    }
}

/// Lives with so much room from one step on; where the disk breaks the state, a restart finds room again.
fn live_in_little_room(life: &mut Life, from: usize, room: u64, is_power_cut: bool) {
    for (position, step) in LIFE.into_iter().enumerate() {
        if position == from {
            let used = life.world.disk.used_bytes();
            life.world.disk.set_capacity(Some(used + room));
        }
        if life.step(step).is_err() {
            life.crash(is_power_cut);
            life.world.disk.set_capacity(None);
        }
    }
    life.world.disk.set_capacity(None);
}

#[test]
fn a_full_disk_at_any_step_refuses_and_life_goes_on_when_there_is_room() {
    for from in 0..LIFE.len() {
        for room in [0, 1, 20, 60, 150, 400, 900, 1_100, 2_000] {
            for is_power_cut in [false, true] {
                let mut life = Life::new(World::new(room + from as u64));
                live_in_little_room(&mut life, from, room, is_power_cut);
                life.recover(is_power_cut);
                life.go_on();
            }
        }
    }
}

#[test]
fn a_crash_between_checkpoint_and_removal_of_the_log_leaves_both_ways_open() {
    // Before, during and after the removal the two newest checkpoints must each lead to the same state.
    let before = [
        Step::Append { fresh: 9, repeated: 0 },
        Step::Checkpoint { lag: 1 },
        Step::Append { fresh: 9, repeated: 0 },
        Step::Checkpoint { lag: 1 },
        Step::Append { fresh: 9, repeated: 0 },
        Step::Wait { hours: 25 },
        Step::Checkpoint { lag: 4 },
    ];
    for n in 1..=12 {
        for (is_power_cut, seed) in [(false, 0), (true, 1), (true, 2), (true, 3)] {
            let mut life = Life::new(World::new(seed));
            for step in before {
                life.step(step).unwrap();
            }
            life.world.disk.fail_power_at(n);
            drop(life.step(Step::Tidy));
            life.crash(is_power_cut);
            let held = life.held.clone();
            assert!(life.verified().len() >= 2, "two are always kept");
            for damaged in 0..2 {
                let world = life.world.fork();
                if damaged == 1 {
                    let newest = World::files(&world.checkpoints).pop().unwrap();
                    world.checkpoints.flip(&newest, 1_400, 1);
                }
                let mut second = Life::new(world);
                second.held.clone_from(&held);
                let restored = second.open().unwrap();
                assert_eq!(restored.report.len(), damaged);
            }
        }
    }
}
