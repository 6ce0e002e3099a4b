//! Whether a file is what the ledger holds: by a digest while the ledger is replayed, and line by line where that differs or
//! the file was changed. It changes neither.

use std::{
    hash::{DefaultHasher, Hasher as _},
    io,
    ops::Range,
};

use abide_domain::EntityName;
use abide_ledger::storage::{StoredFile, read_up_to};

use super::{
    backward::read,
    entry::{ParsedLine, StdoutEntry},
};

/// Bytes of a file that are read at once.
const READ_BYTES: usize = 256 * 1024;

/// Bytes that are read at once for a file's digest.
const DIGEST_READ_BYTES: u64 = 1024 * 1024;

/// The digest of lines, each with its newline: those of the ledger, or those of a file. It finds what differs between
/// two, not what somebody hides.
#[derive(Debug, Default)]
pub(super) struct LinesDigest(DefaultHasher);

impl LinesDigest {
    /// That of a file's beginning.
    pub(super) fn of_file(file: &dyn StoredFile, end: u64) -> io::Result<u64> {
        let mut digest = Self::default();
        let mut rest = Range { start: 0, end };
        while rest.start < rest.end {
            let next = rest.end.min(rest.start + DIGEST_READ_BYTES);
            digest.0.write(&read(file, rest.start..next)?);
            rest.start = next;
        }
        Ok(digest.value())
    }

    /// Takes the next line, without its newline.
    pub(super) fn add(&mut self, line: &str) {
        self.0.write(line.as_bytes());
        self.0.write(b"\n");
    }

    pub(super) fn value(&self) -> u64 {
        self.0.finish()
    }
}

/// What may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tolerance {
    /// Nothing.
    None,
    /// Lines that cannot be read, in the place of one of the ledger: they hurt themselves only, and every read says so.
    CorruptLines,
}

/// A file beside the lines of the ledger.
#[derive(Debug)]
pub(super) struct FileComparison<'a> {
    file: &'a dyn StoredFile,
    /// Its length.
    end: u64,
    tolerance: Tolerance,
    /// How far it was compared.
    at: u64,
    /// What was read of it, from `read_at` on.
    read: Vec<u8>,
    read_at: u64,
    is_same: bool,
}

impl<'a> FileComparison<'a> {
    pub(super) fn new(file: &'a dyn StoredFile, end: u64, tolerance: Tolerance) -> Self {
        Self { file, end, tolerance, at: 0, read: Vec::new(), read_at: 0, is_same: true }
    }

    /// Compares the file's next line with the ledger's. Behind the file's end the ledger may go on.
    pub(super) fn take(&mut self, entry: &StdoutEntry) -> io::Result<()> {
        if !self.is_same || self.at == self.end {
            return Ok(());
        }
        let line = entry.line();
        let length = line.len() + 1;
        let tolerance = self.tolerance;
        let found = self.next(length)?;
        self.is_same = match found.split_last() {
            Some((b'\n', found)) => {
                found == line.as_bytes()
                    || tolerance == Tolerance::CorruptLines && is_corrupt(found, &entry.entity)
            }
            _ => false,
        };
        self.at += length as u64;
        Ok(())
    }

    /// Whether the file is the beginning of what the ledger holds.
    pub(super) fn is_same(&self) -> bool {
        self.is_same && self.at == self.end
    }

    /// The next bytes of the file, as many as there are.
    fn next(&mut self, length: usize) -> io::Result<&[u8]> {
        let mut from = usize::try_from(self.at - self.read_at).unwrap_or(usize::MAX);
        if from.saturating_add(length) > self.read.len() {
            self.read = read_up_to(self.file, self.at, length.max(READ_BYTES))?;
            (self.read_at, from) = (self.at, 0);
        }
        let end = (from + length).min(self.read.len());
        Ok(self.read.get(from..end).unwrap_or_default())
    }
}

/// Whether bytes are one line that cannot be read.
fn is_corrupt(line: &[u8], entity: &EntityName) -> bool {
    !line.contains(&b'\n') && ParsedLine::read(line, entity).is_err()
}
