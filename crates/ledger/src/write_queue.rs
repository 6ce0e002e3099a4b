//! The write queue between callers and the committer, a double buffer: bounded in bytes, fair, in order.
//!
//! A caller waits for room, then puts its encoded bodies in under a lock that is held for a copy; the order of these
//! copies is the order of the ledger. The committer takes all of it at once. All callers of one commit wait on one shared
//! acknowledgement: one wake-up list a commit, not a channel an event.

use std::{
    sync::{Arc, Condvar, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use abide_domain::Timestamp;
use tokio::sync::{Notify, Semaphore};

use crate::{
    append::{AppendError, AppendReceipt},
    draft::Bodies,
    lock,
};

/// Room that each body takes beside its bytes.
const BODY_OVERHEAD_BYTES: usize = 64;

/// Where a committed batch begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommittedBatch {
    pub(crate) first_seq: u64,
    pub(crate) tick: u64,
    pub(crate) timestamp: Timestamp,
}

/// An answer that many wait for and that is given once.
#[derive(Debug)]
pub(crate) struct Ack<T> {
    answer: OnceLock<Result<T, AppendError>>,
    resolved: Notify,
}

impl<T> Default for Ack<T> {
    fn default() -> Self {
        Self { answer: OnceLock::new(), resolved: Notify::new() }
    }
}

impl<T: Clone> Ack<T> {
    /// Sets the answer; a second one is ignored.
    pub(crate) fn resolve(&self, answer: Result<T, AppendError>) {
        if self.answer.set(answer).is_ok() {
            self.resolved.notify_waiters();
        }
    }

    /// Waits for the answer.
    pub(crate) async fn wait(&self) -> Result<T, AppendError> {
        loop {
            let resolved = self.resolved.notified();
            if let Some(answer) = self.answer.get() {
                return answer.clone();
            }
            resolved.await;
        }
    }
}

/// A submitted batch that is on its way to the disk. Dropping it does not recall the batch.
#[derive(Debug)]
#[must_use = "a submitted batch is not durable before `durable` says so"]
pub struct PendingAppend {
    ack: Arc<Ack<CommittedBatch>>,
    position: u64,
    count: u64,
}

impl PendingAppend {
    /// Waits until the batch is durable, and returns where it stands; or why it is not in the ledger.
    pub async fn durable(self) -> Result<AppendReceipt, AppendError> {
        let CommittedBatch { first_seq, tick, timestamp } = self.ack.wait().await?;
        let first_seq = first_seq + self.position;
        Ok(AppendReceipt { first_seq, last_seq: first_seq + self.count - 1, tick, timestamp })
    }
}

/// What the committer takes from the queue at once.
#[derive(Debug)]
pub(crate) struct QueuedBatch {
    pub(crate) bodies: Bodies,
    pub(crate) ack: Arc<Ack<CommittedBatch>>,
    pub(crate) seal: Option<Arc<Ack<u64>>>,
    /// Whether the queue is closed and nothing follows.
    pub(crate) is_last: bool,
    room: usize,
}

#[derive(Debug)]
struct QueueState {
    bodies: Bodies,
    ack: Arc<Ack<CommittedBatch>>,
    seal: Option<Arc<Ack<u64>>>,
    room_taken: usize,
    /// Why further batches are refused.
    refusal: Option<AppendError>,
    /// The committer is to end once it has committed what is queued.
    is_closing: bool,
    /// The committer's thread sleeps; waking it costs a system call that a busy one does not need.
    sleeps: bool,
}

#[derive(Debug)]
pub(crate) struct WriteQueue {
    queue: Mutex<QueueState>,
    room: Semaphore,
    bytes_max: usize,
    ready: Condvar,
    ready_task: Notify,
}

impl WriteQueue {
    /// A queue of at most so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Self {
        let bytes_max = bytes_max.min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        let (bodies, ack) = (Bodies::default(), Arc::default());
        let queue = QueueState {
            bodies,
            ack,
            seal: None,
            room_taken: 0,
            refusal: None,
            is_closing: false,
            sleeps: false,
        };
        Self {
            queue: Mutex::new(queue),
            room: Semaphore::new(bytes_max),
            bytes_max,
            ready: Condvar::new(),
            ready_task: Notify::new(),
        }
    }

    /// Puts bodies in as soon as there is room for them.
    pub(crate) async fn push(&self, bodies: Bodies) -> Result<PendingAppend, AppendError> {
        let bytes = bodies.text.len() + bodies.items.len() * BODY_OVERHEAD_BYTES;
        let too_large = || AppendError::BatchTooLarge { bytes, max: self.bytes_max };
        if bytes > self.bytes_max {
            return Err(too_large());
        }
        let permits = u32::try_from(bytes).map_err(|_| too_large())?;
        let Ok(permit) = self.room.acquire_many(permits).await else {
            return Err(self.refusal());
        };
        let mut queue = lock(&self.queue);
        if let Some(refusal) = &queue.refusal {
            return Err(refusal.clone());
        }
        permit.forget();
        queue.room_taken += bytes;
        let position = queue.bodies.items.len() as u64;
        let (ack, count) = (Arc::clone(&queue.ack), bodies.items.len() as u64);
        queue.bodies.append(&bodies);
        self.wake(queue);
        Ok(PendingAppend { ack, position, count })
    }

    /// Requests that the active segment be sealed, behind everything that is queued.
    pub(crate) fn request_seal(&self) -> Result<Arc<Ack<u64>>, AppendError> {
        let mut queue = lock(&self.queue);
        if let Some(refusal) = &queue.refusal {
            return Err(refusal.clone());
        }
        let ack = Arc::clone(queue.seal.get_or_insert_default());
        self.wake(queue);
        Ok(ack)
    }

    /// Refuses further batches; what is queued will still be committed.
    pub(crate) fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.refusal.get_or_insert(AppendError::Closed);
        queue.is_closing = true;
        self.room.close();
        self.wake(queue);
    }

    /// Refuses further batches and answers everything that is queued with this error.
    pub(crate) fn fail_all(&self, error: &AppendError) {
        let mut queue = lock(&self.queue);
        queue.refusal = Some(error.clone());
        queue.bodies.clear();
        queue.room_taken = 0;
        let ack = std::mem::take(&mut queue.ack);
        let seal = queue.seal.take();
        drop(queue);
        self.room.close();
        ack.resolve(Err(error.clone()));
        if let Some(seal) = seal {
            seal.resolve(Err(error.clone()));
        }
    }

    /// Blocks the calling thread until something is queued, for at most this long.
    pub(crate) fn take_blocking(&self, timeout: Option<Duration>) -> Option<QueuedBatch> {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(queued) = Self::take_from(&mut queue) {
                return Some(queued);
            }
            queue.sleeps = true;
            let Some(timeout) = timeout else {
                queue = self.ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
                queue.sleeps = false;
                continue;
            };
            let waited = self.ready.wait_timeout(queue, timeout);
            let (woken, result) = waited.unwrap_or_else(PoisonError::into_inner);
            queue = woken;
            queue.sleeps = false;
            if result.timed_out() {
                return Self::take_from(&mut queue);
            }
        }
    }

    pub(crate) fn take(&self) -> Option<QueuedBatch> {
        Self::take_from(&mut lock(&self.queue))
    }

    /// Waits, as a task, until something may be queued.
    pub(crate) async fn ready(&self) {
        self.ready_task.notified().await;
    }

    fn take_from(queue: &mut QueueState) -> Option<QueuedBatch> {
        let is_last = queue.is_closing;
        if queue.bodies.items.is_empty() && queue.seal.is_none() && !is_last {
            return None;
        }
        Some(QueuedBatch {
            bodies: std::mem::take(&mut queue.bodies),
            ack: std::mem::take(&mut queue.ack),
            seal: queue.seal.take(),
            room: std::mem::take(&mut queue.room_taken),
            is_last,
        })
    }

    /// Frees the room of a batch that was dealt with, and reuses its buffer.
    pub(crate) fn finish(&self, queued: QueuedBatch) {
        let QueuedBatch { mut bodies, room, .. } = queued;
        bodies.clear();
        let mut queue = lock(&self.queue);
        if queue.bodies.items.is_empty() {
            queue.bodies = bodies;
        }
        drop(queue);
        self.room.add_permits(room);
    }

    fn refusal(&self) -> AppendError {
        lock(&self.queue).refusal.clone().unwrap_or(AppendError::Closed)
    }

    fn wake(&self, queue: std::sync::MutexGuard<'_, QueueState>) {
        let sleeps = queue.sleeps;
        drop(queue);
        if sleeps {
            self.ready.notify_one();
        }
        self.ready_task.notify_one();
    }
}
