//! The projection `dreams/<date>-<short name>.md`: each file is a dream's text, byte for byte.
//!
//! The files follow the ledger, never the other way. What a person wrote into one is moved aside before it is written
//! again; files of other names are left alone, for they may be a person's. Run at start and after each change.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::{Dream, Dreams};

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
    folder: PathBuf,
}

impl DreamFiles {
    /// The folder at a path; it is made with the first dream.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The dreams whose file is missing or holds something else.
    pub fn missing<'a>(&self, dreams: &'a Dreams) -> Vec<&'a Dream> {
        let is_there = |dream: &&Dream| {
            fs::read(self.folder.join(&dream.filename)).is_ok_and(|content| dream.is_text(&content))
        };
        dreams.list().filter(|dream| !is_there(dream)).collect()
    }

    /// Writes one, atomically and synced. What else stood in its place is moved aside.
    pub fn write(&self, dream: &Dream, content: &str) -> Result<(), DreamFileError> {
        let path = self.folder.join(&dream.filename);
        let failed = |doing: &'static str| {
            let path = path.clone();
            move |source| DreamFileError { path, doing, source }
        };
        fs::create_dir_all(&self.folder).map_err(failed("written"))?;
        match fs::read(&path) {
            Ok(found) if found == content.as_bytes() => return Ok(()),
            Ok(_) => {
                fs::rename(&path, path.with_extension("edited.md")).map_err(failed("set aside"))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("read")(error)),
        }
        write_synced(&path, content).map_err(failed("written"))
    }

    /// Takes the file of a dream away that is in the list no longer, unless something else stands in it.
    pub fn remove(&self, dream: &Dream) -> Result<(), DreamFileError> {
        let path = self.folder.join(&dream.filename);
        if !fs::read(&path).is_ok_and(|content| dream.is_text(&content)) {
            return Ok(());
        }
        fs::remove_file(&path).map_err(|source| DreamFileError { path, doing: "removed", source })
    }
}

fn write_synced(path: &Path, content: &str) -> io::Result<()> {
    let new = path.with_extension("md.new");
    let mut file = File::create(&new)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
