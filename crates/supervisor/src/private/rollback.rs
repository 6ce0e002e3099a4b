//! Goes back to a checkpoint because a person wants it: what came after it is put aside and does not count any more.

use std::io;

use uuid::Uuid;

use crate::{
    checkpoint::{Loaded, ReadError},
    wal::{Found, HeldThrough},
};

use super::{PrivateState, PrivateStateError, PrivateStateProblem, Restored};

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
    #[error("checkpoint {id} does not verify: {reason}")]
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
    #[error("cannot put aside what came after the checkpoint")]
    Disk(#[source] io::Error),
}

impl PrivateState {
    /// Restores a checkpoint as it is, without the entries after it. They are copied into a file, later checkpoints are
    /// renamed, and the report names both. Sequences go on: none is used twice. No process of the agent may run meanwhile.
    pub fn restore(&mut self, id: Uuid) -> Result<Restored, RestoreError> {
        let loaded = match self.checkpoints.load(id) {
            None => return Err(RestoreError::Unknown { id }),
            Some(Err(ReadError::Io(source))) => {
                return Err(PrivateStateError::Io { doing: "read the checkpoint", source }.into());
            }
            Some(Err(error)) => {
                return Err(RestoreError::Damaged { id, reason: error.to_string() });
            }
            Some(Ok(loaded)) => loaded,
        };
        let Loaded { checkpoint, snapshot } = loaded;
        let later = self.set_entries_aside(checkpoint.wal_position)?;
        let (file, entries) = later.map_or((None, 0), |(file, entries)| (Some(file), entries));
        // Until the log says so below, the state is what it was: the older checkpoint and all entries behind it.
        let moved = self.checkpoints.set_aside_newer(checkpoint.number);
        let checkpoints = moved.map_err(|error| self.abandoned(error))?;
        self.wal
            .go_back(checkpoint.wal_position, self.wal.sequence(), false)
            .map_err(RestoreError::Disk)?;
        self.wal.release(HeldThrough {
            position: checkpoint.wal_position,
            sequence: checkpoint.wal_sequence,
        });
        self.wal.carry(snapshot.len() as u64);
        let report = vec![PrivateStateProblem::LaterSetAside { entries, file, checkpoints }];
        Ok(Restored {
            checkpoint: Some(checkpoint),
            snapshot: Some(snapshot),
            entries: Vec::new(),
            next_sequence: self.wal.next_sequence(),
            report,
        })
    }

    fn set_entries_aside(&self, after: u64) -> Result<Option<(String, u64)>, RestoreError> {
        let storage = &self.folders.wal;
        let found = Found::read(storage.clone(), HeldThrough { position: after, sequence: 0 })?;
        let later = found.set_entries_aside(after).map_err(RestoreError::Disk)?;
        if later.is_some() {
            storage.sync_folder().map_err(RestoreError::Disk)?;
        }
        Ok(later)
    }

    fn abandoned(&mut self, error: io::Error) -> RestoreError {
        self.wal.abandon("rename later checkpoints", &error);
        RestoreError::Disk(error)
    }
}
