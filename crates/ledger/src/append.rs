//! The answers to an append: where it stands, or why it failed.

use std::sync::Arc;

use abide_domain::Timestamp;

/// Where a submitted batch stands in the ledger, durably.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppendReceipt {
    /// The number of its first event.
    pub first_seq: u64,
    /// The number of its last event.
    pub last_seq: u64,
    /// The world's tick at which it was committed.
    pub tick: u64,
    /// The time at which it was committed.
    pub timestamp: Timestamp,
}

/// Says why drafts are not in the ledger.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// There was nothing to append.
    #[error("an append needs at least one event")]
    Empty,
    /// An event could not be encoded.
    #[error("the data of `{kind}` cannot be encoded")]
    Encode {
        /// Its kind.
        kind: &'static str,
        /// Why.
        source: Arc<serde_json::Error>,
    },
    /// An event is longer than a line may be.
    #[error("a `{kind}` event of {bytes} bytes is too long: a line holds at most {max} bytes")]
    LineTooLong {
        /// Its kind.
        kind: &'static str,
        /// Its length.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// The drafts of one append do not fit the write queue together.
    #[error(
        "an append of {bytes} bytes does not fit the write queue of {max} bytes: append fewer events at once"
    )]
    BatchTooLarge {
        /// Their length.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// The disk refuses writes at present; nothing was written. It may be tried again.
    #[error("the ledger cannot be written at present: {reason}")]
    Degraded {
        /// Why.
        reason: Arc<str>,
    },
    /// A sync failed: what was written since may or may not be on the disk, and nothing more will be written.
    #[error("the ledger takes no appends until a restart: {reason}")]
    Poisoned {
        /// Why.
        reason: Arc<str>,
    },
    /// The ledger was closed.
    #[error("the ledger is closed")]
    Closed,
}
