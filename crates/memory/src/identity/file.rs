//! The projection `identity.md`, and a person's edit of it.
//!
//! The file follows the ledger, never the other way: an edit is handed back as [`Reconciled::HandEdit`], and only the
//! event that the engine makes of it changes the identity. An edit is never overwritten: one that cannot be an identity
//! is moved aside first. Writing is atomic and synced, so that a power cut cannot leave a half document that looks like
//! an edit. Beside the walk: run at start, before an epoch opens, and after each change.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use abide_domain::limits::IDENTITY_BYTES_MAX;

use super::{Identity, IdentityError, IdentityRule, check_identity, fingerprint};

/// Says why the file could not be brought in line.
#[derive(Debug, thiserror::Error)]
#[error("the identity file {} could not be {doing}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// `read`, `written` or `set aside`.
    pub doing: &'static str,
    /// Why.
    pub source: io::Error,
}

/// What bringing the file in line came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reconciled {
    /// File and identity say the same, or neither exists.
    Unchanged,
    /// The file was missing or held an older version, and holds the current one now.
    Written,
    /// A person has edited the file: append an identity with source `file`. The file was not touched.
    HandEdit {
        /// What they wrote.
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
    #[error("an identity is UTF-8 text")]
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
    pub fn reconcile(&self, identity: &Identity) -> Result<Reconciled, FileError> {
        let current = identity.current().map(|version| version.content.clone());
        let found = match self.read()? {
            Content::Missing => None,
            Content::Unfit(reason) => return self.replace(current.as_deref(), reason),
            Content::Text(text) => Some(text),
        };
        match (found, current) {
            (None, None) => Ok(Reconciled::Unchanged),
            (None, Some(current)) => self.write(&current).map(|()| Reconciled::Written),
            (Some(text), Some(current)) if fingerprint(&text) == fingerprint(&current) => {
                Ok(Reconciled::Unchanged)
            }
            (Some(text), Some(current)) if identity.is_known(&text) => {
                self.write(&current).map(|()| Reconciled::Written)
            }
            (Some(text), current) => match check_identity(&text, IdentityRule::Strict) {
                Ok(()) => Ok(Reconciled::HandEdit { content: text }),
                Err(reason) => self.replace(current.as_deref(), IdentityEditError::Rule(reason)),
            },
        }
    }

    fn replace(
        &self,
        current: Option<&str>,
        reason: IdentityEditError,
    ) -> Result<Reconciled, FileError> {
        let aside = self.free_name();
        fs::rename(&self.path, &aside).map_err(|source| self.error("set aside", source))?;
        if let Some(current) = current {
            self.write(current)?;
        }
        Ok(Reconciled::SetAside { path: aside, reason })
    }

    /// The first free name beside the file; the last one is used again when all are taken.
    fn free_name(&self) -> PathBuf {
        const NAMES_MAX: u32 = 100;
        let name = |number: u32| self.path.with_extension(format!("rejected-{number}.md"));
        (1..NAMES_MAX).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(NAMES_MAX))
    }

    fn read(&self) -> Result<Content, FileError> {
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::Missing),
            opened => opened.map_err(|source| self.error("read", source))?,
        };
        let mut bytes = Vec::new();
        file.take(IDENTITY_BYTES_MAX as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| self.error("read", source))?;
        if bytes.len() > IDENTITY_BYTES_MAX {
            let bytes = bytes.len();
            return Ok(Content::Unfit(IdentityEditError::Rule(IdentityError::TooLarge { bytes })));
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(_) => Content::Unfit(IdentityEditError::NotText),
        })
    }

    fn write(&self, content: &str) -> Result<(), FileError> {
        let new = self.path.with_extension("md.new");
        write_synced(&new, content)
            .and_then(|()| fs::rename(&new, &self.path))
            .and_then(|()| sync_folder(&self.path))
            .map_err(|source| self.error("written", source))
    }

    fn error(&self, doing: &'static str, source: io::Error) -> FileError {
        FileError { path: self.path.clone(), doing, source }
    }
}

enum Content {
    Missing,
    Text(String),
    Unfit(IdentityEditError),
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
