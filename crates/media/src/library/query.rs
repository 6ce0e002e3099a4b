//! Questions to the library: search, albums, files by what they are known by. Reads only.

use std::{
    collections::HashSet,
    ffi::OsStr,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    fold::{cut, fold},
    track::{
        Album, CoverDigest, FilePresence, FileProblem, LibraryCounts, RootStatus, Track, TrackKey,
        TrackPage,
    },
};
use crate::limits::{
    EXACT_MATCHES_MAX, MATCHES_MAX, PAGE_ROWS_MAX, QUERY_WORD_CHARS_MAX, QUERY_WORDS_MAX,
};

/// The columns of a track, as [`track`] reads them.
const COLUMNS: &str = "files.id, files.audio, files.title, files.artists, files.album,
    files.album_artist, files.album_key, files.disc, files.number, files.year, files.duration_ms,
    files.format, files.cover, files.missing_since IS NOT NULL, roots.offline IS NOT NULL,
    files.problem, roots.path, files.path";

fn track(row: &Row<'_>) -> rusqlite::Result<Track> {
    let artists: String = row.get(3)?;
    let duration: Option<i64> = row.get(10)?;
    let presence = match (row.get(13)?, row.get(14)?) {
        (_, true) => FilePresence::Offline,
        (true, false) => FilePresence::Missing,
        (false, false) => FilePresence::Present,
    };
    Ok(Track {
        id: row.get(0)?,
        key: row.get::<_, Option<[u8; 16]>>(1)?.map(TrackKey::from_bytes),
        title: row.get(2)?,
        artists: serde_json::from_str(&artists).unwrap_or_default(),
        album: row.get(4)?,
        album_artist: row.get(5)?,
        album_key: row.get(6)?,
        disc: row.get(7)?,
        number: row.get(8)?,
        year: row.get(9)?,
        duration_ms: duration.and_then(|ms| u64::try_from(ms).ok()),
        format: row.get(11)?,
        cover: row.get::<_, Option<[u8; 16]>>(12)?.map(CoverDigest::from_bytes),
        presence,
        problem: row.get(15)?,
        path: path(row, 16, 17)?,
    })
}

/// A path from the columns of a root and of what is below it.
fn path(row: &Row<'_>, root: usize, below: usize) -> rusqlite::Result<PathBuf> {
    let root: Vec<u8> = row.get(root)?;
    let below: Vec<u8> = row.get(below)?;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(root)).join(OsStr::from_bytes(&below)))
}

/// The tracks that match all words, the best first. Each word matches the beginning of a word of the title, of an artist, of
/// the album or of the file's name; accents and case do not count.
pub(crate) fn search(
    connection: &Connection,
    text: &str,
    from: usize,
    rows: usize,
) -> rusqlite::Result<TrackPage> {
    let words = query_words(text);
    if words.is_empty() {
        return Ok(TrackPage { tracks: Vec::new(), matches: 0, is_cut: false });
    }
    let sql = format!(
        "SELECT rowid FROM track_words WHERE track_words MATCH ?1 ORDER BY rowid LIMIT {}",
        MATCHES_MAX + 1
    );
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"*")).collect();
    let mut ids = ids(connection, &sql, &quoted.join(" "))?;
    let is_cut = ids.len() > MATCHES_MAX;
    ids.truncate(MATCHES_MAX);
    let whole = fold(text);
    let exact =
        format!("SELECT id FROM files WHERE title_key = ?1 ORDER BY id LIMIT {EXACT_MATCHES_MAX}");
    let known: HashSet<i64> = ids.iter().copied().collect();
    let exact = self::ids(connection, &exact, &whole)?;
    ids.extend(exact.into_iter().filter(|id| !known.contains(id)));
    let matches = ids.len();
    let ranked = rank(connection, &ids, &whole, &words)?;
    let wanted = ranked.into_iter().skip(from).take(rows.min(PAGE_ROWS_MAX));
    let tracks = wanted.filter_map(|id| by_id(connection, id).transpose());
    Ok(TrackPage { tracks: tracks.collect::<Result<_, _>>()?, matches, is_cut })
}

fn ids(connection: &Connection, sql: &str, asked: &str) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([asked], |row| row.get(0))?;
    rows.collect()
}

/// Words as they can be asked for: what has no letter or digit matches nothing.
fn query_words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| cut(word, QUERY_WORD_CHARS_MAX));
    let words = words.map(|word| word.replace(['"', '\0'], " "));
    let words = words.filter(|word| word.chars().any(char::is_alphanumeric));
    words.take(QUERY_WORDS_MAX).collect()
}

/// The rows by how well they match; equals in the order of the rows.
fn rank(
    connection: &Connection,
    ids: &[i64],
    whole: &str,
    words: &[String],
) -> rusqlite::Result<Vec<i64>> {
    let words: Vec<String> = words.iter().map(|word| fold(word)).collect();
    let mut statement = connection.prepare_cached(
        "SELECT title_key, artists, album_key, missing_since IS NOT NULL FROM files WHERE id = ?1",
    )?;
    let mut scored = Vec::with_capacity(ids.len());
    for id in ids {
        let score = statement.query_row([id], |row| {
            let (title, artists): (String, String) = (row.get(0)?, row.get(1)?);
            let album: Option<String> = row.get(2)?;
            let places = [title.as_str(), artists.as_str(), album.as_deref().unwrap_or_default()];
            let is_missing: bool = row.get(3)?;
            Ok(score(places, whole, &words) - if is_missing { 1_000 } else { 0 })
        });
        scored.push((score.optional()?.unwrap_or(i64::MIN), *id));
    }
    scored.sort_by_key(|(score, id)| (std::cmp::Reverse(*score), *id));
    Ok(scored.into_iter().map(|(_, id)| id).collect())
}

/// Titles count more than artists, these more than albums; whole words more than beginnings, the whole title most.
fn score([title, artists, album]: [&str; 3], whole: &str, words: &[String]) -> i64 {
    let artists = artists.to_lowercase();
    let mut score = 0;
    if title == whole {
        score += 100;
    } else if title.starts_with(whole) {
        score += 40;
    }
    for word in words {
        score += 6 * hit(title, word) + 3 * hit(&artists, word) + 2 * hit(album, word);
    }
    score
}

/// 2 for a word of its own, 1 for a part of one, 0 for none.
fn hit(text: &str, word: &str) -> i64 {
    let mut best = 0;
    for (at, _) in text.match_indices(word) {
        let after = text.get(at + word.len()..).and_then(|rest| rest.chars().next());
        let before = text.get(..at).and_then(|rest| rest.chars().next_back());
        let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        if is_edge(after) && is_edge(before) {
            return 2;
        }
        best = 1;
    }
    best
}

/// One track by its row.
pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<Option<Track>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM files JOIN roots ON roots.id = files.root WHERE files.id = ?1"
    );
    connection.prepare_cached(&sql)?.query_row([id], track).optional()
}

/// Tracks by their numbers, from behind `after` on.
pub(crate) fn all(
    connection: &Connection,
    after: i64,
    rows: usize,
) -> rusqlite::Result<Vec<Track>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM files JOIN roots ON roots.id = files.root WHERE files.id > ?1
         ORDER BY files.id LIMIT ?2"
    );
    let limit = i64::try_from(rows.min(PAGE_ROWS_MAX)).unwrap_or(0);
    let mut statement = connection.prepare_cached(&sql)?;
    let tracks = statement.query_map([after, limit], track)?;
    tracks.collect()
}

/// A file with this audio, one that can be played before all others.
pub(crate) fn by_key(connection: &Connection, key: TrackKey) -> rusqlite::Result<Option<Track>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM files JOIN roots ON roots.id = files.root WHERE files.audio = ?1
         ORDER BY roots.offline IS NOT NULL, files.missing_since IS NOT NULL, files.id LIMIT 1"
    );
    connection.prepare_cached(&sql)?.query_row([key.as_bytes()], track).optional()
}

/// The track at a path.
pub(crate) fn by_path(connection: &Connection, path: &Path) -> rusqlite::Result<Option<Track>> {
    let mut statement = connection.prepare_cached("SELECT id, path FROM roots")?;
    let roots = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM files JOIN roots ON roots.id = files.root
         WHERE files.root = ?1 AND files.path = ?2"
    );
    for root in roots {
        let (id, root): (i64, Vec<u8>) = root?;
        let Ok(below) = path.strip_prefix(OsStr::from_bytes(&root)) else {
            continue;
        };
        let asked = params![id, below.as_os_str().as_bytes()];
        if let Some(found) = connection.prepare_cached(&sql)?.query_row(asked, track).optional()? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Albums by their keys, from behind `after` on.
pub(crate) fn albums(
    connection: &Connection,
    after: &str,
    rows: usize,
) -> rusqlite::Result<Vec<Album>> {
    let mut statement = connection.prepare_cached(
        "SELECT album_key, min(album), min(album_artist), min(year), count(*),
                count(DISTINCT coalesce(disc, 1)), total(duration_ms), max(cover)
         FROM files WHERE album_key IS NOT NULL AND album_key > ?1
         GROUP BY album_key ORDER BY album_key LIMIT ?2",
    )?;
    let limit = i64::try_from(rows.min(PAGE_ROWS_MAX)).unwrap_or(0);
    let albums = statement.query_map(params![after, limit], |row| {
        let duration: f64 = row.get(6)?;
        Ok(Album {
            key: row.get(0)?,
            title: row.get(1)?,
            artist: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
            year: row.get(3)?,
            tracks: row.get(4)?,
            discs: row.get(5)?,
            duration_ms: std::time::Duration::try_from_secs_f64(duration / 1_000.0)
                .map_or(0, |length| u64::try_from(length.as_millis()).unwrap_or(u64::MAX)),
            cover: row.get::<_, Option<[u8; 16]>>(7)?.map(CoverDigest::from_bytes),
        })
    })?;
    albums.collect()
}

/// The tracks of an album, by disc and number.
pub(crate) fn album_tracks(connection: &Connection, key: &str) -> rusqlite::Result<Vec<Track>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM files JOIN roots ON roots.id = files.root WHERE files.album_key = ?1
         ORDER BY coalesce(files.disc, 1), files.number, files.path LIMIT {MATCHES_MAX}"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let tracks = statement.query_map([key], track)?;
    tracks.collect()
}

/// Files with a problem and folders that could not be read: the folders first.
pub(crate) fn problems(
    connection: &Connection,
    from: usize,
    rows: usize,
) -> rusqlite::Result<Vec<FileProblem>> {
    let mut statement = connection.prepare_cached(
        "SELECT roots.path, found.path, found.problem FROM (
             SELECT 0 AS kind, root, path, problem FROM unread_folders
             UNION ALL
             SELECT 1, root, path, problem FROM files WHERE problem IS NOT NULL
         ) AS found JOIN roots ON roots.id = found.root
         ORDER BY found.kind, roots.path, found.path LIMIT ?1 OFFSET ?2",
    )?;
    let limit = i64::try_from(rows.min(PAGE_ROWS_MAX)).unwrap_or(0);
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let problems = statement.query_map([limit, from], |row| {
        Ok(FileProblem { path: path(row, 0, 1)?, problem: row.get(2)? })
    })?;
    problems.collect()
}

/// All roots that were ever scanned.
pub(crate) fn roots(connection: &Connection) -> rusqlite::Result<Vec<RootStatus>> {
    let mut statement =
        connection.prepare_cached("SELECT path, offline FROM roots ORDER BY path")?;
    let roots = statement.query_map([], |row| {
        let path: Vec<u8> = row.get(0)?;
        let path = PathBuf::from(std::ffi::OsString::from_vec(path));
        Ok(RootStatus { path, offline: row.get(1)? })
    })?;
    roots.collect()
}

/// How much there is.
pub(crate) fn counts(connection: &Connection) -> rusqlite::Result<LibraryCounts> {
    let count = |sql: &str| -> rusqlite::Result<u64> {
        let count: i64 = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or(0))
    };
    Ok(LibraryCounts {
        files: count("SELECT count(*) FROM files")?,
        missing: count("SELECT count(*) FROM files WHERE missing_since IS NOT NULL")?,
        problems: count("SELECT count(*) FROM files WHERE problem IS NOT NULL")?,
        albums: count("SELECT count(DISTINCT album_key) FROM files WHERE album_key IS NOT NULL")?,
    })
}

/// Where a cover can be read again: roots and paths of files that have it.
pub(crate) fn files_of_cover(
    connection: &Connection,
    cover: CoverDigest,
) -> rusqlite::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut statement = connection.prepare_cached(
        "SELECT roots.path, files.path FROM files JOIN roots ON roots.id = files.root
         WHERE files.cover = ?1 AND files.missing_since IS NULL AND roots.offline IS NULL LIMIT 3",
    )?;
    let files = statement.query_map([cover.as_bytes()], |row| {
        let root: Vec<u8> = row.get(0)?;
        Ok((PathBuf::from(std::ffi::OsString::from_vec(root)), row.get(1)?))
    })?;
    files.collect()
}
