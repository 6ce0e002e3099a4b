//! All logs of a home: the side that writes, and the bound on what is hot.
//!
//! Each entity has a lock of its own, so that nobody waits for another one's disk; no lock is held while a long log is
//! searched. What was not used for longest is forgotten first and found again from its file.

use std::{
    collections::HashMap,
    fs, io,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use abide_domain::{EntityName, Timestamp};

use super::{
    entity::{EntityLog, EntrySource, Phase},
    entry::StdoutEntry,
    error::{LogFileError, StdoutError},
    file::FileStamp,
    replay::NewestEntries,
};

/// Bytes of one entity that are written at once while the ledger is replayed.
const REPLAY_ENTITY_BYTES: usize = 256 * 1024;
/// Bytes of all entities that may wait then.
const REPLAY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most files of forgotten logs whose stamp is remembered; one beyond them is made again when it is used again.
const STAMPS_MAX: usize = 100_000;
/// Most notices that wait to be asked for.
const NOTICES_MAX: usize = 1_000;

/// How much is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheBounds {
    /// Entities whose logs are known without a look at the disk.
    pub entities_max: usize,
    /// Bytes of their newest entries.
    pub bytes_max: usize,
}

impl Default for CacheBounds {
    fn default() -> Self {
        Self { entities_max: 1_024, bytes_max: 64 * 1024 * 1024 }
    }
}

/// The folder `memory/stdout` of a home. All calls block on the disk, but reads of what is hot.
#[derive(Debug)]
pub struct StdoutFolder {
    folder: PathBuf,
    bounds: CacheBounds,
    source: Option<Arc<dyn EntrySource>>,
    table: Mutex<LogTable>,
    hot_bytes: AtomicUsize,
    waiting_bytes: AtomicUsize,
    notices: Mutex<Vec<LogFileError>>,
}

#[derive(Debug)]
struct LogTable {
    phase: Phase,
    uses: u64,
    slots: HashMap<EntityName, Arc<LogSlot>>,
    /// The files of logs that were forgotten, as they were left.
    stamps: HashMap<EntityName, FileStamp>,
}

#[derive(Debug)]
struct LogSlot {
    log: Mutex<EntityLog>,
    /// The number of its last use.
    used: AtomicU64,
    hot_bytes: AtomicUsize,
    waiting_bytes: AtomicUsize,
}

/// Locks a mutex whose holders never leave its content half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StdoutFolder {
    /// Uses a folder, which is made with the first entry. A file that goes further than the ledger's end cannot be its own.
    ///
    /// Until [`Self::replay_done`], every entry of the ledger must be handed in, from the first on.
    pub fn open(folder: impl Into<PathBuf>, ledger_end: Option<Timestamp>) -> Self {
        let phase = Phase::Replay { ledger_end };
        Self {
            folder: folder.into(),
            bounds: CacheBounds::default(),
            source: None,
            table: Mutex::new(LogTable {
                phase,
                uses: 0,
                slots: HashMap::new(),
                stamps: HashMap::new(),
            }),
            hot_bytes: AtomicUsize::new(0),
            waiting_bytes: AtomicUsize::new(0),
            notices: Mutex::default(),
        }
    }

    /// Keeps more or less in memory.
    #[must_use]
    pub fn with_bounds(self, bounds: CacheBounds) -> Self {
        Self { bounds, ..self }
    }

    /// Where a file is made again from that another program changed or removed.
    #[must_use]
    pub fn with_source(self, source: Arc<dyn EntrySource>) -> Self {
        Self { source: Some(source), ..self }
    }

    /// Begins a replay that does not begin with the first entry of the ledger but behind some entry: these entities have logs, and
    /// these are their newest entries up to there. Needs a source ([`Self::with_source`]): files are compared with it at their next
    /// use, and those that lack entries are made again from it when the replay is done.
    pub fn resume<'a>(
        &self,
        logs: impl Iterator<Item = (&'a EntityName, NewestEntries)>,
    ) -> Result<(), StdoutError> {
        let mut result = Ok(());
        for (entity, newest) in logs {
            let resumed = self.with_unloaded(entity, |log, phase| log.resume(phase, newest));
            result = result.and(resumed);
        }
        result
    }

    /// Takes the next entry of the replay: it is written if its file lacks it, a little later and with others.
    pub fn replayed(&self, entry: &StdoutEntry) -> Result<(), StdoutError> {
        self.with_unloaded(&entry.entity, |log, phase| {
            log.replay(std::slice::from_ref(entry), phase)?;
            if log.waiting_bytes() >= REPLAY_ENTITY_BYTES { log.flush() } else { Ok(()) }
        })?;
        if self.waiting_bytes.load(Ordering::Relaxed) <= REPLAY_BYTES_MAX {
            return Ok(());
        }
        self.with_all(EntityLog::flush)
    }

    /// Ends the replay: what waits is written, and files of entities that the ledger does not know are set aside.
    pub fn replay_done(&self) -> Result<(), StdoutError> {
        for entity in self.entities_on_disk()? {
            self.with(&entity, |_| Ok(()))?;
        }
        self.with_all(EntityLog::end_replay)?;
        lock(&self.table).phase = Phase::Live;
        let source = self.source.as_deref();
        let mended = self.with_all(|log| {
            if source.is_some() && log.is_behind() { log.mend(source) } else { Ok(()) }
        });
        self.forget_oldest();
        mended
    }

    /// Appends an entry that is durable in the ledger.
    pub fn append(&self, entry: &StdoutEntry) -> Result<(), StdoutError> {
        self.append_all(std::slice::from_ref(entry))
    }

    /// Appends entries that are durable in the ledger: one write for those of one entity that stand together.
    ///
    /// What the disk did not take waits in memory and is written with the next; it is no loss, for the ledger has it.
    pub fn append_all(&self, entries: &[StdoutEntry]) -> Result<(), StdoutError> {
        let mut result = Ok(());
        for entries in entries.chunk_by(|a, b| a.entity == b.entity) {
            let Some(first) = entries.first() else { continue };
            let appended = self.with_unloaded(&first.entity, |log, phase| {
                log.append(entries, phase, self.source.as_deref())
            });
            result = result.and(appended);
        }
        result
    }

    /// What was mended and set aside since the last call.
    pub fn notices(&self) -> Vec<LogFileError> {
        std::mem::take(&mut *lock(&self.notices))
    }

    /// Works on one log, which is found on the disk the first time.
    pub(super) fn with<R>(
        &self,
        entity: &EntityName,
        act: impl FnOnce(&mut EntityLog) -> Result<R, StdoutError>,
    ) -> Result<R, StdoutError> {
        self.with_unloaded(entity, |log, phase| {
            log.load(phase)?;
            if phase == Phase::Live {
                log.mend(self.source.as_deref())?;
            }
            act(log)
        })
    }

    fn with_unloaded<R>(
        &self,
        entity: &EntityName,
        act: impl FnOnce(&mut EntityLog, Phase) -> Result<R, StdoutError>,
    ) -> Result<R, StdoutError> {
        let (slot, phase, is_crowded) = self.slot(entity);
        let result = self.act_on(&slot, phase, act);
        drop(slot);
        let is_full = self.hot_bytes.load(Ordering::Relaxed) > self.bounds.bytes_max;
        if phase == Phase::Live && (is_crowded || is_full) {
            self.forget_oldest();
        }
        result
    }

    fn with_all(
        &self,
        act: impl Fn(&mut EntityLog) -> Result<(), StdoutError>,
    ) -> Result<(), StdoutError> {
        let (slots, phase): (Vec<_>, _) = {
            let table = lock(&self.table);
            (table.slots.values().map(Arc::clone).collect(), table.phase)
        };
        let mut result = Ok(());
        for slot in slots {
            let acted = self.act_on(&slot, phase, |log, _| act(log));
            result = result.and(acted);
        }
        result
    }

    fn act_on<R>(
        &self,
        slot: &LogSlot,
        phase: Phase,
        act: impl FnOnce(&mut EntityLog, Phase) -> Result<R, StdoutError>,
    ) -> Result<R, StdoutError> {
        let mut log = lock(&slot.log);
        let result = act(&mut log, phase);
        account(&self.hot_bytes, &slot.hot_bytes, log.hot_bytes());
        account(&self.waiting_bytes, &slot.waiting_bytes, log.waiting_bytes());
        let mut notices = lock(&self.notices);
        let room = NOTICES_MAX.saturating_sub(notices.len());
        notices.extend(log.notices.drain(..).take(room));
        result
    }

    /// The slot of an entity; whether it is replayed; whether there are too many.
    fn slot(&self, entity: &EntityName) -> (Arc<LogSlot>, Phase, bool) {
        let mut table = lock(&self.table);
        table.uses += 1;
        let uses = table.uses;
        let LogTable { slots, stamps, .. } = &mut *table;
        let slot = slots.entry(entity.clone()).or_insert_with(|| {
            let stamp = stamps.remove(entity).unwrap_or_default();
            Arc::new(LogSlot {
                log: Mutex::new(EntityLog::new(&self.folder, entity.clone(), stamp)),
                used: AtomicU64::new(0),
                hot_bytes: AtomicUsize::new(0),
                waiting_bytes: AtomicUsize::new(0),
            })
        });
        slot.used.store(uses, Ordering::Relaxed);
        let slot = Arc::clone(slot);
        (slot, table.phase, table.slots.len() > self.bounds.entities_max)
    }

    /// Forgets what was not used for longest, until an eighth of the bounds is free.
    fn forget_oldest(&self) {
        let mut table = lock(&self.table);
        let entities_max = self.bounds.entities_max - self.bounds.entities_max / 8;
        let bytes_max = self.bounds.bytes_max - self.bounds.bytes_max / 8;
        let mut by_use: Vec<_> = table
            .slots
            .iter()
            .map(|(name, slot)| (slot.used.load(Ordering::Relaxed), name.clone()))
            .collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        // The last one was used just now.
        by_use.pop();
        for (_, name) in by_use {
            let is_within = table.slots.len() <= entities_max
                && self.hot_bytes.load(Ordering::Relaxed) <= bytes_max;
            if is_within {
                return;
            }
            // Slots are handed out under the table's lock: one that nobody holds now, nobody can come to hold.
            let can_be_dropped = table.slots.get(&name).is_some_and(|slot| {
                Arc::strong_count(slot) == 1 && lock(&slot.log).can_be_dropped()
            });
            if let Some(slot) = can_be_dropped.then(|| table.slots.remove(&name)).flatten() {
                account(&self.hot_bytes, &slot.hot_bytes, 0);
                if table.stamps.len() < STAMPS_MAX {
                    table.stamps.insert(name, lock(&slot.log).stamp());
                }
            }
        }
    }

    /// The entities that have files.
    fn entities_on_disk(&self) -> Result<Vec<EntityName>, StdoutError> {
        let failed =
            |source| StdoutError::Io { path: self.folder.clone(), doing: "listed", source };
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut entities = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let stem = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            // Only the one spelling that is written: `@Alice.jsonl` is another program's file.
            let entity = stem.and_then(|stem| {
                stem.parse::<EntityName>().ok().filter(|entity| entity.as_str() == stem)
            });
            entities.extend(entity);
        }
        Ok(entities)
    }
}

/// Replaces one's share of a sum.
fn account(sum: &AtomicUsize, share: &AtomicUsize, now: usize) {
    let before = share.swap(now, Ordering::Relaxed);
    sum.fetch_add(now, Ordering::Relaxed);
    sum.fetch_sub(before, Ordering::Relaxed);
}
