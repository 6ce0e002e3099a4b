//! The handler's access to everything that outlives a turn: the log, the state, checkpoints, evidence.
//!
//! A [`Keeper`] is cheap to clone. It belongs to one link: after the link's end every call fails.

use std::{fmt, sync::Arc};

use abide_wire::{AgentError, Evidence, Hypothesis, Raw};
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    checkpoint::CheckpointError,
    limits::ONCE_KEY_BYTES_MAX,
    sender::SendError,
    shared_state::SharedState,
    state::{State, pack},
    wal_queue::{AckReceiver, FlushUrgency, OnceAppend, WalError, checked_entry},
};

/// The keeper, as a handler sees it. Each turn's handler gets one.
pub struct Keeper<S> {
    pub(crate) shared: Arc<SharedState<S>>,
}

impl<S> Clone for Keeper<S> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
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
        let durable =
            self.append(operation, pack_params(operation, params)?, FlushUrgency::Immediate)?;
        acknowledged(durable).await
    }

    /// Logs an operation unless one with this key is in the log already, and waits until it is on the keeper's disk and applied.
    /// Says whether it was logged by this call.
    ///
    /// A turn may be asked again after a crash: with [`crate::Turn::key`] the operation is logged once all the same.
    pub async fn once<P>(&self, key: &str, operation: &str, params: &P) -> Result<bool, WalError>
    where
        P: Serialize + Sync + ?Sized,
    {
        self.shared.sender.progress.step();
        if !S::IS_KEPT {
            return Err(WalError::Stateless);
        }
        if key.is_empty() || key.len() > ONCE_KEY_BYTES_MAX {
            return Err(WalError::Key);
        }
        let entry = checked_entry(operation, pack_params(operation, params)?, Some(key))?;
        let appended = self.shared.wal().append_once(entry, Instant::now())?;
        self.shared.wake.notify_one();
        match appended {
            OnceAppend::Durable => Ok(false),
            OnceAppend::Pending(durable) => acknowledged(durable).await.map(|_| false),
            OnceAppend::New(durable) => acknowledged(durable).await.map(|_| true),
        }
    }

    /// Logs operations, which go out together, and waits for all of them; gives the last one's sequence.
    ///
    /// On an error none, some or all of them may be in the log: the state says which.
    pub async fn wal_all(&self, operations: Vec<(String, Raw)>) -> Result<Option<u64>, WalError> {
        let appended: Result<Vec<_>, _> = operations
            .into_iter()
            .map(|(operation, params)| self.append(&operation, params, FlushUrgency::Immediate))
            .collect();
        let mut last = None;
        for durable in appended? {
            last = Some(acknowledged(durable).await?);
        }
        Ok(last)
    }

    /// Logs an operation without waiting for it: it goes out with others, after a second at the latest.
    pub fn wal_later<P>(&self, operation: &str, params: &P) -> Result<(), WalError>
    where
        P: Serialize + ?Sized,
    {
        self.append(operation, pack_params(operation, params)?, FlushUrgency::Batched).map(drop)
    }

    /// Reads the state. Keep it short, and log nothing from within it.
    pub fn read<T>(&self, read: impl FnOnce(&S) -> T) -> T {
        self.shared.with_state(|state| read(&state.state))
    }

    /// Makes a checkpoint now, before something risky, and waits until the keeper holds it; gives its id. On an error the
    /// keeper still has the one before.
    pub async fn checkpoint(&self) -> Result<String, CheckpointError> {
        self.shared.sender.progress.step();
        if !S::IS_KEPT {
            return Err(CheckpointError::Stateless);
        }
        let stored = self.shared.checkpoint_waiters().add()?;
        self.shared.wake.notify_one();
        stored.await.unwrap_or(Err(CheckpointError::LinkLost))
    }

    /// Reports progress. Call it in a long loop: nothing else moves the counter while a handler computes.
    pub fn progress(&self) {
        self.shared.sender.progress.step();
    }

    /// Publishes evidence to the agent's peers: a map, a type such as `observation`, tags to find it by.
    pub async fn evidence(
        &self,
        body: Value,
        claim_type: &str,
        tags: &[&str],
    ) -> Result<(), SendError> {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        self.send(Evidence { body, claim_type: Some(claim_type.to_owned()), tags }).await
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
        self.send(error).await
    }

    /// Sends an evolution intent; [`crate::Agent::on_evolution_result`] is told how it ended.
    pub async fn propose(&self, hypothesis: Hypothesis) -> Result<(), SendError> {
        self.send(hypothesis).await
    }

    async fn send(&self, body: impl Into<abide_wire::FromAgent>) -> Result<(), SendError> {
        self.shared.sender.progress.step();
        self.shared.sender.send(body).await
    }

    fn append(
        &self,
        operation: &str,
        params: Raw,
        urgency: FlushUrgency,
    ) -> Result<AckReceiver, WalError> {
        self.shared.sender.progress.step();
        if !S::IS_KEPT {
            return Err(WalError::Stateless);
        }
        let entry = checked_entry(operation, params, None)?;
        let durable = self.shared.wal().append(entry, urgency, Instant::now())?;
        self.shared.wake.notify_one();
        Ok(durable)
    }
}

async fn acknowledged(durable: AckReceiver) -> Result<u64, WalError> {
    durable.await.unwrap_or(Err(WalError::LinkLost))
}

fn pack_params<P: Serialize + ?Sized>(operation: &str, params: &P) -> Result<Raw, WalError> {
    pack(params).map_err(|error| WalError::Parameters {
        operation: operation.to_owned(),
        message: error.to_string(),
    })
}
