//! Snapshots of the folded state: caches beside the ledger, so that a start reads the newest that fits and the events after it.
//!
//! ```text
//! newest snapshot that fits ── events after it ──▶ state ──▶ the next snapshot
//! ```
//! A snapshot fits where the ledger has, at the same sequence, the end of a batch with the same chain value: it then follows from the
//! very same bytes. All can be deleted at any time; what cannot be used is set aside or removed and said, and the ledger is folded
//! from an older one or from its first event. The next snapshot is made from the last one and the events since, never from the state
//! that a keeper works with: nobody waits for a lock, and what is wrong in memory does not reach the disk.
//!
//! They hold words of the ledger: whoever erases words removes them all first ([`Snapshots::remove_all`]).

use std::{io, path::PathBuf, sync::Arc};

use abide_ledger::{
    EntryError, FileStorage, Ledger, ReadError, Storage,
    storage::{Access, check_room, read_up_to, replace_file},
};

use crate::state::{FoldError, State};

mod envelope;

pub use envelope::{SnapshotEncodeError, SnapshotPlace, SnapshotReadError};

/// Snapshots that are kept: should the newest be damaged, an older one shortens the start all the same.
const KEPT: usize = 3;
/// Events after which another one is due: about a tenth of a second of folding.
pub const SNAPSHOT_EVENTS: u64 = 32_768;
/// Bytes of a snapshot's file.
const FILE_BYTES_MAX: u64 = 4 << 30;
/// Ends of file names.
const SNAPSHOT: &str = ".snapshot";
const SET_ASIDE: &str = ".set-aside";
const TEMPORARY: &str = ".tmp";

/// Why a snapshot could not be made. Nothing depends on it.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The disk refused.
    #[error("the folder of snapshots could not be used")]
    Disk(#[from] io::Error),
    /// The ledger could not be read.
    #[error("the ledger could not be read")]
    Read(#[from] ReadError),
    /// A line has no known form.
    #[error("an event of the ledger has no known form")]
    Entry(#[from] EntryError),
    /// An event does not fit the ones before it.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The state has no form.
    #[error(transparent)]
    Encode(#[from] SnapshotEncodeError),
}

/// The snapshots of one ledger, in a folder of their own. Blocks on the disk.
#[derive(Clone, Debug)]
pub struct Snapshots {
    storage: Arc<dyn Storage>,
    /// The folder on a disk of this machine, whose last room is the ledger's.
    folder: Option<PathBuf>,
}

impl Snapshots {
    /// Uses a folder of this machine, which is made if it is not there.
    pub fn in_folder(folder: PathBuf) -> io::Result<Self> {
        let storage = Arc::new(FileStorage::create(&folder)?);
        Ok(Self { storage, folder: Some(folder) })
    }

    /// Uses a storage of any kind.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage, folder: None }
    }

    /// The state of the newest snapshot that fits the ledger; none where there is none. What does not fit is told and set aside.
    pub fn newest(&self, ledger: &Ledger) -> Option<State> {
        let names = self.names().unwrap_or_else(|error| {
            tracing::warn!(event = "snapshots_unreadable", %error, "the snapshots could not be listed; the ledger is folded whole");
            Vec::new()
        });
        names.iter().rev().find_map(|(seq, name)| self.fitting(ledger, *seq, name))
    }

    /// The state of a snapshot, if it can be used.
    fn fitting(&self, ledger: &Ledger, seq: u64, name: &str) -> Option<State> {
        let read = self.read(name).map(|bytes| envelope::decode(&bytes));
        let (place, state) = match read {
            Ok(Ok(snapshot)) => snapshot,
            Ok(Err(SnapshotReadError::OtherFold)) => {
                tracing::info!(
                    event = "snapshot_of_other_version",
                    name,
                    "a snapshot is of another version of abide and is not used: this start reads more of the ledger"
                );
                return None;
            }
            Ok(Err(defect)) => {
                self.set_aside(seq, name, &defect.to_string());
                return None;
            }
            Err(error) => {
                tracing::warn!(event = "snapshot_unreadable", name, %error, "a snapshot could not be read");
                return None;
            }
        };
        match stands_at(ledger, &place) {
            Ok(true) => Some(state),
            Ok(false) => {
                self.set_aside(seq, name, "it does not follow from this ledger");
                None
            }
            Err(error) => {
                tracing::warn!(event = "snapshot_unchecked", name, %error, "the ledger could not be read where a snapshot ends");
                None
            }
        }
    }

    /// Makes the snapshot of the ledger as it is now, from the newest one and the events after it. Gives its sequence; none where there
    /// is nothing new.
    pub fn advance(&self, ledger: &Ledger) -> Result<Option<u64>, SnapshotError> {
        let head = ledger.head();
        let mut state = self.newest(ledger).unwrap_or_default();
        if head.seq <= state.seq {
            return Ok(None);
        }
        for record in ledger.records(state.seq + 1) {
            let record = record?;
            if record.seq() > head.seq {
                break;
            }
            state.apply(&record.entry()?)?;
        }
        self.write(&state, &SnapshotPlace { seq: head.seq, chain: head.chain })?;
        Ok(Some(head.seq))
    }

    /// Writes the snapshot of a state at its place, and removes those that are too many.
    pub fn write(&self, state: &State, place: &SnapshotPlace) -> Result<(), SnapshotError> {
        if let Some(folder) = &self.folder {
            check_room(folder).map_err(io::Error::from)?;
        }
        let bytes = envelope::encode(state, place)?;
        replace_file(&*self.storage, &format!("state-{:020}{SNAPSHOT}", place.seq), &bytes)?;
        let names = self.names()?;
        for (_, name) in names.iter().rev().skip(KEPT) {
            self.storage.remove(name)?;
        }
        // Writes that a crash cut.
        let names = self.storage.list()?;
        for name in names.iter().filter(|name| name.ends_with(TEMPORARY)) {
            self.storage.remove(name)?;
        }
        Ok(())
    }

    /// Removes all snapshots, also what was set aside: they hold words of the ledger.
    pub fn remove_all(&self) -> io::Result<()> {
        let names = match self.storage.list() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            names => names?,
        };
        names.iter().try_for_each(|name| self.storage.remove(name))?;
        self.storage.sync_folder()
    }

    /// Sequences and names of the snapshots, oldest first.
    fn names(&self) -> io::Result<Vec<(u64, String)>> {
        let names = self.storage.list()?.into_iter();
        let snapshot = |name: String| {
            let seq = name.strip_prefix("state-")?.strip_suffix(SNAPSHOT)?.parse().ok()?;
            Some((seq, name))
        };
        let mut names: Vec<_> = names.filter_map(snapshot).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let file = self.storage.open(name, Access::Read)?;
        let size = file.size()?;
        if size > FILE_BYTES_MAX {
            return Err(io::Error::other("it is larger than a snapshot may be"));
        }
        read_up_to(&*file, 0, usize::try_from(size).unwrap_or(usize::MAX))
    }

    /// Puts a snapshot out of the way under one name: a person may look at the last such one, and no more are kept.
    fn set_aside(&self, seq: u64, name: &str, why: &str) {
        let to = format!("state{SET_ASIDE}");
        let moved = self.storage.rename(name, &to);
        tracing::warn!(
            event = "snapshot_set_aside",
            seq,
            why,
            is_moved = moved.is_ok(),
            "a snapshot cannot be used and was set aside as {to}; the ledger is read from an older one, or from its beginning"
        );
    }
}

/// Why a snapshot of a state would not read as that state, which is a defect: so it must be, whatever the state holds.
pub(crate) fn unlike_itself(state: &State) -> Option<String> {
    let place = SnapshotPlace { seq: state.seq, chain: "0".repeat(64) };
    let bytes = match envelope::encode(state, &place) {
        Ok(bytes) => bytes,
        Err(error) => return Some(error.to_string()),
    };
    match envelope::decode(&bytes) {
        Ok((_, read)) if read == *state => None,
        Ok(_) => Some("it reads as another state".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// Whether the ledger has the end of a batch with that chain value there.
fn stands_at(ledger: &Ledger, place: &SnapshotPlace) -> Result<bool, ReadError> {
    if place.seq > ledger.head().seq {
        return Ok(false);
    }
    let record = ledger.records(place.seq).next().transpose()?;
    Ok(record.is_some_and(|record| {
        record.seq() == place.seq && record.chain() == Some(place.chain.as_str())
    }))
}
