//! Knowledge: everything that one agent remembers for long, in `agents/<id>/knowledge.db`: facts, the graph, and what
//! was said.
//!
//! A projection: deletable, rebuilt from sequence 0, never fatal when broken ([`Knowledge::open`]). One writer owns the
//! connection that writes; it must never see another agent's memories (each database is made for one entity), and what an
//! open epoch staged is in force only from its commit on, also across a restart in mid-epoch: staged events have a table
//! of their own. Nothing is overwritten: what holds no longer is closed, and says since and until when it held. On the
//! walk it stands beside the ledger's feed (writes) and before the context and the tools (reads).
//!
//! Reading order: `schema` (tables), `open` (new, found or rebuilt), `apply` (one transaction a batch) with `fact_rows`,
//! `node_rows` and `said_rows` (which `parts` cuts into passages), `matching` (a person's words to full text, never
//! syntax), `query` (facts: search, list, get, dump), `remembered` (what is given out), `vectors`, `shelves` (the indexes
//! in memory), `ask` (the eight queries), `handle` (shared use) and `recall` (what a handle gives).

use std::{collections::HashSet, path::PathBuf};

use abide_domain::{EntityName, EpochId, FactId, Timestamp};
use rusqlite::{Connection, ErrorCode};
use serde_json::Value;

mod apply;
mod ask;
mod fact_rows;
mod handle;
mod matching;
mod node_rows;
mod open;
mod parts;
mod query;
mod recall;
mod remembered;
mod said_rows;
mod schema;
mod shelves;
mod vectors;

pub use fact_rows::normalise;
pub use handle::KnowledgeHandle;
pub use matching::{QUERY_CHARS_MAX, QUERY_TERMS_MAX};
pub use open::Opened;
pub use recall::{EdgeFilter, NodeFilter};
pub use remembered::{
    EdgeState, ExchangeStamps, GraphPage, NodeState, NodeVersion, Recalled, ReferencedItem,
    ToldFact,
};
pub use schema::SCHEMA_VERSION;
pub use vectors::{EmbeddingState, MissingVector, VECTORS_BATCH_MAX, VectorCursor, VectorKey};

use self::{schema::Cursor, shelves::Change};
use crate::{Applied, open_epoch::OpenEpochs};

/// Most facts that one search gives.
pub const SEARCH_FACTS_MAX: usize = 100;
/// Most facts on one page of the listing.
pub const PAGE_FACTS_MAX: usize = 500;
/// Most source epochs that a fact lists: learnt again and again, the first ones are proof enough.
pub const SOURCES_MAX: usize = 100;

/// Says why the facts could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// The database refused.
    #[error("the facts could not be {doing}")]
    Storage {
        /// What was tried: `opened`, `applied`, `searched`, `read`.
        doing: &'static str,
        /// The database's words.
        source: rusqlite::Error,
    },
    /// A broken database could not be taken away to make room for a new one.
    #[error("the broken database {} could not be removed", path.display())]
    Remove {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An earlier batch failed and has not been handed in again: going on would leave it out for ever.
    #[error("the facts lack the events from {seq} on: apply those first")]
    Behind {
        /// The first event that is missing.
        seq: u64,
    },
    /// What searches need was given up while it was loaded; asking again loads it.
    #[error("the indexes of memory are not loaded")]
    NotLoaded,
    /// An event could not be staged or read back from the staging table.
    #[error("the staged event {seq} could not be kept or read back: {message}")]
    Staged {
        /// Its place in the ledger.
        seq: u64,
        /// Why.
        message: String,
    },
}

impl KnowledgeError {
    /// Says whether the database is damaged, so that only a rebuild helps; else (disk full, busy) a retry may.
    pub fn is_corrupt(&self) -> bool {
        match self {
            Self::Staged { .. } => true,
            Self::Remove { .. } | Self::Behind { .. } | Self::NotLoaded => false,
            Self::Storage { source, .. } => matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ),
        }
    }
}

pub(crate) fn storage(doing: &'static str) -> impl Fn(rusqlite::Error) -> KnowledgeError {
    move |source| KnowledgeError::Storage { doing, source }
}

/// The version of the SQLite that is compiled in, as `major * 1_000_000 + minor * 1_000 + patch` (3.51.3 is 3051003).
pub fn sqlite_version() -> i32 {
    rusqlite::version_number()
}

/// One fact, as it is known.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "the ledger and the API call it `fact_id`")]
pub struct Fact {
    /// Its id.
    pub fact_id: FactId,
    /// The statement.
    pub content: String,
    /// `user`, `project` or `world`.
    pub category: String,
    /// Free words.
    pub tags: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Since when it holds: when it was learnt, where nothing else was said.
    pub valid_from: Timestamp,
    /// Until when it held, if it was taken back or superseded.
    pub valid_to: Option<Timestamp>,
    /// The epochs that it was learnt in, oldest first, at most [`SOURCES_MAX`].
    pub sources: Vec<EpochId>,
    /// Who told it first, where that is known.
    pub told_by: Option<EntityName>,
    /// Whether a person told it at least once with nothing beside it that no person vouches for.
    pub trusted: bool,
    /// Where its event stands in the ledger.
    pub seq: u64,
    /// The fact that it took the place of.
    pub supersedes: Option<FactId>,
}

/// What a look gave, for facts where nothing else is said. The three are never mixed up: absence is not evidence (law 4).
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup<T = Fact> {
    /// At least one, best first.
    Items(Vec<T>),
    /// Looked, and there is nothing.
    Empty,
    /// Could not look, and why.
    Failed(String),
}

impl<T> Lookup<T> {
    /// `found`, `empty` or `failed`.
    pub const fn status(&self) -> &'static str {
        match self {
            Self::Items(_) => "found",
            Self::Empty => "empty",
            Self::Failed(_) => "failed",
        }
    }

    /// What was found; none unless something was.
    pub fn items(&self) -> &[T] {
        match self {
            Self::Items(items) => items,
            Self::Empty | Self::Failed(_) => &[],
        }
    }
}

impl Lookup {
    /// The facts; none unless found.
    pub fn facts(&self) -> &[Fact] {
        self.items()
    }
}

/// A page of the facts in force, newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct FactsPage {
    /// The facts.
    pub items: Vec<Fact>,
    /// The cursor of the next page, if there is one.
    pub next: Option<u64>,
}

/// The facts of one agent: the one writer of its database.
#[derive(Debug)]
pub struct Knowledge {
    connection: Connection,
    path: Option<PathBuf>,
    entity: EntityName,
    /// Everything up to here is folded in.
    applied_seq: u64,
    /// What the database itself says; lags behind `applied_seq` only by events that do not concern memory.
    saved_seq: u64,
    /// What open epochs have said up to here is collected; behind `applied_seq` after a restart.
    collected_seq: u64,
    /// Where a restart has to begin collecting, until it has.
    collect_from: Option<u64>,
    /// What open epochs have said so far.
    open: OpenEpochs,
    /// Epochs with rows in the staging table.
    staging: HashSet<EpochId>,
    /// Rises with every change of the facts or the graph.
    known_revision: u64,
    /// What the indexes in memory have not followed yet; empty unless they are there.
    changes: Vec<Change>,
    /// Whether there are indexes in memory that follow.
    tracks: bool,
    /// The first event of a batch that failed and has not been applied since.
    missing_from: Option<u64>,
    /// Set when the database was seen to be damaged: the next opening builds it again.
    is_suspect: bool,
}

impl Knowledge {
    /// Everything up to this sequence is folded in.
    pub fn applied_seq(&self) -> u64 {
        self.applied_seq
    }

    /// Folds durable events in, in one transaction: all of the batch counts or none. Events up to
    /// [`Self::applied_seq`] are only read again, so that applying again changes nothing. On an error nothing has
    /// changed, and the same events must be handed in again before later ones ([`KnowledgeError::Behind`]). After a
    /// restart the first events must be those from [`Opened::replay_from`] on.
    pub fn apply(&mut self, batch: &[Applied<'_>]) -> Result<(), KnowledgeError> {
        let fresh = batch.iter().map(|applied| applied.seq).filter(|seq| *seq > self.collected_seq);
        let Some(first) = fresh.min() else { return Ok(()) };
        let due = self.missing_from.or(self.collect_from);
        if let Some(seq) = due.filter(|due| *due < first) {
            return Err(KnowledgeError::Behind { seq });
        }
        let applied = self.apply_batch(batch);
        if applied.is_ok() {
            self.collect_from = None;
        }
        self.missing_from = applied.is_err().then_some(first);
        self.is_suspect |= applied.as_ref().is_err_and(KnowledgeError::is_corrupt);
        applied
    }

    /// Says whether an event could not be applied and is still missing.
    pub fn is_behind(&self) -> bool {
        self.missing_from.is_some()
    }

    /// Looks for facts in force by a person's or a mind's words, best first. `limit` is cut to [`SEARCH_FACTS_MAX`].
    pub fn search(&self, text: &str, limit: usize) -> Lookup {
        query::search(&self.connection, text, limit)
    }

    /// A page of the facts in force, newest first; `before` is the cursor of the page before, `words` narrows it.
    pub fn list(
        &self,
        before: Option<u64>,
        limit: usize,
        words: Option<&str>,
    ) -> Result<FactsPage, KnowledgeError> {
        query::list(&self.connection, before, limit, words)
    }

    /// The fact of that id, or the older fact of the same content that it became part of; forgotten ones too.
    pub fn get(&self, fact_id: FactId) -> Result<Option<Fact>, KnowledgeError> {
        query::get(&self.connection, fact_id)
    }

    /// Says whether that fact can be forgotten in an epoch: it is in force, or that epoch itself has staged it.
    pub fn is_known(
        &self,
        fact_id: FactId,
        epoch: Option<EpochId>,
    ) -> Result<bool, KnowledgeError> {
        query::is_known(&self.connection, fact_id, epoch)
    }

    /// All facts, aliases and staged events as text, the same for the same ledger however it was applied.
    pub fn dump(&self) -> Result<String, KnowledgeError> {
        query::dump(&self.connection)
    }

    /// Its part of `state_digest`: number and digest of the facts, without clocks. Reads all facts.
    pub fn state_parts(&self) -> Result<Value, KnowledgeError> {
        handle::state_parts(&self.connection)
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
            let cursor = Cursor { applied_seq: self.applied_seq, collect_from };
            schema::mark_closed(&self.connection, cursor)
        };
        drop(noted);
    }
}
