//! The private state of one agent: its WAL and its checkpoints as one thing that can be opened, fed and restored.
//!
//! It is a second truth beside the ledger and cannot be derived from it: whatever of it is lost is said, never passed over.
//! It knows nothing of processes, sockets or frames. Calls block on the disk: keep them off the runtime's threads.
//!
//! Reading order: the `limits`, what can go wrong (`problem`), this file, how a state is opened (`open`), how a person
//! goes back to an older checkpoint (`rollback`).

use std::{io, sync::Arc};

use abide_domain::{AgentId, Clock, IdSource};
use abide_ledger::storage::Storage;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    checkpoint::{CheckpointStamp, CheckpointWriteError, Checkpoints, Retention, StoredCheckpoint},
    wal::{CheckpointedThrough, Numbering, StoredEntry, Wal, WalAppendError, WalAppended},
};

mod limits;
mod open;
mod problem;
mod rollback;

pub use limits::PrivateStateLimits;
pub use problem::{PrivateStateError, PrivateStateProblem};
pub use rollback::RestoreError;

/// Where an agent's private state is on the disk: `agents/<id>/wal/` and `agents/<id>/checkpoints/`.
#[derive(Clone, Debug)]
pub struct PrivateStateFolders {
    /// The log.
    pub wal: Arc<dyn Storage>,
    /// The checkpoints.
    pub checkpoints: Arc<dyn Storage>,
}

/// Whose state it is, and what it may take.
#[derive(Clone, Debug)]
pub struct PrivateStateOptions {
    /// The agent. Checkpoints of another are not restored.
    pub agent: AgentId,
    /// Bounds.
    pub limits: PrivateStateLimits,
    /// When checkpoints are made, and how old they are.
    pub clock: Arc<dyn Clock>,
    /// Ids of checkpoints.
    pub ids: Arc<dyn IdSource>,
}

/// The private state of one agent. One at a time may be open on the same folders.
#[derive(Debug)]
pub struct PrivateState {
    folders: PrivateStateFolders,
    options: PrivateStateOptions,
    run: Option<Uuid>,
    kept: Vec<Uuid>,
    wal: Wal,
    checkpoints: Checkpoints,
}

/// What an agent gets back at its start.
#[derive(Debug)]
pub struct RestoredState {
    /// The checkpoint that the state comes from.
    pub checkpoint: Option<StoredCheckpoint>,
    /// The state, byte for byte as it was handed in.
    pub snapshot: Option<Vec<u8>>,
    /// What was acknowledged since, in its order.
    pub entries: Vec<StoredEntry>,
    /// The sequence that the agent's next entry has.
    pub next_sequence: u64,
    /// What is wrong. Empty: everything acknowledged is here.
    pub report: Vec<PrivateStateProblem>,
}

/// The size of a state, for lists of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PrivateStateStatus {
    /// The last sequence on the disk.
    pub wal_sequence: u64,
    /// Entries after the newest checkpoint.
    pub wal_entries: u64,
    /// Bytes of the log.
    pub wal_bytes: u64,
    /// Bytes of all checkpoints.
    pub checkpoint_bytes: u64,
    /// Whether it is time to ask the agent for a checkpoint.
    pub wants_checkpoint: bool,
}

/// What tidying removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TidySummary {
    /// Checkpoints.
    pub checkpoints: Vec<StoredCheckpoint>,
    /// WAL segments.
    pub segments: u64,
}

impl PrivateState {
    /// Begins a run of the agent: its id goes into checkpoints, and its protocol says how it numbers entries.
    pub fn begin_run(&mut self, run: Uuid, numbering: Numbering) {
        self.run = Some(run);
        self.wal.begin_run(numbering);
    }

    /// Stores entries. When it returns they are on the disk, with one sync for all of them: hand in whatever has queued.
    pub fn append(&mut self, entries: &[StoredEntry]) -> Result<WalAppended, WalAppendError> {
        self.wal.append(entries)
    }

    /// Stores a state. When it returns the checkpoint may be acknowledged with its `bytes`. `wal_sequence` is the last
    /// entry whose effects the state holds; protocol 1 does not say, and holds all that was received before.
    ///
    /// Call [`tidy`](Self::tidy) afterwards.
    pub fn checkpoint(
        &mut self,
        snapshot: &[u8],
        wal_sequence: Option<u64>,
    ) -> Result<StoredCheckpoint, CheckpointWriteError> {
        let last = self.wal.sequence();
        let (sequence, position) = match wal_sequence {
            None => (last, self.wal.last()),
            Some(named) => match self.wal.position_of(named) {
                Some(position) => (named, position),
                None => return Err(CheckpointWriteError::UnknownSequence { named, last }),
            },
        };
        let behind = self.wal.bytes_behind(position);
        let (bytes, max) = (snapshot.len() as u64, self.options.limits.restore_bytes_max);
        if bytes + behind > max && bytes <= self.options.limits.checkpoint_bytes_max {
            return Err(CheckpointWriteError::Unrestorable { bytes, behind, max });
        }
        let created = self.options.clock.now();
        let id = self.options.ids.uuid(created);
        let stamp = CheckpointStamp { id, created, run: self.run, sequence, position };
        let checkpoint = self.checkpoints.create(stamp, snapshot)?;
        self.wal.advance_base(CheckpointedThrough { position, sequence });
        self.wal.set_snapshot_bytes(bytes);
        Ok(checkpoint)
    }

    /// From now on these checkpoints are not removed for their age.
    pub fn keep(&mut self, kept: Vec<Uuid>) {
        self.kept = kept;
    }

    /// Removes checkpoints that are past their time, and what of the log lies after the oldest that is left. Nothing that
    /// a restore from any kept checkpoint needs is touched.
    pub fn tidy(&mut self) -> io::Result<TidySummary> {
        let limits = &self.options.limits;
        let retention = Retention {
            now: self.options.clock.now(),
            keep_for: limits.keep_for,
            bytes_max: limits.disk_bytes_max.saturating_sub(self.wal.bytes()),
            kept: &self.kept,
        };
        // In this order, each durable before the next: a log must not be shorter than a checkpoint that is still there.
        let checkpoints = self.checkpoints.prune(&retention)?;
        let segments = match self.checkpoints.needless_through() {
            0 => 0,
            position => self.wal.remove_through(position)?,
        };
        Ok(TidySummary { checkpoints, segments })
    }

    /// The last sequence on the disk: the cumulative `wal_ack`.
    pub fn durable_sequence(&self) -> u64 {
        self.wal.sequence()
    }

    /// The size of the state.
    pub fn status(&self) -> PrivateStateStatus {
        PrivateStateStatus {
            wal_sequence: self.wal.sequence(),
            wal_entries: self.wal.uncheckpointed_entries(),
            wal_bytes: self.wal.bytes(),
            checkpoint_bytes: self.checkpoints.bytes(),
            wants_checkpoint: self.wal.wants_checkpoint(),
        }
    }
}
