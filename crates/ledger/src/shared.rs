//! What handles, feeds and the committer share: the write queue, the segments, the head, the recent batches, the status.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use abide_domain::{PartClock, Timestamp};
use serde::Serialize;
use tokio::sync::watch;

use crate::{
    append::AppendError, batch::Batch, ledger_clock::LedgerClock, lock, mark::Mark, page::Page,
    segments::Segments, write_queue::WriteQueue,
};

/// Where the ledger stands, durably.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Head {
    /// The number of the newest event; 0 before the first.
    pub seq: u64,
    /// Its tick.
    pub tick: u64,
    /// When it was committed; `None` before the first.
    pub timestamp: Option<Timestamp>,
    /// The chain value of its batch, 64 hex digits.
    pub chain: String,
    /// The segment that is written to; 0 before the first.
    pub segment: u64,
}

impl Head {
    pub(crate) fn new(mark: &Mark, segment: u64) -> Self {
        Self {
            seq: mark.seq,
            tick: mark.tick,
            timestamp: (mark.seq > 0).then_some(mark.timestamp),
            chain: mark.chain.to_string(),
            segment,
        }
    }
}

/// Whether the ledger accepts appends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerStatus {
    /// It accepts appends.
    Ok,
    /// The disk refuses writes at present: appends fail until it accepts them again.
    Degraded {
        /// Why.
        reason: Arc<str>,
    },
    /// A sync failed: no append until a restart.
    Poisoned {
        /// Why.
        reason: Arc<str>,
    },
}

/// How far the log is durable, for feeds that wait for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) seq: u64,
    pub(crate) is_closed: bool,
}

/// The newest batches, bounded in bytes, shared by all feeds.
#[derive(Debug)]
pub(crate) struct Ring {
    batches: VecDeque<RingBatch>,
    bytes: usize,
    bytes_max: usize,
}

#[derive(Debug)]
struct RingBatch {
    first_seq: u64,
    last_seq: u64,
    text: Arc<String>,
}

impl Ring {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { batches: VecDeque::new(), bytes: 0, bytes_max }
    }

    fn push(&mut self, batch: &Batch) {
        self.bytes += batch.text.len();
        self.batches.push_back(RingBatch {
            first_seq: batch.first_seq,
            last_seq: batch.mark.seq,
            text: Arc::clone(&batch.text),
        });
        while self.bytes > self.bytes_max {
            let Some(oldest) = self.batches.pop_front() else { break };
            self.bytes -= oldest.text.len();
        }
    }

    /// The batch that holds a number; its page begins with the batch's first line.
    fn page(&self, seq: u64) -> Option<Page> {
        let position = self.batches.partition_point(|batch| batch.last_seq < seq);
        let batch = self.batches.get(position).filter(|batch| batch.first_seq <= seq)?;
        Some(Page::from_ring(&batch.text, batch.first_seq))
    }
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) write_queue: WriteQueue,
    pub(crate) segments: Segments,
    pub(crate) clock: Arc<LedgerClock>,
    head: Mutex<(Mark, u64)>,
    ring: Mutex<Ring>,
    pub(crate) progress: watch::Sender<Progress>,
    pub(crate) status: watch::Sender<LedgerStatus>,
    /// Since when the committer is at what it does.
    pub(crate) committer: Arc<PartClock>,
    /// Reads happen on the calling task: the committer runs as a task of a simulator, and all must follow from one seed.
    is_inline: AtomicBool,
}

impl Shared {
    pub(crate) fn new(
        write_queue: WriteQueue,
        segments: Segments,
        ring: Ring,
        (mark, clock): (Mark, Arc<LedgerClock>),
    ) -> Self {
        let progress = Progress { seq: mark.seq, is_closed: false };
        Self {
            write_queue,
            segments,
            clock,
            head: Mutex::new((mark, 0)),
            ring: Mutex::new(ring),
            progress: watch::Sender::new(progress),
            status: watch::Sender::new(LedgerStatus::Ok),
            committer: Arc::default(),
            is_inline: AtomicBool::new(false),
        }
    }

    pub(crate) fn set_inline(&self) {
        self.is_inline.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_inline(&self) -> bool {
        self.is_inline.load(Ordering::Relaxed)
    }

    /// Sets the head without a new batch.
    pub(crate) fn set_head(&self, mark: &Mark, segment: u64) {
        *lock(&self.head) = (*mark, segment);
        self.progress.send_modify(|progress| progress.seq = mark.seq);
    }

    /// Publishes a durable batch: to readers, then in the head, then to feeds that wait.
    pub(crate) fn publish(&self, batch: &Batch, segment: u64) {
        self.segments.extend(&batch.lines);
        lock(&self.ring).push(batch);
        self.set_head(&batch.mark, segment);
    }

    pub(crate) fn ring_page(&self, seq: u64) -> Option<Page> {
        lock(&self.ring).page(seq)
    }

    pub(crate) fn head(&self) -> Head {
        let (mark, segment) = *lock(&self.head);
        Head::new(&mark, segment)
    }

    /// Changes the status and wakes its watchers, if it is another one; returns whether it is.
    pub(crate) fn set_status(&self, status: LedgerStatus) -> bool {
        self.status.send_if_modified(|present| {
            let is_new = *present != status && !matches!(present, LedgerStatus::Poisoned { .. });
            if is_new {
                *present = status;
            }
            is_new
        })
    }

    /// Ends all writing: nothing more is acknowledged.
    pub(crate) fn poison(&self, reason: &Arc<str>) {
        self.set_status(LedgerStatus::Poisoned { reason: Arc::clone(reason) });
        self.write_queue.fail_all(&AppendError::Poisoned { reason: Arc::clone(reason) });
    }

    /// Why nothing more will be written, after a fatal error.
    pub(crate) fn poison_reason(&self) -> Option<Arc<str>> {
        match &*self.status.borrow() {
            LedgerStatus::Poisoned { reason } => Some(Arc::clone(reason)),
            LedgerStatus::Ok | LedgerStatus::Degraded { .. } => None,
        }
    }

    /// Tells feeds and appends that the committer has ended.
    pub(crate) fn mark_closed(&self) {
        if self.poison_reason().is_none() {
            self.write_queue.fail_all(&AppendError::Closed);
        }
        self.progress.send_modify(|progress| progress.is_closed = true);
    }
}
