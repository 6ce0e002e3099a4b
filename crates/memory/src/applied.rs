//! What every projection of this crate folds: one durable event with the stamps that matter to memory.
//!
//! A borrowed view, so that no projection holds on to a ledger entry. It must never be made from an event that is not
//! durable yet.

use abide_domain::{EntityName, EpochId, Timestamp, event::Event};

/// A durable event, as it is handed to the projections in the order of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct DurableEvent<'a> {
    /// Its place in the ledger, from 1, rising.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The agent that it is about.
    pub entity: &'a EntityName,
    /// The entity that caused it.
    pub author: &'a EntityName,
    /// The epoch that it belongs to, if any.
    pub epoch: Option<EpochId>,
    /// The event itself.
    pub event: &'a Event,
}
