//! The swap buffer between callers and the committer: bounded in bytes, fair, in order.
//!
//! A caller waits for room, then puts its encoded bodies in under a lock that is held for a copy; the order of these
//! copies is the order of the ledger. The committer takes all of it at once. Whoever is told `Ok` or `Err` is told by
//! the acknowledgement of the bucket it fell into: one wake-up list a commit, not a channel an event.

use std::{
    sync::{Arc, Condvar, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use abide_domain::Timestamp;
use tokio::sync::{Notify, Semaphore};

use crate::{
    append::{AppendError, Appended},
    draft::Bodies,
    lock,
};

/// Room that each body takes beside its bytes.
const BODY_OVERHEAD_BYTES: usize = 64;

/// Where a committed bucket begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Committed {
    pub(crate) first_seq: u64,
    pub(crate) tick: u64,
    pub(crate) timestamp: Timestamp,
}

/// An answer that many wait for and that is given once.
#[derive(Debug)]
pub(crate) struct Ack<T> {
    answer: OnceLock<Result<T, AppendError>>,
    given: Notify,
}

impl<T> Default for Ack<T> {
    fn default() -> Self {
        Self { answer: OnceLock::new(), given: Notify::new() }
    }
}

impl<T: Clone> Ack<T> {
    /// Gives the answer; a second one is ignored.
    pub(crate) fn give(&self, answer: Result<T, AppendError>) {
        if self.answer.set(answer).is_ok() {
            self.given.notify_waiters();
        }
    }

    /// Waits for the answer.
    pub(crate) async fn wait(&self) -> Result<T, AppendError> {
        loop {
            let given = self.given.notified();
            if let Some(answer) = self.answer.get() {
                return answer.clone();
            }
            given.await;
        }
    }
}

/// A submitted batch that is on its way to the disk. Dropping it does not recall the batch.
#[derive(Debug)]
#[must_use = "a submitted batch is not durable before `durable` says so"]
pub struct Pending {
    ack: Arc<Ack<Committed>>,
    position: u64,
    count: u64,
}

impl Pending {
    /// Waits until the batch is durable, and says where it stands; or why it is not in the ledger.
    pub async fn durable(self) -> Result<Appended, AppendError> {
        let Committed { first_seq, tick, timestamp } = self.ack.wait().await?;
        let first_seq = first_seq + self.position;
        Ok(Appended { first_seq, last_seq: first_seq + self.count - 1, tick, timestamp })
    }
}

/// What the committer takes over at once.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) bodies: Bodies,
    pub(crate) ack: Arc<Ack<Committed>>,
    pub(crate) seal: Option<Arc<Ack<u64>>>,
    /// Nothing follows.
    pub(crate) is_last: bool,
    room: usize,
}

#[derive(Debug)]
struct Queue {
    bodies: Bodies,
    ack: Arc<Ack<Committed>>,
    seal: Option<Arc<Ack<u64>>>,
    room_taken: usize,
    /// Why nothing more comes in.
    refusal: Option<AppendError>,
    /// The committer is to end once it has committed what is in.
    is_closing: bool,
    /// The committer's thread sleeps; waking it costs a system call that a busy one does not need.
    sleeps: bool,
}

/// The swap buffer.
#[derive(Debug)]
pub(crate) struct Intake {
    queue: Mutex<Queue>,
    room: Semaphore,
    bytes_max: usize,
    ready: Condvar,
    ready_task: Notify,
}

impl Intake {
    /// A buffer of so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Self {
        let bytes_max = bytes_max.min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        let (bodies, ack) = (Bodies::default(), Arc::default());
        let queue = Queue {
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
    pub(crate) async fn push(&self, bodies: Bodies) -> Result<Pending, AppendError> {
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
        queue.bodies.absorb(&bodies);
        self.wake(queue);
        Ok(Pending { ack, position, count })
    }

    /// Asks for the active segment to be sealed, behind everything that is in the buffer.
    pub(crate) fn ask_seal(&self) -> Result<Arc<Ack<u64>>, AppendError> {
        let mut queue = lock(&self.queue);
        if let Some(refusal) = &queue.refusal {
            return Err(refusal.clone());
        }
        let ack = Arc::clone(queue.seal.get_or_insert_default());
        self.wake(queue);
        Ok(ack)
    }

    /// Takes nothing more in; what is in will still be committed.
    pub(crate) fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.refusal.get_or_insert(AppendError::Closed);
        queue.is_closing = true;
        self.room.close();
        self.wake(queue);
    }

    /// Takes nothing more in and answers everything that is in with this error.
    pub(crate) fn shut(&self, error: &AppendError) {
        let mut queue = lock(&self.queue);
        queue.refusal = Some(error.clone());
        queue.bodies.clear();
        queue.room_taken = 0;
        let ack = std::mem::take(&mut queue.ack);
        let seal = queue.seal.take();
        drop(queue);
        self.room.close();
        ack.give(Err(error.clone()));
        if let Some(seal) = seal {
            seal.give(Err(error.clone()));
        }
    }

    /// Sleeps until there is work, for at most this long; the calling thread blocks.
    pub(crate) fn take_blocking(&self, timeout: Option<Duration>) -> Option<Work> {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(work) = Self::take_from(&mut queue) {
                return Some(work);
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

    /// Takes what is there.
    pub(crate) fn take(&self) -> Option<Work> {
        Self::take_from(&mut lock(&self.queue))
    }

    /// Waits, as a task, until there may be work.
    pub(crate) async fn ready(&self) {
        self.ready_task.notified().await;
    }

    fn take_from(queue: &mut Queue) -> Option<Work> {
        let is_last = queue.is_closing;
        if queue.bodies.items.is_empty() && queue.seal.is_none() && !is_last {
            return None;
        }
        Some(Work {
            bodies: std::mem::take(&mut queue.bodies),
            ack: std::mem::take(&mut queue.ack),
            seal: queue.seal.take(),
            room: std::mem::take(&mut queue.room_taken),
            is_last,
        })
    }

    /// Gives the room of finished work back, and its buffer for the next.
    pub(crate) fn finish(&self, work: Work) {
        let Work { mut bodies, room, .. } = work;
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

    fn wake(&self, queue: std::sync::MutexGuard<'_, Queue>) {
        let sleeps = queue.sleeps;
        drop(queue);
        if sleeps {
            self.ready.notify_one();
        }
        self.ready_task.notify_one();
    }
}
