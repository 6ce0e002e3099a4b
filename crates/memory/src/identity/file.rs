//! The projection `identity.md`, and a person's edit of it.
//!
//! The file follows the ledger, never the other way: an edit is handed back as [`IdentityFileOutcome::HandEdit`], and only the
//! event that the engine makes of it changes the identity. An edit is never overwritten: one that cannot be an identity
//! is moved aside first. Writing is atomic and synced, so that a power cut cannot leave a half document that looks like
//! an edit. Run at start, before an epoch opens, and after each change.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use abide_domain::limits::IDENTITY_BYTES_MAX;

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
    /// The file was missing or held an older version, and holds the current one now.
    Written,
    /// A person has edited the file: append an identity with source `file`. The file was not touched.
    HandEdit {
        /// The text of the edited file.
        content: String,
    },
    /// What stood in the file cannot be an identity. It was moved aside, and the current one written.
    SetAside {
        /// Where it is now.
        path: PathBuf,
        /// Why it cannot be one.
        reason: IdentityEditError,
    },
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
}

/// The file `identity.md` of one agent.
#[derive(Clone, Debug)]
pub struct IdentityFile {
    path: PathBuf,
}

impl IdentityFile {
    /// The file at a path; its folder must exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
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
                Ok(()) => Ok(IdentityFileOutcome::HandEdit { content: text }),
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
        fs::rename(&self.path, &aside).map_err(|source| self.error("set aside", source))?;
        if let Some(current) = current {
            self.write(current)?;
        }
        Ok(IdentityFileOutcome::SetAside { path: aside, reason })
    }

    /// The first free name beside the file; the last one is used again when all are taken.
    fn free_name(&self) -> PathBuf {
        const NAMES_MAX: u32 = 100;
        let name = |number: u32| self.path.with_extension(format!("rejected-{number}.md"));
        (1..NAMES_MAX).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(NAMES_MAX))
    }

    fn read(&self) -> Result<FileContent, IdentityFileError> {
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(FileContent::Missing);
            }
            opened => opened.map_err(|source| self.error("read", source))?,
        };
        let mut bytes = Vec::new();
        file.take(IDENTITY_BYTES_MAX as u64 + 1)
            .read_to_end(&mut bytes)
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
        let new = self.path.with_extension("md.new");
        write_synced(&new, content)
            .and_then(|()| fs::rename(&new, &self.path))
            .and_then(|()| sync_folder(&self.path))
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

fn write_synced(path: &Path, content: &str) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content.as_bytes())?;
    if !content.ends_with('\n') {
        file.write_all(b"\n")?;
    }
    file.sync_all()
}

fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}
