//! What can go wrong with the files, and what is said when one was mended.

use std::{io, path::PathBuf};

use abide_domain::EntityName;

/// Why a log could not be read, or not be brought up to date. Its entries stand in the ledger nonetheless.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdoutError {
    /// The disk refused.
    #[error("the log {} could not be {doing}", path.display())]
    Io {
        /// The file or the folder.
        path: PathBuf,
        /// `read`, `written`, `cut`, `listed` or `set aside`.
        doing: &'static str,
        /// The error of the file system.
        source: io::Error,
    },
    /// Another program changed it while this one had it in use.
    #[error(
        "the log {} was changed or removed by another program and is not made again yet",
        path.display()
    )]
    Changed {
        /// The file of the log.
        path: PathBuf,
    },
    /// The ledger could not be read for a file that must be made again.
    #[error("the log of {entity} could not be made again from the ledger: {problem}")]
    Source {
        /// Whose log it is.
        entity: EntityName,
        /// The error of the ledger.
        problem: String,
    },
    /// The disk could not be written for so long that entries are missing from the log.
    #[error("the log {} lacks entries because it could not be written; it is completed from the ledger once it can be", path.display())]
    Behind {
        /// The file of the log.
        path: PathBuf,
    },
}

/// Why a search has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SearchError<E> {
    /// The log could not be looked at.
    #[error(transparent)]
    Store(#[from] StdoutError),
    /// The condition could not be evaluated on an entry. That is not the same as false.
    #[error("the condition fails on the entry of tick {tick}: {source}")]
    Condition {
        /// The entry's tick.
        tick: u64,
        /// The error of the condition.
        source: E,
    },
}

/// Something about a file that a person may want to know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogFileError {
    /// Its end was unreadable (a write that a crash cut, as a rule) and is written again from the ledger.
    #[error("the log of {entity} ended in {bytes} bytes that are not an entry; they were cut off")]
    Cut {
        /// The entity of the log.
        entity: EntityName,
        /// How many bytes were cut off.
        bytes: u64,
    },
    /// It does not follow from this ledger: another one is written in its place.
    #[error("the log of {entity} {why}; it was set aside as {}", to.display())]
    SetAside {
        /// The entity of the log.
        entity: EntityName,
        /// Where it lies now.
        to: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It may not be what the ledger holds, or that could not be found out: its next use compares them.
    #[error(
        "the log of {entity} may not be what the ledger holds; its next use compares them, and makes it again where more differs than lines that cannot be read"
    )]
    Differs {
        /// The entity of the log.
        entity: EntityName,
    },
}
