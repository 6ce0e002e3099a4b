//! The library: what audio files there are, what they say about themselves, and how to find them.
//!
//! Everything in it comes from the files, which are only ever read: the database and the covers are a cache that may be
//! deleted at any time. All calls block; a scan and questions go on beside each other.

use std::{
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
    time::Duration,
};

use abide_domain::Timestamp;
use rusqlite::{Connection, TransactionBehavior};

mod audio_digest;
mod beneath;
mod compressed_tag;
mod cover_cache;
mod fold;
mod query;
mod read_file;
mod rows;
mod scan;
mod schema;
mod track;
mod walk;

pub use cover_cache::Cover;
pub use scan::{ScanDepth, ScanProgress, ScanSummary};
pub use track::{
    Album, CoverDigest, FilePresence, FileProblem, LibraryCounts, MediaDigestError, RootStatus,
    Track, TrackKey, TrackPage, TrackRef,
};

use crate::limits::{COVERS_BYTES_DEFAULT, ROOTS_MAX};
use cover_cache::CoverCache;

/// Where a library is and what it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibrarySettings {
    /// The database. Its folder must be there.
    pub database: PathBuf,
    /// The folder of covers, which is made.
    pub covers: PathBuf,
    /// Folders that are looked through: absolute, none within another.
    pub roots: Vec<PathBuf>,
    /// Bytes of all covers.
    pub cover_bytes_max: u64,
}

impl LibrarySettings {
    /// A library whose cache is in a folder.
    pub fn new(folder: &Path, roots: Vec<PathBuf>) -> Self {
        Self {
            database: folder.join("library.db"),
            covers: folder.join("covers"),
            roots,
            cover_bytes_max: COVERS_BYTES_DEFAULT,
        }
    }
}

/// The library could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The settings name roots that cannot be.
    #[error("`{}` cannot be a root of the music library: {reason}", path.display())]
    Root {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// Too many roots.
    #[error("the music library has {count} roots; at most {ROOTS_MAX} are possible")]
    Roots {
        /// How many there are.
        count: usize,
    },
    /// A scan is running.
    #[error("the music library is being scanned; wait for the scan to end")]
    Busy,
    /// The database failed.
    #[error("the music library's database could not be {doing}")]
    Storage {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        #[source]
        source: rusqlite::Error,
    },
    /// The folder of covers failed.
    #[error("the folder of covers `{}` could not be opened", path.display())]
    Covers {
        /// Which.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
}

fn storage(doing: &'static str) -> impl Fn(rusqlite::Error) -> LibraryError {
    move |source| LibraryError::Storage { doing, source }
}

/// All audio files of some folders.
#[derive(Debug)]
pub struct Library {
    settings: LibrarySettings,
    // Before the writer, so that it is closed first: the last one to close folds the log in, which a reader cannot.
    reader: Mutex<Connection>,
    writer: Mutex<Connection>,
    covers: CoverCache,
    rebuilt: Option<String>,
}

impl Library {
    /// Opens a library, or makes an empty one. Scans nothing.
    pub fn open(settings: LibrarySettings) -> Result<Self, LibraryError> {
        check_roots(&settings.roots)?;
        let (writer, rebuilt) = schema::open(&settings.database).map_err(storage("opened"))?;
        let reader = schema::open_reader(&settings.database).map_err(storage("opened"))?;
        let covers = CoverCache::open(&settings.covers, settings.cover_bytes_max)
            .map_err(|source| LibraryError::Covers { path: settings.covers.clone(), source })?;
        let (writer, reader) = (Mutex::new(writer), Mutex::new(reader));
        Ok(Self { settings, reader, writer, covers, rebuilt })
    }

    /// Why a database that was there was deleted at the opening, if it was: to be logged once. A scan fills the new one.
    pub fn rebuilt(&self) -> Option<&str> {
        self.rebuilt.as_deref()
    }

    /// Looks at all roots and brings the library up to date. `progress` hears of each batch of files, and may stop the scan;
    /// the next one goes on from there. Only one scan runs at a time.
    pub fn scan(
        &self,
        depth: ScanDepth,
        now: Timestamp,
        progress: &mut dyn FnMut(ScanProgress) -> ControlFlow<()>,
    ) -> Result<ScanSummary, LibraryError> {
        let mut connection = self.try_writer()?;
        let mut parts = scan::ScanParts {
            connection: &mut connection,
            roots: &self.settings.roots,
            covers: &self.covers,
            depth,
            now: now.as_micros(),
            progress,
        };
        scan::scan(&mut parts).map_err(storage("brought up to date"))
    }

    /// Deletes what has been missing for longer than `age`; how many files. What is offline is not missing.
    pub fn forget_missing(&self, now: Timestamp, age: Duration) -> Result<usize, LibraryError> {
        let mut connection = self.try_writer()?;
        let forget = |connection: &mut Connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let count = rows::forget_missing(&transaction, now.before(age).as_micros())?;
            transaction.commit()?;
            Ok(count)
        };
        forget(&mut connection).map_err(storage("tidied"))
    }

    /// The tracks that match all words of `text`, best first: `rows` of them, at most 200, from the place `from` on.
    pub fn search(&self, text: &str, from: usize, rows: usize) -> Result<TrackPage, LibraryError> {
        query::search(&self.reader(), text, from, rows).map_err(storage("searched"))
    }

    /// Tracks in the order in which the library came to know their files, at most 200, from behind the number `after` on.
    pub fn tracks(&self, after: i64, rows: usize) -> Result<Vec<Track>, LibraryError> {
        query::all(&self.reader(), after, rows).map_err(storage("read"))
    }

    /// A track by its number in this database.
    pub fn track(&self, id: i64) -> Result<Option<Track>, LibraryError> {
        query::by_id(&self.reader(), id).map_err(storage("read"))
    }

    /// A file with this audio: one that can be played, where there is one.
    pub fn track_by_key(&self, key: TrackKey) -> Result<Option<Track>, LibraryError> {
        query::by_key(&self.reader(), key).map_err(storage("read"))
    }

    /// The track at a path. The disk is not looked at: only what a scan found below a root can be named.
    pub fn track_by_path(&self, path: &Path) -> Result<Option<Track>, LibraryError> {
        query::by_path(&self.reader(), path).map_err(storage("read"))
    }

    /// Albums in the order of their keys, at most 200, from behind the key `after` on; from the first on after an empty one.
    pub fn albums(&self, after: &str, rows: usize) -> Result<Vec<Album>, LibraryError> {
        query::albums(&self.reader(), after, rows).map_err(storage("read"))
    }

    /// The tracks of an album, by disc and number.
    pub fn album_tracks(&self, key: &str) -> Result<Vec<Track>, LibraryError> {
        query::album_tracks(&self.reader(), key).map_err(storage("read"))
    }

    /// What could not be read as it should, at most 200 entries from the place `from` on.
    pub fn problems(&self, from: usize, rows: usize) -> Result<Vec<FileProblem>, LibraryError> {
        query::problems(&self.reader(), from, rows).map_err(storage("read"))
    }

    /// The roots, those that are offline with the reason.
    pub fn roots(&self) -> Result<Vec<RootStatus>, LibraryError> {
        query::roots(&self.reader()).map_err(storage("read"))
    }

    /// How much there is.
    pub fn counts(&self) -> Result<LibraryCounts, LibraryError> {
        query::counts(&self.reader()).map_err(storage("read"))
    }

    /// A cover: the kept one, or read again from a file that has it. None where no file has it any more.
    pub fn cover(&self, digest: CoverDigest) -> Result<Option<Cover>, LibraryError> {
        if let Some(cover) = self.covers.get(digest) {
            return Ok(Some(cover));
        }
        let files = query::files_of_cover(&self.reader(), digest).map_err(storage("read"))?;
        let cover =
            files.into_iter().find_map(|(root, path)| scan::read_cover_again(&root, &path, digest));
        if let Some(cover) = &cover
            && let Err(error) = self.covers.put(digest, cover)
        {
            tracing::debug!(%error, event = "cover_not_kept", "a cover could not be kept");
        }
        Ok(cover)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_writer(&self) -> Result<MutexGuard<'_, Connection>, LibraryError> {
        match self.writer.try_lock() {
            Ok(writer) => Ok(writer),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(LibraryError::Busy),
        }
    }
}

fn check_roots(roots: &[PathBuf]) -> Result<(), LibraryError> {
    if roots.len() > ROOTS_MAX {
        return Err(LibraryError::Roots { count: roots.len() });
    }
    for (index, root) in roots.iter().enumerate() {
        let refused = |reason| Err(LibraryError::Root { path: root.clone(), reason });
        if !root.is_absolute() {
            return refused("it is not absolute");
        }
        let mut others = roots.iter().enumerate().filter(|(other, _)| *other != index);
        if others.any(|(_, other)| root.starts_with(other)) {
            return refused("it is within another root, whose files would be there twice");
        }
    }
    Ok(())
}
