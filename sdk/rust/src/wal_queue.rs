//! The agent's half of the write-ahead log: numbers entries, groups them, and says which are durable.
//!
//! A pure state machine without clock and link. At most one group waits for its acknowledgement, so that a refused group
//! leaves no gap in the numbers and no doubt about what is stored. It does not apply entries to the state.

use std::collections::VecDeque;

use abide_domain::Timestamp;
use abide_wire::{
    Direction, EncodeError, Frame, FromAgent, Message, Raw, RefusalError, Version, WalEntry,
};
use tokio::{sync::oneshot, time::Instant};

use crate::{
    limits::{ONCE_KEY_BYTES_MAX, WAL_FLUSH_AFTER, WAL_FLUSH_ENTRIES, WAL_WAITING_ENTRIES_MAX},
    once_keys::{ENTRY_FIELD, OnceKeys, key_of},
};

/// Why an operation is not in the log. The agent must not act upon it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalError {
    /// The agent keeps no state, so there is nothing to restore.
    #[error("this agent keeps no state: give it one with `Agent::keeping`")]
    Stateless,
    /// The parameters are not a map, or cannot be serialised.
    #[error("the parameters of `{operation}` cannot be logged: {message}")]
    Parameters {
        /// The operation.
        operation: String,
        /// What is wrong with them.
        message: String,
    },
    /// The key is empty or too long.
    #[error("a key has 1 to {ONCE_KEY_BYTES_MAX} bytes, such as that of `Turn::key`")]
    Key,
    /// Longer than an entry may be: large state belongs in the checkpoint.
    #[error("the operation cannot be logged (large state belongs in the checkpoint)")]
    TooLarge(#[from] EncodeError),
    /// The keeper would refuse it.
    #[error("the operation cannot be logged: {0}")]
    Invalid(#[from] RefusalError),
    /// Too many entries wait for the keeper.
    #[error("{WAL_WAITING_ENTRIES_MAX} entries already wait to be sent to the keeper")]
    Backlog,
    /// The keeper did not store it.
    #[error("the keeper did not store the operation: {code}: {message}")]
    Refused {
        /// Such as `WAL_FULL`.
        code: String,
        /// The keeper's message.
        message: String,
    },
    /// It is stored, and the state could not apply it: the session ends.
    #[error("the operation is stored, but the state could not apply it")]
    NotApplied,
    /// The link broke; the next restore shows whether it is stored.
    #[error("the link to the keeper was lost before the operation was acknowledged")]
    LinkLost,
}

/// Sends an entry's outcome: its sequence once it is durable and applied.
type AckSender = oneshot::Sender<Result<u64, WalError>>;
/// Receives an entry's outcome.
pub(crate) type AckReceiver = oneshot::Receiver<Result<u64, WalError>>;

/// An entry with the handler that waits for it.
#[derive(Debug)]
pub(crate) struct PendingEntry {
    pub(crate) entry: WalEntry,
    acks: Vec<AckSender>,
}

impl PendingEntry {
    /// Gives the outcome to the handlers that wait.
    pub(crate) fn complete(self, outcome: &Result<u64, WalError>) {
        for ack in self.acks {
            // The handler may have been dropped.
            drop(ack.send(outcome.clone()));
        }
    }
}

/// When the next group is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlushTime {
    Now,
    At(Instant),
    Never,
}

/// How soon an entry is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlushUrgency {
    /// A handler waits for it.
    Immediate,
    /// With others, after a while.
    Batched,
}

/// What became of an entry that is to be logged once.
#[derive(Debug)]
pub(crate) enum OnceAppend {
    /// It was logged before.
    Durable,
    /// One with its key is on its way.
    Pending(AckReceiver),
    /// It is new.
    New(AckReceiver),
}

/// Entries that wait to be sent, and the group that waits for its acknowledgement.
#[derive(Debug)]
pub(crate) struct WalQueue {
    next: u64,
    waiting: VecDeque<PendingEntry>,
    sent: VecDeque<PendingEntry>,
    is_urgent: bool,
    oldest_at: Option<Instant>,
    is_closed: bool,
    /// Keys of entries that are durable.
    once: OnceKeys,
}

impl WalQueue {
    /// A queue whose next number the keeper still has to give.
    pub(crate) fn new() -> Self {
        Self {
            next: 1,
            waiting: VecDeque::new(),
            sent: VecDeque::new(),
            is_urgent: false,
            oldest_at: None,
            is_closed: false,
            once: OnceKeys::default(),
        }
    }

    /// Sets the next number, which the keeper gives while no group waits.
    pub(crate) fn continue_from(&mut self, next: u64) {
        self.next = next;
    }

    /// Whether a group waits for its acknowledgement.
    pub(crate) fn is_busy(&self) -> bool {
        !self.sent.is_empty()
    }

    /// Whether no entry waits for anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.waiting.is_empty()
    }

    /// Adds an entry that was checked before.
    pub(crate) fn append(
        &mut self,
        entry: WalEntry,
        urgency: FlushUrgency,
        now: Instant,
    ) -> Result<AckReceiver, WalError> {
        if self.is_closed {
            return Err(WalError::LinkLost);
        }
        if self.waiting.len() >= WAL_WAITING_ENTRIES_MAX {
            return Err(WalError::Backlog);
        }
        let (ack, receiver) = oneshot::channel();
        self.waiting.push_back(PendingEntry { entry, acks: vec![ack] });
        self.is_urgent |= urgency == FlushUrgency::Immediate;
        self.oldest_at.get_or_insert(now);
        Ok(receiver)
    }

    /// Adds an entry with a key unless one with this key is durable, or on its way: then that one is waited for.
    pub(crate) fn append_once(
        &mut self,
        entry: WalEntry,
        now: Instant,
    ) -> Result<OnceAppend, WalError> {
        let key = key_of(&entry).unwrap_or_default();
        if self.once.contains(key) {
            return Ok(OnceAppend::Durable);
        }
        let mut pending = self.sent.iter_mut().chain(&mut self.waiting);
        if let Some(pending) = pending.find(|pending| key_of(&pending.entry) == Some(key)) {
            let (ack, receiver) = oneshot::channel();
            pending.acks.push(ack);
            return Ok(OnceAppend::Pending(receiver));
        }
        self.append(entry, FlushUrgency::Immediate, now).map(OnceAppend::New)
    }

    /// Takes the keys of a state that was restored.
    pub(crate) fn restore_once(&mut self, keys: OnceKeys) {
        self.once = keys;
    }

    /// Has all waiting entries sent at once.
    pub(crate) fn request_flush(&mut self) {
        self.is_urgent = true;
    }

    /// When the next group is to be sent.
    pub(crate) fn flush_time(&self) -> FlushTime {
        if self.waiting.is_empty() || self.is_busy() || self.is_closed {
            return FlushTime::Never;
        }
        if self.is_urgent || self.waiting.len() >= WAL_FLUSH_ENTRIES {
            return FlushTime::Now;
        }
        self.oldest_at.map_or(FlushTime::Now, |at| FlushTime::At(at + WAL_FLUSH_AFTER))
    }

    /// Numbers the next group, which waits for its acknowledgement from here on.
    pub(crate) fn take_group(&mut self) -> Vec<WalEntry> {
        let count = self.waiting.len().min(WAL_FLUSH_ENTRIES);
        let mut sequence = self.next;
        for mut pending in self.waiting.drain(..count) {
            pending.entry.sequence = sequence;
            sequence = sequence.saturating_add(1);
            self.sent.push_back(pending);
        }
        if self.waiting.is_empty() {
            self.is_urgent = false;
            self.oldest_at = None;
        }
        self.sent.iter().map(|pending| pending.entry.clone()).collect()
    }

    /// Takes a cumulative acknowledgement and gives what is durable by it, in order.
    pub(crate) fn acknowledged(&mut self, sequence: u64) -> Vec<PendingEntry> {
        let count = self.sent.iter().take_while(|sent| sent.entry.sequence <= sequence).count();
        let durable: Vec<_> = self.sent.drain(..count).collect();
        for durable in &durable {
            self.once.add_of(&durable.entry);
        }
        if let Some(last) = durable.last() {
            self.next = last.entry.sequence.saturating_add(1);
        }
        durable
    }

    /// Takes the keeper's refusal of the sent group: its numbers are free again.
    pub(crate) fn refuse(&mut self, error: &WalError) {
        for pending in self.sent.drain(..) {
            pending.complete(&Err(error.clone()));
        }
    }

    /// Ends every wait, now and later.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
        for pending in self.sent.drain(..).chain(self.waiting.drain(..)) {
            pending.complete(&Err(WalError::LinkLost));
        }
    }
}

/// An entry that the keeper accepts, whatever its number; with a key, one that is logged once.
pub(crate) fn checked_entry(
    operation: &str,
    params: Raw,
    once: Option<&str>,
) -> Result<WalEntry, WalError> {
    let mut entry = WalEntry::new(u64::MAX, operation, params);
    if let Some(key) = once {
        entry.extra.0.push((ENTRY_FIELD.to_owned(), Raw::from_json(&key.into())));
    }
    let longest = Message::<FromAgent>::new(Version::V3, far_future(), entry.clone());
    let frame = longest.encode()?;
    let body = frame.get(abide_wire::limits::LENGTH_BYTES..).unwrap_or_default().to_vec();
    let frame = Frame::parse(Direction::FromAgent, body.into())?;
    Message::<FromAgent>::decode(&frame)?;
    entry.sequence = 0;
    Ok(entry)
}

/// A time whose number is as long as any.
fn far_future() -> Timestamp {
    Timestamp::from_micros(i64::MAX)
}

#[cfg(test)]
mod tests {
    use abide_wire::{Raw, WalEntry};
    use serde_json::json;
    use tokio::time::Instant;

    use super::{AckReceiver, FlushTime, FlushUrgency, WalError, WalQueue, checked_entry};
    use crate::limits::{WAL_FLUSH_AFTER, WAL_WAITING_ENTRIES_MAX};

    fn add(queue: &mut WalQueue, urgency: FlushUrgency, now: Instant) -> AckReceiver {
        queue.append(WalEntry::new(0, "x", Raw::empty_map()), urgency, now).unwrap()
    }

    fn sequences(entries: &[WalEntry]) -> Vec<u64> {
        entries.iter().map(|entry| entry.sequence).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_goes_out_at_once_after_a_second_or_at_a_hundred() {
        let now = Instant::now();
        let mut queue = WalQueue::new();
        assert_eq!(queue.flush_time(), FlushTime::Never);
        drop(add(&mut queue, FlushUrgency::Batched, now));
        assert_eq!(queue.flush_time(), FlushTime::At(now + WAL_FLUSH_AFTER));
        drop(add(&mut queue, FlushUrgency::Immediate, now));
        assert_eq!(queue.flush_time(), FlushTime::Now);
        assert_eq!(sequences(&queue.take_group()), [1, 2]);
        for _ in 0..150 {
            drop(add(&mut queue, FlushUrgency::Batched, now));
        }
        assert_eq!(queue.flush_time(), FlushTime::Never, "one group is on its way");
        assert_eq!(queue.acknowledged(2).len(), 2);
        assert_eq!(queue.flush_time(), FlushTime::Now);
        assert_eq!(queue.take_group().len(), 100);
        assert_eq!(queue.acknowledged(102).len(), 100);
        assert_eq!(queue.flush_time(), FlushTime::At(now + WAL_FLUSH_AFTER), "fifty are left");
    }

    #[tokio::test]
    async fn an_acknowledgement_reaches_no_further_than_what_was_sent() {
        let now = Instant::now();
        let mut queue = WalQueue::new();
        queue.continue_from(7);
        let _waits = [(); 3].map(|()| add(&mut queue, FlushUrgency::Immediate, now));
        assert_eq!(sequences(&queue.take_group()), [7, 8, 9]);
        assert_eq!(queue.acknowledged(6).len(), 0);
        assert_eq!(queue.acknowledged(8).len(), 2);
        assert!(queue.is_busy());
        assert_eq!(queue.acknowledged(1000).len(), 1);
        let mut later = add(&mut queue, FlushUrgency::Immediate, now);
        assert!(later.try_recv().is_err(), "nothing is durable before it is sent");
        assert_eq!(sequences(&queue.take_group()), [10]);
    }

    #[tokio::test]
    async fn the_numbers_of_a_refused_group_are_used_again() {
        let now = Instant::now();
        let mut queue = WalQueue::new();
        let refused = add(&mut queue, FlushUrgency::Immediate, now);
        assert_eq!(sequences(&queue.take_group()), [1]);
        let next = add(&mut queue, FlushUrgency::Immediate, now);
        let full = WalError::Refused { code: "WAL_FULL".into(), message: "full".into() };
        queue.refuse(&full);
        assert_eq!(refused.await, Ok(Err(full)));
        assert_eq!(sequences(&queue.take_group()), [1]);
        queue.close();
        assert_eq!(next.await, Ok(Err(WalError::LinkLost)));
        let late =
            queue.append(WalEntry::new(0, "x", Raw::empty_map()), FlushUrgency::Batched, now);
        assert_eq!(late.err(), Some(WalError::LinkLost));
    }

    #[tokio::test]
    async fn no_more_waits_than_may() {
        let now = Instant::now();
        let mut queue = WalQueue::new();
        for _ in 0..WAL_WAITING_ENTRIES_MAX {
            drop(add(&mut queue, FlushUrgency::Batched, now));
        }
        let one_more =
            queue.append(WalEntry::new(0, "x", Raw::empty_map()), FlushUrgency::Batched, now);
        assert_eq!(one_more.err(), Some(WalError::Backlog));
    }

    #[test]
    fn what_the_keeper_would_refuse_is_refused_here() {
        let deep = (0..63).fold(json!({}), |inner, _| json!({"a": inner}));
        let cases = [
            (json!({"text": "x".repeat(11_000)}), false),
            (json!({"text": "x".repeat(9_000)}), true),
            (json!(["a", "list"]), false),
            (deep, false),
        ];
        for (params, is_taken) in cases {
            assert_eq!(
                checked_entry("x", Raw::from_json(&params), None).is_ok(),
                is_taken,
                "{params}"
            );
        }
        assert!(checked_entry(&"x".repeat(200), Raw::empty_map(), None).is_err());
    }
}
