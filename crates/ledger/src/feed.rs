//! A feed: every event after a number, first from the backlog, then live. No gaps, no duplicates.
//!
//! Recent batches come from one ring that all feeds share; a feed that lags behind it reads the disk, so a slow reader costs
//! one page of memory. A feed must never show an event that is not durable.

use std::sync::Arc;

use tokio::sync::watch;

use crate::{
    damage::ReadError,
    line::LedgerLineError,
    page::{Page, PageLineError},
    record::Record,
    shared::{Progress, Shared},
};

/// Events in order, waiting for more at the end.
#[derive(Debug)]
pub struct Feed {
    shared: Arc<Shared>,
    progress: watch::Receiver<Progress>,
    next_seq: u64,
    page: Option<Page>,
}

/// Says why a feed ends.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    /// The ledger was closed and everything in it was delivered.
    #[error("the ledger is closed")]
    Closed,
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Feed {
    pub(crate) fn new(shared: Arc<Shared>, after: u64) -> Self {
        let progress = shared.progress.subscribe();
        Self { shared, progress, next_seq: after.saturating_add(1), page: None }
    }

    /// The number of the next event that it will deliver.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// The next event; waits for it. May be cancelled at any point without losing one.
    pub async fn next(&mut self) -> Result<Record, FeedError> {
        loop {
            if let Some(record) = self.buffered()? {
                return Ok(record);
            }
            self.load_page().await?;
        }
    }

    /// The next events, at least one and at most `max`; waits for the first.
    pub async fn next_batch(&mut self, max: usize) -> Result<Vec<Record>, FeedError> {
        let mut records = vec![self.next().await?];
        while records.len() < max {
            if let Some(record) = self.buffered()? {
                records.push(record);
            } else if let Some(page) = self.shared.ring_page(self.next_seq) {
                self.page = Some(page);
            } else {
                break;
            }
        }
        Ok(records)
    }

    /// The next event if it is in memory already: neither waits nor reads the disk.
    fn buffered(&mut self) -> Result<Option<Record>, FeedError> {
        while let Some(page) = self.page.as_mut() {
            match page.next() {
                Some(Ok(record)) if record.seq() < self.next_seq => {}
                Some(Ok(record)) => {
                    self.next_seq = record.seq() + 1;
                    return Ok(Some(record));
                }
                Some(Err(bad)) => {
                    self.page = None;
                    return Err(self.damaged(bad).into());
                }
                None => self.page = None,
            }
        }
        Ok(None)
    }

    fn damaged(&self, bad: PageLineError) -> ReadError {
        let PageLineError { number, offset, seq, reason } = bad;
        self.shared.segments.damage(number, offset, seq, reason)
    }

    async fn load_page(&mut self) -> Result<(), FeedError> {
        let next_seq = self.next_seq;
        let reached = |progress: &Progress| progress.seq >= next_seq || progress.is_closed;
        let has_next = match self.progress.wait_for(reached).await {
            Ok(progress) => progress.seq >= next_seq,
            Err(_) => false,
        };
        if !has_next {
            return Err(FeedError::Closed);
        }
        self.page = match self.shared.ring_page(next_seq) {
            Some(page) => Some(page),
            None => Some(self.read_page().await?),
        };
        Ok(())
    }

    async fn read_page(&self) -> Result<Page, FeedError> {
        let (shared, seq) = (Arc::clone(&self.shared), self.next_seq);
        let read = move || match shared.segments.page_with(seq)? {
            Some(page) => Ok(page),
            None => Err(shared.segments.damage(0, 0, seq, LedgerLineError::Unfinished)),
        };
        if self.shared.is_inline() {
            return Ok(read()?);
        }
        match tokio::task::spawn_blocking(read).await {
            Ok(page) => Ok(page?),
            // The runtime is shutting down.
            Err(_) => Err(FeedError::Closed),
        }
    }
}
