//! The tables of `library.db`. The file is a cache of what lies on the disk: one of another version or a damaged one is
//! deleted and made again by the next scan.

use std::{collections::HashSet, path::Path, time::Duration};

use rusqlite::{Connection, ErrorCode, OpenFlags};

/// Version of the tables.
const SCHEMA_VERSION: i64 = 1;
/// How long a statement waits for another connection.
const BUSY_MAX: Duration = Duration::from_secs(5);
/// Prepared statements that a connection keeps: more than there are.
const STATEMENTS_KEPT: usize = 64;
/// Everything that must be there.
const NAMES: [&str; 4] = ["roots", "files", "track_words", "unread_folders"];

/// `path` is from the root on, in bytes. A file that is missing keeps its row.
const TABLES: &str = "
CREATE TABLE roots(
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE,
    offline TEXT
) STRICT;
CREATE TABLE files(
    id INTEGER PRIMARY KEY,
    root INTEGER NOT NULL,
    path BLOB NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    image_ns INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    missing_since INTEGER,
    problem TEXT,
    audio BLOB,
    title TEXT NOT NULL,
    title_key TEXT NOT NULL,
    artists TEXT NOT NULL,
    album TEXT,
    album_artist TEXT,
    album_key TEXT,
    disc INTEGER,
    number INTEGER,
    year INTEGER,
    duration_ms INTEGER,
    format TEXT NOT NULL,
    cover BLOB,
    UNIQUE (root, path)
) STRICT;
CREATE INDEX files_of_album ON files(album_key, disc, number) WHERE album_key IS NOT NULL;
CREATE INDEX files_of_title ON files(title_key);
CREATE INDEX files_of_audio ON files(audio) WHERE audio IS NOT NULL;
CREATE INDEX files_of_cover ON files(cover) WHERE cover IS NOT NULL;
CREATE INDEX files_with_problem ON files(id) WHERE problem IS NOT NULL;
CREATE INDEX files_missing ON files(id) WHERE missing_since IS NOT NULL;
CREATE TABLE unread_folders(
    root INTEGER NOT NULL,
    path BLOB NOT NULL,
    problem TEXT NOT NULL,
    PRIMARY KEY (root, path)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE track_words USING fts5(
    title, artists, album, file,
    content='', contentless_delete=1,
    tokenize='unicode61 remove_diacritics 2', prefix='1 2 3'
);
";

/// Opens the file for writing, or makes it. The text says why a file that was there was deleted.
pub(crate) fn open(path: &Path) -> rusqlite::Result<(Connection, Option<String>)> {
    let mut reason = None;
    if path.exists() {
        match load(path) {
            Ok(Ok(connection)) => return Ok((connection, None)),
            Ok(Err(found)) => reason = Some(found),
            Err(error) if is_damage(&error) => reason = Some(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    // Also where there is no database: a log without it must not be read into the new one.
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(rusqlite::Error::InvalidPath(name.into()));
            }
            _ => {}
        }
    }
    let mut connection = Connection::open(path)?;
    configure(&connection)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()?;
    Ok((connection, reason))
}

/// Opens the file for reading beside a writer.
pub(crate) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update(None, "query_only", "ON")?;
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    Ok(connection)
}

fn load(path: &Path) -> rusqlite::Result<Result<Connection, String>> {
    let connection = Connection::open(path)?;
    configure(&connection)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != SCHEMA_VERSION {
        return Ok(Err(format!("its version is {version}, this program needs {SCHEMA_VERSION}")));
    }
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema")?;
    let names =
        statement.query_map([], |row| row.get(0))?.collect::<Result<HashSet<String>, _>>()?;
    drop(statement);
    if !NAMES.iter().all(|name| names.contains(*name)) {
        return Ok(Err("tables are missing".to_owned()));
    }
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(if verdict == "ok" { Ok(connection) } else { Err(format!("it is damaged: {verdict}")) })
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_MAX)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "trusted_schema", "OFF")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    Ok(())
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}
