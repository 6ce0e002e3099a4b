//! Reads the segments of a WAL at a start: all of them once to learn where the log is, then those that matter again
//! for their entries.
//!
//! Changes nothing on the disk. One segment is in memory at a time.

use std::io;

use abide_ledger::storage::{Access, Storage, read_up_to};

use crate::private::PrivateStateError;

use super::{
    names,
    pieces::{SegmentPiece, SegmentPieces},
    record::{EntryRecord, MARK_BYTES, Record, RecordLocation, displaced_durable},
    replay::WalReplay,
};

/// Longest segment that is read; a segment is closed long before.
const SEGMENT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A segment on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) number: u64,
    /// Its size.
    pub(crate) bytes: u64,
    /// Where its last whole record ends.
    pub(super) end: u64,
    /// The highest position in it; none where it holds no record.
    pub(crate) highest: Option<u64>,
}

/// A WAL as it was found.
#[derive(Debug, Default)]
pub(super) struct WalSurvey {
    pub(super) segments: Vec<Segment>,
    pub(super) replay: WalReplay,
}

/// Whether an entry is wanted, by its position.
pub(super) struct PositionRange {
    /// Only those after this one.
    pub(super) after: u64,
    /// Only those through this one.
    pub(super) through: u64,
}

impl WalSurvey {
    /// Reads all segments.
    pub(super) fn read(storage: &dyn Storage) -> Result<Self, PrivateStateError> {
        let names = storage.list().map_err(PrivateStateError::io("list the log's folder"))?;
        let mut numbers: Vec<_> =
            names.iter().filter_map(|name| names::parse_segment(name)).collect();
        numbers.sort_unstable();
        let mut survey = Self::default();
        for number in numbers {
            let bytes =
                read_segment(storage, number).map_err(PrivateStateError::io("read the log"))?;
            survey.scan(number, &bytes)?;
        }
        Ok(survey)
    }

    fn scan(&mut self, number: u64, bytes: &[u8]) -> Result<(), PrivateStateError> {
        let size = bytes.len() as u64;
        let mut segment = Segment { number, bytes: size, end: 0, highest: None };
        for piece in SegmentPieces::new(bytes, number) {
            match piece {
                SegmentPiece::Record { record: Record::Newer { kind }, .. } => {
                    return Err(PrivateStateError::Newer {
                        file: names::segment(number),
                        version: kind.into(),
                    });
                }
                SegmentPiece::Record { record, at } => {
                    self.replay.push(
                        RecordLocation { segment: number, offset: at.start },
                        at.end,
                        &record,
                    );
                    let position = match record {
                        Record::Entry(entry) => entry.position,
                        Record::Rollback { to, .. } => to,
                        Record::Mark { .. } | Record::Newer { .. } => 0,
                    };
                    segment.end = at.end;
                    segment.highest = segment.highest.max(Some(position));
                }
                SegmentPiece::Bad(range) => {
                    // What is taken out moves everything behind it.
                    let location = RecordLocation { segment: number, offset: range.start };
                    let durable = (range.end == size)
                        .then(|| displaced_durable(stretch(bytes, &range), location))
                        .flatten();
                    if let Some(durable) = durable {
                        self.replay.push_displaced(number, &range, durable);
                    }
                    // Else a mark that did not reach the disk, or not whole: no entry is that short.
                    if range.end - range.start > MARK_BYTES {
                        self.replay.push_bad(number, range);
                    }
                }
            }
        }
        self.segments.push(segment);
        Ok(())
    }

    /// Visits entries that count, in their order, with the bytes that they take on the disk.
    pub(super) fn entries<E: From<io::Error>>(
        &self,
        storage: &dyn Storage,
        wanted: &PositionRange,
        visit: &mut dyn FnMut(&EntryRecord<'_>, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let segments = self.segments.iter().filter(|s| s.highest > Some(wanted.after));
        for Segment { number, .. } in segments {
            let bytes = read_segment(storage, *number)?;
            for piece in SegmentPieces::new(&bytes, *number) {
                let SegmentPiece::Record { record: Record::Entry(entry), at } = piece else {
                    continue;
                };
                let location = RecordLocation { segment: *number, offset: at.start };
                let is_wanted = entry.position > wanted.after && entry.position <= wanted.through;
                if is_wanted && self.replay.counts(location, entry.position) {
                    visit(&entry, at.end - at.start)?;
                }
            }
        }
        Ok(())
    }
}

fn stretch<'a>(bytes: &'a [u8], range: &std::ops::Range<u64>) -> &'a [u8] {
    let at = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
    bytes.get(at(range.start)..at(range.end)).unwrap_or_default()
}

fn read_segment(storage: &dyn Storage, number: u64) -> io::Result<Vec<u8>> {
    let file = storage.open(&names::segment(number), Access::Read)?;
    let size = file.size()?.min(SEGMENT_BYTES_MAX);
    read_up_to(&*file, 0, usize::try_from(size).unwrap_or(usize::MAX))
}

/// Reads a stretch of a segment.
pub(super) fn read_stretch(
    storage: &dyn Storage,
    segment: u64,
    bytes: std::ops::Range<u64>,
) -> io::Result<Vec<u8>> {
    let file = storage.open(&names::segment(segment), Access::Read)?;
    let length = usize::try_from(bytes.end - bytes.start).unwrap_or(usize::MAX);
    read_up_to(&*file, bytes.start, length)
}
