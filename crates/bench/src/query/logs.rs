//! The logs that are asked: made from a seed, written by the store itself, one file an entity.
//!
//! Each entry follows from its entity and number alone, so that every rival can be given the same ones.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use abide_domain::{EntityName, Timestamp};
use abide_memory::stdout::{StdoutEntry, StdoutFolder};
use rustix::fs::{Advice, fadvise};

use crate::{error::BenchError, memory::rng::Rng, spread::float};

/// Entries that are appended at once.
const BATCH: u64 = 2_000;
/// When the first was written; one a second follows.
const START_MICROS: i64 = 1_765_042_403_651_621;
/// Stands in one entry of [`RARE_EVERY`].
pub(super) const RARE: &str = "quorum LOST";
const RARE_EVERY: u64 = 10_000;
/// Stands in about one entry of three.
pub(super) const COMMON: &str = "session";
/// Stands nowhere.
pub(super) const ABSENT: &str = "zeppelin";
/// Entries without a text of their own are this many words long, and up to as many more.
const WORDS_MIN: usize = 16;

const WORDS: &[&str] = &[
    "initialized",
    "with",
    "config",
    "processed",
    "messages",
    "entering",
    "sleep",
    "mode",
    "budget",
    "task",
    "started",
    "completed",
    "release",
    "server",
    "rack",
    "staging",
    "backup",
    "certificate",
    "reviewer",
    "billing",
    "module",
    "tomorrow",
    "morning",
    "friday",
    "question",
    "asked",
    "answered",
    "note",
    "remember",
    "wait",
    "until",
    "tick",
    "agent",
    "space",
    "entity",
    "memory",
    "kernel",
    "queue",
    "disk",
    "write",
    "read",
    "again",
    "because",
    "which",
    "state",
    "next",
    "step",
    "looks",
    "fine",
    "retry",
    "timeout",
    "after",
    "seconds",
    "@alice",
    "@bob",
    "found",
    "nothing",
    "there",
    "could",
    "not",
    "look",
    "don\u{2019}t",
    "caf\u{e9}",
    "the",
    "of",
    "and",
    "to",
    "a",
];

/// Some logs on the disk.
pub(super) struct Logs {
    pub(super) folder: PathBuf,
    pub(super) entities: Vec<EntityName>,
    /// Of all entities together.
    pub(super) entries: u64,
    /// Of all files together.
    pub(super) bytes: u64,
}

impl Logs {
    /// Writes logs of so many entries, an equal share an entity.
    pub(super) fn write(folder: PathBuf, entities: u64, entries: u64) -> Result<Self, BenchError> {
        Self::write_with(folder, entities, entries, &entry)
    }

    /// The same with entries of another make.
    pub(super) fn write_with(
        folder: PathBuf,
        entities: u64,
        entries: u64,
        make: &dyn Fn(&EntityName, u64) -> StdoutEntry,
    ) -> Result<Self, BenchError> {
        let names: Result<Vec<_>, _> =
            (0..entities).map(|number| format!("@agent-{number}").parse()).collect();
        let entities = names.map_err(BenchError::of("name an agent"))?;
        let mut logs = Self { folder, entities, entries, bytes: 0 };
        let store = StdoutFolder::open(&logs.folder, None);
        let failed = BenchError::of;
        store.replay_done().map_err(failed("start a folder of logs"))?;
        for entity in &logs.entities {
            let mut next = 0;
            while next < logs.each() {
                let end = logs.each().min(next + BATCH);
                let batch: Vec<_> = (next..end).map(|number| make(entity, number)).collect();
                store.append_all(&batch).map_err(failed("append to a log"))?;
                next = end;
            }
        }
        for path in logs.files() {
            let file = File::open(&path).map_err(BenchError::io("open a log"))?;
            // What is not on the disk cannot be dropped from the cache.
            file.sync_all().map_err(BenchError::io("sync a log"))?;
            logs.bytes += file.metadata().map_err(BenchError::io("look at a log"))?.len();
        }
        Ok(logs)
    }

    /// Entries of one entity.
    pub(super) fn each(&self) -> u64 {
        self.entries / (self.entities.len() as u64).max(1)
    }

    /// The file of an entity.
    pub(super) fn file(&self, entity: &EntityName) -> PathBuf {
        self.folder.join(format!("{entity}.jsonl"))
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.entities.iter().map(|entity| self.file(entity)).collect()
    }

    pub(super) fn gigabytes(&self) -> f64 {
        float(self.bytes) / 1e9
    }

    /// A store of them that has seen nothing yet.
    pub(super) fn store(&self) -> StdoutFolder {
        StdoutFolder::open(&self.folder, Some(Timestamp::from_micros(i64::MAX)))
    }

    /// Removes them.
    pub(super) fn remove(self) -> Result<(), BenchError> {
        fs::remove_dir_all(self.folder).map_err(BenchError::io("remove a folder of logs"))
    }

    /// Takes their bytes out of the page cache.
    pub(super) fn evict(&self) -> Result<(), BenchError> {
        self.files().iter().try_for_each(|path| evict(path))
    }

    /// Brings their bytes into it.
    pub(super) fn warm(&self) -> Result<(), BenchError> {
        for path in self.files() {
            drop(fs::read(path).map_err(BenchError::io("read a log"))?);
        }
        Ok(())
    }
}

fn evict(path: &Path) -> Result<(), BenchError> {
    let file = File::open(path).map_err(BenchError::io("open a log"))?;
    let dropped = fadvise(&file, 0, None, Advice::DontNeed);
    dropped.map_err(std::io::Error::from).map_err(BenchError::io("drop a log from the cache"))
}

/// The entry of an entity with a number, which is its tick.
pub(super) fn entry(entity: &EntityName, number: u64) -> StdoutEntry {
    of_length(entity, number, WORDS_MIN)
}

/// The same of at least so many words.
pub(super) fn of_length(entity: &EntityName, number: u64, words_min: usize) -> StdoutEntry {
    let seed = entity
        .as_str()
        .bytes()
        .fold(number, |seed, byte| seed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte));
    let mut rng = Rng::new(seed);
    let words = words_min + rng.below(words_min);
    let mut content = String::with_capacity(words * 8);
    for _ in 0..words {
        content.push_str(rng.pick(WORDS).copied().unwrap_or_default());
        content.push(' ');
    }
    if number % RARE_EVERY == RARE_EVERY / 2 {
        content.push_str("Quorum lost, ");
    }
    content.push_str(if rng.chance(0.33) { "in this Session" } else { "in silence" });
    let seconds = i64::try_from(number).unwrap_or_default();
    StdoutEntry {
        tick: number,
        entity: entity.clone(),
        content: content.into(),
        timestamp: Timestamp::from_micros(START_MICROS + seconds * 1_000_000),
    }
}
