//! Reads durable events in order, from the disk: the fast path of a replay.
//!
//! UTF-8 is validated once a page, each line's checksum on the way, and no JSON is parsed beyond the header. The chain
//! is not: that was done when the ledger was opened, or is left to `verify`.

use crate::{
    damage::ReadError,
    page::{Page, PageLineError},
    position::SegmentPosition,
    record::Record,
    segments::Segments,
};

/// Durable events in order. Ends at the newest, or after an error.
#[derive(Debug)]
pub struct Records<'a> {
    segments: &'a Segments,
    next_seq: u64,
    page: Option<Page>,
    has_failed: bool,
}

impl<'a> Records<'a> {
    pub(crate) fn new(segments: &'a Segments, from: u64) -> Self {
        Self { segments, next_seq: from.max(1), page: None, has_failed: false }
    }

    fn read(&mut self) -> Result<Option<Record>, ReadError> {
        loop {
            match self.page.as_mut().and_then(Page::next) {
                Some(Ok(record)) if record.seq() < self.next_seq => {}
                Some(Ok(record)) => {
                    self.next_seq = record.seq() + 1;
                    return Ok(Some(record));
                }
                Some(Err(bad)) => {
                    let PageLineError { number, offset, seq, reason } = bad;
                    return Err(self.segments.damage(number, offset, seq, reason));
                }
                None => {
                    let Some(position) = self.next_position()? else { return Ok(None) };
                    self.page = Some(self.segments.page(position)?);
                }
            }
        }
    }

    fn next_position(&self) -> Result<Option<SegmentPosition>, ReadError> {
        let behind = self.page.as_ref().and_then(Page::position_behind);
        match behind.filter(|position| position.offset < position.end) {
            Some(position) => Ok(Some(position)),
            None => self.segments.position_of(self.next_seq),
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let read = self.read();
        self.has_failed = read.is_err();
        read.transpose()
    }
}
