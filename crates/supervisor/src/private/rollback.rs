//! Goes back to a checkpoint because a person wants it: what came after it is set aside and does not count any more.

use std::io;

use uuid::Uuid;

use crate::{
    checkpoint::{CheckpointReadError, LoadedCheckpoint},
    wal::{CheckpointedThrough, ScannedWal},
};

use super::{PrivateState, PrivateStateError, PrivateStateProblem, RestoredState};

/// Says why a checkpoint was not restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// There is none of that id.
    #[error("there is no checkpoint {id}")]
    Unknown {
        /// The id.
        id: Uuid,
    },
    /// It does not verify. Nothing was changed.
    #[error("checkpoint {id} does not verify: {reason}; choose another one")]
    Damaged {
        /// The id.
        id: Uuid,
        /// What is wrong with it.
        reason: String,
    },
    /// The log or a file cannot be read. Nothing was changed.
    #[error(transparent)]
    Open(#[from] PrivateStateError),
    /// The disk failed on the way. Open the state again: it is as it was, or restored.
    #[error("cannot set aside what came after the checkpoint")]
    Disk(#[source] io::Error),
}

impl PrivateState {
    /// Restores a checkpoint as it is, without the entries after it. They are copied into a file, later checkpoints are
    /// renamed, and the report names both. Sequences go on: none is used twice. No process of the agent may run meanwhile.
    pub fn restore(&mut self, id: Uuid) -> Result<RestoredState, RestoreError> {
        let loaded = match self.checkpoints.load(id) {
            None => return Err(RestoreError::Unknown { id }),
            Some(Err(CheckpointReadError::Io(source))) => {
                return Err(PrivateStateError::Io { doing: "read the checkpoint", source }.into());
            }
            Some(Err(error)) => {
                return Err(RestoreError::Damaged { id, reason: error.to_string() });
            }
            Some(Ok(loaded)) => loaded,
        };
        let LoadedCheckpoint { checkpoint, snapshot } = loaded;
        let later = self.set_entries_aside(checkpoint.wal_position)?;
        let (file, entries) = later.map_or((None, 0), |(file, entries)| (Some(file), entries));
        // Until the log says so below, the state is what it was: the older checkpoint and all entries after it.
        let moved = self.checkpoints.set_aside_newer(checkpoint.number);
        let checkpoints = moved.map_err(|error| self.break_wal(error))?;
        self.wal
            .roll_back(checkpoint.wal_position, self.wal.sequence(), false)
            .map_err(RestoreError::Disk)?;
        self.wal.advance_base(CheckpointedThrough {
            position: checkpoint.wal_position,
            sequence: checkpoint.wal_sequence,
        });
        self.wal.set_snapshot_bytes(snapshot.len() as u64);
        let report = vec![PrivateStateProblem::LaterSetAside { entries, file, checkpoints }];
        Ok(RestoredState {
            checkpoint: Some(checkpoint),
            snapshot: Some(snapshot),
            entries: Vec::new(),
            next_sequence: self.wal.next_sequence(),
            report,
        })
    }

    fn set_entries_aside(&self, after: u64) -> Result<Option<(String, u64)>, RestoreError> {
        let storage = &self.folders.wal;
        let scanned = ScannedWal::read(
            storage.clone(),
            CheckpointedThrough { position: after, sequence: 0 },
        )?;
        let later = scanned.set_entries_aside(after).map_err(RestoreError::Disk)?;
        if later.is_some() {
            storage.sync_folder().map_err(RestoreError::Disk)?;
        }
        Ok(later)
    }

    fn break_wal(&mut self, error: io::Error) -> RestoreError {
        self.wal.mark_broken("rename later checkpoints", &error);
        RestoreError::Disk(error)
    }
}
