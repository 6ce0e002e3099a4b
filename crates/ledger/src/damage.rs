//! Errors about the content of the log: which file, which line, why.

use std::io;

use crate::line::LedgerLineError;

/// A damaged line of the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line} (byte {offset}, expected seq {seq}): {reason}")]
pub struct DamageError {
    /// The segment's file.
    pub file: String,
    /// The line in it, from 1.
    pub line: u64,
    /// The byte at which the line begins.
    pub offset: u64,
    /// The sequence number that was expected there.
    pub seq: u64,
    /// What is wrong with it.
    pub reason: LedgerLineError,
}

/// Says why the log cannot be read on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A file cannot be read.
    #[error("{file} cannot be read")]
    Io {
        /// The file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A line is damaged.
    #[error("the ledger is damaged: {0}")]
    Damaged(#[from] DamageError),
}

/// Says why a ledger cannot be opened. Nothing is changed on the disk then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The disk failed.
    #[error("the ledger cannot {action}")]
    Io {
        /// What could not be done.
        action: String,
        /// Why.
        source: io::Error,
    },
    /// The disk failed while the ledger was being recovered.
    #[error("the ledger cannot be recovered: {0}")]
    Failed(String),
    /// A line inside the log is damaged; what follows it cannot be trusted, and it cannot be skipped.
    #[error("the ledger is damaged: {0}; restore the segment from a copy")]
    Corrupt(DamageError),
    /// A segment is missing.
    #[error("the ledger's segment {file} is missing; restore it from a copy")]
    MissingSegment {
        /// Its file.
        file: String,
    },
    /// Words are being erased, and that was cut: the segments may not fit each other yet.
    #[error(
        "words are being erased from the ledger; the next start of the keeper, or `abide memory erase --resume`, finishes it"
    )]
    Erasing,
    /// What an erasure left could not be finished.
    #[error("an erasure that was cut cannot be finished")]
    Erasure(#[source] Box<crate::erase::EraseError>),
    /// The log does not pass through the position that was recorded beside it.
    #[error(
        "the ledger's {file} holds another batch where {side} recorded the end of one, at seq {recorded}: it is not \
         the file that the keeper wrote; restore {file} from a copy, or delete {side} to go on with it"
    )]
    Replaced {
        /// The number that was recorded.
        recorded: u64,
        /// The segment's file.
        file: String,
        /// The side file.
        side: String,
    },
    /// The log stands shorter than was recorded beside it: something acknowledged is missing from its end.
    #[error(
        "the ledger ends at seq {found}, but {side} recorded seq {recorded}: acknowledged events are missing \
         from seq {} on; restore {file} from a copy, or delete {side} to go on without them",
        found + 1
    )]
    Shorter {
        /// The last number that stands in the log.
        found: u64,
        /// The number that was recorded.
        recorded: u64,
        /// The segment's file.
        file: String,
        /// The side file.
        side: String,
    },
}

impl OpenError {
    /// Wraps an error of the disk.
    pub(crate) fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let action = action.into();
        move |source| Self::Io { action, source }
    }
}
