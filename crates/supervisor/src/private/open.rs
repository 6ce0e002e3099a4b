//! Opens a private state: the newest checkpoint that verifies, the entries behind it, and the account of what is missing.
//!
//! Damage is decided on once: what does not count is copied aside, then one record in the log says so. A crash before
//! that record finds everything as it was.

use crate::{
    checkpoint::{Checkpoints, Loaded},
    wal::{Found, HeldThrough, Resume, Taken},
};

use super::{
    PrivateState, PrivateStateError, PrivateStateFolders, PrivateStateOptions, PrivateStateProblem,
    Restored,
};

impl PrivateState {
    /// Opens the state in two folders. An agent that never had one begins empty and without a report.
    pub fn open(
        folders: PrivateStateFolders,
        options: PrivateStateOptions,
    ) -> Result<(Self, Restored), PrivateStateError> {
        let (storage, limits) = (folders.checkpoints.clone(), options.limits);
        let agent = options.agent.as_str();
        let (mut checkpoints, mut report) =
            Checkpoints::open(storage, agent, limits.checkpoint_bytes_max)?;
        let loaded = checkpoints.load_newest(&mut report)?;
        let mut found = Found::read(folders.wal.clone(), held_by(loaded.as_ref()))?;
        if found.loses() || loaded.is_none() {
            found.raise_sequence(checkpoints.sequence_max());
        }
        let is_cold = is_cold(loaded.as_ref(), &checkpoints, &found);
        if is_cold {
            report.push(PrivateStateProblem::ColdStart {
                checkpoints: checkpoints.damaged() + checkpoints.asides(),
                through_sequence: found.sequence(),
            });
        }
        let mut resume = Resume::AsItStands;
        if found.needs_back() || is_cold && checkpoints.damaged() > 0 {
            resume = Resume::BehindDamage { all_lost: is_cold };
            report.extend(found.set_aside()?);
            checkpoints
                .set_aside_behind(found.through())
                .map_err(PrivateStateError::io("set damaged checkpoints aside"))?;
        }
        let Taken { mut wal, entries } = found.start(limits, resume)?;
        let next_sequence = wal.next_sequence();
        let (checkpoint, snapshot) = loaded.map(|l| (l.checkpoint, l.snapshot)).unzip();
        wal.carry(snapshot.as_ref().map_or(0, |snapshot| snapshot.len() as u64));
        let restored = Restored { checkpoint, snapshot, entries, next_sequence, report };
        Ok((Self { folders, options, run: None, wal, checkpoints }, restored))
    }
}

fn held_by(loaded: Option<&Loaded>) -> HeldThrough {
    loaded.map_or_else(HeldThrough::default, |Loaded { checkpoint, .. }| HeldThrough {
        position: checkpoint.wal_position,
        sequence: checkpoint.wal_sequence,
    })
}

/// Whether an agent that had a state begins without any. Said at every start until it has one again.
fn is_cold(loaded: Option<&Loaded>, checkpoints: &Checkpoints, found: &Found) -> bool {
    let is_empty = loaded.is_none() && found.through() == 0;
    let had_state =
        checkpoints.damaged() > 0 || checkpoints.asides() > 0 || found.loses() || found.says_lost();
    is_empty && had_state
}
