//! Opens a log again: finds out what counts, sets aside what does not, and makes sure that what counts is on the disk.
//!
//! Until [`ScannedWal::start`] it only reads and adds set-aside files, so that a crash on the way leaves everything to be found
//! again.

use std::{io, sync::Arc};

use abide_ledger::storage::{Access, Storage};

use crate::private::{PrivateStateError, PrivateStateLimits, PrivateStateProblem};

use super::{
    ActiveSegment, StoredEntry, UncheckpointedBatches, Wal, aside,
    aside::EntriesFile,
    names,
    replay::{BadBytes, CheckpointedThrough, Continuation, ContinuationEnd},
    survey::{PositionRange, WalSurvey, read_stretch},
};

/// A log as it was found, measured against the checkpoint that it is to continue.
#[derive(Debug)]
pub(crate) struct ScannedWal {
    storage: Arc<dyn Storage>,
    survey: WalSurvey,
    base: CheckpointedThrough,
    continuation: Continuation,
}

/// How a log goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResumeMode {
    /// Its last segment goes on.
    AsItStands,
    /// First a record says where it ends, and whether acknowledged entries were lost so that nothing is left.
    AfterDamage { all_lost: bool },
}

/// A log that was opened.
#[derive(Debug)]
pub(crate) struct OpenedWal {
    pub(crate) wal: Wal,
    /// Entries after the checkpoint.
    pub(crate) entries: Vec<StoredEntry>,
}

impl ScannedWal {
    /// Reads a log.
    pub(crate) fn read(
        storage: Arc<dyn Storage>,
        base: CheckpointedThrough,
    ) -> Result<Self, PrivateStateError> {
        let survey = WalSurvey::read(&*storage)?;
        let continuation = survey.replay.continuation(base);
        Ok(Self { storage, survey, base, continuation })
    }

    /// Whether the log says of itself that acknowledged entries were lost before its present beginning.
    pub(crate) fn says_lost(&self) -> bool {
        self.survey.replay.says_lost
    }

    /// Whether acknowledged entries are lost that were found until now.
    pub(crate) fn loses(&self) -> bool {
        matches!(
            self.continuation.end,
            ContinuationEnd::Lost { .. } | ContinuationEnd::Behind { .. }
        )
    }

    /// Whether a rollback record has to say where the log ends.
    pub(crate) fn needs_rollback(&self) -> bool {
        self.continuation.end != ContinuationEnd::Whole
    }

    /// The last position that counts.
    pub(crate) fn through(&self) -> u64 {
        self.continuation.through
    }

    /// The last sequence that counts as used.
    pub(crate) fn sequence(&self) -> u64 {
        self.continuation.sequence
    }

    /// Lets numbers go on after `sequence` at least: a damaged checkpoint may know more than the log.
    pub(crate) fn raise_sequence(&mut self, sequence: u64) {
        self.continuation.sequence = self.continuation.sequence.max(sequence);
    }

    /// Sets aside what does not count, and says what that is. Durable when it returns.
    pub(crate) fn set_aside(&self) -> Result<Vec<PrivateStateProblem>, PrivateStateError> {
        self.write_asides().map_err(PrivateStateError::io("set damaged parts of the log aside"))
    }

    fn write_asides(&self) -> io::Result<Vec<PrivateStateProblem>> {
        let mut report = Vec::new();
        for bad in self.survey.replay.bad.iter().take(aside::ASIDES_MAX) {
            report.push(self.set_bytes_aside(bad)?);
        }
        report.extend(self.end_problem()?);
        self.storage.sync_folder()?;
        Ok(report)
    }

    fn set_bytes_aside(&self, bad: &BadBytes) -> io::Result<PrivateStateProblem> {
        let (storage, offset) = (&*self.storage, bad.bytes.start);
        let content = read_stretch(storage, bad.segment, bad.bytes.clone())?;
        let set_aside = names::torn(bad.segment, offset);
        aside::put(storage, &set_aside, &content)?;
        let (file, bytes) = (names::segment(bad.segment), content.len() as u64);
        Ok(if self.survey.replay.is_torn(bad) {
            PrivateStateProblem::TornTail { file, offset, bytes, set_aside }
        } else {
            PrivateStateProblem::WalDamaged { file, offset, bytes, set_aside }
        })
    }

    fn end_problem(&self) -> io::Result<Option<PrivateStateProblem>> {
        let behind = self.set_entries_aside(self.continuation.through)?;
        let (set_aside, unusable) = behind.map_or((None, 0), |(name, count)| (Some(name), count));
        Ok(match self.continuation.end {
            ContinuationEnd::Lost { after_sequence, entries } => {
                Some(PrivateStateProblem::EntriesLost {
                    after_sequence,
                    entries,
                    unusable,
                    set_aside,
                })
            }
            ContinuationEnd::Behind { wal_sequence } => Some(PrivateStateProblem::WalBehind {
                wal_sequence,
                checkpoint_sequence: self.base.sequence,
            }),
            ContinuationEnd::Whole | ContinuationEnd::Unclean => None,
        })
    }

    /// Copies entries after a position into a file; `None` where there are none.
    pub(crate) fn set_entries_aside(&self, after: u64) -> io::Result<Option<(String, u64)>> {
        let storage = &*self.storage;
        let number = self.next_number();
        let mut file: Option<EntriesFile> = None;
        let wanted = PositionRange { after, through: u64::MAX };
        self.survey.entries::<io::Error>(storage, &wanted, &mut |entry, _| {
            let file = match &mut file {
                Some(file) => file,
                none => none.insert(EntriesFile::create(storage, number)?),
            };
            file.push(entry)
        })?;
        file.map(EntriesFile::finish).transpose()
    }

    fn next_number(&self) -> u64 {
        self.survey.segments.last().map_or(0, |segment| segment.number) + 1
    }

    /// Opens the log. Where it needs a rollback, that is the moment from which on nothing of what was set aside counts.
    pub(crate) fn start(
        self,
        limits: PrivateStateLimits,
        resume: ResumeMode,
    ) -> Result<OpenedWal, PrivateStateError> {
        self.make_durable().map_err(PrivateStateError::io("sync the log"))?;
        let (entries, uncheckpointed) =
            self.load().map_err(PrivateStateError::io("read the log"))?;
        let Self { storage, survey, continuation, .. } = self;
        let (replay, sequence) = (&survey.replay, continuation.sequence);
        let mut wal = Wal {
            number: survey.segments.last().map_or(0, |segment| segment.number),
            storage,
            limits,
            sealed: survey.segments,
            active: None,
            last: replay.last,
            sequence,
            numbers: replay.numbers.clone(),
            uncheckpointed,
            accepts_any_sequence: false,
            begins_segment: false,
            broken: None,
        };
        match resume {
            ResumeMode::AsItStands => {
                wal.reopen_last().map_err(PrivateStateError::io("open the log for writing"))?;
            }
            ResumeMode::AfterDamage { all_lost } => wal
                .roll_back(continuation.through, sequence, all_lost)
                .map_err(PrivateStateError::io("end the log before its damage"))?,
        }
        Ok(OpenedWal { wal, entries })
    }

    /// Writes what nothing proves to be on the disk once more, in its location: after a sync that failed, or was never
    /// reached, the page cache shows bytes that the disk may not have, and a sync alone would not bring them there.
    fn make_durable(&self) -> io::Result<()> {
        let unproven = self.survey.replay.unproven;
        let last = self.survey.segments.last().filter(|s| unproven.segment <= s.number);
        let Some(last) = last else { return Ok(()) };
        let from = if unproven.segment == last.number { unproven.offset } else { 0 };
        let file = self.storage.open(&names::segment(last.number), Access::Write)?;
        if from < last.end {
            let bytes = read_stretch(&*self.storage, last.number, from..last.end)?;
            file.write_at(&bytes, from)?;
        }
        // Also where nothing is written: what was cut off this file must not come back either.
        file.sync_all()?;
        self.storage.sync_folder()
    }

    fn load(&self) -> io::Result<(Vec<StoredEntry>, UncheckpointedBatches)> {
        let mut entries = Vec::new();
        let mut uncheckpointed =
            UncheckpointedBatches { base: self.base, ..UncheckpointedBatches::default() };
        let wanted =
            PositionRange { after: self.base.position, through: self.continuation.through };
        self.survey.entries::<io::Error>(&*self.storage, &wanted, &mut |entry, bytes| {
            uncheckpointed.push(entry.position, bytes);
            entries.push(StoredEntry {
                sequence: entry.sequence,
                timestamp: entry.timestamp,
                operation: entry.operation.into(),
                data: entry.data.into(),
            });
            Ok(())
        })?;
        Ok((entries, uncheckpointed))
    }
}

impl Wal {
    /// Goes on in the last segment. What may be left of a mark after its last record is shorter than any batch, which is
    /// written over it.
    fn reopen_last(&mut self) -> io::Result<()> {
        let Some(segment) = self.sealed.pop_if(|last| last.end < self.limits.segment_bytes_max)
        else {
            return Ok(());
        };
        let file = self.storage.open(&names::segment(segment.number), Access::Write)?;
        let (number, end, highest) = (segment.number, segment.end, segment.highest);
        self.active = Some(ActiveSegment { number, file, end, highest, is_named: true });
        Ok(())
    }
}
