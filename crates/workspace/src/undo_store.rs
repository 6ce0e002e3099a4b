//! What an agent changed, so that it can be taken back: a folder that the agent cannot reach, one for each agent.
//!
//! ```text
//! <id>.json   what the change did            written and synced first
//! <id>.old    what was there before          the copy of a file, or what was removed itself
//! ```
//!
//! The change itself comes last, so that a crash at any step leaves the file, or what is kept of it, or both. An entry whose
//! change did not come about is harmless: taking it back finds the file as it was, or not as the change would have left it.
//! Entries go by age, and the oldest first where there are too many.

use std::{fs::File, io, os::unix::fs::DirBuilderExt as _, path::Path, time::Duration};

use abide_domain::Timestamp;
use abide_tools::{ToolError, ToolErrorKind};
use rustix::{
    fd::{AsFd as _, BorrowedFd, OwnedFd},
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat},
    io::Errno,
};

use crate::{
    beneath::{
        Place, changed_meanwhile, is_same_file, kind, open_regular, open_subfolder, stat_entry,
    },
    limits::{
        REMOVE_ENTRIES_MAX, UNDO_BYTES_MAX, UNDO_ENTRIES_MAX, UNDO_ENTRY_BYTES_MAX, UNDO_KEEP,
        WALK_DEPTH_MAX,
    },
    old_file::read_start,
    replace_file::{FileAttributes, create_file, is_unchanged, rename_to_new, sync_changed},
    undo_entry::UndoEntry,
};

/// How much is kept to be taken back, for each agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoLimits {
    /// How long.
    pub keep: Duration,
    /// Bytes in all. A change that would have to keep more is refused.
    pub bytes: u64,
    /// Changes.
    pub entries: usize,
}

impl Default for UndoLimits {
    fn default() -> Self {
        Self { keep: UNDO_KEEP, bytes: UNDO_BYTES_MAX, entries: UNDO_ENTRIES_MAX }
    }
}

/// The undo folder of an agent.
#[derive(Debug)]
pub(crate) struct UndoStore {
    folder: OwnedFd,
    limits: UndoLimits,
}

impl UndoStore {
    /// Opens the folder, and makes it where it is missing.
    pub(crate) fn open(path: &Path, limits: UndoLimits) -> Result<Self, ToolError> {
        let unavailable = |error: &dyn std::fmt::Display| {
            let message =
                format!("the undo folder cannot be opened, so nothing is changed: {error}");
            ToolError::of(ToolErrorKind::Upstream, message)
        };
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(path).map_err(|error| unavailable(&error))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty()).map_err(|e| unavailable(&e))?;
        Ok(Self { folder, limits })
    }

    /// Notes a change that is about to be made; older ones make room for it.
    pub(crate) fn begin(&self, entry: &UndoEntry, now: Timestamp) -> Result<(), ToolError> {
        if entry.bytes > self.limits.bytes {
            let message = format!(
                "`{}` could not be taken back afterwards: it has {} bytes, and {} are kept in all. Nothing was changed",
                entry.path, entry.bytes, self.limits.bytes
            );
            return Err(ToolError::of(ToolErrorKind::Blocked, message));
        }
        if !self.make_room(entry.bytes, now) {
            let message = format!(
                "`{}` could not be taken back afterwards: the undo folder is full, and nothing of it can be removed. Nothing was changed",
                entry.path
            );
            return Err(ToolError::of(ToolErrorKind::Blocked, message));
        }
        let text = serde_json::to_vec(entry)
            .map_err(|error| not_kept(&entry.path, &io::Error::other(error)))?;
        let name = note_name(&entry.id);
        create_file(self.fd(), &name, &entry.id, &mut text.as_slice(), FileAttributes::Private)
            .map_err(|error| not_kept(&entry.path, &error))
    }

    /// Keeps a copy of what a file contained.
    pub(crate) fn keep_copy(&self, entry: &UndoEntry, bytes: &[u8]) -> Result<(), ToolError> {
        let name = kept_name(&entry.id);
        create_file(self.fd(), &name, &entry.id, &mut &*bytes, FileAttributes::Private)
            .map_err(|error| not_kept(&entry.path, &error))
    }

    /// Moves a file or folder out of its place and keeps it.
    pub(crate) fn take(
        &self,
        entry: &UndoEntry,
        place: &Place,
        stat: &Stat,
    ) -> Result<(), ToolError> {
        let name = kept_name(&entry.id);
        let parent = place.parent.as_fd();
        match rename_to_new(parent, &place.name, self.fd(), &name, entry.is_folder) {
            Ok(()) => {
                let taken = stat_entry(self.fd(), &name);
                let is_it = |taken: &Stat| {
                    // The time of a folder changes with what is in it, which comes along.
                    if entry.is_folder {
                        is_same_file(stat, taken)
                    } else {
                        is_unchanged(stat, taken)
                    }
                };
                if !taken.is_ok_and(|taken| is_it(&taken)) {
                    rename_to_new(self.fd(), &name, parent, &place.name, entry.is_folder)
                        .map_err(|errno| place.refusal("put back", errno))?;
                    return Err(changed_meanwhile(&place.path.to_text()));
                }
                self.sync(&entry.path)?;
                sync_changed(place)
            }
            Err(Errno::XDEV) if entry.is_folder => {
                let message = format!(
                    "`{}` is on another file system than the undo folder; only files can be removed there, one by one",
                    entry.path
                );
                Err(ToolError::of(ToolErrorKind::Blocked, message))
            }
            Err(Errno::XDEV) => self.take_copy(entry, place, stat),
            Err(Errno::NOENT) => Err(changed_meanwhile(&place.path.to_text())),
            Err(errno) => Err(place.refusal("removed", errno)),
        }
    }

    /// The same across file systems: the file is copied and synced before its name is taken away.
    fn take_copy(&self, entry: &UndoEntry, place: &Place, stat: &Stat) -> Result<(), ToolError> {
        let (file, opened) = place.open_file()?;
        let mut file = File::from(file);
        let name = kept_name(&entry.id);
        create_file(self.fd(), &name, &entry.id, &mut file, FileAttributes::Of(&opened))
            .map_err(|error| not_kept(&entry.path, &error))?;
        let now = place.stat()?;
        if !now.is_some_and(|now| is_unchanged(stat, &now) && is_unchanged(&opened, &now)) {
            return Err(changed_meanwhile(&place.path.to_text()));
        }
        rustix::fs::unlinkat(&place.parent, place.name.as_str(), AtFlags::empty())
            .map_err(|errno| place.refusal("removed", errno))?;
        sync_changed(place)
    }

    /// Puts back what was removed, where nothing is now.
    pub(crate) fn put_back(&self, entry: &UndoEntry, place: &Place) -> Result<(), ToolError> {
        let name = kept_name(&entry.id);
        let failed = |errno| place.refusal("put back", errno);
        match rename_to_new(self.fd(), &name, place.parent.as_fd(), &place.name, entry.is_folder) {
            Ok(()) => {}
            Err(Errno::XDEV) if !entry.is_folder => {
                let (file, stat) = self.open_kept(&name).map_err(failed)?;
                let mut file = File::from(file);
                let attributes = FileAttributes::Of(&stat);
                create_file(place.parent.as_fd(), &place.name, &entry.id, &mut file, attributes)
                    .map_err(|error| failed(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
            }
            Err(errno) => return Err(failed(errno)),
        }
        sync_changed(place)?;
        self.forget(entry);
        Ok(())
    }

    /// The copy of what a file contained.
    pub(crate) fn kept_copy(
        &self,
        entry: &UndoEntry,
        bytes_max: usize,
    ) -> Result<Vec<u8>, ToolError> {
        self.open_kept(&kept_name(&entry.id))
            .and_then(|(file, _)| read_start(file, bytes_max))
            .map_err(|errno| {
                let message = format!("what was kept of `{}` cannot be read: {errno}", entry.path);
                ToolError::of(ToolErrorKind::Upstream, message)
            })
    }

    /// Forgets a change: what is kept goes before the note of it, so that nothing is left without one. False where it could not.
    pub(crate) fn forget(&self, entry: &UndoEntry) -> bool {
        let kept = kept_name(&entry.id);
        let is_gone = match remove_tree(self.fd(), &kept, 0) {
            Ok(()) | Err(Errno::NOENT) => true,
            // Tried again when room is made.
            Err(_) => false,
        };
        if is_gone {
            let _ = rustix::fs::unlinkat(&self.folder, note_name(&entry.id), AtFlags::empty());
        }
        is_gone
    }

    /// The changes that can be taken back, the newest first.
    pub(crate) fn entries(&self, now: Timestamp) -> Vec<UndoEntry> {
        let mut entries = self.all();
        entries.retain(|entry| !self.is_expired(entry, now) && self.is_whole(entry));
        entries.reverse();
        entries
    }

    /// All notes, the oldest first.
    fn all(&self) -> Vec<UndoEntry> {
        let Ok(names) = Dir::read_from(&self.folder) else { return Vec::new() };
        let mut entries: Vec<UndoEntry> =
            names.flatten().filter_map(|name| self.read(name.file_name().to_str().ok()?)).collect();
        entries.sort_by(|one, other| (one.at_micros, &one.id).cmp(&(other.at_micros, &other.id)));
        entries
    }

    fn read(&self, name: &str) -> Option<UndoEntry> {
        let id = name.strip_suffix(NOTE_SUFFIX)?;
        let (file, _) = open_regular(self.fd(), name).ok()??;
        let text = read_start(file, UNDO_ENTRY_BYTES_MAX).ok()?;
        serde_json::from_slice(&text).ok().filter(|entry: &UndoEntry| entry.id == id)
    }

    fn is_expired(&self, entry: &UndoEntry, now: Timestamp) -> bool {
        now.since(entry.at()) > self.limits.keep
    }

    /// Whether something is kept for an entry.
    pub(crate) fn has_kept(&self, entry: &UndoEntry) -> bool {
        stat_entry(self.fd(), &kept_name(&entry.id)).is_ok()
    }

    /// Whether what an entry needs to be taken back is there.
    fn is_whole(&self, entry: &UndoEntry) -> bool {
        !entry.keeps() || self.has_kept(entry)
    }

    /// Forgets the oldest changes until so many bytes have room; false where they have none.
    fn make_room(&self, bytes: u64, now: Timestamp) -> bool {
        let entries = self.all();
        let mut left = entries.len();
        let mut kept: u64 = entries.iter().map(|entry| entry.bytes).fold(0, u64::saturating_add);
        for entry in &entries {
            let is_full = left >= self.limits.entries.max(1)
                || kept.saturating_add(bytes) > self.limits.bytes;
            let is_to_go = is_full || self.is_expired(entry, now) || !self.is_whole(entry);
            if is_to_go && self.forget(entry) {
                left = left.saturating_sub(1);
                kept = kept.saturating_sub(entry.bytes);
            }
        }
        kept.saturating_add(bytes) <= self.limits.bytes
    }

    fn open_kept(&self, name: &str) -> Result<(OwnedFd, Stat), Errno> {
        open_regular(self.fd(), name)?.ok_or(Errno::NOENT)
    }

    fn sync(&self, path: &str) -> Result<(), ToolError> {
        rustix::fs::fsync(&self.folder).map_err(|errno| {
            let message = format!("`{path}` was removed, but the disk did not confirm it: {errno}");
            ToolError::of(ToolErrorKind::Unknown, message)
        })
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

const NOTE_SUFFIX: &str = ".json";

fn note_name(id: &str) -> String {
    format!("{id}{NOTE_SUFFIX}")
}

fn kept_name(id: &str) -> String {
    format!("{id}.old")
}

fn not_kept(path: &str, error: &io::Error) -> ToolError {
    let message =
        format!("`{path}` is not changed: what is there could not be kept for undo ({error})");
    ToolError::of(ToolErrorKind::Upstream, message)
}

/// Bytes and entries of a file or folder; refuses one that is too large to be looked through.
pub(crate) fn measure(place: &Place, stat: &Stat) -> Result<(u64, usize), ToolError> {
    let mut total = (0, 0);
    measure_entry(place.parent.as_fd(), &place.name, stat, &mut total, 0).map_err(|errno| {
        if errno == Errno::OVERFLOW {
            let message = format!(
                "`{}` has more than {REMOVE_ENTRIES_MAX} entries or is deeper than {WALK_DEPTH_MAX} folders; remove parts of it",
                place.path.to_text()
            );
            return ToolError::of(ToolErrorKind::Blocked, message);
        }
        place.refusal("looked through", errno)
    })?;
    Ok(total)
}

fn measure_entry(
    parent: BorrowedFd<'_>,
    name: &str,
    stat: &Stat,
    total: &mut (u64, usize),
    depth: usize,
) -> Result<(), Errno> {
    total.0 = total.0.saturating_add(u64::try_from(stat.st_size).unwrap_or(0));
    total.1 += 1;
    if total.1 > REMOVE_ENTRIES_MAX || depth > WALK_DEPTH_MAX {
        return Err(Errno::OVERFLOW);
    }
    if kind(stat) != FileType::Directory {
        return Ok(());
    }
    let folder = open_subfolder(parent, name)?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        if is_dots(entry.file_name()) {
            continue;
        }
        // Names that are not text count without what is in them.
        let Ok(name) = entry.file_name().to_str() else {
            total.1 += 1;
            continue;
        };
        let stat = stat_entry(folder.as_fd(), name)?;
        measure_entry(folder.as_fd(), name, &stat, total, depth + 1)?;
    }
    Ok(())
}

fn is_dots(name: &std::ffi::CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// Removes a file, or a folder with all that is in it, following nothing.
pub(crate) fn remove_tree(
    parent: BorrowedFd<'_>,
    name: impl rustix::path::Arg + Copy,
    depth: usize,
) -> Result<(), Errno> {
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if kind(&stat) != FileType::Directory {
        return rustix::fs::unlinkat(parent, name, AtFlags::empty());
    }
    if depth > WALK_DEPTH_MAX {
        return Err(Errno::OVERFLOW);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // A folder that may not be changed is ours all the same here, and would be kept for ever.
    rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty())?;
    let folder = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        if !is_dots(entry.file_name()) {
            remove_tree(folder.as_fd(), entry.file_name(), depth + 1)?;
        }
    }
    rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
}
