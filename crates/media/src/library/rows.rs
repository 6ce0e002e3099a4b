//! The rows of files as a scan reads and writes them. Nothing is written that already stands there.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::{
    read_file::FileReading,
    track::{CoverDigest, TrackKey},
    walk::{FileStamp, UnreadFolder},
};

/// What a scan knows of a file beforehand.
#[derive(Clone, Debug)]
pub(crate) struct KnownFile {
    pub(crate) id: i64,
    pub(crate) path: Vec<u8>,
    pub(crate) stamp: FileStamp,
    pub(crate) is_missing: bool,
    pub(crate) key: Option<TrackKey>,
}

/// Whose row a reading goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowTarget {
    /// A file that was not known.
    New,
    /// A known file at its place or, moved, at a new one.
    Known(i64),
}

/// The number of a root, which is given at its first scan.
pub(crate) fn root_id(connection: &Connection, path: &[u8]) -> rusqlite::Result<i64> {
    let mut find = connection.prepare_cached("SELECT id FROM roots WHERE path = ?1")?;
    if let Some(id) = find.query_row([path], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    connection.execute("INSERT INTO roots(path) VALUES (?1)", [path])?;
    Ok(connection.last_insert_rowid())
}

/// Notes whether a root could be looked at.
pub(crate) fn set_offline(
    connection: &Connection,
    root: i64,
    offline: Option<&str>,
) -> rusqlite::Result<()> {
    let sql = "UPDATE roots SET offline = ?2 WHERE id = ?1 AND offline IS NOT ?2";
    connection.execute(sql, params![root, offline]).map(|_| ())
}

/// Notes that all roots but these are no longer looked at.
pub(crate) fn retire_others(connection: &Connection, roots: &[i64]) -> rusqlite::Result<()> {
    let reason = "is no longer a root of the library";
    let mut statement = connection.prepare("SELECT id FROM roots")?;
    let known = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    for root in known.into_iter().filter(|root| !roots.contains(root)) {
        set_offline(connection, root, Some(reason))?;
    }
    Ok(())
}

/// All files of a root.
pub(crate) fn known_files(connection: &Connection, root: i64) -> rusqlite::Result<Vec<KnownFile>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, path, size, mtime_ns, ctime_ns, image_ns, missing_since IS NOT NULL, audio
         FROM files WHERE root = ?1",
    )?;
    let rows = statement.query_map([root], |row| {
        let stamp = FileStamp {
            size: row.get(2)?,
            mtime_ns: row.get(3)?,
            ctime_ns: row.get(4)?,
            image_ns: row.get(5)?,
        };
        let key = row.get::<_, Option<[u8; 16]>>(7)?.map(TrackKey::from_bytes);
        let (id, path, is_missing) = (row.get(0)?, row.get(1)?, row.get(6)?);
        Ok(KnownFile { id, path, stamp, is_missing, key })
    })?;
    rows.collect()
}

/// Writes what a file says about itself; the number of its row.
pub(crate) fn save(
    transaction: &Transaction<'_>,
    target: RowTarget,
    (root, path): (i64, &[u8]),
    reading: &FileReading,
    (cover, now): (Option<CoverDigest>, i64),
) -> rusqlite::Result<i64> {
    let Some(stamp) = reading.stamp else {
        return save_unopened(transaction, target, (root, path), reading, now);
    };
    let id = row_id(transaction, target, (root, path), reading, now)?;
    transaction
        .prepare_cached(
            "UPDATE files SET root = ?2, path = ?3, size = ?4, mtime_ns = ?5, ctime_ns = ?6,
                 image_ns = ?7, missing_since = NULL, problem = ?8, audio = ?9, title = ?10,
                 title_key = ?11, artists = ?12, album = ?13, album_artist = ?14, album_key = ?15,
                 disc = ?16, number = ?17, year = ?18, duration_ms = ?19, format = ?20, cover = ?21
             WHERE id = ?1",
        )?
        .execute(params![
            id,
            root,
            path,
            stamp.size,
            stamp.mtime_ns,
            stamp.ctime_ns,
            stamp.image_ns,
            reading.problem,
            reading.key.map(|key| *key.as_bytes()),
            reading.title,
            reading.title_key,
            serde_json::to_string(&reading.artists).unwrap_or_default(),
            reading.album,
            reading.album_artist,
            reading.album_key,
            reading.disc,
            reading.number,
            reading.year,
            reading.duration_ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)),
            reading.format,
            cover.map(|cover| *cover.as_bytes()),
        ])?;
    save_words(transaction, id, path, reading)?;
    Ok(id)
}

/// A file that cannot be opened keeps what it said before; its stamp stays what it was, so that the next scan tries again.
fn save_unopened(
    transaction: &Transaction<'_>,
    target: RowTarget,
    place: (i64, &[u8]),
    reading: &FileReading,
    now: i64,
) -> rusqlite::Result<i64> {
    let id = row_id(transaction, target, place, reading, now)?;
    transaction
        .prepare_cached(
            "UPDATE files SET problem = ?2, missing_since = NULL
             WHERE id = ?1 AND (problem IS NOT ?2 OR missing_since IS NOT NULL)",
        )?
        .execute(params![id, reading.problem])?;
    if target == RowTarget::New {
        save_words(transaction, id, place.1, reading)?;
    }
    Ok(id)
}

fn row_id(
    transaction: &Transaction<'_>,
    target: RowTarget,
    (root, path): (i64, &[u8]),
    reading: &FileReading,
    now: i64,
) -> rusqlite::Result<i64> {
    if let RowTarget::Known(id) = target {
        return Ok(id);
    }
    transaction
        .prepare_cached(
            "INSERT INTO files(root, path, size, mtime_ns, ctime_ns, image_ns, added_at, title,
                               title_key, artists, format)
             VALUES (?1, ?2, -1, 0, 0, 0, ?3, ?4, ?5, '[]', ?6)",
        )?
        .execute(params![root, path, now, reading.title, reading.title_key, reading.format])?;
    Ok(transaction.last_insert_rowid())
}

fn save_words(
    transaction: &Transaction<'_>,
    id: i64,
    path: &[u8],
    reading: &FileReading,
) -> rusqlite::Result<()> {
    let mut artists = reading.artists.join(" ; ");
    if let Some(whose) = &reading.album_artist {
        artists.push_str(" ; ");
        artists.push_str(whose);
    }
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let file = String::from_utf8_lossy(name);
    transaction.prepare_cached("DELETE FROM track_words WHERE rowid = ?1")?.execute([id])?;
    transaction
        .prepare_cached(
            "INSERT INTO track_words(rowid, title, artists, album, file) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![id, reading.title, artists, reading.album, file])?;
    Ok(())
}

/// Notes that files are no longer where they were.
pub(crate) fn mark_missing(
    transaction: &Transaction<'_>,
    ids: &[i64],
    now: i64,
) -> rusqlite::Result<()> {
    let sql = "UPDATE files SET missing_since = ?2 WHERE id = ?1 AND missing_since IS NULL";
    let mut statement = transaction.prepare_cached(sql)?;
    ids.iter().try_for_each(|id| statement.execute(params![id, now]).map(|_| ()))
}

/// Notes that files are back as they were.
pub(crate) fn mark_present(transaction: &Transaction<'_>, ids: &[i64]) -> rusqlite::Result<()> {
    let sql = "UPDATE files SET missing_since = NULL WHERE id = ?1";
    let mut statement = transaction.prepare_cached(sql)?;
    ids.iter().try_for_each(|id| statement.execute([id]).map(|_| ()))
}

/// Lists the folders of a root that could not be read, where the list has changed.
pub(crate) fn save_unread(
    transaction: &Transaction<'_>,
    root: i64,
    unread: &[UnreadFolder],
) -> rusqlite::Result<()> {
    let sql = "SELECT path, problem FROM unread_folders WHERE root = ?1 ORDER BY path";
    let mut statement = transaction.prepare_cached(sql)?;
    let read = |row: &Row<'_>| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?));
    let known = statement.query_map([root], read)?.collect::<Result<Vec<_>, _>>()?;
    let mut now: Vec<_> = unread.iter().map(|f| (f.path.clone(), f.problem.clone())).collect();
    now.sort_unstable();
    now.dedup_by(|a, b| a.0 == b.0);
    if known == now {
        return Ok(());
    }
    transaction.execute("DELETE FROM unread_folders WHERE root = ?1", [root])?;
    let sql = "INSERT INTO unread_folders(root, path, problem) VALUES (?1, ?2, ?3)";
    let mut statement = transaction.prepare_cached(sql)?;
    now.iter()
        .try_for_each(|(path, problem)| statement.execute(params![root, path, problem]).map(|_| ()))
}

/// Deletes the files that have been missing since before a time, and their words; how many.
pub(crate) fn forget_missing(
    transaction: &Transaction<'_>,
    before: i64,
) -> rusqlite::Result<usize> {
    let chosen = "SELECT id FROM files WHERE missing_since < ?1";
    transaction.execute(&format!("DELETE FROM track_words WHERE rowid IN ({chosen})"), [before])?;
    transaction.execute("DELETE FROM files WHERE missing_since < ?1", [before])
}
