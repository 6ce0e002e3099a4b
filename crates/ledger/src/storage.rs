//! Where the ledger's files are: a trait, so that a test can simulate a disk that fails.
//!
//! A storage is one folder of files by name. It must never hide an error of the disk, and never retry one.

use std::{fmt, io};

mod file;
mod regular;
mod room;

#[cfg(feature = "fault")]
pub mod fault;

pub use file::FileStorage;
pub use regular::{LinkRule, open_folder, open_regular, require_folder};
pub use room::{NoRoomError, RESERVED_BYTES, check_room};

/// A folder of files by name.
pub trait Storage: Send + Sync + fmt::Debug {
    /// The names of the files in the folder, in any order.
    fn list(&self) -> io::Result<Vec<String>>;
    /// Opens a file.
    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn StoredFile>>;
    /// Gives a file another name, replacing what had it.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Makes names durable: creations, renames and removals so far.
    fn sync_folder(&self) -> io::Result<()>;
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading what exists.
    Read,
    /// Reading and writing what exists.
    Write,
    /// Reading and writing; created if it is not there.
    Extend,
    /// Reading and writing; a new empty file in place of what had its name.
    Create,
}

/// An open file. All positions are given: there is no cursor to share.
pub trait StoredFile: Send + Sync + fmt::Debug {
    /// Its length in bytes.
    fn size(&self) -> io::Result<u64>;
    /// Reads at a position; fewer bytes than asked for, or none at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all bytes at a position, extending the file where needed.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Cuts or extends the file.
    fn set_size(&self, size: u64) -> io::Result<()>;
    /// Makes content durable, and so much of the metadata as reading it back needs (its length among them).
    fn sync_content(&self) -> io::Result<()>;
    /// Makes content and all metadata durable.
    fn sync_all(&self) -> io::Result<()>;
}

/// Reads up to `length` bytes at a position; fewer at the end of the file.
pub fn read_up_to(file: &dyn StoredFile, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read_at(room, offset + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Longest file beside the segments that is read whole.
const SMALL_FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Reads a whole side or index file.
pub(crate) fn read_file(storage: &dyn Storage, name: &str) -> io::Result<Vec<u8>> {
    let file = storage.open(name, Access::Read)?;
    let size = file.size()?;
    if size > SMALL_FILE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    read_up_to(&*file, 0, to_usize(size))
}

/// Puts a whole file in place of the one of that name, so that either the old or the new one stands after a crash.
pub fn replace_file(storage: &dyn Storage, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = format!("{name}.tmp");
    let file = storage.open(&temporary, Access::Create)?;
    file.write_at(bytes, 0)?;
    file.sync_all()?;
    storage.rename(&temporary, name)?;
    storage.sync_folder()
}

/// Narrows a length to this machine's; a length beyond it cannot be read here and fails where it is used.
pub(crate) fn to_usize(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
