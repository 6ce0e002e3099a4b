//! The folder of one embedder's weights: which files are there and whole, and the one way in for a new one.

use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use abide_models::{LocalEmbedder, SUMS_FILE, WeightsError, sha256_of, sums_line};
use sha2::{Digest as _, Sha256};

use super::{
    error::PullError,
    table::{WeightFile, Weights},
};
use crate::home::write_atomically;

/// How much is copied at once.
const PIECE_BYTES: usize = 256 * 1024;

/// Is told how far a file is: its name, the bytes that are there, all its bytes.
pub(crate) type ProgressCallback<'a> = dyn FnMut(&str, u64, u64) + 'a;

/// The folder of an embedder's weights.
pub(crate) fn folder_of(models: &Path, embedder: LocalEmbedder) -> PathBuf {
    models.join(embedder.as_str())
}

/// A folder of weights; need not exist yet.
#[derive(Debug)]
pub(crate) struct WeightsStore {
    path: PathBuf,
    /// What is to be there.
    pub(crate) weights: &'static Weights,
}

/// What is in a folder of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WeightsStatus {
    /// All files, each with the right hash.
    Ready,
    /// None of them.
    Absent,
    /// Only some; a pull fetches the others.
    Partial,
    /// A file that is not what it should be.
    Damaged(String),
}

/// Held while a folder is being filled.
#[derive(Debug)]
pub(crate) struct StoreLock {
    _file: File,
}

impl WeightsStore {
    /// The folder of some weights among all models.
    pub(crate) fn of(models: &Path, weights: &'static Weights) -> Self {
        Self { path: folder_of(models, weights.embedder), weights }
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks every byte of what is there.
    pub(crate) fn check(&self) -> Result<WeightsStatus, PullError> {
        let mut there = 0;
        for file in &self.weights.files {
            match self.digest(file)? {
                None => {}
                Some(found) if found == file.sha256 => there += 1,
                Some(found) => {
                    let expected = file.sha256;
                    let problem = format!(
                        "the SHA-256 of {} is {found}, and should be {expected}",
                        file.name
                    );
                    return Ok(WeightsStatus::Damaged(problem));
                }
            }
        }
        Ok(match there {
            0 => WeightsStatus::Absent,
            _ if there == self.weights.files.len() => WeightsStatus::Ready,
            _ => WeightsStatus::Partial,
        })
    }

    /// The files that are not there, or not as they should be.
    pub(super) fn missing(&self) -> Result<Vec<&'static WeightFile>, PullError> {
        let mut missing = Vec::new();
        for file in &self.weights.files {
            if self.digest(file)?.as_deref() != Some(file.sha256) {
                missing.push(file);
            }
        }
        Ok(missing)
    }

    /// Makes the folder and keeps other pulls out of it.
    pub(super) fn lock(&self) -> Result<StoreLock, PullError> {
        let mut folders = DirBuilder::new();
        let made = folders.recursive(true).mode(0o700).create(&self.path);
        made.map_err(|source| PullError::disk(&self.path, source))?;
        let path = self.path.join(".lock");
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        let file = file.map_err(|source| PullError::disk(&path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(StoreLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(PullError::Busy { folder: self.path.clone() }),
            Err(TryLockError::Error(source)) => Err(PullError::disk(&path, source)),
        }
    }

    /// Copies a file in: only whole, and only with the right hash.
    pub(super) fn put(
        &self,
        file: &WeightFile,
        mut from: impl Read,
        origin: &str,
        progress: &mut ProgressCallback<'_>,
    ) -> Result<(), PullError> {
        let mut part = PartialFile::create(self, file)?;
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let taken = from
                .read(&mut piece)
                .map_err(|source| PullError::disk(Path::new(origin), source))?;
            part.write(piece.get(..taken).unwrap_or_default())?;
            progress(file.name, part.bytes, file.bytes);
            // A longer file is a wrong one: no need to see its end.
            if taken == 0 || part.bytes > file.bytes {
                return part.finish(origin);
            }
        }
    }

    /// Writes the hashes: from now on the folder counts as complete.
    pub(super) fn seal(&self) -> Result<(), PullError> {
        let lines = self.weights.files.iter().map(|file| sums_line(file.sha256, file.name));
        let path = self.path.join(SUMS_FILE);
        write_atomically(&path, lines.collect::<String>().as_bytes())
            .map_err(|source| PullError::disk(&path, source))
    }

    fn digest(&self, file: &WeightFile) -> Result<Option<String>, PullError> {
        match sha256_of(&self.path.join(file.name)) {
            Ok(digest) => Ok(Some(digest)),
            Err(WeightsError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// A file that is being fetched, beside its final place. If that is interrupted, it stays for the next pull to go on from.
pub(super) struct PartialFile<'a> {
    store: &'a WeightsStore,
    /// Which file it is to be.
    pub(super) file: &'a WeightFile,
    path: PathBuf,
    out: File,
    hasher: Sha256,
    /// How many bytes are there.
    pub(super) bytes: u64,
}

impl<'a> PartialFile<'a> {
    /// An empty one.
    pub(super) fn create(store: &'a WeightsStore, file: &'a WeightFile) -> Result<Self, PullError> {
        let mut part = Self::resume(store, file)?;
        part.empty()?;
        Ok(part)
    }

    /// One with what an earlier pull fetched.
    pub(super) fn resume(store: &'a WeightsStore, file: &'a WeightFile) -> Result<Self, PullError> {
        let path = store.path.join(format!(".{}.part", file.name));
        let open = |path: &Path| {
            let mut options = OpenOptions::new();
            options.create(true).read(true).append(true).mode(0o600).open(path)
        };
        let mut out = open(&path).map_err(|source| PullError::disk(&path, source))?;
        let mut hasher = Sha256::new();
        let bytes = hash(&mut out, &mut hasher).map_err(|source| PullError::disk(&path, source))?;
        let mut part = Self { store, file, path, out, hasher, bytes };
        if bytes > file.bytes {
            part.empty()?;
        }
        Ok(part)
    }

    /// Deletes what was fetched so far.
    pub(super) fn empty(&mut self) -> Result<(), PullError> {
        self.out.set_len(0).map_err(|source| PullError::disk(&self.path, source))?;
        self.hasher = Sha256::new();
        self.bytes = 0;
        Ok(())
    }

    /// Adds a piece.
    pub(super) fn write(&mut self, piece: &[u8]) -> Result<(), PullError> {
        self.out.write_all(piece).map_err(|source| PullError::disk(&self.path, source))?;
        self.hasher.update(piece);
        self.bytes += piece.len() as u64;
        Ok(())
    }

    /// Moves the file to its place, or deletes it where it is not the right one.
    pub(super) fn finish(self, origin: &str) -> Result<(), PullError> {
        let found = hex::encode(self.hasher.finalize());
        if found != self.file.sha256 {
            drop(std::fs::remove_file(&self.path));
            let (file, expected) = (self.file.name.to_owned(), self.file.sha256.to_owned());
            return Err(PullError::Wrong { file, origin: origin.to_owned(), expected, found });
        }
        let place = self.store.path.join(self.file.name);
        let written = self.out.sync_all();
        let moved = written.and_then(|()| std::fs::rename(&self.path, &place));
        moved
            .and_then(|()| File::open(&self.store.path)?.sync_all())
            .map_err(|source| PullError::disk(&place, source))
    }
}

fn hash(file: &mut File, hasher: &mut Sha256) -> io::Result<u64> {
    let mut piece = vec![0; PIECE_BYTES];
    let mut bytes = 0;
    loop {
        let taken = file.read(&mut piece)?;
        if taken == 0 {
            return Ok(bytes);
        }
        hasher.update(piece.get(..taken).unwrap_or_default());
        bytes += taken as u64;
    }
}
