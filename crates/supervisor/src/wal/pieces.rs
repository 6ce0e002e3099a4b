//! Walks over a segment's bytes: records, and the stretches between them that are none.
//!
//! Behind a bad place it looks for the next whole record, byte by byte, so that one damaged record hides no other.
//! Never decides what a bad stretch means.

use std::ops::Range;

use super::record::{Place, Record, decode};

/// A stretch of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A whole record and where it stands.
    Record { record: Record<'a>, at: Range<u64> },
    /// Bytes that are no record.
    Bad(Range<u64>),
}

/// The pieces of one segment.
pub(super) struct Pieces<'a> {
    bytes: &'a [u8],
    segment: u64,
    at: usize,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(bytes: &'a [u8], segment: u64) -> Self {
        Self { bytes, segment, at: 0 }
    }

    fn decode_at(&self, at: usize) -> Option<(Record<'a>, usize)> {
        let place = Place { segment: self.segment, offset: at as u64 };
        decode(self.bytes.get(at..)?, place)
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let from = self.at;
        if from >= self.bytes.len() {
            return None;
        }
        if let Some((record, length)) = self.decode_at(from) {
            self.at = from + length;
            return Some(Piece::Record { record, at: from as u64..self.at as u64 });
        }
        let mut candidates = from + 1..self.bytes.len();
        self.at = candidates.find(|at| self.decode_at(*at).is_some()).unwrap_or(self.bytes.len());
        Some(Piece::Bad(from as u64..self.at as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, Pieces};
    use crate::wal::record::{Place, Record, encode};

    #[test]
    fn a_record_behind_a_damaged_one_is_found() {
        let mut bytes = Vec::new();
        for durable in 1..=3 {
            let place = Place { segment: 1, offset: bytes.len() as u64 };
            encode(&mut bytes, place, &Record::Mark { durable });
        }
        bytes[20] ^= 1;
        let pieces: Vec<_> = Pieces::new(&bytes, 1).collect();
        assert_eq!(
            pieces,
            [
                Piece::Record { record: Record::Mark { durable: 1 }, at: 0..17 },
                Piece::Bad(17..34),
                Piece::Record { record: Record::Mark { durable: 3 }, at: 34..51 },
            ]
        );
    }
}
