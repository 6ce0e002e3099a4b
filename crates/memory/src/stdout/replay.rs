//! What a replay of the ledger must add to a file, found out from the file alone.
//!
//! No side file says how far a file goes, for it could disagree. The entries of one entity stand in the order of their
//! times, so all before the newest time in the file are there, all after it are not, and those of the very moment are
//! told by what they say. An unreadable end is cut off first: the ledger has what stood there.

use std::{io, ops::ControlFlow, sync::Arc};

use abide_domain::{EntityName, Timestamp};
use abide_ledger::storage::{StoredFile, read_up_to};
use serde::{Deserialize, Serialize};

use super::{
    backward::{newest, whole_end},
    entry::{ParsedLine, StdoutEntry},
};

/// Most entries of one moment that a file's end is believed to hold: more than a batch of the ledger ever has of one.
const ONE_MOMENT_MAX: usize = 10_000;
/// Bytes that are read for a file's first line.
const FIRST_LINE_BYTES: usize = 64 * 1024;

/// How a file ends.
#[derive(Debug, Default)]
pub(super) struct FileTail {
    /// Behind its last newline.
    pub(super) whole: u64,
    /// Behind its last line that can be read.
    pub(super) readable: u64,
    pub(super) newest: Option<NewestMoment>,
    /// Whether it cannot have been written by us.
    pub(super) is_foreign: bool,
    /// Whether its last lines are older than those before them: another program wrote them.
    pub(super) is_out_of_order: bool,
}

/// The newest moment of a file.
#[derive(Debug, Default)]
pub(super) struct NewestMoment {
    pub(super) at: Timestamp,
    /// What was written at that moment.
    contents: Vec<Arc<str>>,
}

impl FileTail {
    /// Looks at the end of a file.
    pub(super) fn read(file: &dyn StoredFile, size: u64, entity: &EntityName) -> io::Result<Self> {
        let whole = whole_end(file, size)?;
        let mut tail = Self { whole, ..Self::default() };
        newest(file, 0..whole, &mut |at, bytes| {
            let Some(Ok(line)) = bytes.map(|line| ParsedLine::read(line, entity)) else {
                return ControlFlow::Continue(());
            };
            let newest = tail.newest.get_or_insert_with(|| {
                tail.readable = at + bytes.map_or(0, <[u8]>::len) as u64 + 1;
                NewestMoment { at: line.timestamp, contents: Vec::new() }
            });
            tail.is_foreign = newest.contents.len() == ONE_MOMENT_MAX;
            if newest.at != line.timestamp || tail.is_foreign {
                // Ours stand in the order of their times.
                tail.is_out_of_order = newest.at < line.timestamp;
                return ControlFlow::Break(());
            }
            newest.contents.push(Arc::from(&*line.content));
            ControlFlow::Continue(())
        })?;
        tail.is_foreign |= tail.newest.is_none() && whole > 0;
        Ok(tail)
    }
}

/// The first entry of a file; `None` where its first line cannot be read.
pub(super) fn first_entry(
    file: &dyn StoredFile,
    entity: &EntityName,
) -> io::Result<Option<StdoutEntry>> {
    let bytes = read_up_to(file, 0, FIRST_LINE_BYTES)?;
    let line = memchr::memchr(b'\n', &bytes).and_then(|newline| bytes.get(..newline));
    let line = line.and_then(|line| ParsedLine::read(line, entity).ok());
    Ok(line.map(|line| line.entry(entity)))
}

/// Where an entry of the ledger stands in regard to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryPosition {
    /// The file holds it.
    There,
    /// It must be written.
    Missing,
    /// It must be written, and so must all that follow.
    Beyond,
}

/// The newest entries of one log, as whoever folded the ledger up to some point knows them without reading them again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewestEntries {
    /// When the newest was written.
    pub at: Timestamp,
    /// How many were written at that very moment.
    pub count: u32,
}

impl NewestEntries {
    /// That of a log whose first entry was written then.
    pub fn first(at: Timestamp) -> Self {
        Self { at, count: 1 }
    }

    /// Takes the next entry.
    pub fn add(&mut self, at: Timestamp) {
        self.count = if self.at == at { self.count.saturating_add(1) } else { 1 };
        self.at = at;
    }

    /// Whether a file that ends like this goes at least as far.
    pub(super) fn are_in(self, found: Option<&NewestMoment>) -> bool {
        found.is_some_and(|found| {
            found.at > self.at || found.at == self.at && found.contents.len() >= self.count as usize
        })
    }
}

impl NewestMoment {
    /// Takes the next entry of a file that is written.
    pub(super) fn add(&mut self, entry: &StdoutEntry) {
        if entry.timestamp != self.at {
            (self.at, self.contents) = (entry.timestamp, Vec::new());
        }
        self.contents.push(entry.content.clone());
    }

    /// Whether the file holds the next entry of the replay.
    pub(super) fn position_of(&mut self, entry: &StdoutEntry) -> EntryPosition {
        if entry.timestamp != self.at {
            let is_before = entry.timestamp < self.at;
            return if is_before { EntryPosition::There } else { EntryPosition::Beyond };
        }
        match self.contents.iter().position(|content| *content == entry.content) {
            Some(index) => {
                self.contents.swap_remove(index);
                EntryPosition::There
            }
            None => EntryPosition::Missing,
        }
    }
}
