//! How a checked envelope becomes a durable stimulus, exactly once.
//!
//! The queue's bound and idempotency keys are decided here, before anything is written; the answer is given after
//! `stimulus.accepted` is durable and never before.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use abide_domain::{
    AgentId, EntityName, EpochId,
    envelope::StimulusEnvelope,
    event::{AcceptedOutput, Event, Idempotency, StimulusAccepted},
};
use abide_ledger::{AppendError, Draft};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    failpoint::{Failpoint, InjectedError},
    services::Services,
};

/// How a stimulus is to be accepted.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says something else of the request")]
pub struct AcceptOptions {
    /// Whether the caller can answer approvals.
    pub interactive: bool,
    /// Whether an administrator speaks in their own name.
    pub administrator: bool,
    /// The caller's key and the digest of its request.
    pub idempotency: Option<Idempotency>,
    /// The same key as ledgers of before kept it: a request that was accepted under it is not accepted again.
    pub older_key: Option<String>,
    /// The author of the stimulus, where it is not its sender.
    pub author: Option<EntityName>,
    /// Refuse instead of queueing.
    pub if_idle: bool,
    /// One more event of the same epoch, in the same batch: neither is there without the other.
    pub beside: Option<Event>,
}

/// A stimulus that is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedStimulus {
    /// The epoch that answers it.
    pub epoch: EpochId,
    /// The sequence of its `stimulus.accepted`.
    pub seq: u64,
    /// Whether it is taken up at once.
    pub state: AcceptedState,
    /// Whether it was accepted before, under the same key.
    pub is_repeated: bool,
    /// A warning for the caller, such as a last output that differs from the ledger's.
    pub warning: Option<String>,
}

/// Where a stimulus stands when its acceptance is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedState {
    /// Others wait before it.
    Queued,
    /// Its lane takes it up.
    Open,
}

/// Why a stimulus was not accepted. Nothing of it is in the ledger, except where the ledger itself failed.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The agent's queue is full.
    #[error("{queued} stimuli wait for `{agent}` already; at most {max} may; try again later")]
    QueueFull {
        /// The agent of the queue.
        agent: AgentId,
        /// How many wait.
        queued: usize,
        /// How many may wait at most.
        max: usize,
    },
    /// The caller wanted no queueing and the agent is busy.
    #[error("`{0}` is busy and the request asked not to be queued")]
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
    /// The ledger could not be written.
    #[error("the stimulus could not be made durable")]
    Ledger(#[from] AppendError),
    /// A test set a failpoint.
    #[error(transparent)]
    Failpoint(#[from] InjectedError),
}

/// Accepts stimuli: from people and channels through the keeper, from the waker directly.
#[derive(Debug)]
pub(crate) struct StimulusIntake {
    services: Arc<Services>,
    pending: Pending,
    stopping: CancellationToken,
}

/// The stimuli that are being accepted and are not yet in the state.
#[derive(Debug, Default)]
struct Pending {
    counts: Mutex<PendingCounts>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct PendingCounts {
    agents: HashMap<AgentId, usize>,
    keys: HashSet<String>,
}

/// A slot in the queue, held until the stimulus is in the state or has failed.
struct QueueSlot<'a> {
    pending: &'a Pending,
    agent: AgentId,
}

/// A key in use; a second request with it waits for the first.
struct KeyLock<'a> {
    pending: &'a Pending,
    key: String,
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, PendingCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn lock_key(&self, key: &str) -> KeyLock<'_> {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            freed.as_mut().enable();
            if self.lock().keys.insert(key.to_owned()) {
                return KeyLock { pending: self, key: key.to_owned() };
            }
            freed.await;
        }
    }
}

impl Drop for KeyLock<'_> {
    fn drop(&mut self) {
        self.pending.lock().keys.remove(&self.key);
        self.pending.freed.notify_waiters();
    }
}

impl Drop for QueueSlot<'_> {
    fn drop(&mut self) {
        let mut counts = self.pending.lock();
        if let Some(count) = counts.agents.get_mut(&self.agent) {
            *count -= 1;
        }
    }
}

impl StimulusIntake {
    pub(crate) fn new(services: Arc<Services>) -> Self {
        Self { services, pending: Pending::default(), stopping: CancellationToken::new() }
    }

    pub(crate) fn services(&self) -> &Arc<Services> {
        &self.services
    }

    /// Cancelled once no stimulus is accepted any more.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Makes a checked stimulus durable and queues it. Returns after the disk has it.
    pub(crate) async fn accept(
        &self,
        envelope: StimulusEnvelope,
        options: AcceptOptions,
    ) -> Result<AcceptedStimulus, AcceptError> {
        if self.stopping.is_cancelled() {
            return Err(AcceptError::Stopping);
        }
        let key_lock = match &options.idempotency {
            Some(idempotency) => Some(self.pending.lock_key(&idempotency.key).await),
            None => None,
        };
        if let Some(idempotency) = &options.idempotency
            && let Some(repeated) = self.repeated(idempotency, options.older_key.as_deref())?
        {
            return Ok(repeated);
        }
        let slot = self.reserve(&envelope.citizen, options.if_idle)?;
        let accepted = self.write(envelope, options).await;
        drop((slot, key_lock));
        accepted
    }

    /// The first answer to this key, if there was one.
    fn repeated(
        &self,
        idempotency: &Idempotency,
        older_key: Option<&str>,
    ) -> Result<Option<AcceptedStimulus>, AcceptError> {
        let state = self.services.view.read();
        let older = || state.keys.get(older_key?);
        let Some(used) = state.keys.get(&idempotency.key).or_else(older) else { return Ok(None) };
        let (epoch, seq) = (used.epoch, used.seq);
        if used.body_sha256 != idempotency.body_sha256 {
            return Err(AcceptError::KeyReused { epoch });
        }
        let is_waiting =
            state.agents.values().any(|agent_state| agent_state.queue.contains(&epoch));
        let place = if is_waiting { AcceptedState::Queued } else { AcceptedState::Open };
        Ok(Some(AcceptedStimulus { epoch, seq, state: place, is_repeated: true, warning: None }))
    }

    /// Takes a slot in the agent's queue, counting the stimuli that are being accepted.
    fn reserve(&self, agent: &AgentId, if_idle: bool) -> Result<QueueSlot<'_>, AcceptError> {
        let mut counts = self.pending.lock();
        let entering = counts.agents.entry(agent.clone()).or_default();
        let (waiting, is_open) = {
            let state = self.services.view.read();
            state.agents.get(agent).map_or((0, false), |agent_state| {
                let is_busy = agent_state.open.is_some() || agent_state.sleep.running().is_some();
                (agent_state.queue.len(), is_busy)
            })
        };
        let queued = waiting + *entering;
        if if_idle && (queued > 0 || is_open) {
            return Err(AcceptError::Busy(agent.clone()));
        }
        let max = self.services.settings.limits.queue;
        if queued >= max {
            return Err(AcceptError::QueueFull { agent: agent.clone(), queued, max });
        }
        *entering += 1;
        Ok(QueueSlot { pending: &self.pending, agent: agent.clone() })
    }

    async fn write(
        &self,
        envelope: StimulusEnvelope,
        options: AcceptOptions,
    ) -> Result<AcceptedStimulus, AcceptError> {
        let services = &self.services;
        let agent = envelope.citizen.clone();
        let epoch = EpochId::new(&*services.ids, services.now());
        let sender =
            || EntityName::sender(&envelope.sender).unwrap_or_else(|_| EntityName::keeper());
        let author = options.author.clone().unwrap_or_else(sender);
        let beside = options.beside.clone();
        let (stimulus, warning) = self.stimulus(envelope, options);
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
        let state = self.services.view.read();
        let is_next = state.agents.get(&agent).is_none_or(|agent_state| {
            agent_state.open == Some(epoch)
                || agent_state.open.is_none()
                    && agent_state.queue.front().is_none_or(|first| *first == epoch)
        });
        let place = if is_next { AcceptedState::Open } else { AcceptedState::Queued };
        Ok(AcceptedStimulus {
            epoch,
            seq: appended.first_seq,
            state: place,
            is_repeated: false,
            warning,
        })
    }

    /// Accepts a stimulus of the keeper itself, with the event that says why it came: both in one batch, so that neither is
    /// there without the other. Returns once they are durable and in the state.
    pub(crate) async fn accept_internal(
        &self,
        agent: &AgentId,
        stimulus: StimulusAccepted,
        why: Event,
    ) -> Result<(), AcceptError> {
        if self.stopping.is_cancelled() {
            return Err(AcceptError::Stopping);
        }
        let slot = self.reserve(agent, false)?;
        let services = &self.services;
        services.failpoints.pass(Failpoint::AcceptBeforeDurable).await?;
        let epoch = Some(EpochId::new(&*services.ids, services.now()));
        let draft =
            |event| Draft { entity: agent.entity(), author: EntityName::keeper(), epoch, event };
        let drafts = vec![draft(stimulus.into()), draft(why)];
        let appended = services.ledger.append(drafts).await?;
        services.failpoints.pass(Failpoint::AcceptAfterDurable).await?;
        services.view.applied(appended.last_seq).await;
        drop(slot);
        Ok(())
    }

    /// The event, and what the caller should know about its claimed last output.
    fn stimulus(
        &self,
        envelope: StimulusEnvelope,
        options: AcceptOptions,
    ) -> (StimulusAccepted, Option<String>) {
        let session_id = envelope.session();
        let state = self.services.view.read();
        let known = state.agents.get(&envelope.citizen);
        let last = known.and_then(|agent_state| agent_state.short_term.last_reply(&session_id));
        let claimed = envelope.last_driver_output.filter(|claimed| {
            last.as_ref().is_none_or(|(_, output)| output.content != claimed.content)
        });
        let warning = claimed
            .as_ref()
            .map(|_| "last_driver_output differs from the last reply in the ledger; the ledger's was used".to_owned());
        let stimulus = StimulusAccepted {
            content: envelope.content,
            sender: envelope.sender,
            channel: envelope.channel,
            sent_at: envelope.timestamp,
            sender_zone: envelope.sender_zone.map(|zone| zone.name().to_owned()),
            session_id,
            interactive: options.interactive,
            administrator: options.administrator,
            idempotency: options.idempotency,
            claimed_output: claimed
                .map(|o| AcceptedOutput { content: o.content, timestamp: o.timestamp }),
            cause: None,
        };
        (stimulus, warning)
    }
}
