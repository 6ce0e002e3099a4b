//! The write-ahead log of one agent: what it announced, and what the keeper acknowledged.
//!
//! An entry is on the disk before it is acknowledged, one sync for a batch. After a failed write or sync the log refuses
//! everything until it is opened again, for only the disk can say what it holds. It never cuts or rewrites what is in
//! it: where entries do not count any more, a rollback record in a new segment says so.
//!
//! Reading order: [`StoredEntry`] and what an append answers, the form of a `record`, the `pieces` of a segment, their
//! `replay`, the `survey` of all segments, how a log is opened again (`open`), this file, what is put `aside`.

use std::{collections::VecDeque, io, sync::Arc};

use abide_ledger::storage::{Access, Storage, StoredFile};

use crate::private::PrivateStateLimits;

mod aside;
mod entry;
mod names;
mod open;
mod pieces;
mod record;
mod replay;
mod sequence_map;
mod survey;

pub use entry::{
    BATCH_BYTES_MAX, ENTRY_BYTES_MAX, Numbering, OPERATION_BYTES_MAX, SEQUENCE_MAX, StoredEntry,
    WalAppendError, WalAppended,
};

pub(crate) use aside::{ASIDES_MAX, remove_oldest};
pub(crate) use open::{OpenedWal, ResumeMode, ScannedWal};
pub(crate) use replay::CheckpointedThrough;

use entry::{WalRoom, accept, check_batch};
use record::{EntryRecord, Record, RecordLocation, encode};
use sequence_map::SequenceMap;
use survey::Segment;

/// An open log.
#[derive(Debug)]
pub(crate) struct Wal {
    storage: Arc<dyn Storage>,
    limits: PrivateStateLimits,
    /// Segments that nothing is written to any more, oldest first.
    sealed: Vec<Segment>,
    active: Option<ActiveSegment>,
    /// The highest number of a segment so far.
    number: u64,
    /// The position of the last entry on the disk.
    last: u64,
    /// Its sequence.
    sequence: u64,
    numbers: SequenceMap,
    uncheckpointed: UncheckpointedBatches,
    /// Whether the next entry may have any number.
    accepts_any_sequence: bool,
    /// Whether the next batch begins a segment.
    begins_segment: bool,
    broken: Option<String>,
}

/// The segment that is written to.
#[derive(Debug)]
struct ActiveSegment {
    number: u64,
    file: Box<dyn StoredFile>,
    /// Where the next record goes.
    end: u64,
    highest: Option<u64>,
    /// Whether its name is on the disk.
    is_named: bool,
}

/// What came after the newest checkpoint: the last position of each batch, and its bytes.
#[derive(Debug, Default)]
struct UncheckpointedBatches {
    batches: VecDeque<(u64, u64)>,
    bytes: u64,
    /// What the newest checkpoint holds.
    base: CheckpointedThrough,
    /// Bytes of its state.
    snapshot_bytes: u64,
}

impl UncheckpointedBatches {
    fn push(&mut self, last: u64, bytes: u64) {
        self.batches.push_back((last, bytes));
        self.bytes += bytes;
    }

    fn end_at(&mut self, position: u64) {
        while let Some((_, bytes)) = self.batches.pop_back_if(|(last, _)| *last > position) {
            self.bytes -= bytes;
        }
    }

    fn advance_base(&mut self, base: CheckpointedThrough) {
        self.base = base;
        while let Some((_, bytes)) = self.batches.pop_front_if(|(last, _)| *last <= base.position) {
            self.bytes -= bytes;
        }
    }
}

impl Wal {
    /// Begins a run: says how its entries are numbered.
    pub(crate) fn begin_run(&mut self, numbering: Numbering) {
        self.accepts_any_sequence = numbering == Numbering::AsItStarts;
    }

    /// Stores entries, and returns once they are on the disk.
    pub(crate) fn append(
        &mut self,
        entries: &[StoredEntry],
    ) -> Result<WalAppended, WalAppendError> {
        self.check_broken()?;
        check_batch(entries)?;
        let expected = (!self.accepts_any_sequence).then(|| self.next_sequence());
        let accepted = accept(entries, expected);
        let room = WalRoom {
            entries: self.uncheckpointed_entries(),
            bytes: self.uncheckpointed.bytes,
            bytes_max: self.limits.room_behind(self.uncheckpointed.snapshot_bytes),
        };
        room.check(&self.limits, &accepted.fresh)?;
        if !accepted.fresh.is_empty() {
            self.write_batch(&accepted.fresh)?;
        }
        match accepted.gap {
            Some((expected, got)) => Err(WalAppendError::SequenceGap { expected, got }),
            None => Ok(WalAppended {
                durable: self.sequence,
                stored: accepted.fresh.len() as u64,
                replayed: accepted.replayed,
                wants_checkpoint: self.wants_checkpoint(),
            }),
        }
    }

    fn check_broken(&self) -> Result<(), WalAppendError> {
        match &self.broken {
            Some(reason) => Err(WalAppendError::Broken { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    fn write_batch(&mut self, fresh: &[&StoredEntry]) -> Result<(), WalAppendError> {
        self.choose_segment()?;
        let Some(active) = &self.active else { return Ok(()) };
        let (durable, mut position) = (self.last, self.last);
        let mut buffer = Vec::new();
        for entry in fresh {
            position += 1;
            let location =
                RecordLocation { segment: active.number, offset: active.end + buffer.len() as u64 };
            let record = EntryRecord {
                durable,
                position,
                sequence: entry.sequence,
                timestamp: entry.timestamp,
                operation: &entry.operation,
                data: &entry.data,
            };
            encode(&mut buffer, location, &Record::Entry(record));
        }
        self.write_durably(&buffer)?;
        self.stored(fresh, position, buffer.len() as u64);
        self.write_mark();
        Ok(())
    }

    /// Opens a new segment where one is due.
    fn choose_segment(&mut self) -> Result<(), WalAppendError> {
        let is_due = self.begins_segment
            || self
                .active
                .as_ref()
                .is_none_or(|active| active.end >= self.limits.segment_bytes_max);
        if !is_due {
            return Ok(());
        }
        match self.open_segment() {
            Ok(()) => Ok(()),
            Err(error) if is_full(&error) => Err(WalAppendError::DiskFull(error)),
            Err(error) => Err(self.break_at("open a segment", &error)),
        }
    }

    fn open_segment(&mut self) -> io::Result<()> {
        let number = self.number + 1;
        let file = self.storage.open(&names::segment(number), Access::Create)?;
        self.seal();
        self.number = number;
        self.active = Some(ActiveSegment { number, file, end: 0, highest: None, is_named: false });
        self.begins_segment = false;
        Ok(())
    }

    fn seal(&mut self) {
        if let Some(ActiveSegment { number, end, highest, .. }) = self.active.take() {
            self.sealed.push(Segment { number, bytes: end, end, highest });
        }
    }

    /// Writes bytes at the end and syncs them, and the segment's name where it is new.
    fn write_durably(&mut self, bytes: &[u8]) -> Result<(), WalAppendError> {
        let Some(active) = &mut self.active else { return Ok(()) };
        if let Err(error) = active.file.write_at(bytes, active.end) {
            // What was written of it must be gone, durably, before anything else happens: it could pass for entries.
            let cut = || active.file.set_size(active.end).and_then(|()| active.file.sync_content());
            return match is_full(&error).then(cut) {
                Some(Ok(())) => Err(WalAppendError::DiskFull(error)),
                _ => Err(self.break_at("write to the log", &error)),
            };
        }
        if let Err(error) = active.file.sync_content() {
            return Err(self.break_at("sync the log", &error));
        }
        if !active.is_named {
            if let Err(error) = self.storage.sync_folder() {
                return Err(self.break_at("sync the log's folder", &error));
            }
            active.is_named = true;
        }
        active.end += bytes.len() as u64;
        Ok(())
    }

    fn stored(&mut self, fresh: &[&StoredEntry], position: u64, bytes: u64) {
        for (entry, position) in fresh.iter().zip(self.last + 1..) {
            self.numbers.entry(position, entry.sequence);
        }
        self.accepts_any_sequence = false;
        self.last = position;
        self.sequence = fresh.last().map_or(self.sequence, |entry| entry.sequence);
        self.uncheckpointed.push(position, bytes);
        if let Some(active) = &mut self.active {
            active.highest = active.highest.max(Some(position));
        }
    }

    /// Notes after a batch that it was acknowledged. Not synced: it reaches the disk with the next batch, and where a
    /// crash takes it, the next batch says the same.
    fn write_mark(&mut self) {
        let Some(active) = &mut self.active else { return };
        let mut mark = Vec::new();
        let location = RecordLocation { segment: active.number, offset: active.end };
        encode(&mut mark, location, &Record::Mark { durable: self.last });
        match active.file.write_at(&mark, active.end) {
            Ok(()) => active.end += mark.len() as u64,
            // The batch is on the disk all the same; the next one is written over what there is of the mark.
            Err(error) if is_full(&error) => {}
            Err(error) => {
                self.break_at("write to the log", &error);
            }
        }
    }

    fn break_at(&mut self, doing: &str, error: &io::Error) -> WalAppendError {
        let reason = format!("cannot {doing}: {error}");
        self.broken.get_or_insert_with(|| reason.clone());
        WalAppendError::Broken { reason }
    }

    /// Lets nothing be appended until the log is opened again.
    pub(crate) fn mark_broken(&mut self, doing: &str, error: &io::Error) {
        self.break_at(doing, error);
    }

    /// Ends what comes after position `to`: the next entry follows it, with the sequence after `sequence`. Durable
    /// when it returns; after an error the log is broken.
    pub(crate) fn roll_back(&mut self, to: u64, sequence: u64, lost: bool) -> io::Result<()> {
        let written = self.write_rollback(to, sequence, lost);
        if let Err(error) = &written {
            self.break_at("end entries that do not count", error);
        }
        written
    }

    fn write_rollback(&mut self, to: u64, sequence: u64, lost: bool) -> io::Result<()> {
        self.open_segment()?;
        let Some(active) = &mut self.active else { return Ok(()) };
        let mut bytes = Vec::new();
        let location = RecordLocation { segment: active.number, offset: 0 };
        encode(&mut bytes, location, &Record::Rollback { to, sequence, lost });
        active.file.write_at(&bytes, 0)?;
        active.file.sync_all()?;
        self.storage.sync_folder()?;
        active.is_named = true;
        active.end = bytes.len() as u64;
        active.highest = Some(to);
        self.numbers.roll_back(to, sequence);
        (self.last, self.sequence) = (to, sequence);
        self.uncheckpointed.end_at(to);
        Ok(())
    }

    /// Entries through `base` are uncheckpointed by a checkpoint from now on.
    pub(crate) fn advance_base(&mut self, base: CheckpointedThrough) {
        self.uncheckpointed.advance_base(base);
        self.begins_segment |= self.active.as_ref().is_some_and(|active| active.highest.is_some());
    }

    /// Removes segments that hold nothing after `position`, oldest first. The last that holds a record stays: it says
    /// how far the log went.
    pub(crate) fn remove_through(&mut self, position: u64) -> io::Result<u64> {
        let has_record = self.active.as_ref().is_some_and(|active| active.highest.is_some());
        let last = self.sealed.iter().rposition(|segment| segment.highest.is_some());
        let candidates = if has_record { self.sealed.len() } else { last.unwrap_or(0) };
        let mut removed = 0;
        for _ in 0..candidates {
            let Some(segment) = self.sealed.first().filter(|s| s.highest <= Some(position)) else {
                break;
            };
            self.storage.remove(&names::segment(segment.number))?;
            self.sealed.remove(0);
            removed += 1;
        }
        remove_oldest(&*self.storage, names::is_aside)?;
        if removed > 0 {
            self.storage.sync_folder()?;
        }
        Ok(removed)
    }

    /// The position that a checkpoint holds which names `sequence`; `None` where the log cannot say.
    pub(crate) fn position_of(&self, sequence: u64) -> Option<u64> {
        let is_last = sequence == self.sequence;
        let position =
            if is_last { self.last } else { self.numbers.position_of(sequence, self.last)? };
        let base = self.uncheckpointed.base;
        let is_later = sequence >= base.sequence && position >= base.position;
        (sequence <= self.sequence && is_later).then_some(position)
    }

    /// The position of the last entry.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// The sequence of the last entry.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The sequence that is waited for.
    pub(crate) fn next_sequence(&self) -> u64 {
        self.sequence.saturating_add(1)
    }

    /// Entries after the newest checkpoint.
    pub(crate) fn uncheckpointed_entries(&self) -> u64 {
        self.last.saturating_sub(self.uncheckpointed.base.position)
    }

    /// Whether it is time for a checkpoint.
    pub(crate) fn wants_checkpoint(&self) -> bool {
        let UncheckpointedBatches { bytes, snapshot_bytes, .. } = self.uncheckpointed;
        self.limits.wants_checkpoint(self.uncheckpointed_entries(), bytes, snapshot_bytes)
    }

    /// A state of that size has to fit a restore together with what comes after it.
    pub(crate) fn set_snapshot_bytes(&mut self, snapshot_bytes: u64) {
        self.uncheckpointed.snapshot_bytes = snapshot_bytes;
    }

    /// Bytes after a position, at most.
    pub(crate) fn bytes_behind(&self, position: u64) -> u64 {
        let batches = self.uncheckpointed.batches.iter();
        batches.filter(|(last, _)| *last > position).map(|(_, bytes)| bytes).sum()
    }

    /// Bytes on the disk.
    pub(crate) fn bytes(&self) -> u64 {
        let sealed: u64 = self.sealed.iter().map(|segment| segment.bytes).sum();
        sealed + self.active.as_ref().map_or(0, |active| active.end)
    }
}

/// Whether a disk has no room, as opposed to being damaged.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
