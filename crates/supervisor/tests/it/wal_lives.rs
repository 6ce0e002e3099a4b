//! Random lives against the naive model: whatever the order of appends, checkpoints, removals, ways back, crashes and
//! failures, the state is what was acknowledged.

use abide_supervisor::PrivateStateLimits;
use proptest::prelude::*;

use crate::{
    wal_life::{Life, Step},
    wal_world::{World, rounds},
};

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..9_u64, 0..4_u64).prop_map(|(fresh, repeated)| Step::Append { fresh, repeated }),
        3 => (0..9_usize).prop_map(|lag| Step::Checkpoint { lag }),
        2 => Just(Step::Tidy),
        1 => (1..20_u64).prop_map(|hours| Step::Wait { hours }),
        1 => (0..6_usize).prop_map(|n| Step::GoBack { n }),
        2 => Just(Step::Kill),
        2 => Just(Step::PowerCut),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    Power(u64),
    Sync(u64),
    Write(u64),
    Room(u64),
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        2 => Just(Fault::None),
        3 => (1..40_u64).prop_map(Fault::Power),
        1 => (1..20_u64).prop_map(Fault::Sync),
        1 => (1..40_u64).prop_map(Fault::Write),
        1 => (0..3_000_u64).prop_map(Fault::Room),
    ]
}

fn inject(life: &Life, fault: Fault) {
    let disk = &life.world.disk;
    match fault {
        Fault::None => {}
        Fault::Power(n) => disk.fail_power_at(n),
        Fault::Sync(n) => disk.fail_sync_at(n),
        Fault::Write(n) => disk.fail_write_at(n),
        Fault::Room(bytes) => disk.set_capacity(Some(disk.used_bytes() + bytes)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: u32::try_from(rounds(4_000)).unwrap(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_state_is_what_was_acknowledged(
        seed in any::<u64>(),
        segment_bytes_max in 60..2_000_u64,
        parts in proptest::collection::vec(
            (fault(), any::<bool>(), proptest::collection::vec(step(), 1..14)), 1..6),
    ) {
        let mut world = World::new(seed);
        world.options.limits = PrivateStateLimits { segment_bytes_max, ..PrivateStateLimits::default() };
        let mut life = Life::new(world);
        for (fault, is_power_cut, steps) in parts {
            inject(&life, fault);
            for step in steps {
                if life.step(step).is_err() {
                    break;
                }
            }
            life.world.disk.set_capacity(None);
            life.recover(is_power_cut);
        }
        life.go_on();
    }
}
