//! The agent's half of the write-ahead log: numbers entries, groups them, and says which are durable.
//!
//! A pure machine without clock and link. At most one group is on its way, so that a refused group leaves no gap in the
//! numbers and no doubt about what is stored. What an entry does to the state is not its business.

use std::collections::VecDeque;

use abide_domain::Timestamp;
use abide_wire::{
    Direction, EncodeError, Frame, FromAgent, Message, Raw, RefusalError, Version, WalEntry,
};
use tokio::{sync::oneshot, time::Instant};

use crate::limits::{WAL_FLUSH_AFTER, WAL_FLUSH_ENTRIES, WAL_WAITING_ENTRIES_MAX};

/// Why an operation is not in the log. It must not be acted upon.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalError {
    /// The agent keeps no state, so that nothing could be given back.
    #[error("this agent keeps no state: give it one with `Agent::keeping`")]
    Stateless,
    /// The parameters are no map, or cannot be written.
    #[error("the parameters of `{operation}` cannot be logged: {message}")]
    Parameters {
        /// The operation.
        operation: String,
        /// Why not.
        message: String,
    },
    /// Longer than an entry may be: large state belongs into the checkpoint.
    #[error("the operation cannot be logged (large state belongs into the checkpoint)")]
    TooLarge(#[from] EncodeError),
    /// The keeper would refuse it.
    #[error("the operation cannot be logged: {0}")]
    Invalid(#[from] RefusalError),
    /// Too many entries wait for the keeper.
    #[error("{WAL_WAITING_ENTRIES_MAX} entries wait for the keeper already")]
    Backlog,
    /// The keeper did not store it.
    #[error("the keeper did not store the operation: {code}: {message}")]
    Refused {
        /// Such as `WAL_FULL`.
        code: String,
        /// The keeper's words.
        message: String,
    },
    /// It is stored, and the state could not follow: the session ends.
    #[error("the operation is stored, and the state could not take it")]
    NotApplied,
    /// The link is gone; whether it is stored shows in the next restore.
    #[error("the link to the keeper was lost before the operation was acknowledged")]
    LinkLost,
}

/// Where an entry's outcome goes.
type Stored = oneshot::Sender<Result<u64, WalError>>;
/// Where it is waited for.
pub(crate) type Durable = oneshot::Receiver<Result<u64, WalError>>;

/// An entry and who waits for it.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) entry: WalEntry,
    stored: Stored,
}

impl Pending {
    /// Tells whoever waits.
    pub(crate) fn settle(self, outcome: Result<u64, WalError>) {
        // Nobody need wait.
        drop(self.stored.send(outcome));
    }
}

/// When the next group is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Now,
    At(Instant),
    Never,
}

/// How soon an entry is to go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// Somebody waits.
    AtOnce,
    /// With others, after a while.
    Later,
}

/// The log's end here.
#[derive(Debug)]
pub(crate) struct Journal {
    next: u64,
    waiting: VecDeque<Pending>,
    sent: VecDeque<Pending>,
    is_urgent: bool,
    oldest_at: Option<Instant>,
    is_closed: bool,
}

impl Journal {
    /// A log whose next entry is still to be told.
    pub(crate) fn new() -> Self {
        Self {
            next: 1,
            waiting: VecDeque::new(),
            sent: VecDeque::new(),
            is_urgent: false,
            oldest_at: None,
            is_closed: false,
        }
    }

    /// Takes the number that the keeper gives, while nothing is on its way.
    pub(crate) fn continue_from(&mut self, next: u64) {
        self.next = next;
    }

    /// Whether entries are on their way.
    pub(crate) fn is_busy(&self) -> bool {
        !self.sent.is_empty()
    }

    /// Whether nothing is on its way or waiting.
    pub(crate) fn is_empty(&self) -> bool {
        self.sent.is_empty() && self.waiting.is_empty()
    }

    /// Adds an entry that was checked before.
    pub(crate) fn append(
        &mut self,
        entry: WalEntry,
        haste: Haste,
        now: Instant,
    ) -> Result<Durable, WalError> {
        if self.is_closed {
            return Err(WalError::LinkLost);
        }
        if self.waiting.len() >= WAL_WAITING_ENTRIES_MAX {
            return Err(WalError::Backlog);
        }
        let (stored, durable) = oneshot::channel();
        self.waiting.push_back(Pending { entry, stored });
        self.is_urgent |= haste == Haste::AtOnce;
        self.oldest_at.get_or_insert(now);
        Ok(durable)
    }

    /// Has everything sent that waits.
    pub(crate) fn hurry(&mut self) {
        self.is_urgent = true;
    }

    /// When the next group is to be sent.
    pub(crate) fn due(&self) -> Due {
        if self.waiting.is_empty() || self.is_busy() || self.is_closed {
            return Due::Never;
        }
        if self.is_urgent || self.waiting.len() >= WAL_FLUSH_ENTRIES {
            return Due::Now;
        }
        self.oldest_at.map_or(Due::Now, |at| Due::At(at + WAL_FLUSH_AFTER))
    }

    /// Numbers the next group and counts it as on its way.
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
    pub(crate) fn acknowledged(&mut self, sequence: u64) -> Vec<Pending> {
        let count = self.sent.iter().take_while(|sent| sent.entry.sequence <= sequence).count();
        let durable: Vec<_> = self.sent.drain(..count).collect();
        if let Some(last) = durable.last() {
            self.next = last.entry.sequence.saturating_add(1);
        }
        durable
    }

    /// Takes the keeper's refusal of the group on its way: its numbers are free again.
    pub(crate) fn refuse(&mut self, error: &WalError) {
        for pending in self.sent.drain(..) {
            pending.settle(Err(error.clone()));
        }
    }

    /// Ends everything that waits.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
        for pending in self.sent.drain(..).chain(self.waiting.drain(..)) {
            pending.settle(Err(WalError::LinkLost));
        }
    }
}

/// An entry that the keeper will take, whatever its number.
pub(crate) fn checked_entry(operation: &str, params: Raw) -> Result<WalEntry, WalError> {
    let mut entry = WalEntry::new(u64::MAX, operation, params);
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

    use super::{Due, Durable, Haste, Journal, WalError, checked_entry};
    use crate::limits::{WAL_FLUSH_AFTER, WAL_WAITING_ENTRIES_MAX};

    fn add(journal: &mut Journal, haste: Haste, now: Instant) -> Durable {
        journal.append(WalEntry::new(0, "x", Raw::empty_map()), haste, now).unwrap()
    }

    fn sequences(entries: &[WalEntry]) -> Vec<u64> {
        entries.iter().map(|entry| entry.sequence).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_goes_out_at_once_after_a_second_or_at_a_hundred() {
        let now = Instant::now();
        let mut journal = Journal::new();
        assert_eq!(journal.due(), Due::Never);
        drop(add(&mut journal, Haste::Later, now));
        assert_eq!(journal.due(), Due::At(now + WAL_FLUSH_AFTER));
        drop(add(&mut journal, Haste::AtOnce, now));
        assert_eq!(journal.due(), Due::Now);
        assert_eq!(sequences(&journal.take_group()), [1, 2]);
        for _ in 0..150 {
            drop(add(&mut journal, Haste::Later, now));
        }
        assert_eq!(journal.due(), Due::Never, "one group is on its way");
        assert_eq!(journal.acknowledged(2).len(), 2);
        assert_eq!(journal.due(), Due::Now);
        assert_eq!(journal.take_group().len(), 100);
        assert_eq!(journal.acknowledged(102).len(), 100);
        assert_eq!(journal.due(), Due::At(now + WAL_FLUSH_AFTER), "fifty are left");
    }

    #[tokio::test]
    async fn an_acknowledgement_reaches_no_further_than_what_was_sent() {
        let now = Instant::now();
        let mut journal = Journal::new();
        journal.continue_from(7);
        let _waits = [(); 3].map(|()| add(&mut journal, Haste::AtOnce, now));
        assert_eq!(sequences(&journal.take_group()), [7, 8, 9]);
        assert_eq!(journal.acknowledged(6).len(), 0);
        assert_eq!(journal.acknowledged(8).len(), 2);
        assert!(journal.is_busy());
        assert_eq!(journal.acknowledged(1000).len(), 1);
        let mut later = add(&mut journal, Haste::AtOnce, now);
        assert!(later.try_recv().is_err(), "nothing is durable before it is sent");
        assert_eq!(sequences(&journal.take_group()), [10]);
    }

    #[tokio::test]
    async fn the_numbers_of_a_refused_group_are_used_again() {
        let now = Instant::now();
        let mut journal = Journal::new();
        let refused = add(&mut journal, Haste::AtOnce, now);
        assert_eq!(sequences(&journal.take_group()), [1]);
        let next = add(&mut journal, Haste::AtOnce, now);
        let full = WalError::Refused { code: "WAL_FULL".into(), message: "full".into() };
        journal.refuse(&full);
        assert_eq!(refused.await, Ok(Err(full)));
        assert_eq!(sequences(&journal.take_group()), [1]);
        journal.close();
        assert_eq!(next.await, Ok(Err(WalError::LinkLost)));
        let late = journal.append(WalEntry::new(0, "x", Raw::empty_map()), Haste::Later, now);
        assert_eq!(late.err(), Some(WalError::LinkLost));
    }

    #[tokio::test]
    async fn no_more_waits_than_may() {
        let now = Instant::now();
        let mut journal = Journal::new();
        for _ in 0..WAL_WAITING_ENTRIES_MAX {
            drop(add(&mut journal, Haste::Later, now));
        }
        let one_more = journal.append(WalEntry::new(0, "x", Raw::empty_map()), Haste::Later, now);
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
            assert_eq!(checked_entry("x", Raw::from_json(&params)).is_ok(), is_taken, "{params}");
        }
        assert!(checked_entry(&"x".repeat(200), Raw::empty_map()).is_err());
    }
}
