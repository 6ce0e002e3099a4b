//! One look at all roots: what is new or changed is read, what is gone is noted, all else is left as it stands.
//!
//! The files are read in batches of [`BATCH_FILES`] by [`READERS`] threads, and each batch is one transaction: a scan that
//! is stopped or killed goes on where it was, for what is written is unchanged the next time.

use std::{
    collections::{HashMap, HashSet},
    io::Read as _,
    ops::ControlFlow,
    os::{
        fd::{AsFd as _, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use rusqlite::{Connection, TransactionBehavior};
use serde::Serialize;

use super::{
    beneath::{open_file, open_root},
    cover_cache::{Cover, CoverCache},
    read_file::{FileReading, prepare_thread, read_file},
    rows::{self, KnownFile, RowTarget},
    track::{CoverDigest, TrackKey},
    walk::{FoundFile, WalkedRoot, image_beside, walk},
};
use crate::limits::{BATCH_FILES, COVER_BYTES_MAX, FILES_MAX, FOLDER_COVERS_MAX, READERS};

/// How much of a scan is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScanProgress {
    /// Files that have been read.
    pub read: usize,
    /// Files that are to be read in all.
    pub to_read: usize,
}

/// How thorough a scan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanDepth {
    /// Files that look unchanged are not read.
    Changes,
    /// All files are read.
    Everything,
}

/// What a scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ScanSummary {
    /// Audio files that are there.
    pub found: usize,
    /// Files that were not known.
    pub added: usize,
    /// Files that were read again at their place.
    pub changed: usize,
    /// Files that were found elsewhere by their audio.
    pub moved: usize,
    /// Files that were missing and are back as they were.
    pub returned: usize,
    /// Files that are gone since the last scan.
    pub missing: usize,
    /// Files that were read and have a problem.
    pub problems: usize,
    /// Roots that are offline, with the reason.
    pub offline: Vec<(PathBuf, String)>,
    /// Folders that could not be read.
    pub unread_folders: usize,
    /// A bound on depth or number was reached: there is more than was looked at.
    pub is_cut: bool,
    /// The scan was stopped; the next one goes on.
    pub is_stopped: bool,
}

/// What a scan works with.
pub(crate) struct ScanParts<'a> {
    pub(crate) connection: &'a mut Connection,
    pub(crate) roots: &'a [PathBuf],
    pub(crate) covers: &'a CoverCache,
    pub(crate) depth: ScanDepth,
    /// Microseconds since 1970.
    pub(crate) now: i64,
    /// Hears of each batch, and may stop the scan.
    pub(crate) progress: &'a mut dyn FnMut(ScanProgress) -> ControlFlow<()>,
}

/// A root as this scan found it.
struct ScannedRoot {
    id: i64,
    folder: OwnedFd,
    walked: WalkedRoot,
    known: Vec<KnownFile>,
}

/// A file that is to be read.
struct ToRead {
    /// Index of its root.
    root: usize,
    file: FoundFile,
    known: Option<i64>,
}

/// Rows whose files are gone, by their audio: where a file that turns up elsewhere belongs.
type MissingByKey = HashMap<TrackKey, Vec<(i64, Vec<u8>)>>;

/// Looks at all roots.
pub(crate) fn scan(parts: &mut ScanParts<'_>) -> rusqlite::Result<ScanSummary> {
    let mut summary = ScanSummary::default();
    let roots = find(parts, &mut summary)?;
    let mut sorted = sort(roots.as_slice(), parts.depth, &mut summary);
    let transaction = parts.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    rows::mark_present(&transaction, &sorted.returned)?;
    for root in &roots {
        rows::save_unread(&transaction, root.id, &root.walked.unread)?;
    }
    transaction.commit()?;

    let folder_covers = FolderCovers::default();
    let mut taken = HashSet::new();
    let mut progress = ScanProgress { read: 0, to_read: sorted.to_read.len() };
    for batch in sorted.to_read.chunks(BATCH_FILES) {
        let readings = read_batch(&roots, batch, parts.covers, &folder_covers);
        let transaction =
            parts.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (file, (reading, cover)) in batch.iter().zip(&readings) {
            let target = target(file, reading, &mut sorted.missing, &mut taken, &mut summary);
            let Some(root) = roots.get(file.root) else { continue };
            let place = (root.id, file.file.path.as_slice());
            rows::save(&transaction, target, place, reading, (*cover, parts.now))?;
            summary.problems += usize::from(reading.problem.is_some());
        }
        transaction.commit()?;
        progress.read += batch.len();
        if (parts.progress)(progress).is_break() && progress.read < progress.to_read {
            summary.is_stopped = true;
            return Ok(summary);
        }
    }
    // Last, so that a scan that was stopped has lost nobody: what has moved is looked for before it is missing.
    let newly_missing: Vec<i64> =
        sorted.newly_missing.into_iter().filter(|id| !taken.contains(id)).collect();
    summary.missing = newly_missing.len();
    let transaction = parts.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    rows::mark_missing(&transaction, &newly_missing, parts.now)?;
    transaction.commit()?;
    Ok(summary)
}

/// Walks through all roots that are there.
fn find(parts: &ScanParts<'_>, summary: &mut ScanSummary) -> rusqlite::Result<Vec<ScannedRoot>> {
    let mut roots = Vec::new();
    let mut ids = Vec::new();
    for path in parts.roots {
        let id = rows::root_id(parts.connection, path.as_os_str().as_bytes())?;
        ids.push(id);
        let known = rows::known_files(parts.connection, id)?;
        let walked = walk(path, FILES_MAX - summary.found.min(FILES_MAX))
            .and_then(|walked| Ok((open_root(path)?, walked)));
        let reason = match walked {
            Err(errno) => errno.to_string(),
            Ok((_, walked)) if walked.files.is_empty() && known.iter().any(|f| !f.is_missing) => {
                "is empty, though files of it are known: is it mounted?".to_owned()
            }
            Ok((folder, walked)) => {
                rows::set_offline(parts.connection, id, None)?;
                summary.found += walked.files.len();
                summary.unread_folders += walked.unread.len();
                summary.is_cut |= walked.is_cut;
                roots.push(ScannedRoot { id, folder, walked, known });
                continue;
            }
        };
        rows::set_offline(parts.connection, id, Some(&reason))?;
        summary.offline.push((path.clone(), reason));
    }
    rows::retire_others(parts.connection, &ids)?;
    Ok(roots)
}

/// What is to be done about the files.
struct SortedFiles {
    to_read: Vec<ToRead>,
    returned: Vec<i64>,
    /// Files that were there at the last scan and are not now.
    newly_missing: Vec<i64>,
    missing: MissingByKey,
}

fn sort(roots: &[ScannedRoot], depth: ScanDepth, summary: &mut ScanSummary) -> SortedFiles {
    let mut sorted = SortedFiles {
        to_read: Vec::new(),
        returned: Vec::new(),
        newly_missing: Vec::new(),
        missing: HashMap::new(),
    };
    for (index, root) in roots.iter().enumerate() {
        let mut known: HashMap<&[u8], &KnownFile> =
            root.known.iter().map(|known| (known.path.as_slice(), known)).collect();
        for file in &root.walked.files {
            match known.remove(file.path.as_slice()) {
                Some(known) if depth == ScanDepth::Changes && known.stamp == file.stamp => {
                    if known.is_missing {
                        sorted.returned.push(known.id);
                    }
                }
                known => {
                    let known = known.map(|known| known.id);
                    sorted.to_read.push(ToRead { root: index, file: file.clone(), known });
                }
            }
        }
        // In the order of the rows, so that the same disk always gives the same library.
        let mut gone: Vec<_> =
            known.into_values().filter(|known| root.walked.looked_at(&known.path)).collect();
        gone.sort_unstable_by_key(|known| known.id);
        for known in gone {
            if !known.is_missing {
                sorted.newly_missing.push(known.id);
            }
            if let Some(key) = known.key {
                sorted.missing.entry(key).or_default().push((known.id, known.path.clone()));
            }
        }
    }
    summary.returned = sorted.returned.len();
    sorted
}

/// Whose row a file that was read goes into.
fn target(
    file: &ToRead,
    reading: &FileReading,
    missing: &mut MissingByKey,
    taken: &mut HashSet<i64>,
    summary: &mut ScanSummary,
) -> RowTarget {
    if let Some(id) = file.known {
        summary.changed += 1;
        return RowTarget::Known(id);
    }
    let candidates = reading.key.and_then(|key| missing.get_mut(&key));
    let moved = candidates.filter(|gone| !gone.is_empty()).map(|gone| {
        let same = gone.iter().position(|(_, path)| name_of(path) == name_of(&file.file.path));
        gone.remove(same.unwrap_or(0)).0
    });
    if let Some(id) = moved {
        taken.insert(id);
        summary.moved += 1;
        RowTarget::Known(id)
    } else {
        summary.added += 1;
        RowTarget::New
    }
}

fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

type BatchReading = (FileReading, Option<CoverDigest>);

/// Reads the files of a batch, several at once; in the order of the batch.
fn read_batch(
    roots: &[ScannedRoot],
    batch: &[ToRead],
    covers: &CoverCache,
    folder_covers: &FolderCovers,
) -> Vec<BatchReading> {
    let next = AtomicUsize::new(0);
    let work = || {
        prepare_thread();
        let mut read = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = batch.get(index) else {
                return read;
            };
            let Some(root) = roots.get(file.root) else {
                return read;
            };
            let folder = root.folder.as_fd();
            let mut reading = read_file(folder, &file.file.path, file.file.stamp.image_ns);
            let cover = match reading.cover.take() {
                Some(cover) => Some(keep(covers, &cover)),
                None => folder_covers.get(file.root, folder, &file.file, covers),
            };
            read.push((index, (reading, cover)));
        }
    };
    let read: Vec<(usize, BatchReading)> = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(work)).collect();
        readers.into_iter().flat_map(|reader| reader.join().unwrap_or_default()).collect()
    });
    let mut in_order: Vec<BatchReading> =
        batch.iter().map(|file| (FileReading::unread(&file.file.path), None)).collect();
    for (index, reading) in read {
        if let Some(place) = in_order.get_mut(index) {
            *place = reading;
        }
    }
    in_order
}

/// Keeps a cover. One that cannot be kept now is read again when it is asked for.
fn keep(covers: &CoverCache, cover: &Cover) -> CoverDigest {
    let digest = cover.digest();
    if let Err(error) = covers.put(digest, cover) {
        tracing::debug!(%error, event = "cover_not_kept", "a cover could not be kept");
    }
    digest
}

/// A picture by the index of its root and its path.
type FolderImage = (usize, Arc<[u8]>);

/// Pictures of folders, each read once for all files beside it.
#[derive(Default)]
struct FolderCovers {
    read: Mutex<HashMap<FolderImage, Option<CoverDigest>>>,
}

impl FolderCovers {
    fn get(
        &self,
        root: usize,
        folder: BorrowedFd<'_>,
        file: &FoundFile,
        covers: &CoverCache,
    ) -> Option<CoverDigest> {
        let key = (root, Arc::clone(file.image.as_ref()?));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cover) = read.get(&key) {
            return *cover;
        }
        if read.len() >= FOLDER_COVERS_MAX {
            read.clear();
        }
        let cover = read_picture(folder, &key.1).map(|cover| keep(covers, &cover));
        read.insert(key, cover);
        cover
    }
}

/// Reads a cover again from an audio file that had it, or from the picture beside it.
pub(crate) fn read_cover_again(root: &Path, path: &[u8], digest: CoverDigest) -> Option<Cover> {
    let folder = open_root(root).ok()?;
    // The limit on memory is one of the thread: a thread of its own leaves the caller's as it is.
    let read = || {
        prepare_thread();
        read_file(folder.as_fd(), path, 0).cover
    };
    let embedded = std::thread::scope(|scope| scope.spawn(read).join().ok().flatten());
    let cover = embedded.or_else(|| read_picture(folder.as_fd(), &image_beside(&folder, path)?));
    cover.filter(|cover| cover.digest() == digest)
}

/// A picture beside audio files.
fn read_picture(root: BorrowedFd<'_>, path: &[u8]) -> Option<Cover> {
    let (file, _) = open_file(root, path).ok()?;
    let mut bytes = Vec::new();
    file.take(COVER_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).ok()?;
    Cover::recognise(bytes)
}
