//! Walks over a segment's bytes: records, and the stretches between them that are none.
//!
//! Behind a bad location it looks for the next whole record, byte by byte, so that one damaged record hides no other.
//! Never decides what a bad stretch means.

use std::ops::Range;

use super::record::{Record, RecordLocation, decode};

/// A stretch of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SegmentPiece<'a> {
    /// A whole record and where it is.
    Record { record: Record<'a>, at: Range<u64> },
    /// Bytes that are no record.
    Bad(Range<u64>),
}

/// The pieces of one segment.
pub(super) struct SegmentPieces<'a> {
    bytes: &'a [u8],
    segment: u64,
    at: usize,
}

impl<'a> SegmentPieces<'a> {
    pub(super) fn new(bytes: &'a [u8], segment: u64) -> Self {
        Self { bytes, segment, at: 0 }
    }

    fn decode_at(&self, at: usize) -> Option<(Record<'a>, usize)> {
        let location = RecordLocation { segment: self.segment, offset: at as u64 };
        decode(self.bytes.get(at..)?, location)
    }
}

impl<'a> Iterator for SegmentPieces<'a> {
    type Item = SegmentPiece<'a>;

    fn next(&mut self) -> Option<SegmentPiece<'a>> {
        let from = self.at;
        if from >= self.bytes.len() {
            return None;
        }
        if let Some((record, length)) = self.decode_at(from) {
            self.at = from + length;
            return Some(SegmentPiece::Record { record, at: from as u64..self.at as u64 });
        }
        let mut candidates = from + 1..self.bytes.len();
        self.at = candidates.find(|at| self.decode_at(*at).is_some()).unwrap_or(self.bytes.len());
        Some(SegmentPiece::Bad(from as u64..self.at as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::{SegmentPiece, SegmentPieces};
    use crate::wal::record::{Record, RecordLocation, encode};

    #[test]
    fn a_record_behind_a_damaged_one_is_found() {
        let mut bytes = Vec::new();
        for durable in 1..=3 {
            let location = RecordLocation { segment: 1, offset: bytes.len() as u64 };
            encode(&mut bytes, location, &Record::Mark { durable });
        }
        bytes[20] ^= 1;
        let pieces: Vec<_> = SegmentPieces::new(&bytes, 1).collect();
        assert_eq!(
            pieces,
            [
                SegmentPiece::Record { record: Record::Mark { durable: 1 }, at: 0..17 },
                SegmentPiece::Bad(17..34),
                SegmentPiece::Record { record: Record::Mark { durable: 3 }, at: 34..51 },
            ]
        );
    }
}
