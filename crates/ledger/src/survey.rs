//! Reads all segments of a folder and finds where the ledger stands, changing nothing.
//!
//! Recovery begins with it, and so does every command that reads a folder without a keeper. The side file of a sealed
//! segment is trusted when it fits the file's ends; all others, and always the last, are read whole.

use std::{io, ops::Range};

use abide_domain::event::{Event, KeeperEvent};

use crate::{
    chain::Chain,
    damage::{DamageError, OpenError},
    index::Index,
    line::{LINE_BYTES_MAX, Layout, part},
    mark::Mark,
    names,
    scan::{Scan, ScanDefect, ScanResult},
    side_file::SideFile,
    storage::{Access, Storage, StoredFile, read_up_to, to_usize},
    tail::{Verdict, classify_tail},
};

/// How often the last segment is read again when a keeper may be writing to it at the same moment.
const READS_MAX: u32 = 4;

/// How much a survey reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SurveyDepth {
    /// What a start needs.
    Quick,
    /// Every byte.
    Full,
}

/// A segment whose content is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SealedSegment {
    pub(crate) number: u64,
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    pub(crate) bytes: u64,
    pub(crate) chain: Chain,
}

/// The last segment, as it was found.
#[derive(Debug)]
pub(crate) struct LastSegment {
    pub(crate) number: u64,
    pub(crate) first_seq: u64,
    /// Bytes of whole batches; none where its creation was cut short.
    pub(crate) bytes: u64,
    /// The file's length: padding and torn bytes included.
    pub(crate) size: u64,
    pub(crate) final_batch: Range<u64>,
    pub(crate) index: Index,
    /// Whether its side file says that nothing more will be written to it.
    pub(crate) sealed: bool,
    /// What stands behind its last whole batch and belongs to none.
    pub(crate) torn: Vec<u8>,
}

/// The result of a survey: where a ledger stands, and what recovery has to do.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) sealed: Vec<SealedSegment>,
    pub(crate) last: Option<LastSegment>,
    pub(crate) mark: Mark,
    /// Files of torn tails that no event reports yet.
    pub(crate) unreported: Vec<String>,
    /// Side files of sealed segments that had to be read whole.
    pub(crate) rebuilt: Vec<SideFile>,
    /// Where bytes that were never acknowledged stand behind the end of a sealed segment.
    pub(crate) leftovers: Vec<Leftover>,
    /// Batches of the segments that were read whole.
    pub(crate) batches: u64,
}

/// Bytes behind the end of a sealed segment. The next segment's opening line proves that the log ended before them: a
/// sync that failed can bring back what had been cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leftover {
    pub(crate) number: u64,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Survey {
    /// Surveys a folder.
    pub(crate) fn of(storage: &dyn Storage, depth: SurveyDepth) -> Result<Self, OpenError> {
        let names = storage.list().map_err(OpenError::io("list its folder"))?;
        let numbers = segment_numbers(&names)?;
        let mut survey = Self {
            sealed: Vec::new(),
            last: None,
            mark: Mark::EMPTY,
            unreported: Vec::new(),
            rebuilt: Vec::new(),
            leftovers: Vec::new(),
            batches: 0,
        };
        let Some((last, others)) = numbers.split_last() else { return Ok(survey) };
        // What stands behind the whole part of a segment is a leftover if the next segment opens from there, and damage
        // if it does not.
        let mut doubt = None;
        for number in others {
            match survey.add_sealed(storage, *number, depth) {
                Ok(doubt_about_this) => doubt = doubt_about_this,
                Err(error) => return Err(doubt.unwrap_or(error)),
            }
        }
        let added = survey.add_last(storage, *last, &names);
        let has_opening = survey.last.as_ref().is_some_and(|last| last.bytes > 0);
        match (added, doubt) {
            (Ok(()), None) => Ok(survey),
            (Ok(()), Some(_)) if has_opening => Ok(survey),
            (_, Some(doubt)) => Err(doubt),
            (Err(error), None) => Err(error),
        }
    }

    /// Adds a segment that has a successor; returns the error to report if the successor does not open from its end.
    fn add_sealed(
        &mut self,
        storage: &dyn Storage,
        number: u64,
        depth: SurveyDepth,
    ) -> Result<Option<OpenError>, OpenError> {
        let (file, side) = open(storage, number)?;
        let first_seq = self.mark.seq + 1;
        let trusted = side.as_ref().filter(|side| depth == SurveyDepth::Quick && side.sealed);
        let reading = || OpenError::io(format!("read {}", names::segment(number)));
        let mut doubt = None;
        let (mark, bytes) = match trusted.and_then(SideFile::mark) {
            Some(mark) if fits(&*file, number, &self.mark, &mark, trusted).map_err(reading())? => {
                (mark, trusted.map_or(0, |side| side.bytes))
            }
            _ => {
                let scanned =
                    Scan::run(&*file, number, self.mark, side.as_ref()).map_err(reading())?;
                doubt = check_sealed(&scanned, number, side.is_some())?;
                check_recorded(&scanned, number, side.as_ref())?;
                if doubt.is_some() {
                    let (offset, size) = (scanned.bytes, file.size().map_err(reading())?);
                    let bytes = size.saturating_sub(offset);
                    self.leftovers.push(Leftover { number, offset, bytes });
                }
                self.batches += scanned.batches;
                let mut side = SideFile::new(number, first_seq, scanned.bytes, &scanned.mark);
                side.sealed = true;
                self.rebuilt.push(side);
                (scanned.mark, scanned.bytes)
            }
        };
        let (last_seq, chain) = (mark.seq, mark.chain);
        self.sealed.push(SealedSegment { number, first_seq, last_seq, bytes, chain });
        self.mark = mark;
        Ok(doubt)
    }

    fn add_last(
        &mut self,
        storage: &dyn Storage,
        number: u64,
        names: &[String],
    ) -> Result<(), OpenError> {
        let (file, side) = open(storage, number)?;
        let (scanned, rest) = read_last(&*file, number, self.mark, side.as_ref())?;
        check_recorded(&scanned, number, side.as_ref())?;
        let ScanResult { mark, bytes, final_batch, batches, index, reported, .. } = scanned;
        let size = file.size().map_err(OpenError::io("read a file's length"))?;
        self.unreported = names
            .iter()
            .filter(|name| names::parse_torn(name).is_some_and(|(segment, _)| segment == number))
            .filter(|name| !reported.contains(name))
            .cloned()
            .collect();
        self.unreported.sort_unstable();
        let sealed = rest.is_empty() && side.is_some_and(|s| s.sealed && s.last_seq == mark.seq);
        let first_seq = self.mark.seq + 1;
        let torn = rest;
        self.last =
            Some(LastSegment { number, first_seq, bytes, size, final_batch, index, sealed, torn });
        self.batches += batches;
        self.mark = mark;
        Ok(())
    }
}

/// The segments' numbers, which must be 1, 2, 3 … without a gap; and no side file may exist for a later one.
fn segment_numbers(names: &[String]) -> Result<Vec<u64>, OpenError> {
    let mut numbers: Vec<_> = names.iter().filter_map(|n| names::parse_segment(n)).collect();
    numbers.sort_unstable();
    let missing = |number| OpenError::MissingSegment { file: names::segment(number) };
    for (number, expected) in numbers.iter().zip(1..) {
        if *number != expected {
            return Err(missing(expected));
        }
    }
    let count = numbers.len() as u64;
    match names.iter().filter_map(|name| names::parse_side(name)).max() {
        Some(beyond) if beyond > count => Err(missing(count + 1)),
        _ => Ok(numbers),
    }
}

/// Opens a segment and reads its side file, in this order reversed: a log that grows meanwhile is never the shorter.
fn open(
    storage: &dyn Storage,
    number: u64,
) -> Result<(Box<dyn StoredFile>, Option<SideFile>), OpenError> {
    let side = SideFile::read(storage, number)
        .map_err(OpenError::io(format!("read {}", names::side(number))))?;
    let name = names::segment(number);
    let file = storage.open(&name, Access::Read).map_err(OpenError::io(format!("open {name}")))?;
    Ok((file, side))
}

/// Scans the last segment and classifies what stands behind its last whole batch; returns the torn bytes, if any.
fn read_last(
    file: &dyn StoredFile,
    number: u64,
    before: Mark,
    side: Option<&SideFile>,
) -> Result<(ScanResult, Vec<u8>), OpenError> {
    let reading = || OpenError::io(format!("read {}", names::segment(number)));
    let mut reach = None;
    for _ in 0..READS_MAX {
        let scanned = Scan::run(file, number, before, side).map_err(reading())?;
        let Some(defect) = scanned.defect.clone() else { return Ok((scanned, Vec::new())) };
        let size = file.size().map_err(reading())?;
        let length = to_usize(size.saturating_sub(scanned.bytes));
        let mut rest = read_up_to(file, scanned.bytes, length).map_err(reading())?;
        match classify_tail(&rest, scanned.mark.chain) {
            Verdict::Padding => return Ok((scanned, Vec::new())),
            Verdict::Torn(used) => {
                rest.truncate(used);
                return Ok((scanned, rest));
            }
            // A keeper that writes meanwhile may have finished the batch between two reads: then the whole part grew.
            Verdict::Corrupt if Some(scanned.bytes) > reach => reach = Some(scanned.bytes),
            Verdict::Corrupt => return Err(corrupt(number, defect)),
        }
    }
    let scanned = Scan::run(file, number, before, side).map_err(reading())?;
    match scanned.defect.clone() {
        Some(defect) => Err(corrupt(number, defect)),
        None => Ok((scanned, Vec::new())),
    }
}

fn corrupt(number: u64, defect: ScanDefect) -> OpenError {
    let ScanDefect { line, offset, seq, reason } = defect;
    OpenError::Corrupt(DamageError { file: names::segment(number), line, offset, seq, reason })
}

/// A segment that has a successor must be whole, at least as far as its side file says: where it is not, the error
/// is returned: it holds if the successor does not open from there.
fn check_sealed(
    scanned: &ScanResult,
    number: u64,
    has_side: bool,
) -> Result<Option<OpenError>, OpenError> {
    let Some(defect) = scanned.defect.clone() else {
        let missing = || OpenError::MissingSegment { file: names::segment(number) };
        return if scanned.bytes == 0 { Err(missing()) } else { Ok(None) };
    };
    let damage = corrupt(number, defect);
    let may_be_leftover = scanned.bytes > 0 && (scanned.has_reached_recorded || !has_side);
    if may_be_leftover { Ok(Some(damage)) } else { Err(damage) }
}

/// The log must reach, and pass through, what its side file recorded.
fn check_recorded(
    scanned: &ScanResult,
    number: u64,
    side: Option<&SideFile>,
) -> Result<(), OpenError> {
    let Some(side) = side.filter(|_| !scanned.has_reached_recorded) else { return Ok(()) };
    let (found, recorded) = (scanned.mark.seq, side.last_seq);
    if found >= recorded {
        let (file, side) = (names::segment(number), names::side(number));
        return Err(OpenError::Replaced { recorded, file, side });
    }
    let (file, side) = (names::segment(number), names::side(number));
    Err(OpenError::Shorter { found, recorded, file, side })
}

/// Whether a sealed segment's file has the length, the first and the last line that its side file claims.
fn fits(
    file: &dyn StoredFile,
    number: u64,
    before: &Mark,
    after: &Mark,
    side: Option<&SideFile>,
) -> io::Result<bool> {
    let Some(side) = side else { return Ok(false) };
    if file.size()? != side.bytes || side.first_seq != before.seq + 1 {
        return Ok(false);
    }
    if before.genesis.is_some_and(|genesis| Some(genesis) != after.genesis) {
        return Ok(false);
    }
    let head = read_up_to(file, 0, 4096)?;
    let first = part(&head, 0, memchr::memchr(b'\n', &head).unwrap_or_default());
    let opening = Layout::read(first).ok().and_then(|layout| layout.event(first));
    let opens = matches!(
        opening,
        Some(Event::Keeper(KeeperEvent::SegmentOpened(opened)))
            if opened.segment == number && opened.previous_chain == before.chain.to_string()
    );
    let last = last_line(file, side.bytes)?;
    let ends = Layout::read(&last)
        .is_ok_and(|layout| layout.seq == side.last_seq && layout.chain(&last) == side.chain());
    Ok(opens && ends)
}

/// The last line of a file of this length, without its newline; empty where there is none.
fn last_line(file: &dyn StoredFile, bytes: u64) -> io::Result<Vec<u8>> {
    let mut window = 4096_u64;
    loop {
        let from = bytes.saturating_sub(window);
        let mut tail = read_up_to(file, from, to_usize(bytes - from))?;
        if tail.pop() != Some(b'\n') {
            return Ok(Vec::new());
        }
        match memchr::memrchr(b'\n', &tail) {
            Some(newline) => return Ok(tail.split_off(newline + 1)),
            None if from == 0 => return Ok(tail),
            None if window > 2 * LINE_BYTES_MAX as u64 => return Ok(Vec::new()),
            None => window *= 4,
        }
    }
}
