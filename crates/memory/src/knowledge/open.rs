//! Opening a `knowledge.db`: new, found whole, or broken and built again.
//!
//! It must never refuse to start because of what stands in the file: everything in it comes from the ledger, so a
//! damaged file, one of another schema, of another agent or from a longer ledger is removed and replayed from 0. Only
//! what would also stop a rebuild (permissions, a full disk) is an error. Runs once at start, before recovery.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use abide_domain::EntityName;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{
    error::{KnowledgeError, storage},
    rows_digest,
    schema::{self, SCHEMA_VERSION},
    store::Knowledge,
};
use crate::open_epoch::OpenEpochs;

/// A file up to this size is checked at every start, a larger one only when it was not closed cleanly: the check reads
/// the whole file.
const CHECK_ALWAYS_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// An opened database and what is still to be done.
#[derive(Debug)]
pub struct OpenedKnowledge {
    /// The facts so far.
    pub knowledge: Knowledge,
    /// The first sequence that must be handed in: 1 for a new or rebuilt file, else the next one, or the oldest
    /// stimulus whose epoch was open.
    pub replay_from: u64,
    /// Why an existing file was removed and built again, if it was: to be logged once.
    pub rebuilt: Option<String>,
}

/// Why an existing file is not used.
enum LoadError {
    /// It is to be built again.
    Rebuild(String),
    /// A new file would fare no better.
    Fatal(rusqlite::Error),
}

impl Knowledge {
    /// Opens the database of one agent, or builds it anew. `ledger_head` is the newest durable sequence: a file that
    /// has seen more belongs to another ledger.
    pub fn open(
        path: &Path,
        entity: &EntityName,
        ledger_head: u64,
    ) -> Result<OpenedKnowledge, KnowledgeError> {
        let mut rebuilt = None;
        if path.exists() {
            match Self::load(path, entity, ledger_head) {
                Ok(knowledge) => {
                    let replay_from = knowledge.replay_from();
                    return Ok(OpenedKnowledge { knowledge, replay_from, rebuilt });
                }
                Err(LoadError::Fatal(source)) => {
                    return Err(KnowledgeError::Storage { doing: "opened", source });
                }
                Err(LoadError::Rebuild(reason)) => rebuilt = Some(reason),
            }
        }
        // Also when there is no database: a write-ahead log without its database must not be read into the new one.
        remove_files(path)?;
        let connection = Connection::open(path).map_err(storage("opened"))?;
        let knowledge = Self::create(connection, Some(path), entity)?;
        Ok(OpenedKnowledge { knowledge, replay_from: 1, rebuilt })
    }

    /// A database in memory, for simulations.
    pub fn in_memory(entity: &EntityName) -> Result<Self, KnowledgeError> {
        let connection = Connection::open_in_memory().map_err(storage("opened"))?;
        Self::create(connection, None, entity)
    }

    fn create(
        mut connection: Connection,
        path: Option<&Path>,
        entity: &EntityName,
    ) -> Result<Self, KnowledgeError> {
        schema::configure(&connection)
            .and_then(|()| schema::create(&mut connection, entity))
            .map_err(storage("opened"))?;
        Ok(Self {
            connection,
            path: path.map(Path::to_owned),
            entity: entity.clone(),
            applied_seq: 0,
            saved_seq: 0,
            collected_seq: 0,
            collect_from: None,
            open: OpenEpochs::default(),
            staging: HashSet::new(),
            known_revision: 0,
            changes: Vec::new(),
            tracks: false,
            missing_from: None,
            is_suspect: false,
        })
    }

    fn load(path: &Path, entity: &EntityName, ledger_head: u64) -> Result<Self, LoadError> {
        if let Some(foreign) = find_foreign(path) {
            return Err(LoadError::Rebuild(foreign));
        }
        let bytes = fs::metadata(path).map_or(u64::MAX, |metadata| metadata.len());
        let connection = Connection::open(path).map_err(load_error)?;
        schema::configure(&connection).map_err(load_error)?;
        let meta = schema::read_meta(&connection).map_err(load_error)?;
        let mismatch = if meta.schema_version != SCHEMA_VERSION {
            Some(format!(
                "its schema version is {}, this program needs {SCHEMA_VERSION}",
                meta.schema_version
            ))
        } else if meta.entity != entity.as_str() {
            Some(format!("it belongs to {}, not to {entity}", meta.entity))
        } else if meta.applied_seq > ledger_head {
            Some(format!(
                "it holds events up to {}, but the ledger ends at {ledger_head}",
                meta.applied_seq
            ))
        } else if !schema::is_complete(&connection).map_err(load_error)? {
            Some("tables are missing".to_owned())
        } else {
            None
        };
        if let Some(reason) = mismatch {
            return Err(LoadError::Rebuild(reason));
        }
        if !meta.is_clean || bytes <= CHECK_ALWAYS_BYTES_MAX {
            check(&connection)?;
        }
        rows_digest::keep(&connection).map_err(load_error)?;
        let staging = read_staging(&connection).map_err(load_error)?;
        let applied_seq = meta.applied_seq;
        let collected_seq =
            meta.collect_from.map_or(applied_seq, |from| applied_seq.min(from.saturating_sub(1)));
        schema::mark_open(&connection).map_err(load_error)?;
        Ok(Self {
            connection,
            path: Some(path.to_owned()),
            entity: entity.clone(),
            applied_seq: meta.applied_seq,
            saved_seq: meta.applied_seq,
            collected_seq,
            collect_from: meta.collect_from,
            open: OpenEpochs::default(),
            staging,
            known_revision: 0,
            changes: Vec::new(),
            tracks: false,
            missing_from: None,
            is_suspect: false,
        })
    }
}

/// Checks the tables, and that nobody else changed a row.
fn check(connection: &Connection) -> Result<(), LoadError> {
    match find_damage(connection).map_err(load_error)? {
        Some(damage) => Err(LoadError::Rebuild(damage)),
        None => Ok(()),
    }
}

fn find_damage(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Ok(Some(format!("the file is damaged: {verdict}")));
    }
    let is_ours = rows_digest::fits(connection)?;
    Ok((!is_ours).then(|| "its rows are not those that the keeper wrote".to_owned()))
}

/// What is wrong with the database of an agent, if anything: damaged, or changed by another program. It is only read, and may
/// be in use. A file of another schema version is not looked at, for the next start builds it again.
pub fn knowledge_damage(path: &Path) -> Result<Option<String>, KnowledgeError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let look = || -> rusqlite::Result<Option<String>> {
        let mut connection = Connection::open_with_flags(path, flags)?;
        schema::configure_reader(&connection)?;
        // One view of all tables, whatever is written beside it.
        let view = connection.transaction()?;
        if schema::read_meta(&view)?.schema_version != SCHEMA_VERSION {
            return Ok(None);
        }
        find_damage(&view)
    };
    if let Some(foreign) = find_foreign(path) {
        return Ok(Some(foreign));
    }
    look().map_err(storage("checked"))
}

fn read_staging(connection: &Connection) -> rusqlite::Result<HashSet<abide_domain::EpochId>> {
    let mut statement = connection.prepare("SELECT DISTINCT epoch FROM staged")?;
    let mut rows = statement.query([])?;
    let mut open = HashSet::new();
    while let Some(row) = rows.next()? {
        open.insert(super::columns::parse_column(row, 0)?);
    }
    Ok(open)
}

fn load_error(error: rusqlite::Error) -> LoadError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::PermissionDenied
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::DiskFull
            | ErrorCode::DatabaseBusy
            | ErrorCode::OutOfMemory,
        ) => LoadError::Fatal(error),
        _ => LoadError::Rebuild(error.to_string()),
    }
}

/// The files of a database, beside its own.
const SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

fn files(path: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    SUFFIXES.iter().map(|suffix| with_suffix(path, suffix))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// What stands in place of one of the files and is no file, so that it is neither followed nor waited for.
fn find_foreign(path: &Path) -> Option<String> {
    let is_foreign =
        |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| !found.is_file());
    files(path).find(is_foreign).map(|path| format!("{} is not a regular file", path.display()))
}

fn remove_files(path: &Path) -> Result<(), KnowledgeError> {
    for path in files(path) {
        let removed = match fs::remove_file(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
                fs::rename(&path, with_suffix(&path, ".set-aside"))
            }
            removed => removed,
        };
        match removed {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(KnowledgeError::Remove { path, source });
            }
            _ => {}
        }
    }
    Ok(())
}
