//! Why words could not be erased.

use std::io;

use crate::{append::AppendError, line::LedgerLineError};

/// Why words could not be erased.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// The disk failed.
    #[error("the ledger cannot {action} to erase words in it")]
    Io {
        /// What could not be done.
        action: String,
        /// Why.
        source: io::Error,
    },
    /// A line is damaged: it was damaged before.
    #[error(
        "the ledger is damaged in {file} at byte {offset}: {reason}; nothing in this file was erased"
    )]
    Damaged {
        /// The segment's file.
        file: String,
        /// Where the line begins.
        offset: u64,
        /// What is wrong with it.
        reason: LedgerLineError,
    },
    /// A line could not be given a form without its words.
    #[error("the words of the line with seq {seq} cannot be removed: {reason}")]
    Unmasked {
        /// The line.
        seq: u64,
        /// Why.
        reason: String,
    },
    /// Another erasure is noted that cannot be read.
    #[error(
        "erasure.json in the ledger's folder cannot be read; restore it from a copy, or ask for help before you remove it"
    )]
    Note,
    /// The ledger takes no events.
    #[error("what was erased cannot be written down")]
    Append(#[from] AppendError),
}

impl EraseError {
    pub(crate) fn io(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let action = action.into();
        move |source| Self::Io { action, source }
    }
}
