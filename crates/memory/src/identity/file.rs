//! The projection `identity.md`, and a person's edit of it.
//!
//! The file follows the ledger, never the other way: an edit is handed back as [`IdentityFileOutcome::HandEdit`], and only the
//! event that the engine makes of it changes the identity. An edit is never overwritten: one that cannot be an identity
//! is moved aside first. Writing is atomic and synced, so that a power cut cannot leave a half document that looks like
//! an edit. Run at start, before an epoch opens, and after each change.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::limits::IDENTITY_BYTES_MAX;
use abide_ledger::{
    FileStorage, Storage as _,
    storage::{Access, read_up_to, replace_file},
};

use super::{
    Fingerprint, Identity, IdentityError, IdentityRule, IdentityVersion, check_identity,
    fingerprint,
};

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
    /// The file was missing or as the keeper had left it, or held an edit that waits for a person, and holds the current
    /// text now.
    Written,
    /// The file holds another text: append an identity with source `file`, or a proposal where a process could have written
    /// it. The file was not touched.
    HandEdit {
        /// The text of the edited file.
        content: String,
        /// Who may have written it.
        writers: IdentityFileWriters,
        /// The version that stood in the file before it was edited, where that is known: an edit of an older version than
        /// the one in force must not take its place unseen.
        based_on: Option<u64>,
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
/// The name of the note of what the keeper wrote there last: without it, a text that is older than the one in force could
/// be a file that is behind as well as a person's edit back.
const NOTE: &str = ".identity.written";
/// Longest note, in bytes.
const NOTE_BYTES_MAX: usize = 4_096;
/// What some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Most files that are set aside; then the last name is used again.
const ASIDES_MAX: u32 = 100;

impl IdentityFile {
    /// The file `identity.md` of a folder, which must exist.
    pub fn new(folder: &Path, writers: IdentityFileWriters) -> Self {
        Self { folder: FileStorage::at(folder), path: folder.join(NAME), writers }
    }

    /// Brings the file in line with the identity in force, or finds a person's edit. Doing it again changes nothing.
    pub fn reconcile(&self, identity: &Identity) -> Result<IdentityFileOutcome, IdentityFileError> {
        let current = identity.current();
        let found = match self.read()? {
            FileContent::Missing => None,
            FileContent::Invalid(reason) => return self.replace(current, reason),
            FileContent::Text(text) => Some(text),
        };
        let (text, current) = match (found, current) {
            (None, None) => return Ok(IdentityFileOutcome::Unchanged),
            (None, Some(current)) => return self.written(current),
            (Some(text), current) => (text, current),
        };
        let written = self.noted()?;
        if let Some(current) = current {
            if fingerprint(&text) == fingerprint(&current.content) {
                self.note(&written, &[WrittenNote::of(current)])?;
                return Ok(IdentityFileOutcome::Unchanged);
            }
            let is_waiting = identity
                .proposal()
                .is_some_and(|waits| fingerprint(&waits.content) == fingerprint(&text));
            // A home of an earlier version has no note: then what the ledger knows is taken for a file that is behind.
            let is_behind = match written.as_slice() {
                [] => identity.is_known(&text),
                written => written.iter().any(|note| note.fingerprint == fingerprint(&text)),
            };
            if is_waiting || is_behind {
                return self.written(current);
            }
        }
        match check_identity(&text, IdentityRule::Strict) {
            Ok(()) => {
                let based_on = written.last().map(|note| note.version);
                let writers = self.writers;
                Ok(IdentityFileOutcome::HandEdit { content: text, writers, based_on })
            }
            Err(reason) => self.replace(current, IdentityEditError::Rule(reason)),
        }
    }

    fn written(
        &self,
        current: &Arc<IdentityVersion>,
    ) -> Result<IdentityFileOutcome, IdentityFileError> {
        // While the file is written the note has what stood there too: a crash must not make either text an edit.
        let (before, now) = (self.noted()?, WrittenNote::of(current));
        let both: Vec<WrittenNote> =
            before.last().cloned().into_iter().chain([now.clone()]).collect();
        self.note(&before, &both)?;
        self.write(&current.content)?;
        self.note(&both, &[now])?;
        Ok(IdentityFileOutcome::Written)
    }

    /// What the keeper wrote last, and before that; nothing where it is not known.
    fn noted(&self) -> Result<Vec<WrittenNote>, IdentityFileError> {
        let file = match self.folder.open(NOTE, Access::Read) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::InvalidInput
                ) =>
            {
                return Ok(Vec::new());
            }
            opened => opened.map_err(|source| self.error("read", source))?,
        };
        let bytes =
            read_up_to(&*file, 0, NOTE_BYTES_MAX).map_err(|source| self.error("read", source))?;
        let text = String::from_utf8(bytes).unwrap_or_default();
        Ok(text.lines().filter_map(WrittenNote::read).collect())
    }

    fn note(&self, before: &[WrittenNote], now: &[WrittenNote]) -> Result<(), IdentityFileError> {
        if before == now {
            return Ok(());
        }
        let lines: String = now.iter().map(WrittenNote::line).collect();
        replace_file(&self.folder, NOTE, lines.as_bytes())
            .map_err(|source| self.error("written", source))
    }

    fn replace(
        &self,
        current: Option<&Arc<IdentityVersion>>,
        reason: IdentityEditError,
    ) -> Result<IdentityFileOutcome, IdentityFileError> {
        let aside = self.free_name();
        self.folder.rename(NAME, &aside).map_err(|source| self.error("set aside", source))?;
        if let Some(current) = current {
            self.written(current)?;
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
            Ok(text) => FileContent::Text(
                text.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned).unwrap_or(text),
            ),
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

/// A version that the keeper wrote into the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WrittenNote {
    version: u64,
    fingerprint: Fingerprint,
}

impl WrittenNote {
    fn of(version: &IdentityVersion) -> Self {
        Self { version: version.version, fingerprint: fingerprint(&version.content) }
    }

    fn line(&self) -> String {
        format!("{} {}\n", self.version, hex::encode(self.fingerprint))
    }

    fn read(line: &str) -> Option<Self> {
        let (version, digits) = line.split_once(' ')?;
        let mut fingerprint = Fingerprint::default();
        hex::decode_to_slice(digits, &mut fingerprint).ok()?;
        Some(Self { version: version.parse().ok()?, fingerprint })
    }
}

enum FileContent {
    Missing,
    Text(String),
    Invalid(IdentityEditError),
}
