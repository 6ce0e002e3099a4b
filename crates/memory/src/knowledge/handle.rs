//! The shared handle of an agent's knowledge.
//!
//! Writes go through the one writer, reads through a connection of their own (in memory there is only the writer's), so
//! that a long search never holds up the feed. Locks are short and never held across an await. Applying a batch takes
//! some 10 to 100 us, a search less than 1 ms among 1,000 facts and some ms among 100,000 for common words: both may be
//! called from async code. A replay of the whole ledger, a dump and the digest of the state after a change (14 ms for
//! 10,000 facts) belong in `spawn_blocking`.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
    atomic::{AtomicBool, Ordering},
};

use abide_domain::{EntityName, EpochId, FactId};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::{
    error::{KnowledgeError, storage},
    indexes::{IndexState, MemoryIndexes},
    items::{Fact, FactsPage},
    query, schema,
    store::Knowledge,
    vectors::VectorKey,
};
use crate::{DurableEvent, VectorModel};

/// Shared access to what one agent remembers; cheap to clone. The database is closed with the last clone.
#[derive(Clone, Debug)]
pub struct KnowledgeHandle {
    shared: Arc<SharedKnowledge>,
}

/// The reader stands first: it is closed before the writer, which then folds the write-ahead log in.
#[derive(Debug)]
struct SharedKnowledge {
    reader: Option<Mutex<Connection>>,
    writer: Mutex<Knowledge>,
    entity: EntityName,
    is_behind: AtomicBool,
    /// Taken after a connection, never before one.
    indexes: RwLock<IndexState>,
    /// Held by the one who loads.
    loading: Mutex<()>,
    /// The state's parts, and the revision that they were read after.
    state: Mutex<Option<(u64, Value)>>,
}

impl KnowledgeHandle {
    /// Shares what one agent remembers.
    pub fn new(knowledge: Knowledge) -> Result<Self, KnowledgeError> {
        let reader = match &knowledge.path {
            None => None,
            Some(path) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let reader = Connection::open_with_flags(path, flags).map_err(storage("opened"))?;
                schema::configure_reader(&reader).map_err(storage("opened"))?;
                Some(Mutex::new(reader))
            }
        };
        Ok(Self {
            shared: Arc::new(SharedKnowledge {
                reader,
                entity: knowledge.entity.clone(),
                is_behind: AtomicBool::new(knowledge.is_behind()),
                indexes: RwLock::default(),
                loading: Mutex::default(),
                writer: Mutex::new(knowledge),
                state: Mutex::new(None),
            }),
        })
    }

    /// Folds durable events in; see [`Knowledge::apply`].
    pub fn apply(&self, batch: &[DurableEvent<'_>]) -> Result<(), KnowledgeError> {
        let mut writer = self.writer();
        let applied = writer.apply(batch);
        let changes = std::mem::take(&mut writer.changes);
        if !changes.is_empty() {
            self.write_indexes().follow(Some(writer.applied_seq), changes);
        }
        self.shared.is_behind.store(writer.is_behind(), Ordering::Release);
        applied
    }

    /// Everything up to this sequence is folded in.
    pub fn applied_seq(&self) -> u64 {
        self.writer().applied_seq()
    }

    /// The first sequence that must be handed in next, or again: what open epochs said is not kept on the disk.
    pub fn replay_from(&self) -> u64 {
        self.writer().replay_from()
    }

    /// A page of the facts in force, newest first; `before` is the cursor of the page before. `words` narrows it to the
    /// facts that hold all of them or, where there are none, any of them; a text without words to the facts that hold it
    /// as it stands.
    pub fn list(
        &self,
        before: Option<u64>,
        limit: usize,
        words: Option<&str>,
    ) -> Result<FactsPage, KnowledgeError> {
        let Some(words) = words.filter(|words| !words.trim().is_empty()) else {
            return self.read(|connection| query::list(connection, before, limit));
        };
        self.with_indexes(|connection, indexes| match indexes.facts_holding(words) {
            Some(seqs) => query::list_of(connection, before, limit, &seqs),
            None => query::list_holding(connection, before, limit, words),
        })
    }

    /// The fact of that id, or the older fact of the same content that it became part of; forgotten ones too.
    pub fn get(&self, fact_id: FactId) -> Result<Option<Fact>, KnowledgeError> {
        self.read(|connection| query::get(connection, fact_id))
    }

    /// Whether that fact can be forgotten in an epoch: it is in force, or that epoch itself has staged it.
    pub fn is_known(
        &self,
        fact_id: FactId,
        epoch: Option<EpochId>,
    ) -> Result<bool, KnowledgeError> {
        self.read(|connection| query::is_known(connection, fact_id, epoch))
    }

    /// The whole as text; see [`Knowledge::dump`].
    pub fn dump(&self) -> Result<String, KnowledgeError> {
        self.read(query::dump)
    }

    /// Its part of `state_digest`: number and digest of the facts, without clocks. Facts and graph are read only after a change of them.
    pub fn state_parts(&self) -> Result<Value, KnowledgeError> {
        let mut read = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        // The revision comes first: a change in between is noted as the older one and read again next time.
        let revision = self.writer().known_revision;
        let known = match &*read {
            Some((before, known)) if *before == revision => known.clone(),
            _ => {
                let known = self.read(query::known_parts)?;
                *read = Some((revision, known.clone()));
                known
            }
        };
        Ok(query::with_exchanges(known, self.read(query::exchange_parts)?))
    }

    /// Whether what searches need is in memory.
    pub fn is_warm(&self) -> bool {
        matches!(&*self.read_indexes(), IndexState::Loaded(_))
    }

    /// Loads what searches need into memory, if it is not there: the first question after a start does it otherwise.
    /// Blocking, some seconds for 100,000 exchanges.
    pub fn warm(&self) -> Result<(), KnowledgeError> {
        let _loader = self.shared.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_warm() {
            return Ok(());
        }
        {
            // From here on every batch leaves its changes, for whoever reads the tables before it.
            let mut writer = self.writer();
            writer.tracks = true;
            *self.write_indexes() = IndexState::Loading(Vec::new());
        }
        let loaded = self.read(|connection| MemoryIndexes::load(connection, &self.shared.entity));
        let mut state = self.write_indexes();
        match loaded {
            Ok(loaded) => state.set_loaded(loaded),
            Err(source) => {
                *state = IndexState::NotLoaded;
                return Err(KnowledgeError::Storage { doing: "read", source });
            }
        }
        Ok(())
    }

    /// Reads with the tables and the indexes, which are loaded first if need be.
    pub(super) fn with_indexes<T>(
        &self,
        look: impl FnOnce(&Connection, &MemoryIndexes) -> rusqlite::Result<T>,
    ) -> Result<T, KnowledgeError> {
        if !self.is_warm() {
            self.warm()?;
        }
        self.read(|connection| match &*self.read_indexes() {
            IndexState::Loaded(indexes) => look(connection, indexes).map_err(storage("searched")),
            IndexState::NotLoaded | IndexState::Loading(_) => Err(KnowledgeError::NotLoaded),
        })
    }

    /// The agent whose memory it is.
    pub(super) fn agent(&self) -> &EntityName {
        &self.shared.entity
    }

    pub(super) fn is_behind(&self) -> bool {
        self.shared.is_behind.load(Ordering::Acquire)
    }

    pub(super) fn put(
        &self,
        model: &VectorModel,
        vectors: &[(VectorKey, Vec<f32>)],
    ) -> Result<(), KnowledgeError> {
        let mut writer = self.writer();
        let changes = writer.put_vectors(model, vectors)?;
        self.write_indexes().follow(None, changes);
        Ok(())
    }

    fn read_indexes(&self) -> RwLockReadGuard<'_, IndexState> {
        self.shared.indexes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_indexes(&self) -> RwLockWriteGuard<'_, IndexState> {
        self.shared.indexes.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn read<T>(&self, look: impl FnOnce(&Connection) -> T) -> T {
        match &self.shared.reader {
            Some(reader) => {
                let reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
                // All statements of a question see the same tables, and the file is locked once for them. Where this
                // cannot begin, the statements themselves will say why.
                let _one_look = reader.unchecked_transaction();
                look(&reader)
            }
            None => look(&self.writer().connection),
        }
    }

    /// A panic under the lock leaves a transaction that is rolled back, so that the state behind it is whole.
    fn writer(&self) -> MutexGuard<'_, Knowledge> {
        self.shared.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
