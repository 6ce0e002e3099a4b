//! What the ledger knows of servers: why it cannot be read, and when it is written again where it could not be.

use std::time::Duration;

use abide_ledger::{EntryError, ReadError};

/// How long it is before what could not be recorded is tried again.
pub(super) const RECORD_AGAIN: Duration = Duration::from_secs(30);

/// Says that what is recorded of servers cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum McpRecordsError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] ReadError),
    /// A line is not understood.
    #[error(transparent)]
    Line(#[from] EntryError),
}
