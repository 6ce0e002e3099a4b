//! Cards on disk: Scryfall's bulk data as it was pulled (gzip, one JSON object a line, checked by its digest), and the compact
//! table that is made of it, which is checked by a digest of its own. Both are read from a reader and written to a writer; whose
//! file that is, this module does not know. Nothing of a file that is cut short or altered is used.

use std::io::{self, BufRead as _, BufReader, Read, Write};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    card::Card,
    card_table::CardTable,
    limits::{BULK_BYTES_MAX, BULK_LINE_BYTES_MAX, BULK_LINES_MAX},
    scryfall_line::CardLineError,
};

/// Version of the compact table.
const VERSION: u32 = 1;
/// What the first line of a compact table says that it is.
const KIND: &str = "abide cards";

/// Why cards could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CardFileError {
    /// The file could not be read or written, or is no gzip.
    #[error("cannot read or write the cards: {0}")]
    Io(#[from] io::Error),
    /// It is not what was pulled.
    #[error(
        "the cards were altered or cut short: their digest is {found}, not {wanted}; pull them again"
    )]
    Digest {
        /// The digest that it should have.
        wanted: String,
        /// The digest that it has.
        found: String,
    },
    /// A line is no card.
    #[error("line {line} of the cards: {source}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        source: CardLineError,
    },
    /// A line of a compact table is none.
    #[error("line {line} of the card table cannot be read: {reason}; make it again")]
    Table {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// It is larger than any file of Scryfall's.
    #[error("the cards are more than {0}")]
    TooLarge(&'static str),
}

/// The first line of a compact table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TableHeader {
    kind: String,
    version: u32,
    /// Digest of the bulk data that it was made of.
    source: String,
    cards: usize,
}

/// What was read of bulk data whose digest nobody knew before.
#[derive(Clone, Debug)]
pub struct BulkReading {
    /// The cards.
    pub table: CardTable,
    /// The SHA-256 of all packed bytes, in hexadecimal.
    pub digest: String,
    /// Lines that are cards.
    pub read: usize,
    /// Lines that are none, empty ones left out.
    pub unread: usize,
    /// The first of them: its number, from 1, and what is wrong with it.
    pub first_unread: Option<(usize, CardLineError)>,
}

/// Reads bulk data as it comes: each line is a card or is counted as unread. The checksum within the gzip is checked, so that
/// a file that is cut short or altered on its way is refused.
///
/// # Errors
/// The bytes are no whole gzip, or are more than any file of Scryfall's.
pub fn read_new_bulk_cards(reader: impl Read) -> Result<BulkReading, CardFileError> {
    let mut table = CardTable::default();
    let (mut read, mut unread, mut first_unread) = (0, 0, None);
    let digest = each_line(reader, |line, text| {
        match table.add_line(text) {
            Ok(()) => read += usize::from(!text.is_empty()),
            Err(error) => {
                unread += 1;
                first_unread.get_or_insert((line, error));
            }
        }
        Ok(())
    })?;
    Ok(BulkReading { table, digest, read, unread, first_unread })
}

/// Reads bulk data: gzip whose bytes have a SHA-256, given in hexadecimal.
///
/// # Errors
/// The bytes have another digest, are no gzip, or a line is no card.
pub fn read_bulk_cards(reader: impl Read, digest: &str) -> Result<CardTable, CardFileError> {
    let mut table = CardTable::default();
    let found = each_line(reader, |line, text| {
        table.add_line(text).map_err(|source| CardFileError::Line { line, source })
    })?;
    checked(table, &found, digest)
}

/// Writes a compact table; `source` is the digest of the bulk data that it was made of. Gives the digest of what was written.
///
/// # Errors
/// The writer fails.
pub fn write_card_table(
    table: &CardTable,
    source: &str,
    writer: impl Write,
) -> Result<String, CardFileError> {
    let mut packed = GzEncoder::new(Hashed::new(writer), Compression::default());
    let cards = table.cards();
    let header = TableHeader {
        kind: KIND.into(),
        version: VERSION,
        source: source.into(),
        cards: cards.len(),
    };
    write_line(&mut packed, &header)?;
    for card in cards {
        write_line(&mut packed, card)?;
    }
    let mut hashed = packed.finish()?;
    hashed.inner.flush()?;
    Ok(hashed.digest())
}

/// Reads a compact table whose bytes have a SHA-256, given in hexadecimal. Also gives the digest of the bulk data that it was
/// made of.
///
/// # Errors
/// The bytes have another digest, are no gzip, or are no table of this version.
pub fn read_card_table(
    reader: impl Read,
    digest: &str,
) -> Result<(CardTable, String), CardFileError> {
    let mut table = CardTable::default();
    let mut header: Option<TableHeader> = None;
    let found = each_line(reader, |line, text| {
        let wrong = |reason: String| CardFileError::Table { line, reason };
        if header.is_none() {
            let first: TableHeader =
                serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
            if first.kind != KIND || first.version != VERSION {
                return Err(wrong(format!("it is `{}` of version {}", first.kind, first.version)));
            }
            header = Some(first);
            return Ok(());
        }
        let card: Card = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        table.add(card);
        Ok(())
    })?;
    let table = checked(table, &found, digest)?;
    let header = header.filter(|header| header.cards == table.cards().len());
    let header = header.ok_or_else(|| CardFileError::Table {
        line: 1,
        reason: format!(
            "it says another number of cards than the {} that follow",
            table.cards().len()
        ),
    })?;
    Ok((table, header.source))
}

fn checked(table: CardTable, found: &str, wanted: &str) -> Result<CardTable, CardFileError> {
    if found.eq_ignore_ascii_case(wanted) {
        return Ok(table);
    }
    Err(CardFileError::Digest { wanted: wanted.to_owned(), found: found.to_owned() })
}

fn write_line(writer: &mut impl Write, value: &impl Serialize) -> Result<(), CardFileError> {
    serde_json::to_writer(&mut *writer, value).map_err(io::Error::from)?;
    Ok(writer.write_all(b"\n")?)
}

/// Hands each line of packed text on, and gives the digest of all packed bytes.
fn each_line(
    reader: impl Read,
    mut line: impl FnMut(usize, &str) -> Result<(), CardFileError>,
) -> Result<String, CardFileError> {
    let hashed = Hashed::new(reader);
    let mut unpacked = BufReader::new(MultiGzDecoder::new(hashed).take(BULK_BYTES_MAX));
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let cap = u64::try_from(BULK_LINE_BYTES_MAX).unwrap_or(u64::MAX);
        if unpacked.by_ref().take(cap).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if number > BULK_LINES_MAX {
            return Err(CardFileError::TooLarge("a million lines"));
        }
        if bytes.len() == BULK_LINE_BYTES_MAX {
            return Err(CardFileError::TooLarge("256 KiB in one line"));
        }
        let text = str::from_utf8(&bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        line(number, text.trim_end())?;
    }
    if unpacked.get_ref().limit() == 0 {
        return Err(CardFileError::TooLarge("4 GiB"));
    }
    let mut hashed = unpacked.into_inner().into_inner().into_inner();
    io::copy(&mut hashed, &mut io::sink())?;
    Ok(hashed.digest())
}

/// A reader or writer that keeps the digest of all that went through.
struct Hashed<T> {
    inner: T,
    state: Sha256,
}

impl<T> Hashed<T> {
    fn new(inner: T) -> Self {
        Self { inner, state: Sha256::new() }
    }

    fn digest(self) -> String {
        hex::encode(self.state.finalize())
    }
}

impl<T: Read> Read for Hashed<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.state.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

impl<T: Write> Write for Hashed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.state.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
