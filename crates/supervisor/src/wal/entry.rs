//! The entries of an agent, and the result of an append.

use std::io;

use crate::private::PrivateStateLimits;

use super::record;

/// Longest data of one entry, in bytes (a `wal_batch` frame is at most 2 MB).
pub const ENTRY_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Longest name of an operation, in bytes.
pub const OPERATION_BYTES_MAX: usize = 16 * 1024;
/// Longest batch that is written at once, in bytes.
pub const BATCH_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Highest sequence that an agent may use: numbers beyond have no successor to wait for.
pub const SEQUENCE_MAX: u64 = i64::MAX as u64;

/// One operation that an agent announced before doing it. All of it comes back verbatim, known operation or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    /// The agent's number for it.
    pub sequence: u64,
    /// The agent's time, as received.
    pub timestamp: i64,
    /// What is to be done.
    pub operation: String,
    /// Its parameters: bytes as received.
    pub data: Vec<u8>,
}

impl StoredEntry {
    pub(super) fn stored_bytes(&self) -> u64 {
        record::entry_bytes(&self.operation, &self.data)
    }

    pub(super) fn check_size(&self) -> Result<(), WalAppendError> {
        let parts = [
            ("operation", self.operation.len(), OPERATION_BYTES_MAX),
            ("data", self.data.len(), ENTRY_BYTES_MAX),
        ];
        match parts.into_iter().find(|(_, bytes, max)| bytes > max) {
            None => Ok(()),
            Some((part, bytes, max)) => {
                let (bytes, max) = (bytes as u64, max as u64);
                Err(WalAppendError::TooLarge { sequence: self.sequence, part, bytes, max })
            }
        }
    }
}

/// How an agent numbers its entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// Protocol 3: from 1, going on over restarts with the number that the keeper sent.
    #[default]
    Continued,
    /// Protocols 1 and 2: each run begins with whatever it likes. What such a run sends first is always taken, so that
    /// a run that counts from 1 again is not mistaken for one that repeats itself.
    AsItStarts,
}

/// What an append did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalAppended {
    /// Everything through this sequence is on the disk: the cumulative `wal_ack`.
    pub durable: u64,
    /// Entries that were stored.
    pub stored: u64,
    /// Entries that had been stored before, and were dropped.
    pub replayed: u64,
    /// Whether it is time to ask the agent for a checkpoint.
    pub wants_checkpoint: bool,
}

/// Says why entries were not, or not all, stored.
#[derive(Debug, thiserror::Error)]
pub enum WalAppendError {
    /// A number was left out. Entries of the same batch before the gap are stored, so everything below `expected` is
    /// on the disk.
    #[error("sequence {got} came where {expected} was expected")]
    SequenceGap {
        /// The number that is waited for.
        expected: u64,
        /// The number that came.
        got: u64,
    },
    /// The log holds as much as it may since the last checkpoint; nothing was stored. A checkpoint makes room.
    #[error(
        "the log is full: {entries} entries, {bytes} bytes since the last checkpoint; a checkpoint makes room"
    )]
    Full {
        /// Entries since the last checkpoint.
        entries: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// An entry or the batch is too large; nothing was stored.
    #[error("the {part} of sequence {sequence} has {bytes} bytes, and at most {max} are allowed")]
    TooLarge {
        /// The entry, or the first of the batch.
        sequence: u64,
        /// What is too large: `operation`, `data` or `batch`.
        part: &'static str,
        /// Its size.
        bytes: u64,
        /// The limit.
        max: u64,
    },
    /// A sequence beyond [`SEQUENCE_MAX`]; nothing was stored.
    #[error("sequence {got} is too large: no sequence can follow it")]
    SequenceRange {
        /// The number that came.
        got: u64,
    },
    /// The disk is full; nothing was stored, and the same entries may be sent again.
    #[error("the disk is full: the log cannot grow")]
    DiskFull(#[source] io::Error),
    /// A write or sync failed, now or earlier: what is on the disk is known only after the state was opened again.
    #[error("the log accepts no entries until it is opened again: {reason}")]
    Broken {
        /// What failed first.
        reason: String,
    },
}

impl WalAppendError {
    /// The code of the `error` frame.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::SequenceGap { .. } => "SEQUENCE_GAP",
            Self::Full { .. } | Self::DiskFull(_) => "WAL_FULL",
            Self::TooLarge { .. } => "TOO_LARGE",
            Self::SequenceRange { .. } => "INVALID_MESSAGE",
            Self::Broken { .. } => "NOT_READY",
        }
    }
}

/// What of a batch is new.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AcceptedBatch<'a> {
    pub(super) fresh: Vec<&'a StoredEntry>,
    pub(super) replayed: u64,
    /// The number that was expected and the one that came instead.
    pub(super) gap: Option<(u64, u64)>,
}

/// Sorts a batch into fresh and replayed entries, up to the first gap. `expected` is `None` where any number may come.
pub(super) fn accept(entries: &[StoredEntry], expected: Option<u64>) -> AcceptedBatch<'_> {
    let mut accepted = AcceptedBatch { fresh: Vec::new(), replayed: 0, gap: None };
    let mut expected = expected;
    for entry in entries {
        let next = expected.unwrap_or(entry.sequence);
        if entry.sequence > next {
            accepted.gap = Some((next, entry.sequence));
            break;
        }
        if entry.sequence < next {
            accepted.replayed += 1;
        } else {
            accepted.fresh.push(entry);
            expected = Some(next.saturating_add(1));
        }
    }
    accepted
}

/// Refuses what no batch may hold.
pub(super) fn check_batch(entries: &[StoredEntry]) -> Result<(), WalAppendError> {
    for entry in entries {
        entry.check_size()?;
        if entry.sequence > SEQUENCE_MAX {
            return Err(WalAppendError::SequenceRange { got: entry.sequence });
        }
    }
    let bytes: u64 = entries.iter().map(StoredEntry::stored_bytes).sum();
    match entries.first() {
        Some(first) if bytes > BATCH_BYTES_MAX => {
            let (sequence, max) = (first.sequence, BATCH_BYTES_MAX);
            Err(WalAppendError::TooLarge { sequence, part: "batch", bytes, max })
        }
        _ => Ok(()),
    }
}

/// What comes after the newest checkpoint, and how much may.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalRoom {
    pub(super) entries: u64,
    pub(super) bytes: u64,
    pub(super) bytes_max: u64,
}

impl WalRoom {
    /// Whether `more` fits beside it.
    pub(super) fn check(
        self,
        limits: &PrivateStateLimits,
        more: &[&StoredEntry],
    ) -> Result<(), WalAppendError> {
        let Self { entries, bytes, bytes_max } = self;
        let more_bytes: u64 = more.iter().map(|entry| entry.stored_bytes()).sum();
        let fits = entries + more.len() as u64 <= limits.wal_entries_max
            && bytes + more_bytes <= bytes_max;
        if fits || more.is_empty() { Ok(()) } else { Err(WalAppendError::Full { entries, bytes }) }
    }
}

#[cfg(test)]
mod tests {
    use super::{AcceptedBatch, StoredEntry, accept};

    fn entry(sequence: u64) -> StoredEntry {
        StoredEntry { sequence, timestamp: 0, operation: "x".into(), data: Vec::new() }
    }

    /// Fresh sequences, the number of replayed ones, the gap.
    type Shape<'a> = (&'a [u64], u64, Option<(u64, u64)>);

    fn shape(accepted: &AcceptedBatch<'_>) -> (Vec<u64>, u64, Option<(u64, u64)>) {
        let fresh = accepted.fresh.iter().map(|entry| entry.sequence).collect();
        (fresh, accepted.replayed, accepted.gap)
    }

    #[test]
    fn replayed_entries_are_dropped_and_gaps_found_also_inside_a_batch() {
        let cases: [(&[u64], Option<u64>, Shape<'_>); 8] = [
            (&[], Some(1), (&[], 0, None)),
            (&[1, 2, 3], Some(1), (&[1, 2, 3], 0, None)),
            (&[1, 2, 3], Some(3), (&[3], 2, None)),
            (&[1, 2], Some(9), (&[], 2, None)),
            (&[3, 4, 6, 7], Some(3), (&[3, 4], 0, Some((5, 6)))),
            (&[3, 4, 4, 3, 5], Some(3), (&[3, 4, 5], 2, None)),
            (&[9], Some(3), (&[], 0, Some((3, 9)))),
            (&[700, 701, 703], None, (&[700, 701], 0, Some((702, 703)))),
        ];
        for (sequences, expected, (fresh, replayed, gap)) in cases {
            let entries: Vec<_> = sequences.iter().map(|sequence| entry(*sequence)).collect();
            let accepted = accept(&entries, expected);
            assert_eq!(shape(&accepted), (fresh.to_vec(), replayed, gap), "{sequences:?}");
        }
    }
}
