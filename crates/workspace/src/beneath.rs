//! Opens what lies below a folder, and nothing else: no link is followed, no `..`, no way out.
//!
//! A folder is opened once; all that follows is relative to its descriptor, so that a folder which is swapped for a link in
//! mid-call leads nowhere else. The kernel does it in one step (`openat2`); where it may not be asked, each name is opened by
//! itself. Devices and pipes are never opened for reading: the kind is looked at first, and again on what was opened.

use abide_tools::{ToolError, ToolErrorKind};
use rustix::{
    fd::{AsFd as _, BorrowedFd, OwnedFd},
    fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat},
    io::Errno,
};

use crate::{
    folder::{FilePath, NamedFolder},
    os_error::{refusal, wrong_kind},
};

/// How often the kernel may say that something moved while it looked.
const TRIES_MAX: u32 = 16;

/// Permissions of folders that are made, less what the process masks.
const NEW_FOLDER_MODE: Mode = Mode::from_bits_retain(0o777);

/// What folders are opened with.
const FOLDER_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK);

/// What files are opened with: an open never waits, and no terminal is taken over.
const FILE_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// The place of a file or folder: the open folder that it is in, and its name there.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) path: FilePath,
    root: OwnedFd,
    pub(crate) parent: OwnedFd,
    pub(crate) name: String,
}

/// What to do where a folder on the way is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Refuse,
    Make,
}

impl Place {
    /// Opens the folder that a path's last name is in. The path must not be the folder itself.
    pub(crate) fn open(path: &FilePath, missing: Missing) -> Result<Self, ToolError> {
        let text = path.to_text();
        let Some((name, above)) = path.split_last() else {
            return Err(ToolError::new(format!("`{text}` is a folder of yours, nothing in one")));
        };
        let root = open_root(&path.folder)?;
        if missing == Missing::Make {
            make_folders(root.as_fd(), above).map_err(|errno| refusal("made", &text, errno))?;
        }
        let parent = open_folder_beneath(root.as_fd(), above)
            .map_err(|errno| refusal("opened", &text, errno))?;
        Ok(Self { path: path.clone(), root, parent, name: name.to_owned() })
    }

    /// What is there, not followed; none where nothing is.
    pub(crate) fn stat(&self) -> Result<Option<Stat>, ToolError> {
        match stat_entry(self.parent.as_fd(), &self.name) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.refusal("looked at", errno)),
        }
    }

    /// Opens the regular file that is there.
    pub(crate) fn open_file(&self) -> Result<(OwnedFd, Stat), ToolError> {
        let text = || self.path.to_text();
        let stat = stat_entry(self.parent.as_fd(), &self.name)
            .map_err(|errno| self.refusal("opened", errno))?;
        check_regular(&stat, &text())?;
        open_regular(self.parent.as_fd(), &self.name)
            .map_err(|errno| self.refusal("opened", errno))?
            .ok_or_else(|| changed_meanwhile(&text()))
    }

    /// Refuses where the folder that was opened is no longer what the path leads to: it was swapped in mid-call.
    pub(crate) fn check_unmoved(&self) -> Result<(), ToolError> {
        let above = self.path.split_last().map(|(_, above)| above).unwrap_or_default();
        let again = open_folder_beneath(self.root.as_fd(), above)
            .and_then(|folder| rustix::fs::fstat(&folder))
            .map_err(|errno| self.refusal("found again", errno))?;
        let first =
            rustix::fs::fstat(&self.parent).map_err(|errno| self.refusal("found again", errno))?;
        if is_same_file(&first, &again) {
            Ok(())
        } else {
            Err(changed_meanwhile(&self.path.to_text()))
        }
    }

    /// Says why something could not be done here.
    pub(crate) fn refusal(&self, doing: &str, errno: Errno) -> ToolError {
        refusal(doing, &self.path.to_text(), errno)
    }
}

/// Says that somebody else changed something in mid-call.
pub(crate) fn changed_meanwhile(path: &str) -> ToolError {
    ToolError::of(
        ToolErrorKind::Conflict,
        format!("`{path}` was changed by something else in the middle of this call; look again"),
    )
}

/// Whether two looks saw the same file.
pub(crate) fn is_same_file(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

/// The kind of what was looked at.
pub(crate) fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Refuses what is not a regular file.
pub(crate) fn check_regular(stat: &Stat, path: &str) -> Result<(), ToolError> {
    match kind(stat) {
        FileType::RegularFile => Ok(()),
        other => Err(wrong_kind(path, other, "a file")),
    }
}

/// Looks at an entry of an open folder, not following it.
pub(crate) fn stat_entry(parent: BorrowedFd<'_>, name: &str) -> Result<Stat, Errno> {
    rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
}

/// Opens an entry of an open folder for reading; none where it is not a regular file.
pub(crate) fn open_regular(
    parent: BorrowedFd<'_>,
    name: &str,
) -> Result<Option<(OwnedFd, Stat)>, Errno> {
    let file = rustix::fs::openat(parent, name, FILE_FLAGS, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    Ok((kind(&stat) == FileType::RegularFile).then_some((file, stat)))
}

/// Opens a folder in an open folder.
pub(crate) fn open_subfolder(
    parent: BorrowedFd<'_>,
    name: impl rustix::path::Arg,
) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(parent, name, FOLDER_FLAGS, Mode::empty())
}

/// Opens the folder that a path names, which may be the folder of the agent itself.
pub(crate) fn open_folder(path: &FilePath) -> Result<OwnedFd, ToolError> {
    let root = open_root(&path.folder)?;
    open_folder_beneath(root.as_fd(), &path.parts)
        .map_err(|errno| refusal("opened", &path.to_text(), errno))
}

/// Opens a folder of the settings. Its own path is a person's, and may lead through links.
fn open_root(folder: &NamedFolder) -> Result<OwnedFd, ToolError> {
    let flags = FOLDER_FLAGS.difference(OFlags::NOFOLLOW);
    rustix::fs::open(&folder.path, flags, Mode::empty()).map_err(|errno| {
        ToolError::of(
            ToolErrorKind::NotFound,
            format!("the folder `{}` cannot be opened: {errno}", folder.name),
        )
    })
}

/// Opens the folder that names lead to from an open one.
fn open_folder_beneath(root: BorrowedFd<'_>, names: &[String]) -> Result<OwnedFd, Errno> {
    if names.is_empty() {
        return open_subfolder(root, ".");
    }
    match open_at_once(root, &names.join("/")) {
        // An old kernel, or a filter of system calls around us; or a link at the end, which it calls no folder.
        Err(Errno::NOSYS | Errno::PERM | Errno::NOTDIR) => open_by_steps(root, names),
        opened => opened,
    }
}

fn open_at_once(root: BorrowedFd<'_>, path: &str) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut tries = 0;
    loop {
        match rustix::fs::openat2(root, path, FOLDER_FLAGS, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) if tries < TRIES_MAX => tries += 1,
            opened => return opened,
        }
    }
}

fn open_by_steps(root: BorrowedFd<'_>, names: &[String]) -> Result<OwnedFd, Errno> {
    let mut folder = open_subfolder(root, ".")?;
    for name in names {
        folder = open_step(folder.as_fd(), name)?;
    }
    Ok(folder)
}

/// Opens the next folder on the way. That a link is no folder would not say what it is.
fn open_step(parent: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    open_subfolder(parent, name).map_err(|errno| match stat_entry(parent, name) {
        Ok(stat) if errno == Errno::NOTDIR && kind(&stat) == FileType::Symlink => Errno::LOOP,
        _ => errno,
    })
}

fn make_folders(root: BorrowedFd<'_>, names: &[String]) -> Result<(), Errno> {
    let mut folder = open_subfolder(root, ".")?;
    for name in names {
        match rustix::fs::mkdirat(&folder, name.as_str(), NEW_FOLDER_MODE) {
            Ok(()) => rustix::fs::fsync(&folder)?,
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        folder = open_step(folder.as_fd(), name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use rustix::{
        fd::{AsFd as _, OwnedFd},
        fs::{Mode, OFlags},
        io::Errno,
    };

    use super::{is_same_file, open_at_once, open_by_steps, open_folder_beneath};

    #[test]
    fn a_walk_by_steps_opens_and_refuses_what_the_kernel_does() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("work/a/b")).unwrap();
        fs::create_dir_all(home.path().join("outside/b")).unwrap();
        fs::write(home.path().join("work/file"), "x").unwrap();
        symlink(home.path().join("outside"), home.path().join("work/out")).unwrap();
        symlink("a", home.path().join("work/in")).unwrap();
        symlink("/proc/self/root", home.path().join("work/magic")).unwrap();
        let root: OwnedFd =
            rustix::fs::open(home.path().join("work"), OFlags::RDONLY, Mode::empty()).unwrap();
        for (path, expected) in [
            ("a/b", None),
            ("a/missing", Some(Errno::NOENT)),
            ("file", Some(Errno::NOTDIR)),
            ("file/b", Some(Errno::NOTDIR)),
            ("out", Some(Errno::LOOP)),
            ("out/b", Some(Errno::LOOP)),
            ("in/b", Some(Errno::LOOP)),
            ("magic/etc", Some(Errno::LOOP)),
        ] {
            let names: Vec<String> = path.split('/').map(str::to_owned).collect();
            let at_once = open_at_once(root.as_fd(), path);
            let by_steps = open_by_steps(root.as_fd(), &names);
            match expected {
                None => {
                    let (one, other) = (at_once.unwrap(), by_steps.unwrap());
                    let stat = |fd| rustix::fs::fstat(fd).unwrap();
                    assert!(is_same_file(&stat(one), &stat(other)), "{path}");
                }
                Some(errno) => {
                    assert_eq!(by_steps.unwrap_err(), errno, "{path} by steps");
                    assert!(at_once.is_err(), "{path} at once");
                    let opened = open_folder_beneath(root.as_fd(), &names);
                    assert_eq!(opened.unwrap_err(), errno, "{path}");
                }
            }
        }
        let outside = vec!["..".to_owned()];
        assert_eq!(open_at_once(root.as_fd(), "..").unwrap_err(), Errno::XDEV);
        // Names are checked before: `..` never comes so far.
        assert!(open_by_steps(root.as_fd(), &outside).is_ok());
    }
}
