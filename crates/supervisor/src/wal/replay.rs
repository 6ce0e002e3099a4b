//! What the records of a WAL say, read one after another: where the log is, what is missing in it, and from
//! where a given checkpoint can be continued.
//!
//! Pure: it never sees a file. An entry counts only if every entry between the checkpoint and it is there.

use std::ops::Range;

use super::{
    record::{Record, RecordLocation},
    sequence_map::SequenceMap,
};

/// Positions that should hold entries and do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MissingRange {
    pub(super) from: u64,
    pub(super) through: u64,
    /// The sequence of the entry before.
    sequence_before: u64,
}

/// Bytes that are no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadBytes {
    pub(super) segment: u64,
    pub(super) bytes: Range<u64>,
}

/// The log as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WalReplay {
    /// The position of the last entry.
    pub(super) last: u64,
    /// Its sequence.
    pub(super) sequence: u64,
    pub(super) numbers: SequenceMap,
    /// Entries through this position were certainly on the disk, hence acknowledged.
    pub(super) proven: u64,
    /// Records from here on are in the file, but nothing says that a sync of them ended well.
    pub(super) unproven: RecordLocation,
    /// Where the last entry or rollback ends.
    last_end: RecordLocation,
    /// What is not there.
    missing: Vec<MissingRange>,
    /// Bytes since the last rollback that are no records.
    pub(super) bad: Vec<BadBytes>,
    /// Each rollback: where it is, and after which position it ended what was before.
    rollbacks: Vec<(RecordLocation, u64)>,
    /// Whether the last rollback says that acknowledged entries were lost.
    pub(super) says_lost: bool,
}

/// A checkpoint that the log is to continue: the position and sequence that it holds. Zeros stand for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckpointedThrough {
    pub(crate) position: u64,
    pub(crate) sequence: u64,
}

/// How the log continues a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Continuation {
    /// Entries after the checkpoint through this position are usable.
    pub(super) through: u64,
    /// The last sequence that counts as used.
    pub(super) sequence: u64,
    /// Why it does not go on to the end of what was read.
    pub(super) end: ContinuationEnd,
}

/// Where a continuation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContinuationEnd {
    /// At the last entry.
    Whole,
    /// Before or at bytes that are no records, and no acknowledged entry is missing.
    Unclean,
    /// Before acknowledged entries that cannot be used: so many, after this sequence.
    Lost { after_sequence: u64, entries: u64 },
    /// The log ends, with this sequence, before the checkpoint does.
    Behind { wal_sequence: u64 },
}

impl WalReplay {
    /// Takes in a record.
    pub(super) fn push(&mut self, location: RecordLocation, end: u64, record: &Record<'_>) {
        match *record {
            Record::Entry(entry) => {
                self.prove(entry.durable, location);
                self.last_end = RecordLocation { offset: end, ..location };
                if entry.position <= self.last {
                    // The rollback before it is damaged: what was written later counts.
                    self.roll_back(location, entry.position.saturating_sub(1), entry.sequence);
                }
                self.skip_to(entry.position.saturating_sub(1), self.sequence);
                self.numbers.entry(entry.position, entry.sequence);
                (self.last, self.sequence) = (entry.position, entry.sequence);
            }
            Record::Mark { durable } => {
                self.prove(durable, RecordLocation { offset: end, ..location });
            }
            Record::Rollback { to, sequence, lost } => {
                self.roll_back(location, to, sequence);
                self.skip_to(to, sequence);
                self.sequence = sequence;
                self.numbers.roll_back(to, sequence);
                self.proven = to;
                self.unproven = location;
                self.last_end = RecordLocation { offset: end, ..location };
                self.bad.clear();
                self.says_lost = lost;
            }
            Record::Newer { .. } => {}
        }
    }

    /// Takes in bytes that are no record.
    pub(super) fn push_bad(&mut self, segment: u64, bytes: Range<u64>) {
        self.bad.push(BadBytes { segment, bytes });
    }

    /// Takes in bytes that were records elsewhere: what was between them and the record before is gone, and it had been
    /// acknowledged as far as they say.
    pub(super) fn push_displaced(&mut self, segment: u64, bytes: &Range<u64>, durable: u64) {
        self.prove(durable, RecordLocation { segment, offset: bytes.end });
    }

    fn prove(&mut self, durable: u64, location: RecordLocation) {
        if durable > self.proven {
            self.proven = durable;
            // Bytes between the last proven entry and this record belong to the batch that nothing proves yet.
            self.unproven = if durable > self.last { location } else { self.last_end };
            self.skip_to(durable, self.sequence.saturating_add(durable.saturating_sub(self.last)));
        }
    }

    /// Notes that entries through `position` are missing.
    fn skip_to(&mut self, position: u64, sequence: u64) {
        if position > self.last {
            let (from, sequence_before) = (self.last + 1, self.sequence);
            self.missing.push(MissingRange { from, through: position, sequence_before });
            (self.last, self.sequence) = (position, sequence);
        }
    }

    fn roll_back(&mut self, location: RecordLocation, to: u64, sequence: u64) {
        self.rollbacks.push((location, to));
        self.missing.retain(|missing| missing.from <= to);
        for missing in &mut self.missing {
            missing.through = missing.through.min(to);
        }
        self.numbers.end_at(to);
        if self.last > to {
            (self.last, self.sequence) = (to, sequence);
        }
        self.proven = self.proven.min(to);
    }

    /// Whether the entry of a position, status at `location`, still counts.
    pub(super) fn counts(&self, location: RecordLocation, position: u64) -> bool {
        self.rollbacks.iter().all(|(at, to)| *at <= location || position <= *to)
    }

    /// Whether bytes that are no records are the remains of a write that a crash cut, as far as can be told.
    pub(super) fn is_torn(&self, bad: &BadBytes) -> bool {
        self.unproven <= RecordLocation { segment: bad.segment, offset: bad.bytes.start }
    }

    /// Says how the log continues a checkpoint.
    pub(super) fn continuation(&self, base: CheckpointedThrough) -> Continuation {
        let gap = self.missing.iter().find(|missing| missing.through > base.position);
        let Some(gap) = gap else {
            return self.without_gap(base);
        };
        let (through, before) = if gap.from > base.position {
            (gap.from - 1, gap.sequence_before)
        } else {
            (base.position, base.sequence)
        };
        if self.proven <= through {
            return Continuation { through, sequence: before, end: ContinuationEnd::Unclean };
        }
        let entries = self.proven - through;
        let sequence = before.saturating_add(entries);
        Continuation {
            through,
            sequence,
            end: ContinuationEnd::Lost { after_sequence: before, entries },
        }
    }

    fn without_gap(&self, base: CheckpointedThrough) -> Continuation {
        if self.last < base.position {
            let end = ContinuationEnd::Behind { wal_sequence: self.sequence };
            return Continuation { through: base.position, sequence: base.sequence, end };
        }
        let sequence = if self.last == base.position {
            self.sequence.max(base.sequence)
        } else {
            self.sequence
        };
        let end =
            if self.bad.is_empty() { ContinuationEnd::Whole } else { ContinuationEnd::Unclean };
        Continuation { through: self.last, sequence, end }
    }
}

#[cfg(test)]
mod tests {
    use super::{BadBytes, CheckpointedThrough, ContinuationEnd, WalReplay};
    use crate::wal::record::{EntryRecord, Record, RecordLocation};

    fn entry(durable: u64, position: u64) -> Record<'static> {
        let sequence = position + 100;
        Record::Entry(EntryRecord {
            durable,
            position,
            sequence,
            timestamp: 0,
            operation: "x",
            data: b"",
        })
    }

    fn replay(records: &[Record<'_>]) -> WalReplay {
        let mut replay = WalReplay::default();
        for (record, offset) in records.iter().zip(0..) {
            replay.push(RecordLocation { segment: 1, offset }, offset + 1, record);
        }
        replay
    }

    fn end(records: &[Record<'_>], position: u64) -> (u64, u64, ContinuationEnd) {
        let base = CheckpointedThrough { position, sequence: position + 100 };
        let continuation = replay(records).continuation(base);
        (continuation.through, continuation.sequence, continuation.end)
    }

    #[test]
    fn entries_missing_behind_the_checkpoint_end_what_can_be_used() {
        let records = [entry(0, 1), entry(1, 2), entry(4, 5), entry(5, 6)];
        assert_eq!(
            end(&records, 0),
            (2, 105, ContinuationEnd::Lost { after_sequence: 102, entries: 3 })
        );
        assert_eq!(
            end(&records, 3),
            (3, 105, ContinuationEnd::Lost { after_sequence: 103, entries: 2 })
        );
        assert_eq!(end(&records, 4), (6, 106, ContinuationEnd::Whole));
    }

    #[test]
    fn a_batch_whose_beginning_was_torn_is_no_loss() {
        let records = [entry(0, 1), entry(1, 3)];
        assert_eq!(end(&records, 0), (1, 101, ContinuationEnd::Unclean));
    }

    #[test]
    fn a_mark_alone_proves_that_the_entry_before_it_was_acknowledged() {
        let records = [entry(0, 1), Record::Mark { durable: 2 }];
        assert_eq!(
            end(&records, 0),
            (1, 102, ContinuationEnd::Lost { after_sequence: 101, entries: 1 })
        );
    }

    #[test]
    fn a_log_that_ends_before_its_checkpoint_is_found() {
        assert_eq!(end(&[entry(0, 1)], 7), (7, 107, ContinuationEnd::Behind { wal_sequence: 101 }));
        assert_eq!(end(&[], 0), (0, 100, ContinuationEnd::Whole));
    }

    #[test]
    fn a_rollback_ends_what_stood_before_it_and_numbers_go_on() {
        let back = Record::Rollback { to: 1, sequence: 103, lost: false };
        let replay = replay(&[entry(0, 1), entry(1, 2), entry(2, 3), back]);
        let continuation = replay.continuation(CheckpointedThrough::default());
        assert_eq!((continuation.through, continuation.sequence), (1, 103));
        assert_eq!(continuation.end, ContinuationEnd::Whole);
        let counts =
            |offset, position| replay.counts(RecordLocation { segment: 1, offset }, position);
        assert!(counts(0, 1) && !counts(1, 2) && !counts(2, 3) && counts(4, 2));
    }

    #[test]
    fn entries_behind_a_damaged_rollback_replace_those_before_it() {
        let replay = replay(&[entry(0, 1), entry(1, 2), entry(2, 3), entry(1, 2)]);
        assert_eq!(replay.last, 2);
        assert!(!replay.counts(RecordLocation { segment: 1, offset: 1 }, 2));
        assert!(replay.counts(RecordLocation { segment: 1, offset: 3 }, 2));
    }

    #[test]
    fn bytes_behind_the_last_proven_entry_are_torn_and_those_before_it_damaged() {
        let bad = |from| BadBytes { segment: 1, bytes: from..from + 50 };
        let location = |offset| RecordLocation { segment: 1, offset };
        let mut replay = WalReplay::default();
        replay.push(location(0), 50, &entry(0, 1));
        replay.push(location(100), 150, &entry(1, 2));
        // A batch of 3 and 4, of which only 4 reached the disk: the mark of 2 before it did not either.
        replay.push(location(230), 280, &entry(2, 4));
        assert!(!replay.is_torn(&bad(50)) && replay.is_torn(&bad(150)));
        assert_eq!(
            replay.continuation(CheckpointedThrough::default()).end,
            ContinuationEnd::Unclean
        );
        // A mark says that all of it had been kept.
        replay.push(location(280), 297, &Record::Mark { durable: 4 });
        assert!(!replay.is_torn(&bad(150)));
        assert!(matches!(
            replay.continuation(CheckpointedThrough::default()).end,
            ContinuationEnd::Lost { entries: 2, .. }
        ));
    }

    #[test]
    fn what_a_damaged_rollback_ended_is_not_counted_as_lost() {
        let records = [entry(0, 1), entry(1, 2), entry(2, 3), Record::Mark { durable: 3 }];
        let again = [entry(1, 2), entry(2, 4)];
        let records: Vec<_> = records.into_iter().chain(again).collect();
        assert_eq!(end(&records, 0), (2, 102, ContinuationEnd::Unclean));
    }
}
