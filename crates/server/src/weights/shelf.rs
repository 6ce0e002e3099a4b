//! The folder of one embedder's weights: which files are there and whole, and the one way in for a new one.

use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use abide_models::{SUMS_FILE, WeightsError, sha256_of, sums_line};
use sha2::{Digest as _, Sha256};

use super::{
    PullError, Watch,
    table::{WeightFile, Weights},
};
use crate::home::write_atomically;

/// How much is copied at once.
const PIECE_BYTES: usize = 256 * 1024;

/// A folder of weights; need not exist yet.
#[derive(Debug)]
pub(crate) struct Shelf {
    path: PathBuf,
    /// What is to lie there.
    pub(crate) weights: &'static Weights,
}

/// What lies in a folder of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shelved {
    /// All files, each with the right hash.
    Ready,
    /// None of them.
    Absent,
    /// Only some; a pull fetches the others.
    Partly,
    /// A file that is not what it should be.
    Damaged(String),
}

/// Held while a folder is filled.
#[derive(Debug)]
pub(crate) struct ShelfLock {
    _file: File,
}

impl Shelf {
    /// The folder of some weights among all models.
    pub(crate) fn of(models: &Path, weights: &'static Weights) -> Self {
        Self { path: super::folder_of(models, weights.embedder), weights }
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Looks at every byte of what is there.
    pub(crate) fn look(&self) -> Result<Shelved, PullError> {
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
                    return Ok(Shelved::Damaged(problem));
                }
            }
        }
        Ok(match there {
            0 => Shelved::Absent,
            _ if there == self.weights.files.len() => Shelved::Ready,
            _ => Shelved::Partly,
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
    pub(super) fn lock(&self) -> Result<ShelfLock, PullError> {
        let mut folders = DirBuilder::new();
        let made = folders.recursive(true).mode(0o700).create(&self.path);
        made.map_err(|source| disk(&self.path, source))?;
        let path = self.path.join(".lock");
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        let file = file.map_err(|source| disk(&path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(ShelfLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(PullError::Busy { folder: self.path.clone() }),
            Err(TryLockError::Error(source)) => Err(disk(&path, source)),
        }
    }

    /// Copies a file in: only whole, and only with the right hash.
    pub(super) fn put(
        &self,
        file: &WeightFile,
        mut from: impl Read,
        origin: &str,
        watch: &mut Watch<'_>,
    ) -> Result<(), PullError> {
        let mut part = Part::create(self, file)?;
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let taken = from.read(&mut piece).map_err(|source| disk(Path::new(origin), source))?;
            part.write(piece.get(..taken).unwrap_or_default())?;
            watch(file.name, part.bytes, file.bytes);
            // A longer file is a wrong one: no need to see its end.
            if taken == 0 || part.bytes > file.bytes {
                return part.finish(origin);
            }
        }
    }

    /// Writes down the hashes: from now on the folder counts as whole.
    pub(super) fn seal(&self) -> Result<(), PullError> {
        let lines = self.weights.files.iter().map(|file| sums_line(file.sha256, file.name));
        let path = self.path.join(SUMS_FILE);
        write_atomically(&path, lines.collect::<String>().as_bytes())
            .map_err(|source| disk(&path, source))
    }

    fn digest(&self, file: &WeightFile) -> Result<Option<String>, PullError> {
        match sha256_of(&self.path.join(file.name)) {
            Ok(digest) => Ok(Some(digest)),
            Err(WeightsError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// A file on its way in, beside its place. What has come stays there if the way breaks, for the next pull to go on from.
pub(super) struct Part<'a> {
    shelf: &'a Shelf,
    /// Which file it is to be.
    pub(super) file: &'a WeightFile,
    path: PathBuf,
    out: File,
    hasher: Sha256,
    /// How much is there.
    pub(super) bytes: u64,
}

impl<'a> Part<'a> {
    /// An empty one.
    pub(super) fn create(shelf: &'a Shelf, file: &'a WeightFile) -> Result<Self, PullError> {
        let mut part = Self::resume(shelf, file)?;
        part.empty()?;
        Ok(part)
    }

    /// One with what an earlier pull left.
    pub(super) fn resume(shelf: &'a Shelf, file: &'a WeightFile) -> Result<Self, PullError> {
        let path = shelf.path.join(format!(".{}.part", file.name));
        let open = |path: &Path| {
            let mut options = OpenOptions::new();
            options.create(true).read(true).append(true).mode(0o600).open(path)
        };
        let mut out = open(&path).map_err(|source| disk(&path, source))?;
        let mut hasher = Sha256::new();
        let bytes = hash(&mut out, &mut hasher).map_err(|source| disk(&path, source))?;
        let mut part = Self { shelf, file, path, out, hasher, bytes };
        if bytes > file.bytes {
            part.empty()?;
        }
        Ok(part)
    }

    /// Throws away what has come.
    pub(super) fn empty(&mut self) -> Result<(), PullError> {
        self.out.set_len(0).map_err(|source| disk(&self.path, source))?;
        self.hasher = Sha256::new();
        self.bytes = 0;
        Ok(())
    }

    /// Adds a piece.
    pub(super) fn write(&mut self, piece: &[u8]) -> Result<(), PullError> {
        self.out.write_all(piece).map_err(|source| disk(&self.path, source))?;
        self.hasher.update(piece);
        self.bytes += piece.len() as u64;
        Ok(())
    }

    /// Puts the file in its place, or throws it away where it is not the right one.
    pub(super) fn finish(self, origin: &str) -> Result<(), PullError> {
        let found = hex::encode(self.hasher.finalize());
        if found != self.file.sha256 {
            drop(std::fs::remove_file(&self.path));
            let (file, expected) = (self.file.name.to_owned(), self.file.sha256.to_owned());
            return Err(PullError::Wrong { file, origin: origin.to_owned(), expected, found });
        }
        let place = self.shelf.path.join(self.file.name);
        let kept = self.out.sync_all();
        let kept = kept.and_then(|()| std::fs::rename(&self.path, &place));
        kept.and_then(|()| File::open(&self.shelf.path)?.sync_all())
            .map_err(|source| disk(&place, source))
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

pub(super) fn disk(path: &Path, source: io::Error) -> PullError {
    PullError::Disk { path: path.to_owned(), source }
}
