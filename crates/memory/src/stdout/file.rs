//! One entity's file: opened, appended to, cut, set aside. It knows nothing of what its lines mean.
//!
//! A name of an entity is checked before it comes here, so that `@name.jsonl` cannot leave the folder.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use abide_domain::EntityName;
use abide_ledger::{
    FileStorage, Storage as _,
    storage::{Access, StoredFile, check_room},
};

use super::error::StdoutError;

/// Most files of one entity that are set aside.
const SET_ASIDE_MAX: u32 = 10_000;

/// The file of one entity.
#[derive(Debug)]
pub(super) struct LogFile {
    storage: FileStorage,
    name: String,
}

/// What tells one state of a file from another without reading it; the default where there is no file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FileStamp {
    /// In bytes.
    pub(super) size: u64,
    /// Device and inode: another file in its place is another one.
    id: (u64, u64),
    /// The last write, in seconds and nanoseconds.
    written: (i64, i64),
    /// The last write or change of its attributes, which no program can set back.
    changed: (i64, i64),
}

impl LogFile {
    pub(super) fn new(folder: &Path, entity: &EntityName) -> Self {
        Self { storage: FileStorage::at(folder), name: format!("{entity}.jsonl") }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.storage.folder().join(&self.name)
    }

    /// Wraps an error of the disk.
    pub(super) fn failed(
        &self,
        doing: &'static str,
    ) -> impl FnOnce(io::Error) -> StdoutError + use<> {
        let path = self.path();
        move |source| StdoutError::Io { path, doing, source }
    }

    /// Opens it for reading; `None` where there is none.
    pub(super) fn open(&self) -> Result<Option<Box<dyn StoredFile>>, StdoutError> {
        match self.storage.open(&self.name, Access::Read) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed("read")(error)),
        }
    }

    /// Its present state; `None` where a link, a pipe or a folder stands in its place.
    pub(super) fn stamp(&self) -> Result<Option<FileStamp>, StdoutError> {
        match fs::symlink_metadata(self.path()) {
            Ok(metadata) => Ok(metadata.is_file().then(|| FileStamp {
                size: metadata.len(),
                id: (metadata.dev(), metadata.ino()),
                written: (metadata.mtime(), metadata.mtime_nsec()),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(FileStamp::default())),
            Err(error) => Err(self.failed("read")(error)),
        }
    }

    /// Writes whole lines at its end in one write. What a failed write left is cut off again, or else by the next start.
    pub(super) fn append(&self, lines: &[u8], end: u64) -> Result<(), StdoutError> {
        check_room(self.storage.folder()).map_err(|full| self.failed("written")(full.into()))?;
        let written = self.open_to_write().and_then(|file| {
            file.write_at(lines, end).inspect_err(|_| {
                // The write's own error is the one that counts.
                drop(file.set_size(end));
            })
        });
        written.map_err(self.failed("written"))
    }

    fn open_to_write(&self) -> io::Result<Box<dyn StoredFile>> {
        match self.storage.open(&self.name, Access::Extend) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.storage.folder())?;
                self.storage.open(&self.name, Access::Extend)
            }
            opened => opened,
        }
    }

    /// Cuts the file off at an offset.
    pub(super) fn cut(&self, end: u64) -> Result<(), StdoutError> {
        let cut = self.open_to_write().and_then(|file| file.set_size(end));
        cut.map_err(self.failed("cut"))
    }

    /// Gives it a name of its own, so that another can be written in its place.
    pub(super) fn set_aside(&self) -> Result<PathBuf, StdoutError> {
        let free = (1..=SET_ASIDE_MAX)
            .map(|number| format!("{}.foreign-{number}", self.name))
            .find(|name| !self.storage.folder().join(name).exists());
        let moved = free
            .ok_or_else(|| io::Error::other("too many files of it were set aside"))
            .and_then(|name| self.storage.rename(&self.name, &name).map(|()| name));
        moved.map(|name| self.storage.folder().join(name)).map_err(self.failed("set aside"))
    }
}
