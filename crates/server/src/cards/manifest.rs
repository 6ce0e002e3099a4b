//! `cards.json`: which table is the present one, what it was made of, and when.

use std::io;

use abide_domain::Timestamp;
use serde::{Deserialize, Serialize};

/// Version of the file.
const VERSION: u32 = 1;

/// A file of the folder, and the SHA-256 that it has, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    /// Its name in the folder.
    pub(crate) file: String,
    /// The digest of all its bytes.
    pub(crate) digest: String,
}

/// What the folder holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CardManifest {
    /// Version of this file.
    pub(super) version: u32,
    /// The compact table.
    pub(crate) table: StoredFile,
    /// The tags that legality asks about; none where there were none to be had.
    #[serde(default)]
    pub(crate) tags: Option<StoredFile>,
    /// Where the cards came from: `scryfall` or a file's name.
    pub(crate) source: String,
    /// Which bulk data: `default_cards`, `oracle_cards`.
    pub(crate) bulk: String,
    /// Digest of the bulk data.
    pub(crate) source_digest: String,
    /// When the bulk data was made; none where nobody says.
    #[serde(default)]
    pub(crate) updated_at: Option<Timestamp>,
    /// When it was pulled.
    pub(crate) pulled_at: Timestamp,
    /// Cards of the table.
    pub(crate) cards: usize,
    /// Printings of all of them.
    pub(crate) printings: usize,
    /// Lines of the bulk data that were no cards.
    pub(crate) unread: usize,
}

impl CardManifest {
    /// One of cards that nothing more is known of.
    pub(crate) fn new(table: StoredFile, tags: Option<StoredFile>) -> Self {
        Self {
            version: VERSION,
            table,
            tags,
            source: String::new(),
            bulk: String::new(),
            source_digest: String::new(),
            updated_at: None,
            pulled_at: Timestamp::default(),
            cards: 0,
            printings: 0,
            unread: 0,
        }
    }

    /// Reads the text of the file.
    ///
    /// Errors: `InvalidData` where it is none of this version, or names a file that is not in the folder itself.
    pub(super) fn parse(text: &str) -> io::Result<Self> {
        let wrong = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
        let read: Self = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if read.version != VERSION {
            return Err(wrong(format!("it is of version {}, not {VERSION}", read.version)));
        }
        let mut files = std::iter::once(&read.table).chain(&read.tags);
        match files.find(|stored| !is_plain_name(&stored.file)) {
            Some(stored) => Err(wrong(format!("`{}` is no name of a file", stored.file))),
            None => Ok(read),
        }
    }

    /// The text of the file.
    pub(super) fn print(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// Whether a name leads nowhere else and hides nothing.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    name.bytes().all(is_plain) && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}
