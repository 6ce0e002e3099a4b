//! What is wrong with an agent's private state, in words for a person: a start that finds damage still starts, and says
//! what is lost.

use std::{fmt, io};

use serde::Serialize;

/// One thing that is wrong with a private state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PrivateStateProblem {
    /// A checkpoint does not verify; an older one was used, or none.
    CheckpointDamaged {
        /// Its file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A write was cut by a crash. As far as can be told nothing of it was acknowledged.
    TornTail {
        /// The segment.
        file: String,
        /// Where the bytes begin.
        offset: u64,
        /// How many.
        bytes: u64,
        /// Where a copy of them is.
        set_aside: String,
    },
    /// Bytes of the log are damaged. What that cost is said by [`EntriesLost`](Self::EntriesLost), if anything.
    WalDamaged {
        /// The segment.
        file: String,
        /// Where the bytes begin.
        offset: u64,
        /// How many.
        bytes: u64,
        /// Where a copy of them is.
        set_aside: String,
    },
    /// Acknowledged entries are damaged or missing, so that they and those after them cannot be used.
    EntriesLost {
        /// The last sequence that is restored.
        after_sequence: u64,
        /// How many acknowledged entries are lost to the agent.
        entries: u64,
        /// How many of them, and of others after them, are whole but follow on nothing.
        unusable: u64,
        /// Where a copy of those is.
        set_aside: Option<String>,
    },
    /// The log ends before the checkpoint does: entries after the checkpoint, if there were any, are gone.
    WalBehind {
        /// Where the log ends.
        wal_sequence: u64,
        /// Where the checkpoint does.
        checkpoint_sequence: u64,
    },
    /// The agent had a state, and begins without one.
    ColdStart {
        /// Checkpoint files that are there and do not verify.
        checkpoints: u64,
        /// The last sequence that the agent is known to have used.
        through_sequence: u64,
    },
    /// A checkpoint was restored by hand: what came after it does not count any more.
    LaterSetAside {
        /// Entries after it.
        entries: u64,
        /// Where a copy of them is.
        file: Option<String>,
        /// Later checkpoints, by their present names.
        checkpoints: Vec<String>,
    },
}

impl PrivateStateProblem {
    /// Whether acknowledged state is gone by it. What damage cost is said by a problem of its own.
    pub fn is_loss(&self) -> bool {
        matches!(self, Self::EntriesLost { .. } | Self::WalBehind { .. } | Self::ColdStart { .. })
    }
}

impl fmt::Display for PrivateStateProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CheckpointDamaged { file, reason } => {
                write!(f, "checkpoint {file} does not verify: {reason}")
            }
            Self::TornTail { file, offset, bytes, set_aside } => write!(
                f,
                "a write to {file} was cut by a crash: {bytes} bytes at {offset} that were not \
                 acknowledged do not count; a copy is in {set_aside}"
            ),
            Self::WalDamaged { file, offset, bytes, set_aside } => {
                write!(f, "{file} is damaged: {bytes} bytes at {offset}; a copy is in {set_aside}")
            }
            Self::EntriesLost { after_sequence, entries, unusable, set_aside } => {
                write!(
                    f,
                    "{entries} acknowledged entries after sequence {after_sequence} are lost"
                )?;
                match set_aside {
                    Some(file) => write!(f, "; {unusable} that are whole are in {file}"),
                    None => Ok(()),
                }
            }
            Self::WalBehind { wal_sequence, checkpoint_sequence } => write!(
                f,
                "the log ends at sequence {wal_sequence}, before the checkpoint at \
                 {checkpoint_sequence}: entries after it, if any, are lost"
            ),
            Self::ColdStart { checkpoints, through_sequence } => write!(
                f,
                "cold start: nothing of the agent's state up to sequence {through_sequence} can be \
                 restored; {checkpoints} checkpoint files do not verify"
            ),
            Self::LaterSetAside { entries, file, checkpoints } => {
                write!(f, "{entries} later entries")?;
                if let Some(file) = file {
                    write!(f, " (copied to {file})")?;
                }
                write!(f, " and {} later checkpoints do not count any more", checkpoints.len())
            }
        }
    }
}

/// Says why an agent's private state cannot be opened. Nothing was lost by it; it can be tried again.
#[derive(Debug, thiserror::Error)]
pub enum PrivateStateError {
    /// The disk failed.
    #[error("cannot {doing}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the disk said.
        source: io::Error,
    },
    /// A file is whole and of a later format: going on without it would lose what it holds.
    #[error(
        "{file} was written by a newer version of abide (format {version}): upgrade abide to open it"
    )]
    Newer {
        /// The file.
        file: String,
        /// Its format.
        version: u64,
    },
}

impl PrivateStateError {
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}
