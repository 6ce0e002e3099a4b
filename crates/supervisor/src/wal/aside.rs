//! Sets aside what does not count any more, so that a person can still look at it: torn or damaged bytes, and entries
//! that cannot be used.
//!
//! Files are bounded in number; the oldest go first. Nothing here is ever read back by the keeper.

use std::io;

use abide_ledger::storage::{Access, Storage, StoredFile};

use super::{
    names,
    record::{EntryRecord, Record, RecordLocation, encode},
};

/// Set-aside files that are kept, of all kinds together.
pub(crate) const ASIDES_MAX: usize = 16;
/// Bytes collected before they are written.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Writes bytes into a file of their own, durably once the folder is synced.
pub(super) fn put(storage: &dyn Storage, name: &str, bytes: &[u8]) -> io::Result<()> {
    let file = storage.open(name, Access::Create)?;
    file.write_at(bytes, 0)?;
    file.sync_all()
}

/// A file of entries, in the form of a segment.
#[derive(Debug)]
pub(super) struct EntriesFile {
    name: String,
    segment: u64,
    file: Box<dyn StoredFile>,
    buffer: Vec<u8>,
    written: u64,
    count: u64,
}

impl EntriesFile {
    /// Begins the file that is named after a segment.
    pub(super) fn create(storage: &dyn Storage, segment: u64) -> io::Result<Self> {
        let name = names::entries(segment);
        let file = storage.open(&name, Access::Create)?;
        Ok(Self { name, segment, file, buffer: Vec::new(), written: 0, count: 0 })
    }

    pub(super) fn push(&mut self, entry: &EntryRecord<'_>) -> io::Result<()> {
        let offset = self.written + self.buffer.len() as u64;
        let location = RecordLocation { segment: self.segment, offset };
        encode(&mut self.buffer, location, &Record::Entry(*entry));
        self.count += 1;
        if self.buffer.len() >= CHUNK_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_at(&self.buffer, self.written)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Makes the file's content durable; says its name and how many entries it holds.
    pub(super) fn finish(mut self) -> io::Result<(String, u64)> {
        self.flush()?;
        self.file.sync_all()?;
        Ok((self.name, self.count))
    }
}

/// Removes the oldest files of a kind beyond [`ASIDES_MAX`]; names sort by age.
pub(crate) fn remove_oldest(
    storage: &dyn Storage,
    is_aside: impl Fn(&str) -> bool,
) -> io::Result<usize> {
    let mut names: Vec<_> = storage.list()?.into_iter().filter(|name| is_aside(name)).collect();
    names.sort_unstable();
    let surplus = names.len().saturating_sub(ASIDES_MAX);
    for name in names.iter().take(surplus) {
        storage.remove(name)?;
    }
    Ok(surplus)
}
