//! Removes a skill from a folder of skills: that folder alone, and never what a link leads to.
//!
//! It is called by the temporary name first, which is no skill: one that was removed in part is read by nobody, and the next copy
//! of a skill into the folder removes the rest of it. What it was need not have been a skill that can be used.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use rustix::{
    fd::{AsFd as _, OwnedFd},
    fs::{FileType, FlockOperation},
    io::Errno,
};

use super::stage_name::next_stage_name;
use crate::{
    beneath::{is_same_file, kind, open_subfolder, stat_entry},
    limits::TEMPORARY_PREFIX,
    replace_file::rename_to_new,
    undo_store::remove_tree,
};

/// Says why a skill was not removed.
#[derive(Debug, thiserror::Error)]
pub enum SkillRemoveError {
    /// It is no name of a folder.
    #[error("{name:?} is no name of a skill: give that of its folder, without a path")]
    Name {
        /// What was given.
        name: String,
    },
    /// There is nothing of its name.
    #[error("there is no skill `{name}` in {}", skills.display())]
    Missing {
        /// The name.
        name: String,
        /// Where it was looked for.
        skills: PathBuf,
    },
    /// It is a link, or no folder.
    #[error("{} is {what} and no folder of a skill; nothing was removed", path.display())]
    NoFolder {
        /// What was found.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The system refused. A part of it may be gone; what is left is used by nobody.
    #[error("{} could not be removed", path.display())]
    Io {
        /// The folder of the skill.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// The folder of a skill that could be removed. Blocking.
pub fn removable_skill(skills: &Path, name: &str) -> Result<PathBuf, SkillRemoveError> {
    open(skills, name).map(|_| skills.join(name))
}

/// Removes a skill, and says which folder that was. Blocking.
pub fn remove_skill(skills: &Path, name: &str) -> Result<PathBuf, SkillRemoveError> {
    let path = skills.join(name);
    let (parent, folder) = open(skills, name)?;
    let failed = |errno: Errno| SkillRemoveError::Io { path: path.clone(), source: errno.into() };
    // Whoever copies a skill meanwhile leaves it alone.
    rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).map_err(failed)?;
    let removed = next_stage_name();
    rename_to_new(parent.as_fd(), name, parent.as_fd(), &removed, true).map_err(failed)?;
    let is_it = || -> Result<bool, Errno> {
        let (now, opened) = (stat_entry(parent.as_fd(), &removed)?, rustix::fs::fstat(&folder)?);
        Ok(is_same_file(&now, &opened))
    };
    if !is_it().map_err(failed)? {
        // Another took its place between the look and the renaming: it gets its name back.
        rename_to_new(parent.as_fd(), &removed, parent.as_fd(), name, true).map_err(failed)?;
        return Err(failed(Errno::BUSY));
    }
    remove_tree(parent.as_fd(), removed.as_str(), 0).map_err(failed)?;
    // It is gone; that the disk has not confirmed it changes nothing about that.
    let _ = rustix::fs::fsync(&parent);
    Ok(path)
}

/// The folder of skills and, in it, that of the skill; no link is followed.
fn open(skills: &Path, name: &str) -> Result<(OwnedFd, OwnedFd), SkillRemoveError> {
    let mut parts = Path::new(name).components();
    let is_name = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
        && !name.starts_with(TEMPORARY_PREFIX)
        && !name.contains('\0');
    if !is_name {
        return Err(SkillRemoveError::Name { name: name.to_owned() });
    }
    let missing = || SkillRemoveError::Missing { name: name.to_owned(), skills: skills.to_owned() };
    let none = |path: &Path, what| SkillRemoveError::NoFolder { path: path.to_owned(), what };
    let failed = |path: &Path, errno: Errno| match errno {
        Errno::NOENT => missing(),
        Errno::LOOP | Errno::NOTDIR => none(path, "a link or a file"),
        errno => SkillRemoveError::Io { path: path.to_owned(), source: errno.into() },
    };
    let parent = open_subfolder(rustix::fs::CWD, skills).map_err(|errno| failed(skills, errno))?;
    let path = skills.join(name);
    let stat = stat_entry(parent.as_fd(), name).map_err(|errno| failed(&path, errno))?;
    match kind(&stat) {
        FileType::Directory => {}
        FileType::Symlink => return Err(none(&path, "a link, which is not followed,")),
        _ => return Err(none(&path, "a file")),
    }
    let folder = open_subfolder(parent.as_fd(), name).map_err(|errno| failed(&path, errno))?;
    Ok((parent, folder))
}
