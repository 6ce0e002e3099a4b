//! One entity's log as the folder holds it: how far its file goes, what waits to be written, what is hot.
//!
//! All changes to a file go through here, one at a time. Must never let a file be anything but the beginning of what the
//! ledger holds: where another program changed, replaced or removed it, or where it could not be written for long, it is made
//! again from the ledger with the next use. Whether it was changed is seen by its stamp, without reading it.

use std::{fmt, io, path::Path};

use abide_domain::{EntityName, Timestamp};
use abide_ledger::storage::StoredFile;

use super::{
    ReadResult,
    checked::CheckedRanges,
    comparison::{FileComparison, LinesDigest, Tolerance},
    entry::StdoutEntry,
    error::{LogFileError, StdoutError},
    file::{FileStamp, LogFile},
    recent::RecentEntries,
    replay::{EntryPosition, FileTail, NewestEntries, NewestMoment, first_entry},
};

/// Most entries that wait for a disk that cannot be written.
const UNWRITTEN_MAX: usize = 10_000;

/// Bytes that are written at once while a file is made again.
const REBUILD_BYTES: usize = 256 * 1024;

/// The entries of the ledger, for a file that must be made again.
pub trait EntrySource: Send + Sync + fmt::Debug {
    /// Hands out all entries of one entity that are durable, in order.
    fn each(
        &self,
        entity: &EntityName,
        visit: &mut dyn FnMut(StdoutEntry) -> Result<(), StdoutError>,
    ) -> Result<(), StdoutError>;
}

/// One entity's log.
#[derive(Debug)]
pub(super) struct EntityLog {
    pub(super) name: EntityName,
    file: LogFile,
    is_loaded: bool,
    /// Bytes of whole lines in the file.
    end: u64,
    /// The file as this program left it.
    stamp: FileStamp,
    /// In the ledger, not yet in the file.
    unwritten: Vec<StdoutEntry>,
    unwritten_bytes: usize,
    doubts: FileDoubts,
    recent: Option<RecentEntries>,
    replay: ReplayProgress,
    pub(super) checked: CheckedRanges,
    pub(super) notices: Vec<LogFileError>,
}

/// Why a file may not hold what the ledger does.
#[derive(Clone, Copy, Debug, Default)]
struct FileDoubts {
    /// It lacks entries that are not kept in memory either: it is to be made again.
    is_behind: bool,
    /// It was changed while no keeper ran: it is to be compared with the ledger.
    is_suspect: bool,
}

/// What is known of a file while the ledger is replayed.
#[derive(Debug, Default)]
struct ReplayProgress {
    /// What it held before.
    found: Option<NewestMoment>,
    /// Whether the first entry is still to be compared with the file's.
    awaits_first: bool,
    /// Whether the ledger holds an entry of it.
    is_known: bool,
    /// The newest entries from before the replay's beginning, where the file lacks some of them.
    lacks_older: Option<NewestEntries>,
    /// What the ledger holds; `None` where this program wrote all of the file.
    expected: Option<LinesDigest>,
}

/// A log as it is at one point: what is read of it does not change any more.
#[derive(Debug)]
pub(super) struct LogView {
    pub(super) file: Box<dyn StoredFile>,
    pub(super) end: u64,
}

/// When a log is looked at for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// While the ledger, which ends at this time, is replayed: what is wrong with a file is mended.
    Replay { ledger_end: Option<Timestamp> },
    /// Afterwards: a file is as it was left, or is made again.
    Live,
}

impl EntityLog {
    /// A log whose file was left like this; with the default where it had none.
    pub(super) fn new(folder: &Path, name: EntityName, stamp: FileStamp) -> Self {
        Self {
            file: LogFile::new(folder, &name),
            name,
            is_loaded: false,
            end: stamp.size,
            stamp,
            unwritten: Vec::new(),
            unwritten_bytes: 0,
            doubts: FileDoubts::default(),
            recent: None,
            replay: ReplayProgress::default(),
            checked: CheckedRanges::default(),
            notices: Vec::new(),
        }
    }

    /// Finds out how far its file goes, the first time.
    pub(super) fn load(&mut self, phase: Phase) -> Result<(), StdoutError> {
        if self.is_loaded {
            return Ok(());
        }
        if self.file.stamp()?.is_none() {
            self.doubts.is_behind |= self.end > 0;
            self.set_aside("is not a regular file")?;
        }
        if let Phase::Replay { ledger_end } = phase
            && let Some(file) = self.file.open()?
        {
            let size = file.size().map_err(self.file.failed("read"))?;
            let tail =
                FileTail::read(&*file, size, &self.name).map_err(self.file.failed("read"))?;
            self.end = tail.whole;
            self.compare(tail, size, ledger_end)?;
            self.replay.expected = (self.end > 0).then(LinesDigest::default);
            self.keep_stamp()?;
        }
        self.checked = CheckedRanges::behind(self.end);
        self.is_loaded = true;
        Ok(())
    }

    /// Looks at its file where the ledger is replayed from its middle on, and `newest` are the newest entries before that: what the
    /// file should hold of them is compared with the ledger at its next use, and one that lacks some is made again.
    pub(super) fn resume(
        &mut self,
        phase: Phase,
        newest: NewestEntries,
    ) -> Result<(), StdoutError> {
        self.load(phase)?;
        self.replay.is_known = true;
        (self.replay.awaits_first, self.replay.expected) = (false, None);
        let is_whole = newest.are_in(self.replay.found.as_ref());
        self.replay.lacks_older = (!is_whole).then_some(newest);
        self.doubts.is_suspect = true;
        Ok(())
    }

    /// Whether it is to be made again from the ledger.
    pub(super) fn is_behind(&self) -> bool {
        self.doubts.is_behind
    }

    /// Remembers the file as this program left it. One of another length is not as it was left.
    fn keep_stamp(&mut self) -> Result<(), StdoutError> {
        self.stamp = self.file.stamp()?.filter(|now| now.size == self.end).unwrap_or_default();
        Ok(())
    }

    fn compare(
        &mut self,
        tail: FileTail,
        size: u64,
        ledger_end: Option<Timestamp>,
    ) -> Result<(), StdoutError> {
        let FileTail { readable, newest, is_foreign, is_out_of_order, .. } = tail;
        if is_out_of_order {
            return self.set_aside("ends in lines that another program wrote");
        }
        if is_foreign {
            return self.set_aside("holds nothing that this program wrote");
        }
        if newest.as_ref().is_some_and(|newest| ledger_end.is_none_or(|end| newest.at > end)) {
            return self.set_aside("goes further than the ledger");
        }
        if size > readable {
            self.cut(size, readable)?;
        }
        self.replay.awaits_first = newest.is_some();
        self.replay.found = newest;
        Ok(())
    }

    fn cut(&mut self, size: u64, end: u64) -> Result<(), StdoutError> {
        self.file.cut(end)?;
        self.end = end;
        self.notices.push(LogFileError::Cut { entity: self.name.clone(), bytes: size - end });
        Ok(())
    }

    fn set_aside(&mut self, why: &'static str) -> Result<(), StdoutError> {
        let to = self.file.set_aside()?;
        (self.end, self.stamp, self.recent) = (0, FileStamp::default(), None);
        (self.replay.found, self.replay.awaits_first) = (None, false);
        (self.replay.expected, self.doubts.is_suspect) = (None, false);
        self.checked = CheckedRanges::behind(0);
        self.notices.push(LogFileError::SetAside { entity: self.name.clone(), to, why });
        Ok(())
    }

    /// Takes entries that the ledger holds, whatever its file is like, and writes them if that can be done.
    pub(super) fn append(
        &mut self,
        entries: &[StdoutEntry],
        phase: Phase,
        source: Option<&dyn EntrySource>,
    ) -> Result<(), StdoutError> {
        if phase == Phase::Live {
            entries.iter().try_for_each(|entry| self.queue_entry(entry))?;
            self.load(phase)?;
            self.mend(source)?;
        } else {
            self.replay(entries, phase)?;
        }
        self.flush()
    }

    /// Takes entries of the ledger that its file lacks. They wait in memory for [`Self::flush`].
    pub(super) fn replay(
        &mut self,
        entries: &[StdoutEntry],
        phase: Phase,
    ) -> Result<(), StdoutError> {
        let loaded = self.load(phase);
        // Which of them it lacks cannot be known; so it gets none, and stays what it is.
        self.doubts.is_behind |= loaded.is_err();
        loaded?;
        for entry in entries {
            self.queue_entry(entry)?;
            if let Some(expected) = &mut self.replay.expected {
                expected.add(&entry.line());
            }
        }
        Ok(())
    }

    fn queue_entry(&mut self, entry: &StdoutEntry) -> Result<(), StdoutError> {
        self.replay.is_known = true;
        if !self.is_missing(entry)? {
            return Ok(());
        }
        if self.doubts.is_behind || self.unwritten.len() >= UNWRITTEN_MAX {
            self.doubts.is_behind = true;
            // It is made again from the ledger, with this entry, once that can be done.
            self.unwritten_bytes = 0;
            self.unwritten.clear();
            return Err(StdoutError::Behind { path: self.file.path() });
        }
        self.unwritten_bytes += entry.bytes();
        self.unwritten.push(entry.clone());
        Ok(())
    }

    fn is_missing(&mut self, entry: &StdoutEntry) -> Result<bool, StdoutError> {
        if std::mem::take(&mut self.replay.awaits_first) && !self.begins_with(entry)? {
            self.set_aside("begins with another entry than the ledger")?;
        }
        let Some(found) = &mut self.replay.found else { return Ok(true) };
        Ok(match found.position_of(entry) {
            EntryPosition::There => false,
            EntryPosition::Missing => true,
            EntryPosition::Beyond => {
                self.replay.found = None;
                true
            }
        })
    }

    /// Whether the file begins with an entry, as far as its first line can be read.
    fn begins_with(&self, entry: &StdoutEntry) -> Result<bool, StdoutError> {
        let Some(file) = self.file.open()? else { return Ok(false) };
        let first = first_entry(&*file, &self.name).map_err(self.file.failed("read"))?;
        Ok(first.is_none_or(|first| first == *entry))
    }

    /// Ends the replay: a file whose entity the ledger does not know is none of ours.
    pub(super) fn end_replay(&mut self) -> Result<(), StdoutError> {
        if !self.replay.is_known && self.end > 0 {
            self.set_aside("belongs to no entity in the ledger")?;
        }
        (self.replay.found, self.replay.awaits_first) = (None, false);
        if self.replay.lacks_older.take().is_some() {
            // What waits comes out of the ledger with all the rest.
            self.doubts.is_behind = true;
            self.unwritten_bytes = 0;
            self.unwritten.clear();
            return Ok(());
        }
        let flushed = self.flush();
        let Some(expected) = self.replay.expected.take() else { return flushed };
        let file = self.file.open().ok().flatten().filter(|_| flushed.is_ok());
        let digest = file.and_then(|file| LinesDigest::of_file(&*file, self.end).ok());
        self.doubts.is_suspect = digest != Some(expected.value());
        if self.doubts.is_suspect {
            self.notices.push(LogFileError::Differs { entity: self.name.clone() });
        }
        flushed
    }

    /// Writes what waits, in one write of whole lines.
    pub(super) fn flush(&mut self) -> Result<(), StdoutError> {
        if self.unwritten.is_empty() {
            return Ok(());
        }
        self.check_unchanged()?;
        let mut lines = Vec::with_capacity(self.unwritten_bytes);
        let mut places = Vec::with_capacity(self.unwritten.len());
        for entry in &self.unwritten {
            places.push(self.end + lines.len() as u64);
            lines.extend_from_slice(entry.line().as_bytes());
            lines.push(b'\n');
        }
        let appended = self.file.append(&lines, self.end);
        self.end += if appended.is_ok() { lines.len() as u64 } else { 0 };
        // After a failure too: what was cut off again was ours.
        self.keep_stamp()?;
        appended?;
        self.unwritten_bytes = 0;
        let written = std::mem::take(&mut self.unwritten);
        if let Some(recent) = &mut self.recent {
            for (at, entry) in places.into_iter().zip(written) {
                recent.push(at, entry);
            }
        }
        Ok(())
    }

    fn check_unchanged(&self) -> Result<(), StdoutError> {
        if self.file.stamp()?.is_some_and(|now| now == self.stamp && now.size == self.end) {
            return Ok(());
        }
        Err(StdoutError::Changed { path: self.file.path() })
    }

    /// Its file as far as it goes now; `None` where nothing was ever written.
    pub(super) fn view(&mut self) -> Result<Option<LogView>, StdoutError> {
        self.flush()?;
        if self.doubts.is_behind {
            return Err(StdoutError::Behind { path: self.file.path() });
        }
        self.check_unchanged()?;
        if self.end == 0 {
            return Ok(None);
        }
        let file = self.file.open()?;
        let file = file.ok_or_else(|| StdoutError::Changed { path: self.file.path() })?;
        Ok(Some(LogView { file, end: self.end }))
    }

    /// Makes the file again from the ledger, if another program changed it or it lacks entries; what stands there is set
    /// aside. Without a source the problem is the answer.
    pub(super) fn mend(&mut self, source: Option<&dyn EntrySource>) -> Result<(), StdoutError> {
        let (problem, tolerance) = match self.check_unchanged() {
            Err(problem @ StdoutError::Changed { .. }) => (problem, Tolerance::None),
            Ok(()) if self.doubts.is_behind || self.doubts.is_suspect && source.is_some() => {
                (StdoutError::Behind { path: self.file.path() }, Tolerance::CorruptLines)
            }
            checked => return checked,
        };
        let source = source.ok_or(problem)?;
        if self.is_as_the_ledger(source, tolerance)? {
            self.doubts.is_suspect = false;
            return Ok(());
        }
        // What stands there may be no file at all, and have no size.
        if self.file.stamp()?.is_none_or(|now| now.size > 0) || self.file.open().is_err() {
            self.set_aside("was changed by another program")?;
        }
        self.write_again(source)
    }

    /// Whether its file, however it came to be what it is, is what the ledger holds: one that was only copied or touched.
    fn is_as_the_ledger(
        &mut self,
        source: &dyn EntrySource,
        tolerance: Tolerance,
    ) -> Result<bool, StdoutError> {
        let now = self.file.stamp()?.filter(|now| now.size == self.end && !self.doubts.is_behind);
        let Some((now, file)) = now.zip(self.file.open().ok().flatten()) else { return Ok(false) };
        let failed = || self.file.failed("read");
        let mut comparison = FileComparison::new(&*file, self.end, tolerance);
        source.each(&self.name, &mut |entry| comparison.take(&entry).map_err(failed()))?;
        let is_same = comparison.is_same();
        if is_same {
            self.stamp = now;
        }
        Ok(is_same)
    }

    fn write_again(&mut self, source: &dyn EntrySource) -> Result<(), StdoutError> {
        (self.end, self.recent, self.doubts.is_suspect) = (0, None, false);
        self.keep_stamp()?;
        (self.unwritten_bytes, self.checked) = (0, CheckedRanges::behind(0));
        self.unwritten.clear();
        // A failure in between leaves a file that is the beginning of the log, and is known to lack the rest.
        self.doubts.is_behind = true;
        let mut written = NewestMoment::default();
        source.each(&self.name.clone(), &mut |entry| {
            written.add(&entry);
            self.unwritten_bytes += entry.bytes();
            self.unwritten.push(entry);
            if self.unwritten_bytes >= REBUILD_BYTES { self.flush() } else { Ok(()) }
        })?;
        self.flush()?;
        self.doubts.is_behind = false;
        // The ledger may be further than what was handed in here so far: that comes once more.
        self.replay.found = Some(written);
        Ok(())
    }

    /// Wraps an error of reading it.
    pub(super) fn read_error(&self) -> impl FnOnce(io::Error) -> StdoutError + use<> {
        self.file.failed("read")
    }

    /// The last few of its entries, from memory; read from the file the first time.
    pub(super) fn recent(&mut self, last: usize) -> Result<ReadResult, StdoutError> {
        self.flush()?;
        if let Some(recent) = self.recent.as_ref().filter(|_| !self.doubts.is_behind) {
            return Ok(recent.last(last));
        }
        let loaded = match self.view()? {
            Some(LogView { file, end }) => {
                RecentEntries::load(&*file, end, &self.name).map_err(self.read_error())?
            }
            None => RecentEntries::default(),
        };
        Ok(self.recent.insert(loaded).last(last))
    }

    /// Bytes of what is hot.
    pub(super) fn hot_bytes(&self) -> usize {
        self.recent.as_ref().map_or(0, RecentEntries::bytes)
    }

    /// Bytes of what waits to be written.
    pub(super) fn waiting_bytes(&self) -> usize {
        self.unwritten_bytes
    }

    /// Whether it can be forgotten and found again from its file.
    pub(super) fn can_be_dropped(&self) -> bool {
        let is_settled =
            !self.doubts.is_behind && !self.doubts.is_suspect && self.replay.found.is_none();
        self.unwritten.is_empty() && is_settled
    }

    /// Its file as this program left it.
    pub(super) fn stamp(&self) -> FileStamp {
        self.stamp
    }
}
