//! Folders that are gone when the measurement is over, on the disk that is to be measured.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::BenchError;

/// A folder of its own for one run.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Makes one inside a folder, or inside the nearest folder above it that exists.
    pub(crate) fn within(folder: &Path) -> Result<Self, BenchError> {
        let existing =
            folder.ancestors().find(|folder| folder.is_dir()).unwrap_or_else(|| Path::new("."));
        let folder = tempfile::Builder::new().prefix(".abide-bench-").tempdir_in(existing);
        Ok(Self { folder: folder.map_err(BenchError::io("make a scratch folder"))? })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A path in it.
    pub(crate) fn join(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }
}
