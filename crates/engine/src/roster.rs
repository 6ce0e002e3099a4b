//! The agents that run, and what others hold of each: its lane, its identity file, its dreams.
//!
//! One structure for the keeper, the projector, the sleeper and the waker, so that an agent that is added later is there for
//! all of them at once. Reading takes no lock. It must never hold an agent whose memory is behind the ledger: see
//! [`Roster::join`].

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use abide_domain::AgentId;
use abide_memory::{DreamFiles, IdentityFile};
use arc_swap::ArcSwap;
use tokio::sync::watch;

use crate::{agent_setup::AgentSetup, lane::LaneHandle};

/// The agents that run. Shared by all tasks of a keeper.
#[derive(Debug)]
pub struct Roster {
    entries: ArcSwap<BTreeMap<AgentId, RosterEntry>>,
    /// Held while events reach projections, and while an agent joins.
    projecting: Mutex<()>,
    count: watch::Sender<usize>,
}

/// An agent, its lane and its files.
#[derive(Clone, Debug)]
pub(crate) struct RosterEntry {
    pub(crate) agent: Arc<AgentSetup>,
    pub(crate) lane: LaneHandle,
    pub(crate) files: AgentFiles,
}

/// What an agent has on disk besides its facts; nothing in a simulation.
#[derive(Clone, Debug, Default)]
pub struct AgentFiles {
    /// Its identity document.
    pub identity: Option<IdentityFile>,
    /// Its dreams.
    pub dreams: Option<DreamFiles>,
}

impl Default for Roster {
    fn default() -> Self {
        let (entries, projecting) = (ArcSwap::default(), Mutex::default());
        Self { entries, projecting, count: watch::Sender::new(0) }
    }
}

impl Roster {
    /// The agent of this id.
    pub fn get(&self, id: &str) -> Option<Arc<AgentSetup>> {
        self.entries.load().get(id).map(|entry| Arc::clone(&entry.agent))
    }

    /// Whether an agent of this id runs.
    pub fn has(&self, id: &AgentId) -> bool {
        self.entries.load().contains_key(id)
    }

    /// All agents, in the order of their ids.
    pub fn all(&self) -> Vec<Arc<AgentSetup>> {
        self.entries.load().values().map(|entry| Arc::clone(&entry.agent)).collect()
    }

    /// Follows how many there are.
    pub fn arrivals(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    pub(crate) fn lane(&self, id: &str) -> Option<LaneHandle> {
        self.entries.load().get(id).map(|entry| entry.lane.clone())
    }

    pub(crate) fn files(&self, id: &str) -> Option<AgentFiles> {
        self.entries.load().get(id).map(|entry| entry.files.clone())
    }

    /// Keeps agents from joining while events reach projections: an agent that joins then has missed none of them, or
    /// sees them twice, which changes nothing.
    pub(crate) fn hold(&self) -> MutexGuard<'_, ()> {
        self.projecting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds agents, after `bring_up` has brought their facts up to the ledger while nothing is projected.
    pub(crate) fn join<E>(
        &self,
        added: Vec<RosterEntry>,
        bring_up: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let held = self.hold();
        bring_up()?;
        let added: Vec<_> = added.into_iter().map(|one| (one.agent.id.clone(), one)).collect();
        self.entries.rcu(|entries| {
            let mut entries = BTreeMap::clone(entries);
            entries.extend(added.iter().cloned());
            entries
        });
        drop(held);
        self.count.send_replace(self.entries.load().len());
        Ok(())
    }
}
