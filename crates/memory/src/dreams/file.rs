//! The projection `dreams/<date>-<short name>.md`: each file is a dream's text, byte for byte.
//!
//! The files follow the ledger, never the other way. What a person wrote into one is moved aside before it is written
//! again; files of other names are left alone, for they may be a person's. Run at start and after each change.

use std::{
    io,
    path::{Path, PathBuf},
};

use abide_ledger::{
    FileStorage, Storage as _,
    storage::{Access, read_up_to, replace_file},
};

use super::{Dream, Dreams};

/// Most that is read of a file: no line of the ledger, and so no dream, is longer.
const FILE_BYTES_MAX: usize = abide_ledger::LINE_BYTES_MAX;

/// Why a dream's file could not be brought in line.
#[derive(Debug, thiserror::Error)]
#[error("the dream {} could not be {doing}", path.display())]
pub struct DreamFileError {
    /// The file of the dream.
    pub path: PathBuf,
    /// `read`, `written`, `set aside` or `removed`.
    pub doing: &'static str,
    /// The error of the file system.
    pub source: io::Error,
}

/// The folder `dreams` of one agent.
#[derive(Clone, Debug)]
pub struct DreamFiles {
    folder: FileStorage,
}

impl DreamFiles {
    /// The folder at a path; it is made with the first dream.
    pub fn new(folder: &Path) -> Self {
        Self { folder: FileStorage::at(folder) }
    }

    /// The dreams whose file is missing or holds something else.
    pub fn missing<'a>(&self, dreams: &'a Dreams) -> Vec<&'a Dream> {
        let is_there = |dream: &&Dream| {
            self.read(dream).is_ok_and(|content| content.is_some_and(|text| dream.is_text(&text)))
        };
        dreams.list().filter(|dream| !is_there(dream)).collect()
    }

    /// Writes one, atomically and synced. What else stood in its place is moved aside.
    pub fn write(&self, dream: &Dream, content: &str) -> Result<(), DreamFileError> {
        let failed = |doing| move |source| self.error(dream, doing, source);
        FileStorage::create(self.folder.folder()).map_err(failed("written"))?;
        match self.read(dream) {
            Ok(Some(found)) if found == content.as_bytes() => return Ok(()),
            Ok(Some(_)) => self.set_aside(dream)?,
            Ok(None) => {}
            // A link or a pipe in its place, which is not read.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => self.set_aside(dream)?,
            Err(error) => return Err(self.error(dream, "read", error)),
        }
        replace_file(&self.folder, &dream.filename, content.as_bytes()).map_err(failed("written"))
    }

    /// Takes the file of a dream away that is in the list no longer, unless something else stands in it.
    pub fn remove(&self, dream: &Dream) -> Result<(), DreamFileError> {
        match self.read(dream) {
            Ok(Some(content)) if dream.is_text(&content) => {
                let removed = self.folder.remove(&dream.filename);
                removed.map_err(|source| self.error(dream, "removed", source))
            }
            _ => Ok(()),
        }
    }

    /// What stands in the file of a dream, so far as a dream can be long; `None` where there is none.
    fn read(&self, dream: &Dream) -> io::Result<Option<Vec<u8>>> {
        match self.folder.open(&dream.filename, Access::Read) {
            Ok(file) => read_up_to(&*file, 0, FILE_BYTES_MAX).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn set_aside(&self, dream: &Dream) -> Result<(), DreamFileError> {
        let aside = Path::new(&dream.filename).with_extension("edited.md");
        let moved = self.folder.rename(&dream.filename, &aside.to_string_lossy());
        moved.map_err(|source| self.error(dream, "set aside", source))
    }

    fn error(&self, dream: &Dream, doing: &'static str, source: io::Error) -> DreamFileError {
        DreamFileError { path: self.folder.folder().join(&dream.filename), doing, source }
    }
}
