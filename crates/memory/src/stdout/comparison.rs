//! Whether a file is what the ledger holds: read beside it, line by line, without a change to either.

use std::io;

use abide_domain::EntityName;
use abide_ledger::storage::{StoredFile, read_up_to};

use super::entry::{ParsedLine, StdoutEntry};

/// Bytes of a file that are read at once.
const READ_BYTES: usize = 256 * 1024;

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
