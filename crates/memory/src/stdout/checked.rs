//! Which parts of a file every line of was looked at, and which lines in them cannot be read.
//!
//! A scan for a text skips what does not hold it, and so would not notice a line that cannot be read. Each part is
//! therefore looked at once; what this program appended needs no look.

use std::{collections::BTreeMap, ops::Range};

use super::corrupt::{CorruptLineError, LogLineError};

/// Most corrupt lines that are remembered of a file; where there are more, each search looks again.
pub(super) const CORRUPT_KEPT_MAX: usize = 1_000;
/// Most parts that are remembered.
const PARTS_MAX: usize = 64;

/// What is known of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct CheckedRanges {
    /// In order, and apart from each other.
    parts: Vec<Range<u64>>,
    corrupt: BTreeMap<u64, LogLineError>,
}

impl CheckedRanges {
    /// Everything behind a place will be of our own writing.
    pub(super) fn behind(end: u64) -> Self {
        Self { parts: std::iter::once(end..u64::MAX).collect(), corrupt: BTreeMap::new() }
    }

    /// Whether every line of a range was looked at.
    pub(super) fn covers(&self, range: &Range<u64>) -> bool {
        self.parts.iter().any(|part| part.start <= range.start && range.end <= part.end)
    }

    /// Whether a line is known to be corrupt.
    pub(super) fn is_corrupt(&self, offset: u64) -> bool {
        self.corrupt.contains_key(&offset)
    }

    /// The corrupt lines of a range that are known.
    pub(super) fn corrupt_in(&self, range: Range<u64>) -> impl Iterator<Item = CorruptLineError> {
        let known = self.corrupt.range(range);
        known.map(|(offset, why)| CorruptLineError { offset: *offset, why: why.clone() })
    }

    /// Adds a range that was looked at with what was found there, unless that is too much to keep.
    pub(super) fn add(
        &mut self,
        range: Range<u64>,
        corrupt: impl Iterator<Item = CorruptLineError>,
    ) {
        let mut all = self.corrupt.clone();
        all.extend(corrupt.map(|line| (line.offset, line.why)));
        if range.is_empty() || all.len() > CORRUPT_KEPT_MAX {
            return;
        }
        let mut parts = self.parts.clone();
        parts.push(range);
        parts.sort_unstable_by_key(|part| part.start);
        parts.dedup_by(|next, part| {
            let joins = next.start <= part.end;
            if joins {
                part.end = part.end.max(next.end);
            }
            joins
        });
        if parts.len() <= PARTS_MAX {
            (self.parts, self.corrupt) = (parts, all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CORRUPT_KEPT_MAX, CheckedRanges, CorruptLineError, LogLineError};

    fn corrupt(offsets: std::ops::Range<u64>) -> impl Iterator<Item = CorruptLineError> {
        offsets.map(|offset| CorruptLineError { offset, why: LogLineError::Utf8 })
    }

    #[test]
    fn parts_join_and_keep_what_was_found() {
        let mut checked = CheckedRanges::behind(1_000);
        assert!(checked.covers(&(1_000..5_000)) && !checked.covers(&(999..1_001)));
        checked.add(100..200, corrupt(150..151));
        checked.add(300..400, corrupt(0..0));
        assert!(checked.covers(&(100..200)) && !checked.covers(&(150..350)));
        checked.add(180..1_000, corrupt(150..152));
        assert!(checked.covers(&(100..9_000)) && !checked.covers(&(99..200)));
        let known: Vec<_> = checked.corrupt_in(0..1_000).map(|line| line.offset).collect();
        assert_eq!(known, [150, 151]);
        assert!(checked.is_corrupt(151) && !checked.is_corrupt(152));
    }

    #[test]
    fn what_is_too_much_to_keep_is_looked_at_again() {
        let mut checked = CheckedRanges::behind(100_000);
        checked.add(0..50_000, corrupt(0..CORRUPT_KEPT_MAX as u64 + 1));
        assert!(!checked.covers(&(0..10)) && !checked.is_corrupt(0));
        for part in 0..200 {
            checked.add(part * 20..part * 20 + 10, corrupt(0..0));
        }
        assert!(checked.covers(&(0..10)) && !checked.covers(&(3_000..3_010)));
    }
}
