//! What the records of a WAL say, taken in one after another: where the log stands, what is missing in it, and from
//! where a given checkpoint can be continued.
//!
//! Pure: it never sees a file. An entry counts only if every entry between the checkpoint and it is there.

use std::ops::Range;

use super::{
    numbers::Numbers,
    record::{Place, Record},
};

/// Positions that should hold entries and do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) from: u64,
    pub(super) through: u64,
    /// The sequence of the entry before.
    sequence_before: u64,
}

/// Bytes that are no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) segment: u64,
    pub(super) bytes: Range<u64>,
}

/// The log as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Replay {
    /// The position of the last entry.
    pub(super) last: u64,
    /// Its sequence.
    pub(super) sequence: u64,
    pub(super) numbers: Numbers,
    /// Entries through this position were certainly on the disk, hence acknowledged.
    pub(super) proven: u64,
    /// Records from here on are in the file, but nothing says that a sync of them ended well.
    pub(super) unproven: Place,
    /// Where the last entry or `back` ends.
    last_end: Place,
    /// What is not there.
    missing: Vec<Missing>,
    /// Bytes since the last `back` that are no records.
    pub(super) bad: Vec<Bad>,
    /// Each `back`: where it stands, and behind which position it ended what stood before.
    backs: Vec<(Place, u64)>,
    /// Whether the last `back` says that acknowledged entries were lost.
    pub(super) says_lost: bool,
}

/// A checkpoint that the log is to continue: the position and sequence that it holds. Zeros stand for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldThrough {
    pub(crate) position: u64,
    pub(crate) sequence: u64,
}

/// How the log continues a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Continuation {
    /// Entries behind the checkpoint through this position are usable.
    pub(super) through: u64,
    /// The last sequence that counts as used.
    pub(super) sequence: u64,
    /// Why it does not go on to the end of what was read.
    pub(super) end: End,
}

/// Where a continuation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At the last entry.
    Whole,
    /// Before or at bytes that are no records, and no acknowledged entry is missing.
    Unclean,
    /// Before acknowledged entries that cannot be used: so many, behind this sequence.
    Lost { after_sequence: u64, entries: u64 },
    /// The log ends, with this sequence, before the checkpoint does.
    Behind { wal_sequence: u64 },
}

impl Replay {
    /// Takes in a record.
    pub(super) fn record(&mut self, place: Place, end: u64, record: &Record<'_>) {
        match *record {
            Record::Entry(entry) => {
                self.prove(entry.durable, place);
                self.last_end = Place { offset: end, ..place };
                if entry.position <= self.last {
                    // The `back` that stood before it is damaged: what was written later counts.
                    self.go_back(place, entry.position.saturating_sub(1), entry.sequence);
                }
                self.skip_to(entry.position.saturating_sub(1), self.sequence);
                self.numbers.entry(entry.position, entry.sequence);
                (self.last, self.sequence) = (entry.position, entry.sequence);
            }
            Record::Mark { durable } => self.prove(durable, Place { offset: end, ..place }),
            Record::Back { to, sequence, lost } => {
                self.go_back(place, to, sequence);
                self.skip_to(to, sequence);
                self.sequence = sequence;
                self.numbers.back(to, sequence);
                self.proven = to;
                self.unproven = place;
                self.last_end = Place { offset: end, ..place };
                self.bad.clear();
                self.says_lost = lost;
            }
            Record::Newer { .. } => {}
        }
    }

    /// Takes in bytes that are no record.
    pub(super) fn bad(&mut self, segment: u64, bytes: Range<u64>) {
        self.bad.push(Bad { segment, bytes });
    }

    fn prove(&mut self, durable: u64, place: Place) {
        if durable > self.proven {
            self.proven = durable;
            // Bytes between the last proven entry and this record belong to the batch that nothing proves yet.
            self.unproven = if durable > self.last { place } else { self.last_end };
            self.skip_to(durable, self.sequence.saturating_add(durable.saturating_sub(self.last)));
        }
    }

    /// Notes that entries through `position` are missing.
    fn skip_to(&mut self, position: u64, sequence: u64) {
        if position > self.last {
            let (from, sequence_before) = (self.last + 1, self.sequence);
            self.missing.push(Missing { from, through: position, sequence_before });
            (self.last, self.sequence) = (position, sequence);
        }
    }

    fn go_back(&mut self, place: Place, to: u64, sequence: u64) {
        self.backs.push((place, to));
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

    /// Whether the entry of a position, standing at `place`, still counts.
    pub(super) fn counts(&self, place: Place, position: u64) -> bool {
        self.backs.iter().all(|(at, to)| *at <= place || position <= *to)
    }

    /// Whether bytes that are no records are the remains of a write that a crash cut, as far as can be told.
    pub(super) fn is_torn(&self, bad: &Bad) -> bool {
        self.unproven <= Place { segment: bad.segment, offset: bad.bytes.start }
    }

    /// Says how the log continues a checkpoint.
    pub(super) fn continuation(&self, base: HeldThrough) -> Continuation {
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
            return Continuation { through, sequence: before, end: End::Unclean };
        }
        let entries = self.proven - through;
        let sequence = before.saturating_add(entries);
        Continuation { through, sequence, end: End::Lost { after_sequence: before, entries } }
    }

    fn without_gap(&self, base: HeldThrough) -> Continuation {
        if self.last < base.position {
            let end = End::Behind { wal_sequence: self.sequence };
            return Continuation { through: base.position, sequence: base.sequence, end };
        }
        let sequence = if self.last == base.position {
            self.sequence.max(base.sequence)
        } else {
            self.sequence
        };
        let end = if self.bad.is_empty() { End::Whole } else { End::Unclean };
        Continuation { through: self.last, sequence, end }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bad, End, HeldThrough, Replay};
    use crate::wal::record::{EntryRecord, Place, Record};

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

    fn replay(records: &[Record<'_>]) -> Replay {
        let mut replay = Replay::default();
        for (record, offset) in records.iter().zip(0..) {
            replay.record(Place { segment: 1, offset }, offset + 1, record);
        }
        replay
    }

    fn end(records: &[Record<'_>], position: u64) -> (u64, u64, End) {
        let base = HeldThrough { position, sequence: position + 100 };
        let continuation = replay(records).continuation(base);
        (continuation.through, continuation.sequence, continuation.end)
    }

    #[test]
    fn entries_missing_behind_the_checkpoint_end_what_can_be_used() {
        let records = [entry(0, 1), entry(1, 2), entry(4, 5), entry(5, 6)];
        assert_eq!(end(&records, 0), (2, 105, End::Lost { after_sequence: 102, entries: 3 }));
        assert_eq!(end(&records, 3), (3, 105, End::Lost { after_sequence: 103, entries: 2 }));
        assert_eq!(end(&records, 4), (6, 106, End::Whole));
    }

    #[test]
    fn a_batch_whose_beginning_was_torn_is_no_loss() {
        let records = [entry(0, 1), entry(1, 3)];
        assert_eq!(end(&records, 0), (1, 101, End::Unclean));
    }

    #[test]
    fn a_mark_alone_proves_that_the_entry_before_it_was_acknowledged() {
        let records = [entry(0, 1), Record::Mark { durable: 2 }];
        assert_eq!(end(&records, 0), (1, 102, End::Lost { after_sequence: 101, entries: 1 }));
    }

    #[test]
    fn a_log_that_ends_before_its_checkpoint_is_found() {
        assert_eq!(end(&[entry(0, 1)], 7), (7, 107, End::Behind { wal_sequence: 101 }));
        assert_eq!(end(&[], 0), (0, 100, End::Whole));
    }

    #[test]
    fn a_back_ends_what_stood_before_it_and_numbers_go_on() {
        let back = Record::Back { to: 1, sequence: 103, lost: false };
        let replay = replay(&[entry(0, 1), entry(1, 2), entry(2, 3), back]);
        let continuation = replay.continuation(HeldThrough::default());
        assert_eq!((continuation.through, continuation.sequence), (1, 103));
        assert_eq!(continuation.end, End::Whole);
        let counts = |offset, position| replay.counts(Place { segment: 1, offset }, position);
        assert!(counts(0, 1) && !counts(1, 2) && !counts(2, 3) && counts(4, 2));
    }

    #[test]
    fn entries_behind_a_damaged_back_replace_those_before_it() {
        let replay = replay(&[entry(0, 1), entry(1, 2), entry(2, 3), entry(1, 2)]);
        assert_eq!(replay.last, 2);
        assert!(!replay.counts(Place { segment: 1, offset: 1 }, 2));
        assert!(replay.counts(Place { segment: 1, offset: 3 }, 2));
    }

    #[test]
    fn bytes_behind_the_last_proven_entry_are_torn_and_those_before_it_damaged() {
        let bad = |from| Bad { segment: 1, bytes: from..from + 50 };
        let place = |offset| Place { segment: 1, offset };
        let mut replay = Replay::default();
        replay.record(place(0), 50, &entry(0, 1));
        replay.record(place(100), 150, &entry(1, 2));
        // A batch of 3 and 4, of which only 4 reached the disk: the mark of 2 before it did not either.
        replay.record(place(230), 280, &entry(2, 4));
        assert!(!replay.is_torn(&bad(50)) && replay.is_torn(&bad(150)));
        assert_eq!(replay.continuation(HeldThrough::default()).end, End::Unclean);
        // A mark says that all of it had been kept.
        replay.record(place(280), 297, &Record::Mark { durable: 4 });
        assert!(!replay.is_torn(&bad(150)));
        assert!(matches!(
            replay.continuation(HeldThrough::default()).end,
            End::Lost { entries: 2, .. }
        ));
    }

    #[test]
    fn what_a_damaged_back_ended_is_not_counted_as_lost() {
        let records = [entry(0, 1), entry(1, 2), entry(2, 3), Record::Mark { durable: 3 }];
        let again = [entry(1, 2), entry(2, 4)];
        let records: Vec<_> = records.into_iter().chain(again).collect();
        assert_eq!(end(&records, 0), (2, 102, End::Unclean));
    }
}
