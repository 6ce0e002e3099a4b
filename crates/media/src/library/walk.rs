//! Finds the audio files below a root: no links, no hidden names, bounded in depth and number.
//!
//! What could not be looked at is listed apart: nothing below it may be taken for missing.

use std::{
    ffi::OsStr,
    os::{
        fd::{AsFd as _, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::Path,
    sync::Arc,
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Stat},
    io::Errno,
};

use super::beneath::{open_folder, open_root};
use crate::limits::{FILES_MAX, FOLDER_DEPTH_MAX, PATH_BYTES_MAX, PROBLEMS_MAX};

/// Endings of files that are looked at, in lower case.
const ENDINGS: [&str; 19] = [
    "aac", "aif", "aifc", "aiff", "ape", "flac", "m4a", "m4b", "mp1", "mp2", "mp3", "mpc", "mpp",
    "oga", "ogg", "opus", "spx", "wav", "wv",
];

/// Names of pictures that are a folder's cover, in lower case, best first.
const FOLDER_IMAGES: [&str; 9] = [
    "cover.jpg",
    "cover.jpeg",
    "cover.png",
    "folder.jpg",
    "folder.jpeg",
    "folder.png",
    "front.jpg",
    "front.jpeg",
    "front.png",
];

/// What a file is known to be unchanged by. A program that writes tags may put size and time of writing back, but not the time
/// of the last change of its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) size: i64,
    pub(crate) mtime_ns: i64,
    pub(crate) ctime_ns: i64,
    /// The time of change of the folder's picture; 0 where there is none.
    pub(crate) image_ns: i64,
}

impl FileStamp {
    /// The stamp of a file as it is now, beside the same picture.
    pub(crate) fn of(stat: &Stat, image_ns: i64) -> Self {
        Self {
            size: stat.st_size,
            mtime_ns: nanos(stat.st_mtime, stat.st_mtime_nsec),
            ctime_ns: nanos(stat.st_ctime, stat.st_ctime_nsec),
            image_ns,
        }
    }
}

/// The types of these fields differ between systems.
fn nanos(seconds: impl TryInto<i64>, nanos: impl TryInto<i64>) -> i64 {
    let seconds = seconds.try_into().unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos.try_into().unwrap_or(0))
}

/// An audio file below a root.
#[derive(Clone, Debug)]
pub(crate) struct FoundFile {
    /// From the root on.
    pub(crate) path: Vec<u8>,
    pub(crate) stamp: FileStamp,
    /// The path of the folder's picture.
    pub(crate) image: Option<Arc<[u8]>>,
}

/// A folder that could not be looked at.
#[derive(Clone, Debug)]
pub(crate) struct UnreadFolder {
    /// From the root on; empty for the root itself.
    pub(crate) path: Vec<u8>,
    pub(crate) problem: String,
}

/// What is below a root.
#[derive(Debug, Default)]
pub(crate) struct WalkedRoot {
    /// By path.
    pub(crate) files: Vec<FoundFile>,
    pub(crate) unread: Vec<UnreadFolder>,
    /// A bound was reached: there may be more.
    pub(crate) is_cut: bool,
}

impl WalkedRoot {
    /// Whether it is known that nothing is at `path`: the folders on the way were all read.
    pub(crate) fn looked_at(&self, path: &[u8]) -> bool {
        let is_below = |folder: &UnreadFolder| {
            folder.path.is_empty()
                || path
                    .strip_prefix(folder.path.as_slice())
                    .is_some_and(|rest| rest.starts_with(b"/"))
        };
        !self.is_cut && !self.unread.iter().any(is_below)
    }
}

/// Walks through a root. An error is of the root itself.
pub(crate) fn walk(root: &Path, files_left: usize) -> Result<WalkedRoot, Errno> {
    let folder = open_root(root)?;
    let mut walk = Walk { found: WalkedRoot::default(), files_left: files_left.min(FILES_MAX) };
    let entries = read_names(folder.as_fd())?;
    walk.folder(folder.as_fd(), &[], entries, 0);
    Ok(walk.found)
}

struct Walk {
    found: WalkedRoot,
    files_left: usize,
}

impl Walk {
    fn folder(&mut self, folder: BorrowedFd<'_>, path: &[u8], names: Vec<Vec<u8>>, depth: usize) {
        let image = find_image(folder, path, &names);
        for name in names {
            let below = join(path, &name);
            if below.len() > PATH_BYTES_MAX {
                self.found.is_cut = true;
                continue;
            }
            match rustix::fs::statat(folder, OsStr::from_bytes(&name), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Directory => self.subfolder(folder, &name, &below, depth + 1),
                    FileType::RegularFile if is_audio(&name) => {
                        self.file(below, &stat, image.as_ref());
                    }
                    _ => {}
                },
                // Gone since the folder was read.
                Err(Errno::NOENT) => {}
                Err(errno) => self.unread(below, errno),
            }
        }
    }

    fn subfolder(&mut self, parent: BorrowedFd<'_>, name: &[u8], path: &[u8], depth: usize) {
        if depth > FOLDER_DEPTH_MAX {
            self.found.is_cut = true;
            return;
        }
        let opened = open_folder(parent, name);
        let read = opened.and_then(|folder: OwnedFd| {
            let names = read_names(folder.as_fd())?;
            Ok((folder, names))
        });
        match read {
            Ok((folder, names)) => self.folder(folder.as_fd(), path, names, depth),
            Err(Errno::NOENT) => {}
            Err(errno) => self.unread(path.to_vec(), errno),
        }
    }

    fn file(&mut self, path: Vec<u8>, stat: &Stat, image: Option<&(Arc<[u8]>, i64)>) {
        if self.files_left == 0 {
            self.found.is_cut = true;
            return;
        }
        self.files_left -= 1;
        let stamp = FileStamp::of(stat, image.map_or(0, |(_, changed_ns)| *changed_ns));
        let image = image.map(|(path, _)| Arc::clone(path));
        self.found.files.push(FoundFile { path, stamp, image });
    }

    fn unread(&mut self, path: Vec<u8>, errno: Errno) {
        if self.found.unread.len() < PROBLEMS_MAX {
            self.found.unread.push(UnreadFolder { path, problem: errno.to_string() });
        } else {
            self.found.is_cut = true;
        }
    }
}

/// The picture beside a file.
pub(crate) fn image_beside(root: &OwnedFd, path: &[u8]) -> Option<Arc<[u8]>> {
    let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    let above = path.get(..end)?;
    let mut folder = open_folder(root.as_fd(), b".").ok()?;
    for part in above.split(|byte| *byte == b'/').filter(|part| !part.is_empty()) {
        folder = open_folder(folder.as_fd(), part).ok()?;
    }
    let names = read_names(folder.as_fd()).ok()?;
    find_image(folder.as_fd(), above, &names).map(|(path, _)| path)
}

/// The names in a folder, in order, without hidden ones.
fn read_names(folder: BorrowedFd<'_>) -> Result<Vec<Vec<u8>>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if !name.starts_with(b".") {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn find_image(folder: BorrowedFd<'_>, path: &[u8], names: &[Vec<u8>]) -> Option<(Arc<[u8]>, i64)> {
    let rank = |name: &[u8]| FOLDER_IMAGES.iter().position(|image| equals(name, image));
    let (_, name) = names.iter().filter_map(|name| Some((rank(name)?, name))).min()?;
    let found = rustix::fs::statat(folder, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW);
    let stat =
        found.ok().filter(|s| FileType::from_raw_mode(s.st_mode) == FileType::RegularFile)?;
    Some((join(path, name).into(), nanos(stat.st_ctime, stat.st_ctime_nsec)))
}

fn equals(name: &[u8], text: &str) -> bool {
    name.eq_ignore_ascii_case(text.as_bytes())
}

fn is_audio(name: &[u8]) -> bool {
    let ending = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    ending.len() < name.len() && ENDINGS.iter().any(|known| equals(ending, known))
}

fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.is_empty() { name.to_vec() } else { [path, b"/", name].concat() }
}
