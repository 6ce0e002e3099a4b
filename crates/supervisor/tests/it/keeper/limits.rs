//! A restore has to fit one frame: a state and the entries behind it never grow beyond it.

use abide_supervisor::{CheckpointWriteError, PrivateStateLimits, WalAppendError};

use crate::wal_world::{World, entries};

fn world() -> World {
    let mut world = World::new(3);
    world.options.limits =
        PrivateStateLimits { restore_bytes_max: 2000, ..PrivateStateLimits::default() };
    world
}

#[test]
fn entries_are_refused_when_a_restore_could_not_hold_them_and_a_checkpoint_makes_room() {
    let world = world();
    let (mut state, _) = world.open();
    state.checkpoint(&[b'x'; 1000], Some(0)).unwrap();
    let mut next = 1;
    let mut asked_at = None;
    let full = loop {
        match state.append(&entries([next])) {
            Ok(appended) if appended.wants_checkpoint => {
                asked_at.get_or_insert(next);
            }
            Ok(_) => {}
            Err(error) => break error,
        }
        next += 1;
    };
    assert!(matches!(full, WalAppendError::Full { .. }), "{full:?}");
    assert!(asked_at.is_some_and(|at| at <= next / 2 + 1), "{asked_at:?} of {next}");
    drop(state);
    // The same holds after a start.
    let (mut state, restored) = world.open_whole();
    assert_eq!(restored.entries.len() as u64, next - 1);
    assert!(matches!(state.append(&entries([next])), Err(WalAppendError::Full { .. })));
    state.checkpoint(&[b'x'; 1000], Some(next - 1)).unwrap();
    state.append(&entries([next])).unwrap();
}

#[test]
fn a_checkpoint_that_would_not_fit_with_what_it_leaves_behind_is_refused() {
    let world = world();
    let (mut state, _) = world.open();
    state.append(&entries(1..=5)).unwrap();
    let error = state.checkpoint(&[b'x'; 1900], Some(0)).unwrap_err();
    assert!(matches!(error, CheckpointWriteError::Unrestorable { .. }), "{error:?}");
    assert_eq!(error.code(), "TOO_LARGE");
    state.checkpoint(&[b'x'; 1900], Some(5)).unwrap();
}
