//! Where playing stopped, for the next start: a small file, written once a second while something plays.
//!
//! It is replaced whole, so that a killed program leaves the old one or the new one. It is not synced: a power cut may lose
//! the newest seconds, and a file that cannot be read only means that a track begins at its beginning.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    path::Path,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::{entry::EntryId, library::TrackKey, limits::POSITION_FILE_BYTES_MAX};

/// A place in a track of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPosition {
    /// The entry of the queue.
    pub entry: EntryId,
    /// Its track, so that an entry of another queue with the same number is not taken for it.
    pub track: TrackKey,
    /// From the beginning of the track, in milliseconds.
    pub position_ms: u64,
}

impl SavedPosition {
    /// Reads the file; none where there is none or it is not one.
    pub fn read(path: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(POSITION_FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Puts it in the place of the file, whole or not at all.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut file, self)?;
        file.flush()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// The place.
    pub const fn position(&self) -> Duration {
        Duration::from_millis(self.position_ms)
    }
}
