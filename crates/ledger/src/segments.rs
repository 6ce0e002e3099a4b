//! The list of segments as readers see it: durable bytes only, found by sequence number.
//!
//! The committer extends it after each sync; every reader goes through it, so nobody can see a line that is not
//! durable. The list of a folder without a keeper does not change.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex},
};

use crate::{
    damage::{DamageError, ReadError},
    index::{Block, Index, IndexedLine, terms_of},
    line::{LINE_BYTES_MAX, Layout, LedgerLineError},
    lock, names,
    page::Page,
    position::SegmentPosition,
    storage::{Access, Storage, StoredFile, read_file, read_up_to, replace_file, to_usize},
    survey::{LastSegment, SealedSegment},
};

/// Indexes of sealed segments kept in memory, at about 0.2 MB each.
const CACHED_INDEXES_MAX: usize = 16;
/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = 256 * 1024;

/// Whether index files that had to be rebuilt are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexFiles {
    /// They are: the keeper owns the folder.
    Written,
    /// They are kept in memory only: a reader must not write to the folder.
    InMemory,
}

#[derive(Debug)]
pub(crate) struct Segments {
    storage: Arc<dyn Storage>,
    index_files: IndexFiles,
    list: Mutex<SegmentList>,
    cache: Mutex<VecDeque<(u64, Arc<Index>)>>,
}

#[derive(Debug, Default)]
struct SegmentList {
    sealed: Vec<SealedSegment>,
    active: Option<ActiveSegment>,
}

/// The segment that is written to.
#[derive(Debug)]
struct ActiveSegment {
    number: u64,
    first_seq: u64,
    last_seq: u64,
    bytes: u64,
    index: Index,
}

/// One segment of the list, as it was when the list was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentEntry {
    pub(crate) number: u64,
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    pub(crate) bytes: u64,
    pub(crate) sealed: Option<SealedSegment>,
}

impl Segments {
    /// A list of sealed segments.
    pub(crate) fn new(
        storage: Arc<dyn Storage>,
        index_files: IndexFiles,
        sealed: Vec<SealedSegment>,
    ) -> Self {
        let list = Mutex::new(SegmentList { sealed, active: None });
        Self { storage, index_files, list, cache: Mutex::default() }
    }

    /// The storage that the segments lie in.
    pub(crate) fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// Adds the last segment, as far as it is whole.
    pub(crate) fn add_last(&self, last: &LastSegment, last_seq: u64) {
        let LastSegment { number, first_seq, bytes, .. } = *last;
        let index = last.index.clone();
        lock(&self.list).active = Some(ActiveSegment { number, first_seq, last_seq, bytes, index });
    }

    /// Begins a new segment; the one before it must have been sealed.
    pub(crate) fn begin(&self, number: u64, first_seq: u64) {
        let last_seq = first_seq.saturating_sub(1);
        let index = Index::default();
        lock(&self.list).active =
            Some(ActiveSegment { number, first_seq, last_seq, bytes: 0, index });
    }

    /// Adds the lines of a durable batch to the active segment.
    pub(crate) fn extend(&self, lines: &[IndexedLine]) {
        let mut list = lock(&self.list);
        let Some(active) = list.active.as_mut() else { return };
        let base = active.bytes;
        for line in lines {
            active.index.push(IndexedLine { offset: base + line.offset, ..*line });
            active.last_seq = line.seq;
            active.bytes = base + line.offset + line.bytes;
        }
    }

    /// Seals the active segment; returns it with its index, from which the index file is written.
    pub(crate) fn seal(&self, chain: crate::chain::Chain) -> Option<(SealedSegment, Arc<Index>)> {
        let mut list = lock(&self.list);
        let ActiveSegment { number, first_seq, last_seq, bytes, mut index } = list.active.take()?;
        let segment = SealedSegment { number, first_seq, last_seq, bytes, chain };
        list.sealed.push(segment);
        index.close_block();
        drop(list);
        let index = Arc::new(index);
        self.cache_index(number, &index);
        Some((segment, index))
    }

    /// All segments, oldest first.
    pub(crate) fn list(&self) -> Vec<SegmentEntry> {
        let list = lock(&self.list);
        let sealed = list.sealed.iter().map(|segment| {
            let SealedSegment { number, first_seq, last_seq, bytes, .. } = *segment;
            SegmentEntry { number, first_seq, last_seq, bytes, sealed: Some(*segment) }
        });
        let active = list.active.iter().map(|active| {
            let ActiveSegment { number, first_seq, last_seq, bytes, .. } = *active;
            SegmentEntry { number, first_seq, last_seq, bytes, sealed: None }
        });
        sealed.chain(active).filter(|listed| listed.last_seq >= listed.first_seq).collect()
    }

    /// The position to read from for a sequence number; `None` where the log does not hold it (yet).
    pub(crate) fn position_of(&self, seq: u64) -> Result<Option<SegmentPosition>, ReadError> {
        let segment = {
            let list = lock(&self.list);
            if let Some(active) = list.active.as_ref().filter(|active| active.first_seq <= seq) {
                let floor = active.index.floor(seq).filter(|_| seq <= active.last_seq);
                let ActiveSegment { number, bytes: end, .. } = *active;
                return Ok(floor.map(|(offset, seq)| SegmentPosition { number, offset, end, seq }));
            }
            let after = list.sealed.partition_point(|segment| segment.first_seq <= seq);
            list.sealed.get(after.wrapping_sub(1)).filter(|s| seq <= s.last_seq).copied()
        };
        let Some(segment) = segment else { return Ok(None) };
        let SealedSegment { number, bytes: end, first_seq, .. } = segment;
        if seq == first_seq {
            return Ok(Some(SegmentPosition { number, offset: 0, end, seq }));
        }
        let floor = self.index(&segment)?.floor(seq);
        Ok(floor.map(|(offset, seq)| SegmentPosition { number, offset, end, seq }))
    }

    /// The blocks of a segment, oldest first.
    pub(crate) fn blocks(&self, listed: &SegmentEntry) -> Result<Vec<Arc<Block>>, ReadError> {
        if let Some(segment) = &listed.sealed {
            return Ok(self.index(segment)?.blocks());
        }
        let sealed = {
            let list = lock(&self.list);
            if let Some(active) = list.active.as_ref().filter(|a| a.number == listed.number) {
                return Ok(active.index.blocks());
            }
            // It was sealed since it was listed.
            list.sealed.iter().find(|segment| segment.number == listed.number).copied()
        };
        sealed.map_or(Ok(Vec::new()), |segment| Ok(self.index(&segment)?.blocks()))
    }

    /// Reads the page of whole lines that holds a sequence number; `None` where the log does not hold it (yet).
    ///
    /// The index knows the first line of a block only, and the lines before the wanted one may fill more than a page: it
    /// reads on until the line is there, so that whoever asks for the next line always gets on.
    pub(crate) fn page_with(&self, seq: u64) -> Result<Option<Page>, ReadError> {
        let Some(mut position) = self.position_of(seq)? else { return Ok(None) };
        loop {
            let page = self.page(position)?;
            match page.position_behind_all() {
                Some(behind) if behind.seq <= seq && behind.offset < behind.end => {
                    position = behind;
                }
                _ => return Ok(Some(page)),
            }
        }
    }

    /// Reads a page of whole lines at a position.
    pub(crate) fn page(&self, position: SegmentPosition) -> Result<Page, ReadError> {
        let file = names::segment(position.number);
        let failed = |source| ReadError::Io { file: file.clone(), source };
        let reader = self.storage.open(&file, Access::Read).map_err(failed)?;
        self.page_of(&*reader, position)
    }

    /// Reads a page of whole lines at a position of an open file.
    pub(crate) fn page_of(
        &self,
        file: &dyn StoredFile,
        position: SegmentPosition,
    ) -> Result<Page, ReadError> {
        let failed = |source| ReadError::Io { file: names::segment(position.number), source };
        let left = to_usize(position.end.saturating_sub(position.offset));
        let mut length = PAGE_BYTES.min(left);
        loop {
            let mut bytes = read_up_to(file, position.offset, length).map_err(failed)?;
            let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |newline| newline + 1);
            if whole == 0 && length < left && length <= LINE_BYTES_MAX {
                length = left.min(length * 2);
                continue;
            }
            bytes.truncate(whole);
            let damaged =
                |reason| self.damage(position.number, position.offset, position.seq, reason);
            if whole == 0 {
                return Err(damaged(LedgerLineError::Unfinished));
            }
            let text = String::from_utf8(bytes).map_err(|_| damaged(LedgerLineError::Utf8))?;
            return Ok(Page::from_disk(text, position));
        }
    }

    /// The error that names a damaged line.
    pub(crate) fn damage(
        &self,
        number: u64,
        offset: u64,
        seq: u64,
        reason: LedgerLineError,
    ) -> ReadError {
        let file = names::segment(number);
        let line = self.line_at(&file, offset).unwrap_or_default();
        ReadError::Damaged(DamageError { file, line, offset, seq, reason })
    }

    fn line_at(&self, file: &str, offset: u64) -> io::Result<u64> {
        let file = self.storage.open(file, Access::Read)?;
        let (mut at, mut lines) = (0, 1);
        while at < offset {
            let bytes = read_up_to(&*file, at, PAGE_BYTES.min(to_usize(offset - at)))?;
            if bytes.is_empty() {
                break;
            }
            at += bytes.len() as u64;
            lines += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        }
        Ok(lines)
    }

    /// The index of a sealed segment: from memory, from its file, or from its lines.
    fn index(&self, segment: &SealedSegment) -> Result<Arc<Index>, ReadError> {
        if let Some((_, index)) = lock(&self.cache).iter().find(|(n, _)| *n == segment.number) {
            return Ok(Arc::clone(index));
        }
        let name = names::index(segment.number);
        let stored = read_file(&*self.storage, &name).ok();
        let index = match stored.and_then(|bytes| Index::from_file(&bytes, segment.chain)) {
            Some(index) => index,
            None => self.rebuild_index(segment, &name)?,
        };
        let index = Arc::new(index);
        self.cache_index(segment.number, &index);
        Ok(index)
    }

    fn rebuild_index(&self, segment: &SealedSegment, name: &str) -> Result<Index, ReadError> {
        let SealedSegment { number, first_seq: seq, bytes: end, .. } = *segment;
        let mut position = SegmentPosition { number, offset: 0, end, seq };
        let mut index = Index::default();
        while position.offset < end {
            let page = self.page(position)?;
            for line in page.text().split_inclusive('\n') {
                let bytes = line.len() as u64;
                let line = line.trim_end_matches('\n').as_bytes();
                let layout = Layout::read(line)
                    .map_err(|reason| self.damage(number, position.offset, position.seq, reason))?;
                let (offset, terms) = (position.offset, terms_of(&layout, line));
                index.push(IndexedLine { seq: layout.seq, offset, bytes, terms });
                position.offset += bytes;
                position.seq = layout.seq + 1;
            }
        }
        index.close_block();
        if self.index_files == IndexFiles::Written {
            self.write_index(name, &index, segment);
        }
        Ok(index)
    }

    /// Writes the index file of a sealed segment. It is a cache: a failure is logged and costs a rebuild later.
    pub(crate) fn write_index(&self, name: &str, index: &Index, segment: &SealedSegment) {
        if let Err(error) = replace_file(&*self.storage, name, &index.to_file(segment.chain)) {
            tracing::warn!(file = name, event = "index_file_not_written", %error, "index file could not be written");
        }
    }

    fn cache_index(&self, number: u64, index: &Arc<Index>) {
        let mut cache = lock(&self.cache);
        if cache.iter().all(|(cached, _)| *cached != number) {
            cache.push_back((number, Arc::clone(index)));
        }
        if cache.len() > CACHED_INDEXES_MAX {
            cache.pop_front();
        }
    }
}
