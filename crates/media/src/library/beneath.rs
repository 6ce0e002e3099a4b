//! Opens folders and files below a root without ever following a link.
//!
//! A root's own path is a person's and may lead through links. Below it each name is opened by itself and must not be one, so
//! that a folder that is swapped for a link meanwhile leads nowhere.

use std::{
    ffi::OsStr,
    fs::File,
    os::{
        fd::{AsFd as _, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::Path,
};

use rustix::{
    fs::{FileType, Mode, OFlags, Stat},
    io::Errno,
};

const FOLDER_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK);

/// A pipe or a device must neither be waited for nor become our terminal.
const FILE_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// Opens a root.
pub(crate) fn open_root(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::open(path, FOLDER_FLAGS.difference(OFlags::NOFOLLOW), Mode::empty())
}

/// Opens a folder in an open one.
pub(crate) fn open_folder(parent: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(parent, OsStr::from_bytes(name), FOLDER_FLAGS, Mode::empty())
}

/// Opens a regular file by its path below a root.
pub(crate) fn open_file(root: BorrowedFd<'_>, path: &[u8]) -> Result<(File, Stat), Errno> {
    let mut parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    let name = parts.pop().unwrap_or_default();
    let mut folder: Option<OwnedFd> = None;
    for part in parts {
        let parent = folder.as_ref().map_or(root, |folder| folder.as_fd());
        folder = Some(open_folder(parent, part)?);
    }
    let parent = folder.as_ref().map_or(root, |folder| folder.as_fd());
    let file = rustix::fs::openat(parent, OsStr::from_bytes(name), FILE_FLAGS, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Errno::INVAL);
    }
    Ok((File::from(file), stat))
}
