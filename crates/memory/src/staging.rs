//! The one rule of when a `memory.*` event counts (decision 18).
//!
//! Inside an epoch it is *staged*: it takes effect at that epoch's `epoch.committed`, in order, and never if
//! `epoch.aborted` comes. Outside an epoch it counts at once. All projections read events through [`MemoryStep`], so that none
//! can have a rule of its own.

use std::collections::BTreeMap;

use abide_domain::{
    EpochId,
    event::{EpochEvent, Event, MemoryEvent},
};
use serde::{Deserialize, Serialize};

use crate::DurableEvent;

/// What an event means to staged memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemoryStep<'a> {
    /// Waits for the end of its epoch.
    Stage(EpochId, &'a MemoryEvent),
    /// Outside an epoch: counts at once.
    InForce(&'a MemoryEvent),
    /// What the epoch staged counts from here on; the turn's response is the reply.
    Commit(EpochId, u32),
    /// What the epoch staged never counts.
    Abort(EpochId),
    /// No concern of staged memory.
    Other,
}

impl<'a> MemoryStep<'a> {
    pub(crate) fn of(applied: &DurableEvent<'a>) -> Self {
        match (applied.event, applied.epoch) {
            (Event::Memory(event), Some(epoch)) => Self::Stage(epoch, event),
            (Event::Memory(event), None) => Self::InForce(event),
            (Event::Epoch(EpochEvent::Committed(end)), Some(epoch)) => {
                Self::Commit(epoch, end.turn)
            }
            (Event::Epoch(EpochEvent::Aborted(_)), Some(epoch)) => Self::Abort(epoch),
            _ => Self::Other,
        }
    }
}

/// What open epochs hold back, for projections that live in memory. Bounded by the open epochs: an end empties its part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Staging<T> {
    open: BTreeMap<EpochId, Vec<T>>,
}

impl<T> Default for Staging<T> {
    fn default() -> Self {
        Self { open: BTreeMap::new() }
    }
}

impl<T> Staging<T> {
    /// Holds something back until its epoch ends.
    pub(crate) fn hold(&mut self, epoch: EpochId, held: T) {
        self.open.entry(epoch).or_default().push(held);
    }

    /// Takes out what an epoch held back, in order.
    pub(crate) fn take(&mut self, epoch: EpochId) -> Vec<T> {
        self.open.remove(&epoch).unwrap_or_default()
    }
}
