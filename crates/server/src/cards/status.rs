//! What is in the folder of cards, for `abide cards status`, `abide doctor --tools` and `GET /cards`. Reads no card. Blocking.

use std::{io, path::PathBuf};

use super::{folder::CardFolder, manifest::CardManifest};

/// What is in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CardsStatus {
    /// The present cards; none where there are none.
    pub(crate) manifest: Option<CardManifest>,
    /// Whether a pull is at work.
    pub(crate) is_pulling: bool,
    /// Cards that were damaged and set aside, where no pull has replaced them.
    pub(crate) damaged: Option<PathBuf>,
}

/// Looks into the folder.
///
/// Errors: those of the system; `InvalidData` where `cards.json` is damaged.
pub(crate) fn status_of(folder: &CardFolder) -> io::Result<CardsStatus> {
    Ok(CardsStatus {
        manifest: folder.manifest()?,
        is_pulling: folder.is_locked()?,
        damaged: folder.damaged(),
    })
}
