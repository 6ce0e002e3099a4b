//! The handle through which the rest of the program uses the ledger.

use std::{sync::Arc, time::Duration};

use abide_domain::{Clock, PartClock, Timestamp};
use tokio::sync::watch;

use crate::{
    active::WriteError,
    append::{AppendError, AppendReceipt},
    commit::Committer,
    damage::{OpenError, ReadError},
    draft::{Bodies, Draft},
    erase,
    feed::Feed,
    ledger_clock::{ClockStatus, LedgerClock},
    query::{Matches, Query},
    read::Records,
    record::Record,
    segments::{IndexFiles, Segments},
    shared::{Head, LedgerStatus, Ring, Shared},
    storage::Storage,
    survey::{Survey, SurveyDepth},
    text::{self, Needle, TextMatches},
    write_queue::{PendingAppend, WriteQueue},
    writer::{Writer, WriterSettings},
};

/// How a ledger is opened.
#[derive(Clone, Debug)]
pub struct LedgerOptions {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The length of a tick; a length other than the ledger's is an event.
    pub tick_interval: Duration,
    /// A segment is sealed before it grows past this many bytes.
    pub segment_bytes_max: u64,
    /// Bytes of events that may be queued for the committer; beyond, callers wait for room.
    pub buffer_bytes_max: usize,
    /// Bytes of recent batches kept in memory for feeds; a feed that lags further reads the disk.
    pub recent_bytes_max: usize,
    /// Bytes of newlines that the active segment is filled ahead with; 0 for none.
    pub pad_bytes: usize,
}

impl LedgerOptions {
    /// The usual options.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            tick_interval: Duration::from_secs(1),
            segment_bytes_max: 64 * 1024 * 1024,
            buffer_bytes_max: 32 * 1024 * 1024,
            recent_bytes_max: 4 * 1024 * 1024,
            pad_bytes: 256 * 1024,
        }
    }
}

/// An open ledger. Cloning is cheap; when the last clone is gone, the committer ends in good order.
#[derive(Clone, Debug)]
pub struct Ledger {
    shared: Arc<Shared>,
    _open: Arc<Open>,
}

/// Closes the write queue when the last handle is gone.
#[derive(Debug)]
struct Open(Arc<Shared>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.write_queue.close();
    }
}

impl Ledger {
    /// Opens the ledger in a storage, recovering it first; the committer must then be run. Blocks on the disk.
    ///
    /// A log that is damaged inside, or shorter than was recorded, is refused and left as it is. A disk that refuses
    /// writes (full, read-only) gives an open ledger in [`LedgerStatus::Degraded`], which can be read.
    pub fn open(
        storage: Arc<dyn Storage>,
        options: LedgerOptions,
    ) -> Result<(Self, Committer), OpenError> {
        erase::resume(&*storage).map_err(|error| OpenError::Erasure(Box::new(error)))?;
        let survey = Survey::of(&*storage, SurveyDepth::Quick)?;
        let segments = Segments::new(storage, IndexFiles::Written, survey.sealed.clone());
        let write_queue = WriteQueue::new(options.buffer_bytes_max);
        let ring = Ring::new(options.recent_bytes_max);
        let LedgerOptions { clock, tick_interval, segment_bytes_max, pad_bytes, .. } = options;
        let ledger_clock = Arc::new(LedgerClock::new(Arc::clone(&clock), survey.mark.timestamp));
        let shared = Shared::new(write_queue, segments, ring, (survey.mark, ledger_clock.clone()));
        let shared = Arc::new(shared);
        let settings =
            WriterSettings { clock: ledger_clock, tick_interval, segment_bytes_max, pad_bytes };
        let mut writer = Writer::new(Arc::clone(&shared), settings, survey);
        match writer.prepare() {
            Ok(()) => {}
            Err(WriteError::Temporary(reason)) => {
                tracing::warn!(event = "ledger_opened_degraded", %reason, "ledger opened without accepting appends");
                writer.publish_findings();
                shared.set_status(LedgerStatus::Degraded { reason });
            }
            Err(WriteError::Fatal(reason)) => return Err(OpenError::Failed(reason.to_string())),
        }
        let committer = Committer::new(Arc::clone(&shared), writer, clock);
        let open = Arc::new(Open(Arc::clone(&shared)));
        Ok((Self { shared, _open: open }, committer))
    }

    /// Puts events into the ledger's order, all or none, and returns before they are durable.
    ///
    /// Waits only for room in the buffer. The order in which calls return is the order of the ledger.
    pub async fn submit(&self, drafts: Vec<Draft>) -> Result<PendingAppend, AppendError> {
        if drafts.is_empty() {
            return Err(AppendError::Empty);
        }
        self.shared.write_queue.push(Bodies::encode(&drafts)?).await
    }

    /// Appends events, all or none, and returns when they are durable.
    pub async fn append(&self, drafts: Vec<Draft>) -> Result<AppendReceipt, AppendError> {
        self.submit(drafts).await?.durable().await
    }

    /// Where the ledger stands, durably.
    pub fn head(&self) -> Head {
        self.shared.head()
    }

    /// The time that an event gets which is committed now: the wall clock's, unless that is behind the last events or leapt.
    /// What is compared with times of events is compared with this.
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// What is wrong between the wall clock and the times of events.
    pub fn clock_status(&self) -> ClockStatus {
        self.shared.clock.status()
    }

    /// Whether it accepts appends.
    pub fn status(&self) -> LedgerStatus {
        self.shared.status.borrow().clone()
    }

    /// Since when the committer is at one write or sync: a disk that hangs shows here and nowhere else.
    pub fn committer_clock(&self) -> Arc<PartClock> {
        Arc::clone(&self.shared.committer)
    }

    /// The status and its changes.
    pub fn status_changes(&self) -> watch::Receiver<LedgerStatus> {
        self.shared.status.subscribe()
    }

    /// Events after a sequence number: the backlog first, then live, without gaps or duplicates.
    pub fn feed(&self, after: u64) -> Feed {
        Feed::new(Arc::clone(&self.shared), after)
    }

    /// The durable events from a sequence number on, up to now. Blocks on the disk.
    pub fn records(&self, from: u64) -> Records<'_> {
        Records::new(&self.shared.segments, from)
    }

    /// The events of an epoch, oldest first. Blocks on the disk.
    pub fn epoch_records(&self, epoch: abide_domain::EpochId) -> Matches<'_> {
        self.query(Query { epoch: Some(epoch), ..Query::default() })
    }

    /// The events that fit a query. Blocks on the disk.
    pub fn query(&self, query: Query) -> Matches<'_> {
        Matches::new(&self.shared.segments, query)
    }

    /// The events that fit a query and in whose data a text stands. Blocks on the disk.
    pub fn search_text(&self, needle: &Needle, query: Query) -> Result<TextMatches, ReadError> {
        text::search(&self.shared.segments, needle, query)
    }

    /// The newest event that fits a query. Blocks on the disk.
    pub fn newest(&self, query: Query) -> Result<Option<Record>, ReadError> {
        let query = Query { limit: 1, order: crate::query::QueryOrder::NewestFirst, ..query };
        self.query(query).next().transpose()
    }

    /// Seals the active segment behind everything submitted so far, opens the next, and returns the sealed one's number.
    pub async fn seal(&self) -> Result<u64, AppendError> {
        self.shared.write_queue.request_seal()?.wait().await
    }

    /// Refuses further appends, makes what was submitted durable, and leaves the files in good order.
    pub async fn close(self) {
        self.shared.write_queue.close();
        let mut progress = self.shared.progress.subscribe();
        // It fails only when the sender is gone, and this handle holds it.
        drop(progress.wait_for(|progress| progress.is_closed).await);
    }
}
