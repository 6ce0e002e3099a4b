//! The tables of `knowledge.db`, and the one row about the file itself.
//!
//! A file with another schema version is never migrated: it is a projection, so it is built again. Below `open` and
//! `apply` on the walk.

use std::time::Duration;

use abide_domain::EntityName;
use rusqlite::{Connection, params};

/// Version of the tables. A file of another version is rebuilt.
pub const SCHEMA_VERSION: i64 = 2;

/// How long a statement waits for a reader of another process.
const BUSY_MAX: Duration = Duration::from_secs(5);

const TABLES: &str = "
CREATE TABLE meta(
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,
    entity TEXT NOT NULL,
    applied_seq INTEGER NOT NULL,
    is_clean INTEGER NOT NULL
) STRICT;
CREATE TABLE facts(
    seq INTEGER PRIMARY KEY,
    fact_id TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    content_digest BLOB NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    confidence REAL NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    sources TEXT NOT NULL,
    told_by TEXT,
    trusted INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX facts_in_force ON facts(content_digest) WHERE valid_to IS NULL;
CREATE TABLE aliases(
    fact_id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE staged(
    seq INTEGER PRIMARY KEY,
    epoch TEXT NOT NULL,
    at INTEGER NOT NULL,
    author TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    fact_id TEXT NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE INDEX staged_of_epoch ON staged(epoch);
CREATE VIRTUAL TABLE facts_fts USING fts5(content, tags, tokenize = 'porter unicode61 remove_diacritics 2');
";

/// What the file says about itself.
pub(super) struct Meta {
    pub(super) schema_version: i64,
    pub(super) entity: String,
    pub(super) applied_seq: u64,
    pub(super) is_clean: bool,
}

/// Sets a connection up. `NORMAL` syncs at checkpoints only: a power cut may lose the newest transactions, whole, and
/// the replay brings them back, for `applied_seq` goes back with them.
pub(super) fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(())
}

/// Sets a connection up that only reads.
pub(super) fn configure_reader(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update(None, "query_only", "ON")?;
    connection.pragma_update(None, "trusted_schema", "OFF")
}

/// Creates the tables in an empty database.
pub(super) fn create(connection: &mut Connection, entity: &EntityName) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.execute(
        "INSERT INTO meta(id, schema_version, entity, applied_seq, is_clean) VALUES (1, ?1, ?2, 0, 0)",
        params![SCHEMA_VERSION, entity.as_str()],
    )?;
    transaction.commit()
}

pub(super) fn read_meta(connection: &Connection) -> rusqlite::Result<Meta> {
    connection.query_row(
        "SELECT schema_version, entity, applied_seq, is_clean FROM meta WHERE id = 1",
        [],
        |row| {
            Ok(Meta {
                schema_version: row.get(0)?,
                entity: row.get(1)?,
                applied_seq: from_sql(row.get(2)?),
                is_clean: row.get(3)?,
            })
        },
    )
}

/// Says whether all tables and indexes are there.
pub(super) fn is_complete(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT count(*) = 7 FROM sqlite_schema WHERE name IN ('meta', 'facts', 'facts_in_force',
            'aliases', 'staged', 'staged_of_epoch', 'facts_fts')",
        [],
        |row| row.get(0),
    )
}

/// Notes that the file is in use: until it is closed cleanly, the next opening checks it.
pub(super) fn mark_open(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("UPDATE meta SET is_clean = 0 WHERE id = 1", []).map(|_| ())
}

/// Notes that the file is to be built again: a damage was seen that a check of the file may miss.
pub(super) fn mark_unusable(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("UPDATE meta SET schema_version = 0 WHERE id = 1", []).map(|_| ())
}

pub(super) fn mark_closed(connection: &Connection, applied_seq: u64) -> rusqlite::Result<()> {
    connection
        .execute(
            "UPDATE meta SET is_clean = 1, applied_seq = ?1 WHERE id = 1",
            [to_sql(applied_seq)],
        )
        .map(|_| ())
}

pub(super) fn save_applied(connection: &Connection, applied_seq: u64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE meta SET applied_seq = ?1 WHERE id = 1")?
        .execute([to_sql(applied_seq)])
        .map(|_| ())
}

/// A sequence as SQLite keeps it. Sequences stay far below 2^63.
pub(super) fn to_sql(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

pub(super) fn from_sql(seq: i64) -> u64 {
    u64::try_from(seq).unwrap_or(0)
}
