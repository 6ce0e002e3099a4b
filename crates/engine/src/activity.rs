//! What is seen of agents between two events: pieces of an answer that grows or of what a running call says, and waits
//! whose end is known (decision 58).
//!
//! Held in memory alone: none of it is durable, and a keeper that starts anew begins a new silence of everybody. It must never
//! count as evidence, which is what work produced; it only says that a silence is none.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{AgentId, KnownWait, Timestamp, WaitReason};
use abide_ledger::Ledger;

/// What is seen of all agents. As many as have worked in this keeper.
#[derive(Debug)]
pub struct Activities {
    ledger: Ledger,
    by_agent: Mutex<BTreeMap<AgentId, Arc<AgentActivity>>>,
}

/// What is seen of one agent.
#[derive(Debug)]
pub(crate) struct AgentActivity {
    ledger: Ledger,
    seen: Mutex<SeenActivity>,
}

/// What was seen of an agent last, by the ledger's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenActivity {
    /// When a piece of its answer, or of what its running call says, came.
    pub piece_at: Option<Timestamp>,
    /// What it waits for.
    pub wait: Option<KnownWait>,
    /// When its last such wait ended.
    pub waited_until: Option<Timestamp>,
}

/// A wait under way; it is over when this is dropped.
#[derive(Debug)]
pub(crate) struct OpenWait(Arc<AgentActivity>);

impl Activities {
    /// Nothing was seen yet.
    pub(crate) fn new(ledger: Ledger) -> Self {
        Self { ledger, by_agent: Mutex::default() }
    }

    /// What was seen of an agent.
    pub fn seen(&self, agent: &AgentId) -> SeenActivity {
        let by_agent = self.by_agent.lock().unwrap_or_else(PoisonError::into_inner);
        by_agent.get(agent).map(|activity| activity.seen()).unwrap_or_default()
    }

    /// Where it is noted what is seen of an agent.
    pub(crate) fn of(&self, agent: &AgentId) -> Arc<AgentActivity> {
        let mut by_agent = self.by_agent.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || AgentActivity { ledger: self.ledger.clone(), seen: Mutex::default() };
        Arc::clone(by_agent.entry(agent.clone()).or_insert_with(|| Arc::new(new())))
    }

    /// An agent waits for something, for so long at most.
    pub(crate) fn wait(&self, agent: &AgentId, reason: WaitReason, limit: Duration) -> OpenWait {
        let activity = self.of(agent);
        let until = self.ledger.now().plus(limit);
        activity.change(|seen| seen.wait = Some(KnownWait { reason, until }));
        OpenWait(activity)
    }
}

impl AgentActivity {
    /// A piece of its answer, or of what its running call says, came.
    pub(crate) fn note_piece(&self) {
        let now = self.ledger.now();
        self.change(|seen| seen.piece_at = Some(now));
    }

    fn seen(&self) -> SeenActivity {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut SeenActivity)) {
        change(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for OpenWait {
    fn drop(&mut self) {
        let now = self.0.ledger.now();
        self.0.change(|seen| {
            // What took longer than it may is excused until it should have ended.
            let end = seen.wait.take().map_or(now, |wait| wait.until.min(now));
            seen.waited_until = Some(end);
        });
    }
}
