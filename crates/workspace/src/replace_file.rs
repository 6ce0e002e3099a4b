//! Writes a file so that there is the old one or the new one whatever happens: a new file beside it, synced, renamed.
//!
//! The new file and the old one are exchanged in one step, and what came out is looked at: where it is not what was read,
//! they are exchanged back. What a killed process leaves has a name of its own and is removed at the next change in that
//! folder. Permissions and owner of the old file are kept, or nothing is changed. Extended attributes are not kept.

use std::{
    fs::File,
    io::{self, Read, Write as _},
};

use abide_tools::{ToolError, ToolErrorKind};
use rustix::{
    fd::{AsFd as _, BorrowedFd, OwnedFd},
    fs::{AtFlags, Dir, FlockOperation, Gid, Mode, OFlags, RenameFlags, Stat, Uid},
    io::Errno,
};

use crate::{
    beneath::{Place, changed_meanwhile, is_same_file, open_regular, stat_entry},
    limits::{SWEEP_NAMES_MAX, TEMPORARY_PREFIX},
};

/// How often a file is put back that another program writes again and again.
const EXCHANGES_MAX: usize = 16;
/// Permissions of a new file, less what the process masks.
const NEW_FILE_MODE: Mode = Mode::from_bits_retain(0o666);
/// Permissions of a file while it is written.
const PRIVATE_MODE: Mode = Mode::from_bits_retain(0o600);

/// Permissions and owner that a new file gets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileAttributes<'a> {
    /// Those of any new file.
    New,
    /// Only for this process's user.
    Private,
    /// Those of another file.
    Of(&'a Stat),
}

/// A file under its temporary name, which goes away with it.
struct TemporaryFile<'a> {
    parent: BorrowedFd<'a>,
    name: String,
    /// Holds the lock that says that somebody still writes it.
    file: File,
}

impl<'a> TemporaryFile<'a> {
    fn write(
        parent: BorrowedFd<'a>,
        unique: &str,
        content: &mut dyn Read,
        attributes: FileAttributes<'_>,
    ) -> io::Result<Self> {
        let name = format!("{TEMPORARY_PREFIX}{unique}");
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = match attributes {
            FileAttributes::New => NEW_FILE_MODE,
            FileAttributes::Private | FileAttributes::Of(_) => PRIVATE_MODE,
        };
        let file = File::from(rustix::fs::openat(parent, name.as_str(), flags, mode)?);
        let mut temporary = Self { parent, name, file };
        rustix::fs::flock(&temporary.file, FlockOperation::NonBlockingLockExclusive)?;
        io::copy(content, &mut temporary.file)?;
        temporary.file.flush()?;
        if let FileAttributes::Of(stat) = attributes {
            keep_attributes(&temporary.file, stat)?;
        }
        temporary.file.sync_all()?;
        Ok(temporary)
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        // Once it is renamed there is nothing of that name; else the next change sweeps it.
        let _ = rustix::fs::unlinkat(self.parent, self.name.as_str(), AtFlags::empty());
    }
}

fn keep_attributes(file: &File, of: &Stat) -> io::Result<()> {
    let made = rustix::fs::fstat(file)?;
    if (made.st_uid, made.st_gid) != (of.st_uid, of.st_gid) {
        let (owner, group) = (Uid::from_raw(of.st_uid), Gid::from_raw(of.st_gid));
        rustix::fs::fchown(file, Some(owner), Some(group))?;
    }
    // After the owner, as a change of owner takes set-user-id away.
    rustix::fs::fchmod(file, Mode::from_raw_mode(of.st_mode))?;
    Ok(())
}

/// Makes a file where nothing is. Fails with `EXIST` where something is.
pub(crate) fn create_file(
    parent: BorrowedFd<'_>,
    name: &str,
    unique: &str,
    content: &mut dyn Read,
    attributes: FileAttributes<'_>,
) -> io::Result<()> {
    sweep(parent);
    let temporary = TemporaryFile::write(parent, unique, content, attributes)?;
    rename_to_new(parent, &temporary.name, parent, name, false)?;
    rustix::fs::fsync(parent).map_err(|errno| io::Error::other(UnconfirmedError(errno)))
}

/// A file is there, and the disk did not confirm it.
#[derive(Debug, thiserror::Error)]
#[error("the disk did not confirm it: {0}")]
pub(crate) struct UnconfirmedError(Errno);

/// Whether a file may be there although it could not be created.
pub(crate) fn is_unconfirmed(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<UnconfirmedError>()).is_some()
}

/// Puts a new content in the place of a file that was read before, if it is still that file.
pub(crate) fn replace_file(
    place: &Place,
    read: &Stat,
    unique: &str,
    content: &[u8],
) -> Result<(), ToolError> {
    let parent = place.parent.as_fd();
    sweep(parent);
    let attributes = FileAttributes::Of(read);
    let temporary = TemporaryFile::write(parent, unique, &mut &*content, attributes)
        .map_err(|error| not_written(place, &error))?;
    place.check_unmoved()?;
    let (new, name) = (temporary.name.as_str(), place.name.as_str());
    let failed = |errno: Errno| match errno {
        Errno::NOENT => changed_meanwhile(&place.path.to_text()),
        errno => place.refusal("written", errno),
    };
    match rustix::fs::renameat_with(parent, new, parent, name, RenameFlags::EXCHANGE) {
        Ok(()) => {
            let is_as_read = stat_entry(parent, new).is_ok_and(|old| is_unchanged(read, &old));
            if !is_as_read {
                return Err(exchange_back(place, temporary));
            }
        }
        // File systems that cannot exchange: the look and the rename are two steps there.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            if !stat_entry(parent, name).is_ok_and(|old| is_unchanged(read, &old)) {
                return Err(changed_meanwhile(&place.path.to_text()));
            }
            rustix::fs::renameat(parent, new, parent, name).map_err(failed)?;
        }
        Err(errno) => return Err(failed(errno)),
    }
    drop(temporary);
    sync_changed(place)
}

/// Puts back what came out of an exchange and is not what was read. It is somebody's, and is not lost whatever happens.
///
/// Whoever wrote it may write again meanwhile: then that comes out, and is put back in its turn, until what comes out is
/// what was put in last.
fn exchange_back(place: &Place, temporary: TemporaryFile<'_>) -> ToolError {
    let parent = place.parent.as_fd();
    let (new, name) = (temporary.name.as_str(), place.name.as_str());
    let path = place.path.to_text();
    let mut put_in = rustix::fs::fstat(&temporary.file);
    for _ in 0..EXCHANGES_MAX {
        let in_hand = stat_entry(parent, new);
        let exchanged = rustix::fs::renameat_with(parent, new, parent, name, RenameFlags::EXCHANGE);
        if exchanged.is_err() {
            break;
        }
        let came_out = stat_entry(parent, new);
        if matches!((&put_in, &came_out), (Ok(put_in), Ok(out)) if is_same_file(put_in, out)) {
            return changed_meanwhile(&path);
        }
        put_in = in_hand;
    }
    if rename_to_new(parent, new, parent, name, false).is_ok() {
        return changed_meanwhile(&path);
    }
    let other = format!("{name}.{}", new.trim_start_matches(TEMPORARY_PREFIX));
    if rename_to_new(parent, new, parent, &other, false).is_err() {
        // Whatever it is, it keeps its temporary name for now.
        std::mem::forget(temporary);
    }
    let message = format!(
        "`{path}` was changed by something else in the middle of this call; what it wrote is beside it as `{other}`"
    );
    ToolError::of(ToolErrorKind::Unknown, message)
}

/// Syncs a folder after a change in it. Where that fails, nobody knows what a power cut would leave.
pub(crate) fn sync_changed(place: &Place) -> Result<(), ToolError> {
    rustix::fs::fsync(&place.parent).map_err(|errno| {
        let message = format!(
            "`{}` was changed, but the disk did not confirm it: {errno}",
            place.path.to_text()
        );
        ToolError::of(ToolErrorKind::Unknown, message)
    })
}

/// Says why a new file could not be written.
pub(crate) fn not_written(place: &Place, error: &io::Error) -> ToolError {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(errno) => place.refusal("written", errno),
        None => ToolError::of(
            ToolErrorKind::Upstream,
            format!("`{}` could not be written: {error}", place.path.to_text()),
        ),
    }
}

/// Whether a file is the one that was read, and nobody has written to it since.
pub(crate) fn is_unchanged(read: &Stat, now: &Stat) -> bool {
    is_same_file(read, now)
        && (read.st_size, read.st_mtime, read.st_mtime_nsec)
            == (now.st_size, now.st_mtime, now.st_mtime_nsec)
}

/// Renames to where nothing is; never takes anything's place.
pub(crate) fn rename_to_new(
    from: BorrowedFd<'_>,
    old: &str,
    to: BorrowedFd<'_>,
    new: &str,
    is_folder: bool,
) -> Result<(), Errno> {
    match rustix::fs::renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if is_folder => {
            if stat_entry(to, new).is_ok() {
                return Err(Errno::EXIST);
            }
            // A folder takes the place of an empty folder at the most.
            rustix::fs::renameat(from, old, to, new)
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            rustix::fs::linkat(from, old, to, new, AtFlags::empty())?;
            rustix::fs::unlinkat(from, old, AtFlags::empty())
        }
        renamed => renamed,
    }
}

/// Removes what killed processes left in a folder: files of the temporary name that nobody holds.
fn sweep(folder: BorrowedFd<'_>) {
    let Ok(entries) = Dir::read_from(folder) else { return };
    for entry in entries.take(SWEEP_NAMES_MAX).flatten() {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if name.starts_with(TEMPORARY_PREFIX) && is_left_behind(folder, name) {
            // What cannot be removed now is tried again at the next change.
            let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
        }
    }
}

fn is_left_behind(folder: BorrowedFd<'_>, name: &str) -> bool {
    let file: Option<OwnedFd> = open_regular(folder, name).ok().flatten().map(|(file, _)| file);
    file.is_some_and(|file| {
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
    })
}
