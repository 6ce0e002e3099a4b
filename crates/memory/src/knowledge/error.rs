//! Why an agent's knowledge could not be read or written.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why an agent's knowledge could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// The database returned an error.
    #[error("the knowledge database could not be {doing}")]
    Storage {
        /// What was tried: `opened`, `updated`, `searched`, `read`.
        doing: &'static str,
        /// The error of the database.
        source: rusqlite::Error,
    },
    /// A broken database could not be taken away to make room for a new one.
    #[error("the damaged knowledge database {} could not be removed; remove it by hand, and the next start builds it again", path.display())]
    Remove {
        /// The file that could not be removed.
        path: PathBuf,
        /// The error of the file system.
        source: std::io::Error,
    },
    /// An earlier batch failed and has not been handed in again: going on would leave it out for ever.
    #[error("the knowledge database lacks the events from {seq} on; apply those first")]
    Behind {
        /// The first event that is missing.
        seq: u64,
    },
    /// What searches need was given up while it was loaded; asking again loads it.
    #[error("the search indexes are not loaded; ask again")]
    NotLoaded,
    /// An event could not be staged or read back from the staging table.
    #[error("the staged event {seq} could not be stored or read back: {message}")]
    Staged {
        /// Its place in the ledger.
        seq: u64,
        /// What is wrong with it.
        message: String,
    },
}

impl KnowledgeError {
    /// Whether the database is damaged, so that only a rebuild helps; else (disk full, busy) a retry may.
    pub fn is_corrupt(&self) -> bool {
        match self {
            Self::Staged { .. } => true,
            Self::Remove { .. } | Self::Behind { .. } | Self::NotLoaded => false,
            Self::Storage { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ),
        }
    }

    /// Whether the disk alone is why: it is full, or cannot be written at all.
    pub fn is_full_disk(&self) -> bool {
        match self {
            Self::Storage { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::DiskFull | ErrorCode::ReadOnly | ErrorCode::CannotOpen)
            ),
            Self::Remove { source, .. } => source.kind() == std::io::ErrorKind::StorageFull,
            Self::Staged { .. } | Self::Behind { .. } | Self::NotLoaded => false,
        }
    }

    /// The error with its cause, in words.
    pub fn with_cause(&self) -> String {
        match std::error::Error::source(self) {
            Some(source) => format!("{self}: {source}"),
            None => self.to_string(),
        }
    }
}

/// Wraps an error of the database; `doing` is what was tried.
pub(super) fn storage(doing: &'static str) -> impl Fn(rusqlite::Error) -> KnowledgeError {
    move |source| KnowledgeError::Storage { doing, source }
}
