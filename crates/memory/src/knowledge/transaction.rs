//! What the rows of one batch are written with: its transaction, the stamps of each event, and why one could not be
//! written.

use abide_domain::{EntityName, EpochId, Timestamp};
use rusqlite::Connection;

use super::change::IndexChange;

/// The stamps of an event that takes effect.
pub(super) struct EventStamps {
    pub(super) seq: u64,
    /// From where on it counts: its own sequence, or that of its epoch's commit.
    pub(super) known_seq: u64,
    pub(super) at: Timestamp,
    pub(super) author: EntityName,
    pub(super) epoch: Option<EpochId>,
}

/// What a batch writes with: its transaction, and what the indexes in memory must follow.
pub(super) struct BatchWriter<'a> {
    pub(super) connection: &'a Connection,
    pub(super) changes: Vec<IndexChange>,
    pub(super) tracks: bool,
}

impl BatchWriter<'_> {
    /// Notes a change for the indexes in memory, if there are any.
    pub(super) fn note(&mut self, change: impl FnOnce() -> IndexChange) {
        if self.tracks {
            self.changes.push(change());
        }
    }
}

/// Why a batch could not be written.
pub(super) enum WriteError {
    Storage(rusqlite::Error),
    Staged(u64, String),
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Storage(error)
    }
}

/// The epochs that something stems from: those that the event names, or the line's own.
pub(super) fn sources_of(stamps: &EventStamps, named: &[EpochId]) -> Vec<EpochId> {
    if named.is_empty() { stamps.epoch.into_iter().collect() } else { named.to_vec() }
}

pub(super) fn to_json<T: serde::Serialize>(
    stamps: &EventStamps,
    value: &T,
) -> Result<String, WriteError> {
    serde_json::to_string(value).map_err(|error| WriteError::Staged(stamps.seq, error.to_string()))
}
