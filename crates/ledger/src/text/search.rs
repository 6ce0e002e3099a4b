//! The segments searched for a text, part by part, from either end.

use std::{
    collections::VecDeque,
    io,
    ops::{ControlFlow, Range},
};

use super::{
    in_order::process_in_order,
    lines::{Piece, line_start, pieces},
    needle::{Candidate, Needle},
    strings,
};
use crate::{
    damage::ReadError,
    line::LedgerLineError,
    names,
    query::{Filter, Query, QueryOrder},
    record::Record,
    segments::{SegmentEntry, Segments},
    storage::Access,
};

/// Most events that one search answers with.
pub const TEXT_MATCHES_MAX: usize = 1_000;
/// Most damaged lines that it names; all are counted.
pub const DAMAGED_LINES_MAX: usize = 100;
/// Bytes that one thread searches before its result is taken.
const PART_BYTES: u64 = 4 * 1024 * 1024;
/// Bytes of found lines after which a search ends.
const MATCHES_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The events in whose data a text stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMatches {
    /// In the query's order.
    pub records: Vec<Record>,
    /// Whether more would follow.
    pub has_more: bool,
    /// Lines that may hold the text and cannot be read: the first [`DAMAGED_LINES_MAX`] of them.
    pub damaged: Vec<DamagedLineError>,
    /// How many there are.
    pub damaged_total: u64,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, byte {offset}: {reason}")]
pub struct DamagedLineError {
    /// The segment's file.
    pub file: String,
    /// Where the line begins.
    pub offset: u64,
    /// What is wrong with it.
    pub reason: LedgerLineError,
}

/// Some bytes of a segment.
struct Part {
    number: u64,
    bytes: Range<u64>,
    /// Where the segment's durable bytes end.
    end: u64,
}

/// Searches the data of the events that fit a query, at most [`TEXT_MATCHES_MAX`] of them.
pub(crate) fn search(
    segments: &Segments,
    needle: &Needle,
    query: Query,
) -> Result<TextMatches, ReadError> {
    let limit = query.limit.min(TEXT_MATCHES_MAX);
    let search = Search { segments, needle, order: query.order, limit, filter: Filter::new(query) };
    let mut matches = TextMatches::default();
    if limit == 0 {
        return Ok(matches);
    }
    let mut found_bytes = 0;
    let scratch = || (Vec::new(), needle.clone());
    let search_part = |scratch: &mut Scratch, part: &Part| search.search_part(scratch, part);
    process_in_order(&search.parts()?, &scratch, &search_part, &mut |found: TextMatches| {
        matches.damaged_total += found.damaged_total;
        let room = DAMAGED_LINES_MAX.saturating_sub(matches.damaged.len());
        matches.damaged.extend(found.damaged.into_iter().take(room));
        for record in found.records {
            if matches.records.len() == limit || found_bytes > MATCHES_BYTES_MAX {
                matches.has_more = true;
                return ControlFlow::Break(());
            }
            found_bytes += record.line().len();
            matches.records.push(record);
        }
        ControlFlow::Continue(())
    })?;
    Ok(matches)
}

/// The scratch value of a thread: a read buffer, and a clone of the expression, whose working memory clones do not share.
type Scratch = (Vec<u8>, Needle);

struct Search<'a> {
    segments: &'a Segments,
    needle: &'a Needle,
    filter: Filter,
    order: QueryOrder,
    limit: usize,
}

impl Search<'_> {
    /// The parts to search, in the query's order.
    fn parts(&self) -> Result<Vec<Part>, ReadError> {
        let mut parts = Vec::new();
        for listed in self.segments.list() {
            if self.filter.overlaps(listed.first_seq, listed.last_seq) {
                let (number, end) = (listed.number, listed.bytes);
                let ranges = self.ranges(&listed)?.into_iter().flat_map(cut);
                parts.extend(ranges.map(|bytes| Part { number, bytes, end }));
            }
        }
        if self.order == QueryOrder::NewestFirst {
            parts.reverse();
        }
        Ok(parts)
    }

    /// The bytes of a segment that may hold fitting lines: by its index only where that can spare something.
    fn ranges(&self, listed: &SegmentEntry) -> Result<Vec<Range<u64>>, ReadError> {
        if self.filter.takes_all(listed.first_seq, listed.last_seq) {
            return Ok(std::iter::once(0..listed.bytes).collect());
        }
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for block in self.segments.blocks(listed)? {
            if self.filter.may_hold(&block) {
                match ranges.last_mut().filter(|last| last.end == block.bytes.start) {
                    Some(last) => last.end = block.bytes.end,
                    None => ranges.push(block.bytes.clone()),
                }
            }
        }
        Ok(ranges)
    }

    fn search_part(&self, scratch: &mut Scratch, part: &Part) -> Result<TextMatches, ReadError> {
        let name = names::segment(part.number);
        self.search_open(scratch, part, &name)
            .map_err(|source| ReadError::Io { file: name, source })
    }

    fn search_open(
        &self,
        scratch: &mut Scratch,
        part: &Part,
        name: &str,
    ) -> io::Result<TextMatches> {
        let (buffer, needle) = scratch;
        let file = self.segments.storage().open(name, Access::Read)?;
        let from = line_start(&*file, part.bytes.start, part.end)?;
        let to = line_start(&*file, part.bytes.end, part.end)?;
        let mut found =
            PartMatches { order: self.order, limit: self.limit, ..PartMatches::default() };
        pieces(&*file, from..to, buffer, &mut |at, piece| {
            let Piece::Lines(lines) = piece else {
                found.damaged(name, at, LedgerLineError::Field("data"));
                return ControlFlow::Continue(());
            };
            for Candidate { line, .. } in needle.candidates(lines) {
                let offset = at + line.start as u64;
                match self.read(lines.get(line).unwrap_or_default()) {
                    Ok(Some(record)) => found.push(record),
                    Ok(None) => {}
                    Err(reason) => found.damaged(name, offset, reason),
                }
                if found.is_enough() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(found.ended())
    }

    /// Reads a line that may hold the text; `None` where it does not, or does not fit the query.
    fn read(&self, line: &[u8]) -> Result<Option<Record>, LedgerLineError> {
        let line = std::str::from_utf8(line).map_err(|_| LedgerLineError::Utf8)?;
        let record = Record::parse(line)?;
        if !self.filter.fits(&record) {
            return Ok(None);
        }
        let is_found = strings::contain(record.data(), self.needle);
        Ok(is_found.map_err(|_| LedgerLineError::Field("data"))?.then_some(record))
    }
}

/// Cuts a range into parts.
fn cut(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let Range { start, end } = range;
    let starts = (0..).map(move |part| start + part * PART_BYTES).take_while(move |at| *at < end);
    starts.map(move |at| at..end.min(at + PART_BYTES))
}

/// What one part holds, in the order of its lines.
#[derive(Default)]
struct PartMatches {
    order: QueryOrder,
    limit: usize,
    records: VecDeque<Record>,
    damaged: Vec<DamagedLineError>,
    damaged_total: u64,
}

impl PartMatches {
    /// One more than is asked for is kept: it says that there are more.
    fn push(&mut self, record: Record) {
        self.records.push_back(record);
        if self.order == QueryOrder::NewestFirst && self.records.len() > self.limit + 1 {
            self.records.pop_front();
        }
    }

    fn is_enough(&self) -> bool {
        self.order == QueryOrder::OldestFirst && self.records.len() > self.limit
    }

    fn damaged(&mut self, file: &str, offset: u64, reason: LedgerLineError) {
        self.damaged_total += 1;
        if self.damaged.len() < DAMAGED_LINES_MAX {
            self.damaged.push(DamagedLineError { file: file.to_owned(), offset, reason });
        }
    }

    fn ended(self) -> TextMatches {
        let mut records = Vec::from(self.records);
        if self.order == QueryOrder::NewestFirst {
            records.reverse();
        }
        let Self { damaged, damaged_total, .. } = self;
        TextMatches { records, has_more: false, damaged, damaged_total }
    }
}

#[cfg(test)]
mod tests {
    use super::{PART_BYTES, cut};

    #[test]
    fn parts_cover_a_range() {
        let parts: Vec<_> = cut(5..PART_BYTES * 2 + 6).collect();
        let borders = [5, PART_BYTES + 5, PART_BYTES * 2 + 5, PART_BYTES * 2 + 6];
        let expected: Vec<_> = borders.windows(2).map(|pair| pair[0]..pair[1]).collect();
        assert_eq!(parts, expected);
        assert_eq!(cut(7..7).count(), 0);
    }
}
