//! The checkpoints of one agent: its whole state at moments, as bytes that are never looked into.
//!
//! A checkpoint is on the disk, under its name and read back, before it is acknowledged; until then the ones before it
//! stand untouched. None is removed before two newer ones verify.
//!
//! Reading order: the `header` that a person can read with `head -1`, how one is written (`write`) and `read`, the
//! listing that works without a keeper, this store.

use std::{io, sync::Arc, time::Duration};

use abide_domain::Timestamp;
use abide_ledger::storage::Storage;
use uuid::Uuid;

use crate::private::{PrivateStateError, PrivateStateProblem};

mod header;
mod listing;
mod names;
mod read;
mod write;

pub use header::StoredCheckpoint;
pub use listing::{ListedCheckpoint, list_checkpoints, verify_checkpoint};
pub use write::{CheckpointStep, CheckpointWriteError};

pub(crate) use header::CheckpointStamp;
pub(crate) use read::CheckpointReadError;

use header::Header;

/// The checkpoints in a folder, oldest first.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    storage: Arc<dyn Storage>,
    agent: String,
    bytes_max: u64,
    files: Vec<CheckpointFile>,
    /// The highest number of a file so far, whatever became of it.
    number: u64,
    /// Files that were set aside.
    asides: u64,
}

/// A checkpoint file.
#[derive(Debug)]
struct CheckpointFile {
    number: u64,
    state: FileState,
}

#[derive(Debug)]
enum FileState {
    /// Its body was read and is as it was written.
    Verified(StoredCheckpoint),
    /// Its header is whole.
    Unchecked(StoredCheckpoint),
    /// It cannot be restored. What its header said, where that can be read.
    Damaged(Option<StoredCheckpoint>),
}

impl CheckpointFile {
    fn checkpoint(&self) -> Option<&StoredCheckpoint> {
        match &self.state {
            FileState::Verified(checkpoint) | FileState::Unchecked(checkpoint) => Some(checkpoint),
            FileState::Damaged(checkpoint) => checkpoint.as_ref(),
        }
    }

    fn is_verified(&self) -> bool {
        matches!(self.state, FileState::Verified(_))
    }
}

/// When checkpoints may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retention<'a> {
    pub(crate) now: Timestamp,
    pub(crate) keep_for: Duration,
    /// What checkpoints may take on the disk.
    pub(crate) bytes_max: u64,
    /// Those that no age takes away.
    pub(crate) kept: &'a [Uuid],
}

/// A checkpoint and the state in it.
#[derive(Debug)]
pub(crate) struct LoadedCheckpoint {
    pub(crate) checkpoint: StoredCheckpoint,
    pub(crate) snapshot: Vec<u8>,
}

impl Checkpoints {
    /// Reads the headers in a folder, and removes what an interrupted write left.
    pub(crate) fn open(
        storage: Arc<dyn Storage>,
        agent: &str,
        bytes_max: u64,
    ) -> Result<(Self, Vec<PrivateStateProblem>), PrivateStateError> {
        let files = storage.list().map_err(PrivateStateError::io("list the checkpoints"))?;
        let mut store = Self {
            storage,
            agent: agent.into(),
            bytes_max,
            files: Vec::new(),
            number: files.iter().filter_map(|name| names::number_of_any(name)).max().unwrap_or(0),
            asides: files.iter().filter(|name| names::is_aside(name)).count() as u64,
        };
        let mut report = Vec::new();
        let mut numbers: Vec<_> = files.iter().filter_map(|name| names::parse(name)).collect();
        numbers.sort_unstable();
        for number in numbers {
            let state = match read::header(&*store.storage, number, agent) {
                Ok(header) => FileState::Unchecked(header.into_checkpoint(number)),
                Err(error) => FileState::Damaged(damage(number, error, &mut report)?),
            };
            store.files.push(CheckpointFile { number, state });
        }
        for name in files.iter().filter(|name| names::is_temporary(name)) {
            store
                .storage
                .remove(name)
                .map_err(PrivateStateError::io("remove an unfinished checkpoint"))?;
        }
        // A name that is seen need not be on the disk yet, and the log is cut by what is seen.
        store
            .storage
            .sync_folder()
            .map_err(PrivateStateError::io("sync the checkpoints' folder"))?;
        Ok((store, report))
    }

    /// Loads the newest checkpoint that verifies.
    pub(crate) fn load_newest(
        &mut self,
        report: &mut Vec<PrivateStateProblem>,
    ) -> Result<Option<LoadedCheckpoint>, PrivateStateError> {
        for file in self.files.iter_mut().rev() {
            let FileState::Unchecked(checkpoint) = &file.state else { continue };
            match read::load(&*self.storage, file.number, &self.agent, self.bytes_max) {
                Ok((_, snapshot)) => {
                    let checkpoint = checkpoint.clone();
                    file.state = FileState::Verified(checkpoint.clone());
                    return Ok(Some(LoadedCheckpoint { checkpoint, snapshot }));
                }
                Err(error) => {
                    damage(file.number, error, report)?;
                    file.state = FileState::Damaged(Some(checkpoint.clone()));
                }
            }
        }
        Ok(None)
    }

    /// Loads a checkpoint by its id; `None` where there is none.
    pub(crate) fn load(&self, id: Uuid) -> Option<Result<LoadedCheckpoint, CheckpointReadError>> {
        let files = self.files.iter().rev();
        let checkpoint =
            files.filter_map(CheckpointFile::checkpoint).find(|checkpoint| checkpoint.id == id)?;
        let read = read::load(&*self.storage, checkpoint.number, &self.agent, self.bytes_max);
        Some(
            read.map(|(_, snapshot)| LoadedCheckpoint { checkpoint: checkpoint.clone(), snapshot }),
        )
    }

    /// Writes a checkpoint, durably.
    pub(crate) fn create(
        &mut self,
        stamp: CheckpointStamp,
        snapshot: &[u8],
    ) -> Result<StoredCheckpoint, CheckpointWriteError> {
        let bytes = snapshot.len() as u64;
        if bytes > self.bytes_max {
            return Err(CheckpointWriteError::TooLarge { bytes, max: self.bytes_max });
        }
        // A number is never used twice, also where the attempt fails: what is left of it must not be met again.
        self.number += 1;
        let header = Header::new(&self.agent, self.number, stamp, bytes);
        let header = write::create(&*self.storage, header, snapshot)?;
        let checkpoint = header.into_checkpoint(self.number);
        self.files.push(CheckpointFile {
            number: self.number,
            state: FileState::Verified(checkpoint.clone()),
        });
        Ok(checkpoint)
    }

    /// Takes checkpoints out of the list that hold more than the entries through `position` or cannot be read, renaming
    /// their files. Durable when it returns; says their new names.
    pub(crate) fn set_aside_behind(&mut self, position: u64) -> io::Result<Vec<String>> {
        self.set_aside(|file| file.checkpoint().is_none_or(|c| c.wal_position > position))
    }

    /// Takes checkpoints out of the list that are newer than a number.
    pub(crate) fn set_aside_newer(&mut self, number: u64) -> io::Result<Vec<String>> {
        self.set_aside(|file| file.number > number)
    }

    fn set_aside(&mut self, goes: impl Fn(&CheckpointFile) -> bool) -> io::Result<Vec<String>> {
        let files = self.storage.list()?;
        let mut numbers: Vec<_> = files.iter().filter_map(|name| names::parse(name)).collect();
        numbers.sort_unstable();
        let mut renamed = Vec::new();
        // Newest first: whatever is left after a crash is what an older restore would find.
        for number in numbers.into_iter().rev() {
            let index = self.files.iter().position(|file| file.number == number);
            // A file that is not in the list is what a failed attempt could not remove.
            let stays =
                index.and_then(|index| self.files.get(index)).is_some_and(|file| !goes(file));
            if stays {
                continue;
            }
            let aside = names::aside(number);
            self.storage.rename(&names::checkpoint(number), &aside)?;
            if let Some(index) = index {
                self.files.remove(index);
            }
            self.asides += 1;
            renamed.push(aside);
        }
        // Also where nothing was renamed: a failed attempt whose removal is not on the disk must not come back.
        self.storage.sync_folder()?;
        Ok(renamed)
    }

    /// Removes checkpoints that are old or take too much room, oldest first and never one of the two newest that verify.
    /// Says which went.
    pub(crate) fn prune(&mut self, retention: &Retention<'_>) -> io::Result<Vec<StoredCheckpoint>> {
        crate::wal::remove_oldest(&*self.storage, names::is_aside)?;
        self.asides = self.asides.min(crate::wal::ASIDES_MAX as u64);
        let mut gone = Vec::new();
        while let Some(index) = self.next_to_go(retention)
            && self.two_newer_verify(index)?
        {
            let Some(file) = self.files.get(index) else { break };
            self.storage.remove(&names::checkpoint(file.number))?;
            let file = self.files.remove(index);
            gone.extend(file.checkpoint().cloned());
        }
        if !gone.is_empty() {
            self.storage.sync_folder()?;
        }
        Ok(gone)
    }

    /// The oldest that may go; one that is kept only where there is no room and no other.
    fn next_to_go(&self, retention: &Retention<'_>) -> Option<usize> {
        let older = self.files.get(..self.files.len().checked_sub(2)?)?;
        let is_kept = |file: &CheckpointFile| {
            file.checkpoint().is_some_and(|checkpoint| retention.kept.contains(&checkpoint.id))
        };
        let is_full = self.bytes() > retention.bytes_max;
        let Some(index) = older.iter().position(|file| !is_kept(file)) else {
            return (is_full && !older.is_empty()).then_some(0);
        };
        let oldest = older.get(index)?;
        let is_useless = matches!(oldest.state, FileState::Damaged(_));
        let is_old = oldest
            .checkpoint()
            .is_some_and(|c| retention.now.since(c.created) > retention.keep_for);
        (is_useless || is_old || is_full).then_some(index)
    }

    /// Whether two checkpoints after this one verify, reading them where that is not known.
    fn two_newer_verify(&mut self, index: usize) -> io::Result<bool> {
        let mut verified = 0;
        for file in self.files.iter_mut().skip(index + 1).rev() {
            if let FileState::Unchecked(checkpoint) = &file.state {
                let checkpoint = checkpoint.clone();
                file.state = match read::verify_stored(&*self.storage, file.number, &self.agent) {
                    Ok(_) => FileState::Verified(checkpoint),
                    Err(CheckpointReadError::Io(error)) => return Err(error),
                    Err(_) => FileState::Damaged(Some(checkpoint)),
                };
            }
            verified += usize::from(file.is_verified());
            if verified == 2 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The position through which the WAL is not needed any more; 0 where all of it is.
    pub(crate) fn needless_through(&self) -> u64 {
        let verified = self.files.iter().filter(|file| file.is_verified()).count();
        if verified < 2 {
            return 0;
        }
        let positions =
            self.files.iter().filter_map(CheckpointFile::checkpoint).map(|c| c.wal_position);
        positions.min().unwrap_or(0)
    }

    /// Bytes on the disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.files
            .iter()
            .filter_map(CheckpointFile::checkpoint)
            .map(|checkpoint| checkpoint.bytes)
            .sum()
    }

    /// Files that do not verify.
    pub(crate) fn damaged(&self) -> u64 {
        let files = self.files.iter();
        files.filter(|file| matches!(file.state, FileState::Damaged(_))).count() as u64
    }

    /// Files that were set aside.
    pub(crate) fn asides(&self) -> u64 {
        self.asides
    }

    /// The highest WAL sequence that a header names, of a damaged one too.
    pub(crate) fn sequence_max(&self) -> u64 {
        let files = self.files.iter();
        files.filter_map(CheckpointFile::checkpoint).map(|c| c.wal_sequence).max().unwrap_or(0)
    }
}

/// Says that a checkpoint is damaged, or why that cannot be said.
fn damage(
    number: u64,
    error: CheckpointReadError,
    report: &mut Vec<PrivateStateProblem>,
) -> Result<Option<StoredCheckpoint>, PrivateStateError> {
    let file = names::checkpoint(number);
    match error {
        CheckpointReadError::Io(source) => {
            Err(PrivateStateError::Io { doing: "read a checkpoint", source })
        }
        CheckpointReadError::Newer { version } => Err(PrivateStateError::Newer { file, version }),
        CheckpointReadError::Damaged(reason) => {
            report.push(PrivateStateProblem::CheckpointDamaged { file, reason });
            Ok(None)
        }
    }
}
