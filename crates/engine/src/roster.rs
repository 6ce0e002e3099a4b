//! The agents that live here, and what others hold of each: its lane, its identity file, its dreams.
//!
//! One structure for the keeper, the projector, the sleeper and the waker, so that an agent that comes later is there for all
//! of them at once. Reading takes no lock. It must never hold an agent whose facts are behind the ledger: see
//! [`Roster::join`].

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use abide_domain::AgentId;
use abide_memory::{DreamFiles, IdentityFile};
use arc_swap::ArcSwap;
use tokio::sync::watch;

use crate::{lane::LaneHandle, services::AgentSetup};

/// All of them.
#[derive(Debug)]
pub struct Roster {
    residents: ArcSwap<BTreeMap<AgentId, RosterEntry>>,
    /// Held while events reach projections, and while somebody joins.
    projecting: Mutex<()>,
    count: watch::Sender<usize>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct RosterEntry {
    pub(crate) agent: Arc<AgentSetup>,
    pub(crate) lane: LaneHandle,
    pub(crate) belongings: AgentFiles,
}

/// What an agent has on disk besides its facts; nothing in a simulation.
#[derive(Clone, Debug, Default)]
pub struct AgentFiles {
    /// Its identity document.
    pub file: Option<IdentityFile>,
    /// Its dreams.
    pub dreams: Option<DreamFiles>,
}

impl Default for Roster {
    fn default() -> Self {
        let (residents, projecting) = (ArcSwap::default(), Mutex::default());
        Self { residents, projecting, count: watch::Sender::new(0) }
    }
}

impl Roster {
    /// One of them.
    pub fn get(&self, id: &str) -> Option<Arc<AgentSetup>> {
        self.residents.load().get(id).map(|resident| Arc::clone(&resident.agent))
    }

    /// Whether one of that id is among them.
    pub fn has(&self, id: &AgentId) -> bool {
        self.residents.load().contains_key(id)
    }

    /// All, in the order of their ids.
    pub fn all(&self) -> Vec<Arc<AgentSetup>> {
        self.residents.load().values().map(|resident| Arc::clone(&resident.agent)).collect()
    }

    /// Follows how many there are.
    pub fn arrivals(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    pub(crate) fn lane(&self, id: &str) -> Option<LaneHandle> {
        self.residents.load().get(id).map(|resident| resident.lane.clone())
    }

    pub(crate) fn belongings(&self, id: &str) -> Option<AgentFiles> {
        self.residents.load().get(id).map(|resident| resident.belongings.clone())
    }

    /// Keeps everybody from joining while events reach projections: who joins then has missed none of them, or sees them
    /// twice, which changes nothing.
    pub(crate) fn hold(&self) -> MutexGuard<'_, ()> {
        self.projecting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes some in, after `bring_up` has brought their facts up to the ledger while nothing is projected.
    pub(crate) fn join<E>(
        &self,
        newcomers: Vec<RosterEntry>,
        bring_up: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let held = self.hold();
        bring_up()?;
        let newcomers: Vec<_> =
            newcomers.into_iter().map(|one| (one.agent.id.clone(), one)).collect();
        self.residents.rcu(|residents| {
            let mut residents = BTreeMap::clone(residents);
            residents.extend(newcomers.iter().cloned());
            residents
        });
        drop(held);
        self.count.send_replace(self.residents.load().len());
        Ok(())
    }
}
