//! Opens a private state: the newest checkpoint that verifies, the entries after it, and the account of what is missing.
//!
//! Damage is decided on once: what does not count is copied aside, then one record in the log says so. A crash before
//! that record finds everything as it was.

use crate::{
    checkpoint::{Checkpoints, LoadedCheckpoint},
    wal::{CheckpointedThrough, OpenedWal, ResumeMode, ScannedWal},
};

use super::{
    PrivateState, PrivateStateError, PrivateStateFolders, PrivateStateOptions, PrivateStateProblem,
    RestoredState,
};

impl PrivateState {
    /// Opens the state in two folders. An agent that never had one begins empty and without a report.
    pub fn open(
        folders: PrivateStateFolders,
        options: PrivateStateOptions,
    ) -> Result<(Self, RestoredState), PrivateStateError> {
        let (storage, limits) = (folders.checkpoints.clone(), options.limits);
        let agent = options.agent.as_str();
        let (mut checkpoints, mut report) =
            Checkpoints::open(storage, agent, limits.checkpoint_bytes_max)?;
        let loaded = checkpoints.load_newest(&mut report)?;
        let mut scanned = ScannedWal::read(folders.wal.clone(), base_of(loaded.as_ref()))?;
        if scanned.loses() || loaded.is_none() {
            scanned.raise_sequence(checkpoints.sequence_max());
        }
        let is_cold = is_cold(loaded.as_ref(), &checkpoints, &scanned);
        if is_cold {
            report.push(PrivateStateProblem::ColdStart {
                checkpoints: checkpoints.damaged() + checkpoints.asides(),
                through_sequence: scanned.sequence(),
            });
        }
        let mut resume = ResumeMode::AsItStands;
        if scanned.needs_rollback() || is_cold && checkpoints.damaged() > 0 {
            resume = ResumeMode::AfterDamage { all_lost: is_cold };
            report.extend(scanned.set_aside()?);
            checkpoints
                .set_aside_behind(scanned.through())
                .map_err(PrivateStateError::io("set damaged checkpoints aside"))?;
        }
        let OpenedWal { mut wal, entries } = scanned.start(limits, resume)?;
        let next_sequence = wal.next_sequence();
        let (checkpoint, snapshot) = loaded.map(|l| (l.checkpoint, l.snapshot)).unzip();
        wal.set_snapshot_bytes(snapshot.as_ref().map_or(0, |snapshot| snapshot.len() as u64));
        let restored = RestoredState { checkpoint, snapshot, entries, next_sequence, report };
        Ok((Self { folders, options, run: None, kept: Vec::new(), wal, checkpoints }, restored))
    }
}

fn base_of(loaded: Option<&LoadedCheckpoint>) -> CheckpointedThrough {
    loaded.map_or_else(CheckpointedThrough::default, |LoadedCheckpoint { checkpoint, .. }| {
        CheckpointedThrough { position: checkpoint.wal_position, sequence: checkpoint.wal_sequence }
    })
}

/// Whether an agent that had a state begins without any. Said at every start until it has one again.
fn is_cold(
    loaded: Option<&LoadedCheckpoint>,
    checkpoints: &Checkpoints,
    scanned: &ScannedWal,
) -> bool {
    let is_empty = loaded.is_none() && scanned.through() == 0;
    let had_state = checkpoints.damaged() > 0
        || checkpoints.asides() > 0
        || scanned.loses()
        || scanned.says_lost();
    is_empty && had_state
}
