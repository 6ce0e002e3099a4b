//! The door: how a checked envelope becomes a durable stimulus, exactly once.
//!
//! The queue's bound and idempotency keys are decided here, before anything is written; the answer is given after
//! `stimulus.accepted` is durable and never before.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use abide_domain::{
    AgentId, EntityName, EpochId,
    envelope::StimulusEnvelope,
    event::{AcceptedOutput, Event, Idempotency, StimulusAccepted},
};
use abide_ledger::{AppendError, Draft};
use tokio::sync::Notify;

use super::Keeper;
use crate::failpoint::{Failpoint, InjectedError};

/// How a stimulus is to be taken.
#[derive(Clone, Debug, Default)]
pub struct Acceptance {
    /// Whether the caller can answer approvals.
    pub interactive: bool,
    /// The caller's key and the digest of its request.
    pub idempotency: Option<Idempotency>,
    /// Refuse instead of queueing.
    pub if_idle: bool,
    /// One more event of the same epoch, in the same batch: neither is there without the other.
    pub beside: Option<Event>,
}

/// A stimulus that is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The epoch that answers it.
    pub epoch: EpochId,
    /// The sequence of its `stimulus.accepted`.
    pub seq: u64,
    /// Whether it is taken up at once.
    pub state: AcceptedState,
    /// Whether it was accepted before, under the same key.
    pub is_repeated: bool,
    /// What the caller should know, such as a last output that differs from the ledger's.
    pub warning: Option<String>,
}

/// Where a stimulus stands when its acceptance is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedState {
    /// Others are before it.
    Queued,
    /// Its lane takes it up.
    Open,
}

/// Why a stimulus was not accepted. Nothing of it is in the ledger, except where the ledger itself failed.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The agent's queue is full.
    #[error("{queued} stimuli wait for `{agent}` already; at most {max}")]
    QueueFull {
        /// Whose queue.
        agent: AgentId,
        /// How many wait.
        queued: usize,
        /// The bound.
        max: usize,
    },
    /// The caller wanted no queueing and the agent is busy.
    #[error("`{0}` is busy")]
    Busy(AgentId),
    /// The key was used for another request.
    #[error("this Idempotency-Key was used for another request, which became epoch {epoch}")]
    KeyReused {
        /// The epoch of the first request.
        epoch: EpochId,
    },
    /// The keeper stops.
    #[error("the keeper is stopping")]
    Stopping,
    /// The ledger takes nothing.
    #[error("the stimulus could not be made durable")]
    Ledger(#[from] AppendError),
    /// A test said so.
    #[error(transparent)]
    Failpoint(#[from] InjectedError),
}

/// What is on its way through the door and not yet in the house.
#[derive(Debug, Default)]
pub(super) struct Gate {
    entering: Mutex<Entering>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Entering {
    agents: HashMap<AgentId, usize>,
    keys: HashSet<String>,
}

/// A place in the queue, held until the stimulus is in the house or has failed.
struct Place<'a> {
    gate: &'a Gate,
    agent: AgentId,
}

/// A key in use; a second request with it waits for the first.
struct HeldKey<'a> {
    gate: &'a Gate,
    key: String,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, Entering> {
        self.entering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn hold_key(&self, key: &str) -> HeldKey<'_> {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            freed.as_mut().enable();
            if self.lock().keys.insert(key.to_owned()) {
                return HeldKey { gate: self, key: key.to_owned() };
            }
            freed.await;
        }
    }
}

impl Drop for HeldKey<'_> {
    fn drop(&mut self) {
        self.gate.lock().keys.remove(&self.key);
        self.gate.freed.notify_waiters();
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut entering = self.gate.lock();
        if let Some(count) = entering.agents.get_mut(&self.agent) {
            *count -= 1;
        }
    }
}

impl Keeper {
    /// Makes a checked stimulus durable and queues it. Returns after the disk has it.
    pub async fn accept(
        &self,
        envelope: StimulusEnvelope,
        how: Acceptance,
    ) -> Result<Accepted, AcceptError> {
        if self.inner.stopping.is_cancelled() {
            return Err(AcceptError::Stopping);
        }
        let gate = &self.inner.gate;
        let held = match &how.idempotency {
            Some(idempotency) => Some(gate.hold_key(&idempotency.key).await),
            None => None,
        };
        if let Some(idempotency) = &how.idempotency
            && let Some(repeated) = self.repeated(idempotency)?
        {
            return Ok(repeated);
        }
        let place = self.reserve(&envelope.citizen, how.if_idle)?;
        let accepted = self.write(envelope, how).await;
        drop((place, held));
        accepted
    }

    /// The first answer to this key, if there was one.
    fn repeated(&self, idempotency: &Idempotency) -> Result<Option<Accepted>, AcceptError> {
        let house = self.house();
        let Some(used) = house.keys.get(&idempotency.key) else { return Ok(None) };
        let (epoch, seq) = (used.epoch, used.seq);
        if used.body_sha256 != idempotency.body_sha256 {
            return Err(AcceptError::KeyReused { epoch });
        }
        let is_waiting = house.agents.values().any(|state| state.queue.contains(&epoch));
        let state = if is_waiting { AcceptedState::Queued } else { AcceptedState::Open };
        Ok(Some(Accepted { epoch, seq, state, is_repeated: true, warning: None }))
    }

    /// Takes a place in the agent's queue, counting those who are on their way.
    fn reserve(&self, agent: &AgentId, if_idle: bool) -> Result<Place<'_>, AcceptError> {
        let gate = &self.inner.gate;
        let mut entering = gate.lock();
        let on_the_way = entering.agents.entry(agent.clone()).or_default();
        let (waiting, is_open) = {
            let house = self.house();
            house.agents.get(agent).map_or((0, false), |state| {
                let is_busy = state.open.is_some() || state.sleep.running().is_some();
                (state.queue.len(), is_busy)
            })
        };
        let queued = waiting + *on_the_way;
        if if_idle && (queued > 0 || is_open) {
            return Err(AcceptError::Busy(agent.clone()));
        }
        let max = self.inner.services.settings.limits.queue;
        if queued >= max {
            return Err(AcceptError::QueueFull { agent: agent.clone(), queued, max });
        }
        *on_the_way += 1;
        Ok(Place { gate, agent: agent.clone() })
    }

    async fn write(
        &self,
        envelope: StimulusEnvelope,
        how: Acceptance,
    ) -> Result<Accepted, AcceptError> {
        let services = &self.inner.services;
        let agent = envelope.citizen.clone();
        let epoch = EpochId::new(&*services.ids, services.now());
        let author = EntityName::sender(&envelope.sender).unwrap_or_else(|_| EntityName::keeper());
        let beside = how.beside.clone();
        let (stimulus, warning) = self.stimulus(envelope, how);
        services.failpoints.pass(Failpoint::AcceptBeforeDurable).await?;
        let draft = |event| Draft {
            entity: agent.entity(),
            author: author.clone(),
            epoch: Some(epoch),
            event,
        };
        let drafts = std::iter::once(stimulus.into()).chain(beside).map(draft).collect();
        let appended = services.ledger.append(drafts).await?;
        services.failpoints.pass(Failpoint::AcceptAfterDurable).await?;
        services.view.applied(appended.last_seq).await;
        let house = self.house();
        let is_next = house.agents.get(&agent).is_none_or(|state| {
            state.open == Some(epoch)
                || state.open.is_none() && state.queue.front().is_none_or(|first| *first == epoch)
        });
        let state = if is_next { AcceptedState::Open } else { AcceptedState::Queued };
        Ok(Accepted { epoch, seq: appended.first_seq, state, is_repeated: false, warning })
    }

    /// Takes a stimulus of the house itself in, with the event that says why it came: both in one batch, so that neither is
    /// there without the other. Returns after the disk has them and the house knows them.
    pub(crate) async fn accept_own(
        &self,
        agent: &AgentId,
        stimulus: StimulusAccepted,
        why: Event,
    ) -> Result<(), AcceptError> {
        if self.inner.stopping.is_cancelled() {
            return Err(AcceptError::Stopping);
        }
        let place = self.reserve(agent, false)?;
        let services = &self.inner.services;
        services.failpoints.pass(Failpoint::AcceptBeforeDurable).await?;
        let epoch = Some(EpochId::new(&*services.ids, services.now()));
        let draft =
            |event| Draft { entity: agent.entity(), author: EntityName::keeper(), epoch, event };
        let drafts = vec![draft(stimulus.into()), draft(why)];
        let appended = services.ledger.append(drafts).await?;
        services.failpoints.pass(Failpoint::AcceptAfterDurable).await?;
        services.view.applied(appended.last_seq).await;
        drop(place);
        Ok(())
    }

    /// The event, and what the caller should know about its claimed last output.
    fn stimulus(
        &self,
        envelope: StimulusEnvelope,
        how: Acceptance,
    ) -> (StimulusAccepted, Option<String>) {
        let session_id = envelope.session();
        let house = self.house();
        let known = house.agents.get(&envelope.citizen);
        let last = known.and_then(|state| state.short_term.last_reply(&session_id));
        let claimed = envelope.last_driver_output.filter(|claimed| {
            last.as_ref().is_none_or(|(_, output)| output.content != claimed.content)
        });
        let warning = claimed
            .as_ref()
            .map(|_| "last_driver_output differs from the ledger's, which counts".to_owned());
        let stimulus = StimulusAccepted {
            content: envelope.content,
            sender: envelope.sender,
            channel: envelope.channel,
            sent_at: envelope.timestamp,
            session_id,
            interactive: how.interactive,
            idempotency: how.idempotency,
            claimed_output: claimed
                .map(|o| AcceptedOutput { content: o.content, timestamp: o.timestamp }),
            cause: None,
        };
        (stimulus, warning)
    }
}
