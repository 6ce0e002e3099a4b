//! The handler's end of everything that outlives a turn: the log, the state, checkpoints, evidence.
//!
//! A [`Keeper`] is a cheap clone. It belongs to one link: after its end every call says so.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use abide_wire::{AgentError, Evidence, Hypothesis, Raw};
use serde::Serialize;
use serde_json::Value;
use tokio::{
    sync::{Notify, oneshot},
    time::Instant,
};

use crate::{
    journal::{Durable, Haste, Journal, WalError, checked_entry},
    keeping::{CheckpointError, Waiter},
    limits::CHECKPOINT_WAITERS_MAX,
    sender::{SendError, Sender},
    state::{Kept, State, pack},
};

/// The keeper, as a handler sees it.
pub struct Keeper<S> {
    pub(crate) desk: Arc<Desk<S>>,
}

/// What handles and the session share. Locks are held for moments, never two at once, but for a callback that reads.
pub(crate) struct Desk<S> {
    pub(crate) sender: Sender,
    pub(crate) kept: RwLock<Kept<S>>,
    journal: Mutex<Journal>,
    asked: Mutex<Asked>,
    /// Says that there is something to send.
    pub(crate) wake: Notify,
}

/// Who waits for the next checkpoint.
#[derive(Debug, Default)]
struct Asked {
    waiters: Vec<Waiter>,
    is_closed: bool,
}

impl<S> Desk<S> {
    pub(crate) fn new(sender: Sender, state: S) -> Self {
        Self {
            sender,
            kept: RwLock::new(Kept { state, sequence: 0 }),
            journal: Mutex::new(Journal::new()),
            asked: Mutex::default(),
            wake: Notify::new(),
        }
    }

    pub(crate) fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever waits for the next checkpoint.
    pub(crate) fn take_waiters(&self) -> Vec<Waiter> {
        std::mem::take(&mut self.asked().waiters)
    }

    /// Reads the state with the last entry that it holds.
    pub(crate) fn with_kept<T>(&self, read: impl FnOnce(&Kept<S>) -> T) -> T {
        read(&self.kept.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the state. For the session alone.
    pub(crate) fn with_kept_mut<T>(&self, change: impl FnOnce(&mut Kept<S>) -> T) -> T {
        change(&mut self.kept.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends everything that waits.
    pub(crate) fn close(&self) {
        self.journal().close();
        let mut asked = self.asked();
        asked.is_closed = true;
        for waiter in asked.waiters.drain(..) {
            drop(waiter.send(Err(CheckpointError::LinkLost)));
        }
    }
}

impl<S> Clone for Keeper<S> {
    fn clone(&self) -> Self {
        Self { desk: Arc::clone(&self.desk) }
    }
}

/// Shows nothing of the state.
impl<S> fmt::Debug for Keeper<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper").finish_non_exhaustive()
    }
}

impl<S: State> Keeper<S> {
    /// Logs an operation and waits until it is on the keeper's disk and applied to the state; gives its sequence.
    ///
    /// Act only after it, and not at all after an error. At most 10 KB.
    pub async fn wal<P>(&self, operation: &str, params: &P) -> Result<u64, WalError>
    where
        P: Serialize + Sync + ?Sized,
    {
        let durable = self.append(operation, packed(operation, params)?, Haste::AtOnce)?;
        settled(durable).await
    }

    /// Logs operations, which go out together, and waits for all of them; gives the last one's sequence.
    ///
    /// On an error none, some or all of them may be in the log: the state says which.
    pub async fn wal_all(&self, operations: Vec<(String, Raw)>) -> Result<Option<u64>, WalError> {
        let appended: Result<Vec<_>, _> = operations
            .into_iter()
            .map(|(operation, params)| self.append(&operation, params, Haste::AtOnce))
            .collect();
        let mut last = None;
        for durable in appended? {
            last = Some(settled(durable).await?);
        }
        Ok(last)
    }

    /// Logs an operation that nobody waits for: it goes out with others, after a second at the latest.
    pub fn wal_later<P>(&self, operation: &str, params: &P) -> Result<(), WalError>
    where
        P: Serialize + ?Sized,
    {
        self.append(operation, packed(operation, params)?, Haste::Later).map(drop)
    }

    /// Reads the state. Keep it short, and log nothing from within it.
    pub fn read<T>(&self, read: impl FnOnce(&S) -> T) -> T {
        self.desk.with_kept(|kept| read(&kept.state))
    }

    /// Has the state written down now, before something risky, and waits until the keeper holds it; gives the
    /// checkpoint's id. On an error the keeper still has the one before.
    pub async fn checkpoint(&self) -> Result<String, CheckpointError> {
        self.desk.sender.progress.step();
        if !S::IS_KEPT {
            return Err(CheckpointError::Stateless);
        }
        let (waiter, stored) = oneshot::channel();
        {
            let mut asked = self.desk.asked();
            if asked.is_closed {
                return Err(CheckpointError::LinkLost);
            }
            if asked.waiters.len() >= CHECKPOINT_WAITERS_MAX {
                return Err(CheckpointError::Busy);
            }
            asked.waiters.push(waiter);
        }
        self.desk.wake.notify_one();
        stored.await.unwrap_or(Err(CheckpointError::LinkLost))
    }

    /// Says that the work goes on. Call it in a long loop: nothing else moves the counter while a handler computes.
    pub fn progress(&self) {
        self.desk.sender.progress.step();
    }

    /// Tells the agent's peers what it did or saw: a map, a type such as `observation`, words to find it by.
    pub async fn evidence(
        &self,
        body: Value,
        claim_type: &str,
        tags: &[&str],
    ) -> Result<(), SendError> {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        self.say(Evidence { body, claim_type: Some(claim_type.to_owned()), tags }).await
    }

    /// Reports a failure that ends no turn. A handler that fails gives [`crate::TurnError`] instead.
    pub async fn report_error(
        &self,
        code: &str,
        message: &str,
        context: Option<Value>,
    ) -> Result<(), SendError> {
        let mut error = AgentError::new(code, message);
        error.error.context = context;
        self.say(error).await
    }

    /// Sends an evolution intent; [`crate::Agent::on_evolution_result`] hears how it ended.
    pub async fn propose(&self, hypothesis: Hypothesis) -> Result<(), SendError> {
        self.say(hypothesis).await
    }

    async fn say(&self, body: impl Into<abide_wire::FromAgent>) -> Result<(), SendError> {
        self.desk.sender.progress.step();
        self.desk.sender.send(body).await
    }

    fn append(&self, operation: &str, params: Raw, haste: Haste) -> Result<Durable, WalError> {
        self.desk.sender.progress.step();
        if !S::IS_KEPT {
            return Err(WalError::Stateless);
        }
        let entry = checked_entry(operation, params)?;
        let durable = self.desk.journal().append(entry, haste, Instant::now())?;
        self.desk.wake.notify_one();
        Ok(durable)
    }
}

async fn settled(durable: Durable) -> Result<u64, WalError> {
    durable.await.unwrap_or(Err(WalError::LinkLost))
}

fn packed<P: Serialize + ?Sized>(operation: &str, params: &P) -> Result<Raw, WalError> {
    pack(params).map_err(|error| WalError::Parameters {
        operation: operation.to_owned(),
        message: error.to_string(),
    })
}
