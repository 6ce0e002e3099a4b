//! The one writer of an agent's `knowledge.db`: what it holds beside the tables, and what is read through it.

use std::{collections::HashSet, path::PathBuf};

use abide_domain::{EntityName, EpochId};
use rusqlite::Connection;

use super::{
    change::IndexChange,
    error::KnowledgeError,
    query,
    schema::{self, LedgerCursor},
};
use crate::open_epoch::OpenEpochs;

/// What one agent remembers: the one writer of its database.
#[derive(Debug)]
pub struct Knowledge {
    pub(super) connection: Connection,
    pub(super) path: Option<PathBuf>,
    pub(super) entity: EntityName,
    /// Everything up to here is folded in.
    pub(super) applied_seq: u64,
    /// What the database itself says; lags behind `applied_seq` only by events that do not concern memory.
    pub(super) saved_seq: u64,
    /// What open epochs say up to here is collected; behind `applied_seq` after a restart.
    pub(super) collected_seq: u64,
    /// Where a restart has to begin collecting, until it has.
    pub(super) collect_from: Option<u64>,
    /// What open epochs have said so far.
    pub(super) open: OpenEpochs,
    /// Epochs with rows in the staging table.
    pub(super) staging: HashSet<EpochId>,
    /// Rises with every change of the facts or the graph.
    pub(super) known_revision: u64,
    /// What the indexes in memory have not followed yet; empty unless they are there.
    pub(super) changes: Vec<IndexChange>,
    /// Whether there are indexes in memory that follow.
    pub(super) tracks: bool,
    /// The first event of a batch that failed and has not been applied since.
    pub(super) missing_from: Option<u64>,
    /// Set when the database was seen to be damaged: the next opening builds it again.
    pub(super) is_suspect: bool,
}

impl Knowledge {
    /// Everything up to this sequence is folded in.
    pub fn applied_seq(&self) -> u64 {
        self.applied_seq
    }

    /// The first sequence that must be handed in next, or again: what open epochs said is not kept on the disk.
    pub fn replay_from(&self) -> u64 {
        let next = self.applied_seq + 1;
        self.collect_from.map_or(next, |from| from.min(next))
    }

    /// Whether an event could not be applied and is still missing.
    pub fn is_behind(&self) -> bool {
        self.missing_from.is_some()
    }

    /// All facts, aliases and staged events as text, the same for the same ledger however it was applied.
    pub fn dump(&self) -> Result<String, KnowledgeError> {
        query::dump(&self.connection)
    }
}

impl Drop for Knowledge {
    /// Notes what was applied and that the file was closed cleanly, or that it must be built again. If this fails, the
    /// next start checks the file.
    fn drop(&mut self) {
        let noted = if self.is_suspect {
            schema::mark_unusable(&self.connection)
        } else {
            let collect_from = self.collect_from.or_else(|| self.open.first_seq_without(&[]));
            let cursor = LedgerCursor { applied_seq: self.applied_seq, collect_from };
            schema::mark_closed(&self.connection, cursor)
        };
        drop(noted);
    }
}
