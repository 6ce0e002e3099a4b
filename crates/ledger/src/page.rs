//! A page: some whole lines in one shared text, read on line by line.
//!
//! Pages come from the disk (each line is checked) or from the ring of recent batches (stamped by this process). A page
//! must never begin or end within a line.

use std::sync::Arc;

use crate::{line::LedgerLineError, position::SegmentPosition, record::Record};

#[derive(Clone, Debug)]
pub(crate) struct Page {
    text: Arc<String>,
    at: usize,
    /// The number that the next line must have.
    next_seq: u64,
    origin: Origin,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    Disk(SegmentPosition),
    Ring,
}

/// A damaged line of a page.
#[derive(Debug)]
pub(crate) struct PageLineError {
    pub(crate) number: u64,
    pub(crate) offset: u64,
    pub(crate) seq: u64,
    pub(crate) reason: LedgerLineError,
}

impl Page {
    /// Lines that were read at a position.
    pub(crate) fn from_disk(text: String, position: SegmentPosition) -> Self {
        let origin = Origin::Disk(position);
        Self { text: Arc::new(text), at: 0, next_seq: position.seq, origin }
    }

    /// The lines of a batch that this process committed.
    pub(crate) fn from_ring(text: &Arc<String>, first_seq: u64) -> Self {
        Self { text: Arc::clone(text), at: 0, next_seq: first_seq, origin: Origin::Ring }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The position behind its last line.
    pub(crate) fn position_behind(&self) -> Option<SegmentPosition> {
        match self.origin {
            Origin::Disk(position) => Some(SegmentPosition {
                offset: position.offset + self.text.len() as u64,
                seq: self.next_seq,
                ..position
            }),
            Origin::Ring => None,
        }
    }

    /// The position behind its last line, however far it has been read: each of its lines has a number of its own.
    pub(crate) fn position_behind_all(&self) -> Option<SegmentPosition> {
        let unread = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', unread).count() as u64;
        self.position_behind().map(|behind| SegmentPosition { seq: behind.seq + lines, ..behind })
    }

    /// The next line; `None` at the end of the page.
    pub(crate) fn next(&mut self) -> Option<Result<Record, PageLineError>> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest)?;
        let (from, to) = (self.at, self.at + length);
        let (record, number, base) = match self.origin {
            Origin::Disk(position) => {
                (Record::read(&self.text, from, to), position.number, position.offset)
            }
            Origin::Ring => (Record::find(&self.text, from, to), 0, 0),
        };
        let expected = self.next_seq;
        let bad =
            |reason| PageLineError { number, offset: base + from as u64, seq: expected, reason };
        let record = record.map_err(bad).and_then(|record| match record.seq() {
            seq if seq == expected => Ok(record),
            found => Err(bad(LedgerLineError::Seq { expected, found })),
        });
        if record.is_ok() {
            self.at = to + 1;
            self.next_seq += 1;
        }
        Some(record)
    }
}
