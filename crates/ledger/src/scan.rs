//! Reads one segment from its first byte, batch by batch, and finds how far it is whole.
//!
//! Checks everything: checksums, chain, dense numbers, ticks and times that never go back. It never decides what a bad
//! line means; `tail` does. One code for recovery, `verify` and the rebuilding of side files.

use std::{io, ops::Range};

use abide_domain::event::{Event, KeeperEvent, SegmentOpened};

use crate::{
    chain::ChainHasher,
    index::{Index, IndexedLine, terms_of},
    line::{LINE_BYTES_MAX, Layout, LedgerLineError, part},
    mark::{Mark, TickRule},
    side_file::SideFile,
    storage::{StoredFile, read_up_to, to_usize},
};

/// Bytes read at once.
const CHUNK_BYTES: usize = 1024 * 1024;

/// The first bad line of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScanDefect {
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) seq: u64,
    pub(crate) reason: LedgerLineError,
}

/// The result of a scan.
#[derive(Debug)]
pub(crate) struct ScanResult {
    /// Where the ledger stands after the last whole batch.
    pub(crate) mark: Mark,
    /// Bytes of whole batches.
    pub(crate) bytes: u64,
    /// The last whole batch.
    pub(crate) final_batch: Range<u64>,
    /// Whole batches.
    pub(crate) batches: u64,
    /// Their lines.
    pub(crate) index: Index,
    /// Files of torn tails that the segment reports.
    pub(crate) reported: Vec<String>,
    /// Whether the recorded position was passed, with the recorded chain value.
    pub(crate) has_reached_recorded: bool,
    /// The first bad line, unless all is whole.
    pub(crate) defect: Option<ScanDefect>,
}

/// A batch whose end has not been seen.
struct OpenBatch {
    begin: u64,
    link: ChainHasher,
    lines: Vec<IndexedLine>,
    mark: Mark,
    reported: Vec<String>,
}

/// A scan under way.
pub(crate) struct Scan<'a> {
    number: u64,
    side: Option<&'a SideFile>,
    before: Mark,
    open: Option<OpenBatch>,
    line: u64,
    /// The number that the next line must have.
    next_seq: u64,
    last_timestamp: Vec<u8>,
    blank: Option<(u64, u64)>,
    result: ScanResult,
}

impl<'a> Scan<'a> {
    /// Scans segment `number`, which must follow from `before`, and looks out for the position that `side` recorded.
    pub(crate) fn run(
        file: &dyn StoredFile,
        number: u64,
        before: Mark,
        side: Option<&'a SideFile>,
    ) -> io::Result<ScanResult> {
        let result = ScanResult {
            mark: before,
            bytes: 0,
            final_batch: 0..0,
            batches: 0,
            index: Index::default(),
            reported: Vec::new(),
            has_reached_recorded: false,
            defect: None,
        };
        let last_timestamp = match before.genesis {
            Some(_) => before.timestamp.to_string().into_bytes(),
            None => Vec::new(),
        };
        let mut scan = Self {
            number,
            side,
            before,
            open: None,
            line: 0,
            next_seq: before.seq.saturating_add(1),
            last_timestamp,
            blank: None,
            result,
        };
        scan.read(file)?;
        Ok(scan.result)
    }

    fn read(&mut self, file: &dyn StoredFile) -> io::Result<()> {
        let (mut at, mut chunk_bytes) = (0, CHUNK_BYTES);
        let size = file.size()?;
        loop {
            let left = to_usize(size.saturating_sub(at));
            let chunk = read_up_to(file, at, chunk_bytes.min(left))?;
            let Some(last) = memchr::memrchr(b'\n', &chunk) else {
                if chunk.len() == chunk_bytes && chunk_bytes <= LINE_BYTES_MAX {
                    chunk_bytes *= 2;
                    continue;
                }
                self.end(at, !chunk.is_empty());
                return Ok(());
            };
            if self.lines(part(&chunk, 0, last + 1), at).is_none() {
                return Ok(());
            }
            at += last as u64 + 1;
            chunk_bytes = CHUNK_BYTES;
        }
    }

    /// Checks whole lines that begin at `at`; `None` after a bad one.
    fn lines(&mut self, bytes: &[u8], at: u64) -> Option<()> {
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            self.line += 1;
            let offset = at + begin as u64;
            let with_newline = part(bytes, begin, end + 1);
            begin = end + 1;
            if with_newline.len() == 1 {
                self.blank.get_or_insert((offset, self.line));
            } else if let Err((offset, line, reason)) = self.check_line(with_newline, offset) {
                self.fail(offset, line, reason);
                return None;
            }
        }
        Some(())
    }

    /// Ends at the end of the file, where a last piece without newline may stand.
    fn end(&mut self, at: u64, has_piece: bool) {
        if has_piece {
            let (offset, line) = self.blank.unwrap_or((at, self.line + 1));
            self.fail(offset, line, LedgerLineError::Unfinished);
        } else if self.open.is_some() {
            let (offset, line) = self.blank.unwrap_or((at, self.line));
            self.fail(offset, line, LedgerLineError::Unfinished);
        }
    }

    fn fail(&mut self, offset: u64, line: u64, reason: LedgerLineError) {
        self.result.defect = Some(ScanDefect { line, offset, seq: self.next_seq, reason });
    }

    fn check_line(&mut self, line: &[u8], offset: u64) -> Result<(), (u64, u64, LedgerLineError)> {
        if let Some((blank_offset, blank_line)) = self.blank {
            return Err((blank_offset, blank_line, LedgerLineError::Blank));
        }
        let checked = self.add_line(line, offset).map_err(|reason| (offset, self.line, reason));
        if checked.is_ok() {
            self.next_seq = self.next_seq.saturating_add(1);
        }
        checked
    }

    fn add_line(&mut self, with_newline: &[u8], offset: u64) -> Result<(), LedgerLineError> {
        let line = part(with_newline, 0, with_newline.len() - 1);
        let layout = Layout::read(line)?;
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin_batch(offset),
        };
        self.check_order(&layout, line, &open.mark)?;
        open.mark.seq = layout.seq;
        open.mark.tick = layout.tick;
        self.read_keeper_event(&layout, line, &mut open)?;
        let bytes = with_newline.len() as u64;
        open.lines.push(IndexedLine {
            seq: layout.seq,
            offset,
            bytes,
            terms: terms_of(&layout, line),
        });
        let Some(chain) = layout.chain(line) else {
            open.link.update(with_newline);
            self.open = Some(open);
            return Ok(());
        };
        open.link.update(part(line, 0, layout.chain_at.unwrap_or_default()));
        open.mark.timestamp = layout.time(line).ok_or(LedgerLineError::Field("timestamp"))?;
        open.mark.chain = chain;
        self.close_batch(open, offset + bytes)
    }

    fn begin_batch(&self, begin: u64) -> OpenBatch {
        let mark = self.result.mark;
        let link = ChainHasher::from(mark.chain);
        OpenBatch { begin, link, lines: Vec::new(), mark, reported: Vec::new() }
    }

    fn check_order(
        &mut self,
        layout: &Layout,
        line: &[u8],
        mark: &Mark,
    ) -> Result<(), LedgerLineError> {
        if layout.seq != self.next_seq {
            return Err(LedgerLineError::Seq { expected: self.next_seq, found: layout.seq });
        }
        if layout.tick < mark.tick {
            return Err(LedgerLineError::Tick);
        }
        // Timestamps are written with a fixed width, so they compare as text.
        let timestamp = layout.timestamp.of(line);
        if timestamp < self.last_timestamp.as_slice() {
            return Err(LedgerLineError::Timestamp);
        }
        if timestamp != self.last_timestamp.as_slice() {
            self.last_timestamp = timestamp.to_vec();
        }
        Ok(())
    }

    fn read_keeper_event(
        &self,
        layout: &Layout,
        line: &[u8],
        open: &mut OpenBatch,
    ) -> Result<(), LedgerLineError> {
        let is_first = layout.seq == self.before.seq.saturating_add(1);
        let event =
            layout.kind.of(line).starts_with(b"keeper.").then(|| layout.event(line)).flatten();
        match event {
            Some(Event::Keeper(KeeperEvent::SegmentOpened(event))) if is_first => {
                self.check_opening(&event)?;
                if self.before.genesis.is_none() {
                    open.mark.genesis = Some(event.genesis);
                    open.mark.rule = TickRule::of_genesis(event.genesis);
                }
            }
            _ if is_first => return Err(LedgerLineError::Opening("another event comes first")),
            Some(Event::Keeper(KeeperEvent::SegmentOpened(_))) => {
                return Err(LedgerLineError::Opening("it is not the first line"));
            }
            Some(Event::Keeper(KeeperEvent::TickIntervalChanged(event))) => {
                open.mark.rule = TickRule::from(&event);
            }
            Some(Event::Keeper(KeeperEvent::TailQuarantined(event))) => {
                open.reported.push(event.file);
            }
            _ => {}
        }
        Ok(())
    }

    fn check_opening(&self, event: &SegmentOpened) -> Result<(), LedgerLineError> {
        if event.segment != self.number {
            return Err(LedgerLineError::Opening("it names another segment"));
        }
        if event.previous_chain != self.before.chain.to_string() {
            return Err(LedgerLineError::Opening("it names another previous chain value"));
        }
        match self.before.genesis {
            Some(genesis) if genesis != event.genesis => {
                Err(LedgerLineError::Opening("it names another genesis"))
            }
            _ => Ok(()),
        }
    }

    fn close_batch(&mut self, open: OpenBatch, end: u64) -> Result<(), LedgerLineError> {
        let OpenBatch { begin, link, lines, mark, reported } = open;
        if link.finish() != mark.chain {
            return Err(LedgerLineError::Chain);
        }
        if let Some(side) = self.side.filter(|side| side.last_seq == mark.seq) {
            if side.chain() != Some(mark.chain) || side.bytes != end {
                return Err(LedgerLineError::Recorded);
            }
            self.result.has_reached_recorded = true;
        }
        for line in lines {
            self.result.index.push(line);
        }
        self.result.reported.extend(reported);
        self.result.mark = mark;
        self.result.bytes = end;
        self.result.final_batch = begin..end;
        self.result.batches += 1;
        Ok(())
    }
}
