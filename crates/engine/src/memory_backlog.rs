//! Memories that could not be written, and from where each lacks events: the projector hands those in again from the ledger, and
//! people see it among what waits for them. No event may be skipped: a memory without one takes none of the later ones.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use abide_domain::{AgentId, Timestamp};
use abide_memory::KnowledgeError;

/// The memories that are behind the ledger; empty in good times.
#[derive(Debug, Default)]
pub(crate) struct MemoryBacklogs(Mutex<BTreeMap<AgentId, MemoryBacklog>>);

/// What one memory lacks.
#[derive(Clone, Debug)]
pub(crate) struct MemoryBacklog {
    /// The first event that is missing.
    pub(crate) from: u64,
    /// Since when.
    pub(crate) since: Timestamp,
    /// What the last attempt said.
    pub(crate) reason: String,
    /// Whether the database is damaged, so that only the next start helps, which builds it again.
    pub(crate) is_damaged: bool,
}

impl MemoryBacklogs {
    /// Notes that a memory did not take the events from `from` on, and why. Whether it had taken all before.
    pub(crate) fn note(
        &self,
        agent: &AgentId,
        from: u64,
        now: Timestamp,
        error: &KnowledgeError,
    ) -> bool {
        let mut backlogs = self.lock();
        let since = backlogs.get(agent).map(|backlog| backlog.since);
        let (reason, is_damaged) = (error.with_cause(), error.is_corrupt());
        let backlog = MemoryBacklog { from, since: since.unwrap_or(now), reason, is_damaged };
        backlogs.insert(agent.clone(), backlog);
        since.is_none()
    }

    /// Notes that a memory has taken some of what it lacked.
    pub(crate) fn advance(&self, agent: &AgentId, from: u64) {
        if let Some(backlog) = self.lock().get_mut(agent) {
            backlog.from = from;
        }
    }

    /// Notes that a memory has taken all that it lacked, or is gone.
    pub(crate) fn end(&self, agent: &AgentId) {
        self.lock().remove(agent);
    }

    /// Whether a memory lacks events.
    pub(crate) fn is_behind(&self, agent: &AgentId) -> bool {
        self.lock().contains_key(agent)
    }

    /// All of them.
    pub(crate) fn all(&self) -> BTreeMap<AgentId, MemoryBacklog> {
        self.lock().clone()
    }

    /// Whether handing events in again may help one of them.
    pub(crate) fn is_any_retried(&self) -> bool {
        self.lock().values().any(|backlog| !backlog.is_damaged)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<AgentId, MemoryBacklog>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
