//! Agents as processes that can die at any time and lose nothing.
//!
//! So far: the private state of one agent. Reading order: [`PrivateState`], which opens, feeds and restores it; the write-
//! ahead log below it (`wal`, from [`Entry`] on); the checkpoints (`checkpoint`).

mod private;

mod checkpoint;
mod wal;

pub use checkpoint::{
    Checkpoint, CheckpointError, Listed, Step, list_checkpoints, verify_checkpoint,
};
pub use private::{
    Folders, Limits, OpenError, Options, PrivateState, RestoreError, Restored, Standing, Tidied,
    Trouble,
};
pub use wal::{
    AppendError, Appended, BATCH_BYTES_MAX, ENTRY_BYTES_MAX, Entry, Numbering, OPERATION_BYTES_MAX,
    SEQUENCE_MAX,
};
