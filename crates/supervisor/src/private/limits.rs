//! The bounds of one agent's private state.

use std::time::Duration;

use abide_wire::limits::FRAME_BYTES_MAX;

/// Bounds of a WAL and its checkpoints (decisions 26, 29, 30).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateStateLimits {
    /// Entries after the newest checkpoint; one more is refused.
    pub wal_entries_max: u64,
    /// Bytes after the newest checkpoint.
    pub wal_bytes_max: u64,
    /// Entries after the newest checkpoint at which the next one is asked for. Half of the bytes ask for it too.
    pub checkpoint_entries: u64,
    /// Size at which a WAL segment is closed.
    pub segment_bytes_max: u64,
    /// Largest state of an agent, uncompressed.
    pub checkpoint_bytes_max: u64,
    /// What a newest state and the entries after it may take together: a restore has to fit one frame (decision 26).
    pub restore_bytes_max: u64,
    /// How long a checkpoint is kept at least, while there is room.
    pub keep_for: Duration,
    /// What checkpoints and WAL together may take before checkpoints after the two newest go early.
    pub disk_bytes_max: u64,
}

impl Default for PrivateStateLimits {
    fn default() -> Self {
        Self {
            wal_entries_max: 100_000,
            wal_bytes_max: 256 * 1024 * 1024,
            checkpoint_entries: 10_000,
            segment_bytes_max: 8 * 1024 * 1024,
            checkpoint_bytes_max: 100 * 1024 * 1024,
            // What a frame holds, without what stands around state and entries.
            restore_bytes_max: FRAME_BYTES_MAX as u64 - 64 * 1024,
            keep_for: Duration::from_hours(24),
            disk_bytes_max: 4 * 1024 * 1024 * 1024,
        }
    }
}

impl PrivateStateLimits {
    /// What may stand after a state of that size.
    pub(crate) fn room_behind(&self, snapshot_bytes: u64) -> u64 {
        self.wal_bytes_max.min(self.restore_bytes_max.saturating_sub(snapshot_bytes))
    }

    /// Whether so much after the newest checkpoint is a reason to ask for the next.
    pub(crate) fn wants_checkpoint(&self, entries: u64, bytes: u64, snapshot_bytes: u64) -> bool {
        entries >= self.checkpoint_entries
            || entries >= self.wal_entries_max
            || bytes >= self.room_behind(snapshot_bytes) / 2
    }
}
