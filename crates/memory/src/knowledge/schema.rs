//! The tables of `knowledge.db`, and the one row about the file itself.
//!
//! A file with another schema version is never migrated: it is a projection, so it is built again.

use std::{collections::HashSet, time::Duration};

use abide_domain::EntityName;
use rusqlite::{Connection, params};

use super::{
    columns::{from_sql, to_sql},
    rows_digest,
};

/// Version of the tables. A file of another version is rebuilt.
pub const SCHEMA_VERSION: i64 = 5;

/// The version of the SQLite that is compiled in, as `major * 1_000_000 + minor * 1_000 + patch` (3.51.3 is 3051003).
pub fn sqlite_version() -> i32 {
    rusqlite::version_number()
}

/// How long a statement waits for a reader of another process.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// Pages of the write-ahead log (16 MB) after which it is folded in, which waits for the disk: an epoch writes about six,
/// and a wait of two syncs every 600 epochs does not show.
const CHECKPOINT_PAGES: i64 = 4_000;
/// Prepared statements that a connection keeps: more than there are.
const STATEMENTS_KEPT: usize = 64;

/// Everything that must be there: tables and indexes.
const NAMES: [&str; 22] = [
    "meta",
    "facts",
    "facts_in_force",
    "facts_told_by",
    "aliases",
    "staged",
    "staged_of_epoch",
    "nodes",
    "nodes_in_force",
    "nodes_of_id",
    "edges",
    "edges_in_force",
    "exchanges",
    "exchanges_of_sender",
    "exchanges_of_epoch",
    "bound_epochs",
    "bound_slots",
    "bound_facts",
    "conversations",
    "conversations_of_session",
    "passages",
    "vectors",
];

/// `valid_from` and `valid_to` say when something was so, `seq`, `known_seq` and `closed_seq` when that was known: a row
/// is never overwritten, only closed.
const TABLES: &str = "
CREATE TABLE meta(
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,
    entity TEXT NOT NULL,
    applied_seq INTEGER NOT NULL,
    collect_from INTEGER,
    is_clean INTEGER NOT NULL,
    exchanges INTEGER NOT NULL,
    said_digest BLOB NOT NULL,
    rows_digest BLOB NOT NULL DEFAULT x'',
    vectors_model TEXT,
    vectors_contextual INTEGER NOT NULL
) STRICT;
CREATE TABLE facts(
    seq INTEGER PRIMARY KEY,
    fact_id TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    content_digest BLOB NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    confidence REAL NOT NULL,
    recorded_at INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    closed_seq INTEGER,
    supersedes TEXT,
    sources TEXT NOT NULL,
    told_by TEXT,
    trusted INTEGER NOT NULL,
    first_sources TEXT NOT NULL,
    first_told_by TEXT,
    first_trusted INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX facts_in_force ON facts(content_digest) WHERE closed_seq IS NULL;
CREATE INDEX facts_told_by ON facts(told_by, seq) WHERE closed_seq IS NULL;
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
    subject TEXT NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE INDEX staged_of_epoch ON staged(epoch);
CREATE TABLE nodes(
    seq INTEGER PRIMARY KEY,
    node_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    json TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    known_seq INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    closed_seq INTEGER,
    author TEXT NOT NULL,
    sources TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX nodes_in_force ON nodes(node_id) WHERE closed_seq IS NULL;
CREATE INDEX nodes_of_id ON nodes(node_id, seq);
CREATE TABLE edges(
    seq INTEGER PRIMARY KEY,
    from_id TEXT NOT NULL,
    edge TEXT NOT NULL,
    to_id TEXT NOT NULL,
    dependency_type TEXT,
    known_seq INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    closed_seq INTEGER
) STRICT;
CREATE UNIQUE INDEX edges_in_force ON edges(from_id, edge, to_id) WHERE closed_seq IS NULL;
CREATE TABLE exchanges(
    seq INTEGER PRIMARY KEY,
    epoch TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    previous INTEGER,
    session TEXT NOT NULL,
    sender TEXT NOT NULL,
    channel TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    sender_zone TEXT,
    replied_at INTEGER NOT NULL,
    emotive_state TEXT NOT NULL,
    stimulus_parts INTEGER NOT NULL,
    parts INTEGER NOT NULL
) STRICT;
CREATE INDEX exchanges_of_sender ON exchanges(sender, seq);
CREATE INDEX exchanges_of_epoch ON exchanges(epoch);
CREATE TABLE bound_epochs(
    epoch TEXT PRIMARY KEY,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE bound_facts(
    fact_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE bound_slots(
    slot TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE conversations(
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    exchanges INTEGER NOT NULL
) STRICT;
CREATE INDEX conversations_of_session ON conversations(session, id);
CREATE TABLE passages(
    id INTEGER PRIMARY KEY,
    cut_into INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE vectors(
    kind INTEGER NOT NULL,
    row INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (kind, row)
) STRICT, WITHOUT ROWID;
";

/// What the file says about itself.
pub(super) struct FileMeta {
    pub(super) schema_version: i64,
    pub(super) entity: String,
    pub(super) applied_seq: u64,
    pub(super) collect_from: Option<u64>,
    pub(super) is_clean: bool,
}

/// Sets a connection up. `NORMAL` syncs at checkpoints only: a power cut may lose the newest transactions, whole, and
/// the replay brings them back, for `applied_seq` goes back with them.
pub(super) fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    Ok(())
}

/// Sets a connection up that only reads.
pub(super) fn configure_reader(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update(None, "query_only", "ON")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    connection.pragma_update(None, "trusted_schema", "OFF")
}

/// Creates the tables in an empty database.
pub(super) fn create(connection: &mut Connection, entity: &EntityName) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    rows_digest::keep(&transaction)?;
    transaction.execute(
        "INSERT INTO meta(id, schema_version, entity, applied_seq, is_clean, exchanges, said_digest,
                          vectors_contextual) VALUES (1, ?1, ?2, 0, 0, 0, x'', 0)",
        params![SCHEMA_VERSION, entity.as_str()],
    )?;
    transaction.commit()
}

pub(super) fn read_meta(connection: &Connection) -> rusqlite::Result<FileMeta> {
    connection.query_row(
        "SELECT schema_version, entity, applied_seq, is_clean, collect_from FROM meta WHERE id = 1",
        [],
        |row| {
            Ok(FileMeta {
                schema_version: row.get(0)?,
                entity: row.get(1)?,
                applied_seq: from_sql(row.get(2)?),
                is_clean: row.get(3)?,
                collect_from: row.get::<_, Option<i64>>(4)?.map(from_sql),
            })
        },
    )
}

/// Whether all tables and indexes are there.
pub(super) fn is_complete(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema")?;
    let names = statement.query_map([], |row| row.get(0))?;
    let there = names.collect::<Result<HashSet<String>, _>>()?;
    Ok(NAMES.iter().all(|name| there.contains(*name)))
}

/// Notes that the file is in use: until it is closed cleanly, the next opening checks it.
pub(super) fn mark_open(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("UPDATE meta SET is_clean = 0 WHERE id = 1", []).map(|_| ())
}

/// Notes that the file is to be built again: a damage was seen that a check of the file may miss.
pub(super) fn mark_unusable(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("UPDATE meta SET schema_version = 0 WHERE id = 1", []).map(|_| ())
}

pub(super) fn mark_closed(connection: &Connection, cursor: LedgerCursor) -> rusqlite::Result<()> {
    save_cursor(connection, cursor)?;
    connection.execute("UPDATE meta SET is_clean = 1 WHERE id = 1", []).map(|_| ())
}

/// How far the ledger is folded in.
#[derive(Clone, Copy, Debug)]
pub(super) struct LedgerCursor {
    pub(super) applied_seq: u64,
    /// Where the oldest stimulus stands whose epoch is open: a start reads on from there, to know what was said.
    pub(super) collect_from: Option<u64>,
}

pub(super) fn save_cursor(connection: &Connection, cursor: LedgerCursor) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE meta SET applied_seq = ?1, collect_from = ?2 WHERE id = 1")?
        .execute(params![to_sql(cursor.applied_seq), cursor.collect_from.map(to_sql)])
        .map(|_| ())
}
