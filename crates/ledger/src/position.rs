//! A position in a segment, from which readers go on line by line.

/// Where a line begins, and how far the segment can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentPosition {
    pub(crate) number: u64,
    /// The byte at which the line begins.
    pub(crate) offset: u64,
    /// Where the durable bytes end.
    pub(crate) end: u64,
    /// The number of the line at `offset`.
    pub(crate) seq: u64,
}
