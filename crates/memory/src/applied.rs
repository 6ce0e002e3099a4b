//! What every projection of this crate folds: one durable event with the stamps that matter to memory.
//!
//! A borrowed view, so that no projection keeps a ledger entry alive. It must never be made from an event that is not
//! durable yet. First station of memory on the walk.

use abide_domain::{EntityName, EpochId, Timestamp, event::Event};

/// A durable event, as it is handed to the projections in the order of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Applied<'a> {
    /// Its place in the ledger, from 1, rising.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Whose life it belongs to.
    pub entity: &'a EntityName,
    /// Who caused it.
    pub author: &'a EntityName,
    /// The epoch that it belongs to, if any.
    pub epoch: Option<EpochId>,
    /// What happened.
    pub event: &'a Event,
}
