//! The projection `identity.md`, and a person's edit of it.
//!
//! The file follows the ledger, never the other way: an edit is handed back as [`IdentityFileOutcome::HandEdit`], and only the
//! event that the engine makes of it changes the identity. An edit is never overwritten: one that cannot be an identity
//! is moved aside first. Writing is atomic and synced, so that a power cut cannot leave a half document that looks like
//! an edit. Run at start, before an epoch opens, and after each change.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use abide_domain::limits::IDENTITY_BYTES_MAX;
use abide_ledger::{
    FileStorage, Storage as _,
    storage::{Access, read_up_to, replace_file},
};

use super::{Identity, IdentityError, IdentityRule, check_identity, fingerprint};

/// Why the file could not be brought in line.
#[derive(Debug, thiserror::Error)]
#[error("the identity file {} could not be {doing}", path.display())]
pub struct IdentityFileError {
    /// The file `identity.md`.
    pub path: PathBuf,
    /// `read`, `written` or `set aside`.
    pub doing: &'static str,
    /// The error of the file system.
    pub source: io::Error,
}

/// What bringing the file in line did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityFileOutcome {
    /// File and identity say the same, or neither exists.
    Unchanged,
    /// The file was missing or held a text that the ledger knows, and holds the current one now.
    Written,
    /// The file holds another text: append an identity with source `file`, or a proposal where a process could have written
    /// it. The file was not touched.
    HandEdit {
        /// The text of the edited file.
        content: String,
        /// Who may have written it.
        writers: IdentityFileWriters,
    },
    /// What stood in the file cannot be an identity. It was moved aside, and the current one written.
    SetAside {
        /// Where it is now.
        path: PathBuf,
        /// Why it cannot be one.
        reason: IdentityEditError,
    },
}

/// Who can write to an identity file. An edit by anybody but a person is a proposal (decision 51).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityFileWriters {
    /// People alone.
    People,
    /// A process of the agent's own program runs as the same user and is not confined: an edit may be its.
    PeopleAndProcess,
}

/// Why an edit cannot be an identity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentityEditError {
    /// A rule of identities is broken.
    #[error(transparent)]
    Rule(IdentityError),
    /// It is no UTF-8 text.
    #[error("an identity must be UTF-8 text")]
    NotText,
    /// It is a link, a pipe, a device or a folder, which is neither followed nor read.
    #[error("an identity must be a regular file: {0}")]
    NotRegular(String),
}

/// The file `identity.md` of one agent.
#[derive(Clone, Debug)]
pub struct IdentityFile {
    folder: FileStorage,
    path: PathBuf,
    writers: IdentityFileWriters,
}

/// Its name in the agent's folder.
const NAME: &str = "identity.md";
/// Most files that are set aside; then the last name is used again.
const ASIDES_MAX: u32 = 100;

impl IdentityFile {
    /// The file `identity.md` of a folder, which must exist.
    pub fn new(folder: &Path, writers: IdentityFileWriters) -> Self {
        Self { folder: FileStorage::at(folder), path: folder.join(NAME), writers }
    }

    /// Brings the file in line with the identity in force, or finds a person's edit. Doing it again changes nothing.
    pub fn reconcile(&self, identity: &Identity) -> Result<IdentityFileOutcome, IdentityFileError> {
        let current = identity.current().map(|version| version.content.clone());
        let found = match self.read()? {
            FileContent::Missing => None,
            FileContent::Invalid(reason) => return self.replace(current.as_deref(), reason),
            FileContent::Text(text) => Some(text),
        };
        match (found, current) {
            (None, None) => Ok(IdentityFileOutcome::Unchanged),
            (None, Some(current)) => self.write(&current).map(|()| IdentityFileOutcome::Written),
            (Some(text), Some(current)) if fingerprint(&text) == fingerprint(&current) => {
                Ok(IdentityFileOutcome::Unchanged)
            }
            (Some(text), Some(current)) if identity.is_known(&text) => {
                self.write(&current).map(|()| IdentityFileOutcome::Written)
            }
            (Some(text), current) => match check_identity(&text, IdentityRule::Strict) {
                Ok(()) => {
                    Ok(IdentityFileOutcome::HandEdit { content: text, writers: self.writers })
                }
                Err(reason) => self.replace(current.as_deref(), IdentityEditError::Rule(reason)),
            },
        }
    }

    fn replace(
        &self,
        current: Option<&str>,
        reason: IdentityEditError,
    ) -> Result<IdentityFileOutcome, IdentityFileError> {
        let aside = self.free_name();
        self.folder.rename(NAME, &aside).map_err(|source| self.error("set aside", source))?;
        if let Some(current) = current {
            self.write(current)?;
        }
        let path = self.path.with_file_name(aside);
        Ok(IdentityFileOutcome::SetAside { path, reason })
    }

    /// The first free name beside the file; the last one is used again when all are taken.
    fn free_name(&self) -> String {
        let name = |number: u32| format!("identity.rejected-{number}.md");
        let is_free = |name: &String| fs::symlink_metadata(self.path.with_file_name(name)).is_err();
        (1..ASIDES_MAX).map(name).find(is_free).unwrap_or_else(|| name(ASIDES_MAX))
    }

    fn read(&self) -> Result<FileContent, IdentityFileError> {
        let file = match self.folder.open(NAME, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(FileContent::Missing);
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Ok(FileContent::Invalid(IdentityEditError::NotRegular(error.to_string())));
            }
            opened => opened.map_err(|source| self.error("read", source))?,
        };
        let bytes = read_up_to(&*file, 0, IDENTITY_BYTES_MAX + 1)
            .map_err(|source| self.error("read", source))?;
        if bytes.len() > IDENTITY_BYTES_MAX {
            let bytes = bytes.len();
            return Ok(FileContent::Invalid(IdentityEditError::Rule(IdentityError::TooLarge {
                bytes,
            })));
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => FileContent::Text(text),
            Err(_) => FileContent::Invalid(IdentityEditError::NotText),
        })
    }

    fn write(&self, content: &str) -> Result<(), IdentityFileError> {
        let end = if content.ends_with('\n') { "" } else { "\n" };
        replace_file(&self.folder, NAME, format!("{content}{end}").as_bytes())
            .map_err(|source| self.error("written", source))
    }

    fn error(&self, doing: &'static str, source: io::Error) -> IdentityFileError {
        IdentityFileError { path: self.path.clone(), doing, source }
    }
}

enum FileContent {
    Missing,
    Text(String),
    Invalid(IdentityEditError),
}
