//! The file that is written to: the end of the log.
//!
//! Writes one batch, syncs once. The file is kept filled ahead with newlines, so that most syncs need not record a new
//! length (measured: a sync takes a sixth to a third less time; `jq`, `grep` and `cat` do not mind blank lines at the end,
//! and they are cut off at seal and close). A failed sync is never followed by anything. A failed write is taken back
//! before the next one; where the disk does not let it be taken back at present, the log waits for that too.

use std::{io, ops::Range, sync::Arc};

use rustix::io::Errno;

use crate::{
    names,
    storage::{Access, Storage, StoredFile, read_up_to, to_usize},
    survey::LastSegment,
};

/// Says why a batch could not be written.
#[derive(Clone, Debug)]
pub(crate) enum WriteError {
    /// The disk refuses writes at present; the log is as before, and a later try may succeed.
    Temporary(Arc<str>),
    /// The disk failed in a way after which nobody knows what it holds: nothing more may be written.
    Fatal(Arc<str>),
}

impl WriteError {
    /// Classifies an error of a write, a creation or a truncation.
    pub(crate) fn of(action: &str, error: &io::Error) -> Self {
        let reason = format!("cannot {action}: {error}").into();
        if is_temporary(error) { Self::Temporary(reason) } else { Self::Fatal(reason) }
    }

    /// A failed sync: the pages may count as clean now although they are not on the disk.
    pub(crate) fn of_sync(error: &io::Error) -> Self {
        Self::Fatal(format!("a sync failed: {error}").into())
    }

    /// The reason, for people.
    pub(crate) fn reason(&self) -> &Arc<str> {
        match self {
            Self::Temporary(reason) | Self::Fatal(reason) => reason,
        }
    }
}

/// Whether an error says that the disk, or this process, refuses writes *at present*: it passes with time or a person's
/// help, and what is on the disk is as it was. All else (`EIO`, a file that vanished) says nothing about what the disk holds.
fn is_temporary(error: &io::Error) -> bool {
    use io::ErrorKind::{
        FileTooLarge, OutOfMemory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    // Too many open files have no kind of their own.
    let out_of_files = [Errno::MFILE, Errno::NFILE].map(|errno| Some(errno.raw_os_error()));
    out_of_files.contains(&error.raw_os_error())
        || matches!(
            error.kind(),
            StorageFull
                | QuotaExceeded
                | FileTooLarge
                | ReadOnlyFilesystem
                | PermissionDenied
                | OutOfMemory
        )
}

/// The open file of the active segment.
#[derive(Debug)]
pub(crate) struct ActiveFile {
    file: Box<dyn StoredFile>,
    pub(crate) number: u64,
    pub(crate) first_seq: u64,
    /// Bytes of durable batches.
    pub(crate) bytes: u64,
    /// The file's length; what lies between is newlines.
    padded: u64,
    pad_bytes: usize,
    /// Bytes of a failed write may stand behind the last batch.
    has_partial_write: bool,
}

impl ActiveFile {
    /// Creates the file of a new segment. Its name is durable when its first batch is ([`Self::write_first`]).
    pub(crate) fn create(
        storage: &dyn Storage,
        number: u64,
        first_seq: u64,
        pad_bytes: usize,
    ) -> Result<Self, WriteError> {
        let name = names::segment(number);
        let file = storage
            .open(&name, Access::Create)
            .map_err(|error| WriteError::of(&format!("create {name}"), &error))?;
        Ok(Self {
            file,
            number,
            first_seq,
            bytes: 0,
            padded: 0,
            pad_bytes,
            has_partial_write: false,
        })
    }

    /// Opens the last segment for writing, behind its last whole batch; torn bytes up to `torn_end` were set aside.
    ///
    /// After a crash, or a sync that failed, what is read may stand in the page cache alone, marked clean, and other
    /// bytes on the disk. So none of it is trusted: the last batch is written once more, byte for byte,
    /// newlines are written over the torn bytes even where they seem to be gone, and both are synced.
    pub(crate) fn reopen(
        storage: &dyn Storage,
        last: &LastSegment,
        torn_end: u64,
        pad_bytes: usize,
    ) -> Result<Self, WriteError> {
        let name = names::segment(last.number);
        let action = format!("open {name} for writing");
        let file =
            storage.open(&name, Access::Write).map_err(|error| WriteError::of(&action, &error))?;
        let length = to_usize(last.final_batch.end - last.final_batch.start);
        let batch = read_up_to(&*file, last.final_batch.start, length)
            .map_err(|error| WriteError::of("read the last batch", &error))?;
        file.write_at(&batch, last.final_batch.start)
            .map_err(|error| WriteError::of(&action, &error))?;
        let cleared = torn_end.max(last.bytes);
        fill(&*file, last.bytes..cleared)
            .map_err(|error| WriteError::of("clear a torn tail", &error))?;
        let mut padded = last.size.max(cleared);
        let pad_end = last.bytes + pad_bytes as u64;
        // Padding is written again too; without room for it the file is only shorter than it could be.
        if fill(&*file, cleared..pad_end).is_ok() {
            padded = padded.max(pad_end);
        }
        file.sync_all().map_err(|error| WriteError::of_sync(&error))?;
        storage.sync_folder().map_err(|error| WriteError::of_sync(&error))?;
        let LastSegment { number, first_seq, bytes, .. } = *last;
        Ok(Self { file, number, first_seq, bytes, padded, pad_bytes, has_partial_write: false })
    }

    /// Writes a batch and makes it durable.
    pub(crate) fn write(&mut self, batch: &[u8]) -> Result<(), WriteError> {
        self.write_and_pad(batch)?;
        self.file.sync_content().map_err(|error| WriteError::of_sync(&error))?;
        self.bytes += batch.len() as u64;
        Ok(())
    }

    /// Writes the first batch of a new segment, and makes it and the file's name durable.
    pub(crate) fn write_first(
        &mut self,
        storage: &dyn Storage,
        batch: &[u8],
    ) -> Result<(), WriteError> {
        self.write_and_pad(batch)?;
        self.file.sync_all().map_err(|error| WriteError::of_sync(&error))?;
        storage.sync_folder().map_err(|error| WriteError::of_sync(&error))?;
        self.bytes += batch.len() as u64;
        Ok(())
    }

    fn write_and_pad(&mut self, batch: &[u8]) -> Result<(), WriteError> {
        self.write_behind(batch)?;
        let end = self.bytes + batch.len() as u64;
        if end > self.padded {
            self.padded = end;
            self.pad(end, batch.len());
        }
        Ok(())
    }

    /// Fills the file ahead, unless the batch is so large that a new length costs little beside it. If it fails, the file
    /// is only shorter than it could be.
    fn pad(&mut self, end: u64, batch_bytes: usize) {
        let pad_end = end + self.pad_bytes as u64;
        if batch_bytes <= self.pad_bytes / 2 && fill(&*self.file, end..pad_end).is_ok() {
            self.padded = pad_end;
        }
    }

    /// Writes behind the last batch, or leaves the log as it stands.
    fn write_behind(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.undo_partial_write()?;
        let Err(error) = self.file.write_at(bytes, self.bytes) else { return Ok(()) };
        self.has_partial_write = true;
        let first = WriteError::of("write a batch", &error);
        match self.undo_partial_write() {
            // A disk that turned read-only refuses even a truncation. The next write tries it again, before all else.
            Ok(()) | Err(WriteError::Temporary(_)) => Err(first),
            Err(WriteError::Fatal(then)) => {
                Err(WriteError::Fatal(format!("{}; {then}", first.reason()).into()))
            }
        }
    }

    /// Cuts off what a failed write left behind the last batch, durably.
    fn undo_partial_write(&mut self) -> Result<(), WriteError> {
        if !self.has_partial_write {
            return Ok(());
        }
        let cut = self.file.set_size(self.bytes);
        cut.map_err(|error| WriteError::of("remove an unfinished batch", &error))?;
        self.padded = self.bytes;
        self.file.sync_all().map_err(|error| WriteError::of_sync(&error))?;
        self.has_partial_write = false;
        Ok(())
    }

    /// Tries whether the disk accepts writes again, with padding, which changes nothing.
    pub(crate) fn probe(&mut self) -> Result<(), WriteError> {
        const PROBE_BYTES: usize = 4096;
        self.write_behind(&[b'\n'; PROBE_BYTES])?;
        self.padded = self.padded.max(self.bytes + PROBE_BYTES as u64);
        self.file.sync_content().map_err(|error| WriteError::of_sync(&error))
    }

    /// Cuts the padding off, durably.
    pub(crate) fn trim(&mut self) -> Result<(), WriteError> {
        self.undo_partial_write()?;
        if self.padded > self.bytes {
            self.file
                .set_size(self.bytes)
                .map_err(|error| WriteError::of("cut padding", &error))?;
            self.padded = self.bytes;
        }
        self.file.sync_all().map_err(|error| WriteError::of_sync(&error))
    }
}

/// Fills a range of a file with newlines.
fn fill(file: &dyn StoredFile, range: Range<u64>) -> io::Result<()> {
    const PIECE_BYTES: u64 = 256 * 1024;
    let length = range.end.saturating_sub(range.start);
    let piece = vec![b'\n'; to_usize(length.min(PIECE_BYTES))];
    let mut at = range.start;
    while at < range.end {
        let part = piece.get(..to_usize(range.end - at)).unwrap_or(&piece);
        file.write_at(part, at)?;
        at += part.len() as u64;
    }
    Ok(())
}
