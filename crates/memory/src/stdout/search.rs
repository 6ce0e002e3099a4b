//! Searches a log for a text, a condition, or both: the newest parts first, no further than needed.
//!
//! With a text, bytes are scanned and only lines that may hold it are read. So that a line that cannot be read is said
//! even then, every line is looked at the first time that a part of a file is searched, and remembered as looked at.

use std::{
    collections::{HashSet, VecDeque},
    io,
    ops::{ControlFlow, Range, RangeInclusive},
};

use abide_domain::EntityName;
use abide_ledger::{
    storage::StoredFile,
    text::{Candidate, Needle, Piece, line_start, pieces, process_in_order},
};

use super::{
    ReadResult,
    backward::read,
    checked::{CORRUPT_KEPT_MAX, CheckedRanges},
    corrupt::{CorruptLineError, CorruptLines, LogLineError},
    entity::LogView,
    entry::{ParsedLine, PlainLine, StdoutEntry},
};

/// Bytes of the first part, of the second, and of all others: most searches end in the first.
const PART_BYTES: [u64; 3] = [256 * 1024, 512 * 1024, 1024 * 1024];

/// A condition on an entry. An error is not false: it ends the search.
pub type EntryCondition<'a, E> = dyn Fn(&StdoutEntry) -> Result<bool, E> + Sync + 'a;

/// What is looked for. The default fits everything.
#[derive(Clone, Debug, Default)]
pub struct EntryFilter {
    /// Must stand in the content. Beside a condition that demands it, it spares reading all other lines.
    pub needle: Option<Needle>,
    /// Only these ticks; found by halving the file.
    pub ticks: Option<RangeInclusive<u64>>,
    /// Looks at everything, so that it is known how many fit.
    pub counts_all: bool,
}

/// One search.
pub(super) struct LogSearch<'a, E> {
    pub(super) view: &'a LogView,
    pub(super) entity: &'a EntityName,
    pub(super) filter: &'a EntryFilter,
    pub(super) fits: Option<&'a EntryCondition<'a, E>>,
    pub(super) checked: &'a CheckedRanges,
    /// Whole lines.
    pub(super) range: Range<u64>,
    pub(super) last: usize,
}

/// What each thread has of its own: clones of an expression share it, but not what they work in.
type WorkerBuffers = (Vec<u8>, Option<Needle>);

/// What one search found, and the part of the file in which it looked at every line, with what cannot be read there.
pub(super) struct SearchOutcome {
    pub(super) found: ReadResult,
    pub(super) newly_checked: Option<(Range<u64>, Vec<CorruptLineError>)>,
}

/// Why a search ended early.
pub(super) enum ScanError<E> {
    Io(io::Error),
    Condition { tick: u64, source: E },
}

impl<E> From<io::Error> for ScanError<E> {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What some parts hold together.
struct PartMatches {
    /// The name once more for each part: threads that count the users of one name wait for each other.
    entity: EntityName,
    /// Where the lines that were looked at begin.
    from: u64,
    matched: u64,
    /// Places and lengths of the newest lines that fit: in a part the oldest first.
    kept: VecDeque<(u64, usize)>,
    corrupt: Vec<CorruptLineError>,
    corrupt_total: u64,
}

impl PartMatches {
    fn new(entity: &EntityName, from: u64) -> Self {
        let entity = entity.as_str().parse().unwrap_or_else(|_| entity.clone());
        let (kept, corrupt) = (VecDeque::new(), Vec::new());
        Self { entity, from, matched: 0, kept, corrupt, corrupt_total: 0 }
    }

    fn add_corrupt(&mut self, offset: u64, why: LogLineError) {
        self.corrupt_total += 1;
        if self.corrupt.len() < CORRUPT_KEPT_MAX {
            self.corrupt.push(CorruptLineError { offset, why });
        }
    }

    fn add_match(&mut self, at: u64, length: usize, last: usize) {
        self.matched += 1;
        self.kept.push_back((at, length));
        if self.kept.len() > last {
            self.kept.pop_front();
        }
    }

    /// Takes what stands before it in the file.
    fn precede(&mut self, earlier: Self, last: usize) {
        self.from = earlier.from;
        self.matched += earlier.matched;
        self.corrupt_total += earlier.corrupt_total;
        let room = CORRUPT_KEPT_MAX.saturating_sub(self.corrupt.len());
        self.corrupt.extend(earlier.corrupt.into_iter().take(room));
        for kept in earlier.kept.into_iter().rev().take(last.saturating_sub(self.kept.len())) {
            self.kept.push_front(kept);
        }
    }
}

impl<E: Send> LogSearch<'_, E> {
    /// Runs the search.
    pub(super) fn run(&self) -> Result<SearchOutcome, ScanError<E>> {
        let parts = parts_from_end(self.range.clone());
        let mut tally = PartMatches::new(self.entity, self.range.end);
        let mut taken = 0;
        let new_buffers = || (Vec::new(), self.filter.needle.clone());
        let look = |buffers: &mut WorkerBuffers, part: &Range<u64>| self.scan_part(buffers, part);
        process_in_order(&parts, &new_buffers, &look, &mut |part: PartMatches| {
            taken += 1;
            tally.precede(part, self.last);
            let is_enough = !self.filter.counts_all && tally.matched > self.last as u64;
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let newly_checked = self.newly_checked(&tally);
        self.add_known(&mut tally);
        let found = ReadResult {
            entries: self.entries(&tally)?,
            has_more: tally.matched > self.last as u64,
            matched: (taken == parts.len()).then_some(tally.matched),
            corrupt: CorruptLines::of(tally.corrupt, tally.corrupt_total),
        };
        Ok(SearchOutcome { found, newly_checked })
    }

    fn scan_part(
        &self,
        buffers: &mut WorkerBuffers,
        part: &Range<u64>,
    ) -> Result<PartMatches, ScanError<E>> {
        let (buffer, needle) = buffers;
        let (file, end) = (&*self.view.file, self.range.end);
        let from = line_start(file, part.start, end)?.max(self.range.start);
        let to = line_start(file, part.end, end)?;
        let mut tally = PartMatches::new(self.entity, from);
        let mut fault = None;
        pieces(file, from..to, buffer, &mut |at, piece| {
            let looked = match piece {
                Piece::Lines(lines) => match needle {
                    Some(needle) => self.scan(needle, at, lines, &mut tally),
                    None => each_line(at, lines)
                        .try_for_each(|(at, line)| self.check_line(at, line, &mut tally)),
                },
                Piece::TooLong => {
                    tally.add_corrupt(at, LogLineError::TooLong);
                    Ok(())
                }
            };
            fault = looked.err();
            if fault.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        fault.map_or(Ok(tally), Err)
    }

    fn scan(
        &self,
        needle: &Needle,
        at: u64,
        lines: &[u8],
        tally: &mut PartMatches,
    ) -> Result<(), ScanError<E>> {
        let is_known = self.checked.covers(&(at..at + lines.len() as u64));
        if !is_known {
            for (at, line) in each_line(at, lines) {
                if let Err(why) = ParsedLine::read(line, self.entity) {
                    tally.add_corrupt(at, why);
                }
            }
        }
        for Candidate { line: range, found } in needle.candidates(lines) {
            let place = at + range.start as u64;
            let found = found.start - range.start..found.end - range.start;
            let line = lines.get(range).unwrap_or_default();
            if !is_known && ParsedLine::read(line, self.entity).is_err() { // It was counted above.
            } else if is_known && self.checked.is_corrupt(place) { // It is added at the end.
            } else if is_known && self.is_plain_match(line, &found) {
                tally.add_match(place, line.len(), self.last);
            } else {
                self.check_line(place, line, tally)?;
            }
        }
        Ok(())
    }

    /// Whether a line that is known to be readable fits by what its bytes show; where not, it must be read to know.
    fn is_plain_match(&self, line: &[u8], found: &Range<usize>) -> bool {
        let needle = self.filter.needle.as_ref();
        self.fits.is_none()
            && needle.is_some_and(Needle::counts_anywhere)
            && PlainLine::find(line, self.entity).is_some_and(|plain| {
                let Range { start, end } = plain.content;
                let ticks = self.filter.ticks.as_ref();
                start <= found.start
                    && found.end <= end
                    && ticks.is_none_or(|ticks| ticks.contains(&plain.tick))
            })
    }

    fn check_line(
        &self,
        at: u64,
        line: &[u8],
        tally: &mut PartMatches,
    ) -> Result<(), ScanError<E>> {
        let read = match ParsedLine::read(line, self.entity) {
            Ok(read) => read,
            Err(why) => {
                tally.add_corrupt(at, why);
                return Ok(());
            }
        };
        let EntryFilter { needle, ticks, .. } = self.filter;
        let holds = ticks.as_ref().is_none_or(|ticks| ticks.contains(&read.tick))
            && needle.as_ref().is_none_or(|needle| needle.is_in(&read.content));
        let fits = match self.fits.filter(|_| holds) {
            Some(fits) => fits(&read.entry(&tally.entity))
                .map_err(|source| ScanError::Condition { tick: read.tick, source })?,
            None => holds,
        };
        if fits {
            tally.add_match(at, line.len(), self.last);
        }
        Ok(())
    }

    /// Adds the corrupt lines that an earlier search came upon.
    fn add_known(&self, tally: &mut PartMatches) {
        if self.filter.needle.is_none() {
            return;
        }
        let named: HashSet<u64> = tally.corrupt.iter().map(|line| line.offset).collect();
        for line in self.checked.corrupt_in(tally.from..self.range.end) {
            if !named.contains(&line.offset) {
                tally.add_corrupt(line.offset, line.why);
            }
        }
    }

    /// What is known of the file after this search and was not before.
    fn newly_checked(&self, tally: &PartMatches) -> Option<(Range<u64>, Vec<CorruptLineError>)> {
        let range = tally.from..self.range.end;
        let is_new = self.filter.needle.is_some()
            && tally.corrupt_total < CORRUPT_KEPT_MAX as u64
            && !self.checked.covers(&range);
        is_new.then(|| (range, tally.corrupt.clone()))
    }

    fn entries(&self, tally: &PartMatches) -> io::Result<Vec<StdoutEntry>> {
        let entries = tally.kept.iter().map(|(at, length)| {
            let line = read(&*self.view.file, *at..*at + *length as u64)?;
            let line = ParsedLine::read(&line, self.entity);
            let line = line.map_err(|_| io::Error::other("it changed while it was read"))?;
            Ok(line.entry(self.entity))
        });
        entries.collect()
    }
}

/// The lines of whole lines, with their places, without their newlines. Empty ones are none.
fn each_line(at: u64, lines: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut from = 0;
    let all = memchr::memchr_iter(b'\n', lines).map(move |newline| {
        let line = lines.get(from..newline).unwrap_or_default();
        let place = at + from as u64;
        from = newline + 1;
        (place, line)
    });
    all.filter(|(_, line)| !line.is_empty())
}

/// Cuts a range into parts, the last one first. A line belongs to the part that it begins in.
fn parts_from_end(range: Range<u64>) -> Vec<Range<u64>> {
    let Range { start, mut end } = range;
    let [first, second, other] = PART_BYTES;
    let mut parts = Vec::new();
    while end > start {
        let length = match parts.len() {
            0 => first,
            1 => second,
            _ => other,
        };
        let from = end.saturating_sub(length).max(start);
        parts.push(from..end);
        end = from;
    }
    parts
}

/// Reads entries of some ticks from the end of a range backwards.
pub(super) fn newest_of(
    file: &dyn StoredFile,
    range: Range<u64>,
    entity: &EntityName,
    ticks: &RangeInclusive<u64>,
    last: usize,
) -> io::Result<ReadResult> {
    let (mut entries, mut corrupt, mut total) = (VecDeque::new(), Vec::new(), 0);
    let mut has_more = false;
    super::backward::newest(file, range, &mut |offset, line| {
        match line.ok_or(LogLineError::TooLong).and_then(|line| ParsedLine::read(line, entity)) {
            Ok(line) if !ticks.contains(&line.tick) => {}
            Ok(_) if entries.len() == last => {
                has_more = true;
                return ControlFlow::Break(());
            }
            Ok(line) => entries.push_front(line.entry(entity)), // Beyond what was asked for, nothing is missing.
            Err(_) if entries.len() == last => {}
            Err(why) => {
                total += 1;
                if corrupt.len() < CORRUPT_KEPT_MAX {
                    corrupt.push(CorruptLineError { offset, why });
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    let matched = (!has_more).then_some(entries.len() as u64);
    Ok(ReadResult {
        entries: entries.into(),
        has_more,
        matched,
        corrupt: CorruptLines::of(corrupt, total),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{each_line, parts_from_end};

    #[test]
    fn lines_have_their_places() {
        let lines: Vec<_> = each_line(10, b"a\n\nbc\n").collect();
        assert_eq!(lines, [(10, &b"a"[..]), (13, &b"bc"[..])]);
    }

    proptest! { #[test] fn parts_cover_a_range_from_its_end(start in 0_u64..100, length in 0_u64..40_000_000) { let mut end = start + length; for part in parts_from_end(start..end) { prop_assert!(part.end == end && part.start < part.end); end = part.start; } prop_assert_eq!(end, start); } }
}
