//! Copies a skill into a folder of skills: whole or not at all, never over anything, and nothing but files and folders.
//!
//! What is copied is looked at once more where it was copied to, so that what a person was shown and what agents read is the
//! same. A copy that was cut off is called by the temporary name, which is no skill; the next copy removes it.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _, Write as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use rustix::{
    fd::{AsFd as _, OwnedFd},
    fs::{Dir, FileType, FlockOperation, Mode, OFlags},
    io::Errno,
};

use super::{
    finding::SkillFinding,
    report::{SKILL_DEPTH_MAX, SKILL_ENTRIES_MAX, SkillFile, SkillReport, check_skill},
    skill::Skill,
    stage_name::{is_stage_name, next_stage_name},
};
use crate::{
    beneath::{is_same_file, kind, open_folder, open_regular, open_subfolder},
    folder::{FilePath, FolderAccess, NamedFolder},
    limits::SWEEP_NAMES_MAX,
    replace_file::rename_to_new,
    undo_store::remove_tree,
    walk::{FolderWalk, WalkEntry},
};

/// Most bytes of all files of a skill that is copied.
const SKILL_BYTES_MAX: u64 = 16 << 20;
/// How often another temporary name is tried.
const TRIES_MAX: u64 = 64;
/// Permissions of what is made, less what the process masks. Nothing else of the old ones is kept.
const FOLDER_MODE: Mode = Mode::from_bits_retain(0o755);
const FILE_MODE: Mode = Mode::from_bits_retain(0o644);
const PROGRAM_MODE: Mode = Mode::from_bits_retain(0o755);
/// Any permission to execute.
const EXECUTABLE: u32 = 0o111;

/// Says why a skill was not copied. Nothing is there then that was not before.
#[derive(Debug, thiserror::Error)]
pub enum SkillCopyError {
    /// It is no skill that can be used.
    #[error("{} is no skill that can be used: {}", folder.display(), first_of(problems))]
    Unusable {
        /// What was to be copied.
        folder: PathBuf,
        /// What is wrong with it.
        problems: Vec<SkillFinding>,
    },
    /// There is something of its name.
    #[error(
        "there is a skill `{name}` already; `abide skills rm {name}` removes it, or call the new one otherwise"
    )]
    Exists {
        /// The name.
        name: String,
    },
    /// Something in it is not copied.
    #[error("`{path}` {why}; nothing was copied")]
    Refused {
        /// Its path in the skill.
        path: String,
        /// What it is.
        why: String,
    },
    /// A folder or file could not be read or written.
    #[error("{what} could not be copied")]
    Io {
        /// What.
        what: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// A skill that was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedSkill {
    /// The skill, where it is now.
    pub skill: Skill,
    /// Its files, with the scripts among them.
    pub files: Vec<SkillFile>,
    /// What to look at before agents use it.
    pub warnings: Vec<SkillFinding>,
}

/// Copies a skill into a folder of skills, which is made where it is missing. Blocking.
pub fn copy_skill(from: &Path, skills: &Path) -> Result<CopiedSkill, SkillCopyError> {
    let from = from.canonicalize().map_err(|error| failed(&from.display(), error))?;
    let checked = usable(check_skill(&from))?;
    let name = checked.name;
    std::fs::create_dir_all(skills).map_err(|error| failed(&skills.display(), error))?;
    let target = open(skills)?;
    if crate::beneath::stat_entry(target.as_fd(), &name).is_ok() {
        return Err(SkillCopyError::Exists { name });
    }
    sweep(&target);
    let stage = Stage::make(&target).map_err(|errno| failed(&skills.display(), errno.into()))?;
    let copied = make_folder(&stage.folder, &name)
        .map_err(|errno| failed(&skills.display(), errno.into()))?;
    Copying { left: SKILL_BYTES_MAX, entries: 0, folders: BTreeMap::new(), into: copied }
        .copy(&open(&from)?)?;
    let report = check_skill(&skills.join(&stage.name).join(&name));
    let (files, warnings) = (report.files.clone(), report.warnings.clone());
    let skill = usable(report)?;
    let renamed = rename_to_new(stage.folder.as_fd(), &name, target.as_fd(), &name, true);
    match renamed {
        Ok(()) => {}
        Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {
            return Err(SkillCopyError::Exists { name });
        }
        Err(errno) => return Err(failed(&skills.display(), errno.into())),
    }
    // It is there; that the disk has not confirmed it changes nothing about that.
    let _ = rustix::fs::fsync(&target);
    let folder = skills.join(&name);
    Ok(CopiedSkill { skill: Skill { folder, ..skill }, files, warnings })
}

fn usable(report: SkillReport) -> Result<Skill, SkillCopyError> {
    let SkillReport { folder, skill, problems, .. } = report;
    skill.ok_or(SkillCopyError::Unusable { folder, problems })
}

fn first_of(problems: &[SkillFinding]) -> String {
    problems.first().map(ToString::to_string).unwrap_or_default()
}

fn failed(what: &impl ToString, source: io::Error) -> SkillCopyError {
    SkillCopyError::Io { what: what.to_string(), source }
}

fn refused(path: &str, why: impl Into<String>) -> SkillCopyError {
    let path = abide_domain::visible_line(path).into_owned();
    SkillCopyError::Refused { path, why: why.into() }
}

/// Opens a folder that a person named, and no link below it.
fn open(folder: &Path) -> Result<OwnedFd, SkillCopyError> {
    let (name, access) = ("skill".to_owned(), FolderAccess::Read);
    let named = NamedFolder { name, path: folder.to_owned(), access };
    open_folder(&FilePath { folder: named, parts: Vec::new() })
        .map_err(|error| failed(&folder.display(), io::Error::other(error.message)))
}

fn make_folder(parent: &OwnedFd, name: &str) -> Result<OwnedFd, Errno> {
    rustix::fs::mkdirat(parent, name, FOLDER_MODE)?;
    open_subfolder(parent.as_fd(), name)
}

/// A folder of the temporary name, held by a lock and removed at the end.
struct Stage<'a> {
    target: &'a OwnedFd,
    name: String,
    folder: OwnedFd,
}

impl<'a> Stage<'a> {
    fn make(target: &'a OwnedFd) -> Result<Self, Errno> {
        let mut tries = 0;
        loop {
            let name = next_stage_name();
            match make_folder(target, &name) {
                Err(Errno::EXIST) if tries < TRIES_MAX => tries += 1,
                made => {
                    let folder = made?;
                    rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
                    return Ok(Self { target, name, folder });
                }
            }
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is tried again at the next copy.
        let _ = remove_tree(self.target.as_fd(), self.name.as_str(), 0);
    }
}

/// Removes copies that were cut off: folders of the temporary name that nobody holds.
fn sweep(target: &OwnedFd) {
    let Ok(entries) = Dir::read_from(target) else { return };
    for entry in entries.take(SWEEP_NAMES_MAX).flatten() {
        let Ok(name) = entry.file_name().to_str() else { continue };
        if !is_stage_name(name) {
            continue;
        }
        let held = open_subfolder(target.as_fd(), name).ok().filter(|folder| {
            rustix::fs::flock(folder, FlockOperation::NonBlockingLockExclusive).is_ok()
        });
        if held.is_some() {
            let _ = remove_tree(target.as_fd(), name, 0);
        }
    }
}

/// A copy on its way.
struct Copying {
    /// Bytes that may still come.
    left: u64,
    entries: usize,
    /// The folders that were made, by their paths.
    folders: BTreeMap<String, OwnedFd>,
    into: OwnedFd,
}

impl Copying {
    fn copy(mut self, from: &OwnedFd) -> Result<(), SkillCopyError> {
        let mut walk = FolderWalk::new(SKILL_DEPTH_MAX, true);
        let mut outcome = Ok(());
        let flow = walk.run(from, &mut |entry| {
            outcome = self.take(entry);
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        outcome?;
        if flow.is_break() || walk.is_cut() || walk.unreadable > 0 {
            return Err(refused(".", "has names that cannot be read"));
        }
        let all = self.folders.values().chain([&self.into]);
        for folder in all {
            rustix::fs::fsync(folder).map_err(|errno| failed(&"the skill", errno.into()))?;
        }
        Ok(())
    }

    fn take(&mut self, entry: &WalkEntry<'_>) -> Result<(), SkillCopyError> {
        self.entries += 1;
        if self.entries > SKILL_ENTRIES_MAX {
            let why = format!("is one too many; a skill has at most {SKILL_ENTRIES_MAX} files");
            return Err(refused(entry.path, why));
        }
        match kind(entry.stat) {
            FileType::Directory if entry.path.split('/').count() >= SKILL_DEPTH_MAX => {
                let why = format!("is deeper than {SKILL_DEPTH_MAX} folders");
                Err(refused(entry.path, why))
            }
            FileType::Directory => {
                let made = make_folder(self.parent(entry.path), entry.name)
                    .map_err(|errno| failed(&entry.path, errno.into()))?;
                self.folders.insert(entry.path.to_owned(), made);
                Ok(())
            }
            FileType::RegularFile => self.take_file(entry),
            FileType::Symlink => Err(refused(entry.path, "is a link")),
            _ => Err(refused(entry.path, "is neither a file nor a folder")),
        }
    }

    /// The folder that was made for the parent of a path.
    fn parent(&self, path: &str) -> &OwnedFd {
        let above = path.rsplit_once('/').map_or("", |(above, _)| above);
        self.folders.get(above).unwrap_or(&self.into)
    }

    fn take_file(&mut self, entry: &WalkEntry<'_>) -> Result<(), SkillCopyError> {
        let not_copied = |error: io::Error| failed(&entry.path, error);
        let opened =
            open_regular(entry.parent, entry.name).map_err(|errno| not_copied(errno.into()))?;
        let Some((file, _)) = opened.filter(|(_, stat)| is_same_file(stat, entry.stat)) else {
            return Err(refused(entry.path, "was changed meanwhile"));
        };
        let is_program = entry.stat.st_mode & EXECUTABLE != 0;
        let mode = if is_program { PROGRAM_MODE } else { FILE_MODE };
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = rustix::fs::openat(self.parent(entry.path), entry.name, flags, mode);
        let mut made = File::from(made.map_err(|errno| not_copied(errno.into()))?);
        let copied = io::copy(&mut File::from(file).take(self.left + 1), &mut made);
        let copied = copied.map_err(not_copied)?;
        let Some(left) = self.left.checked_sub(copied) else {
            let why = format!("makes the skill longer than {SKILL_BYTES_MAX} bytes");
            return Err(refused(entry.path, why));
        };
        self.left = left;
        made.flush().and_then(|()| made.sync_all()).map_err(not_copied)
    }
}
