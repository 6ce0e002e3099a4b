//! What entities wrote to themselves: the projection of `stdout.written`, one file of JSON lines an entity.
//!
//! `<home>/memory/stdout/@alice.jsonl` has exactly the form of the specification, for `cat`, `grep` and `jq`. It follows
//! the ledger and never leads it: nothing here is synced, and whatever a crash, a person or a disk did to a file, it is
//! made whole, each entry once: with its next use, or by the next replay. A line that cannot be read is left out alone and reported; a log that
//! cannot be read is an error and never an empty one. Only a search takes longer the longer a log is.
//!
//! Reading order: [`StdoutEntry`] and its line (`entry`), [`CorruptLines`]; `file` (one file), `replay` (what a replay must
//! add), `comparison` (whether a file is what the ledger holds), `recent` (the last hundred), `entity` (all of that for one entity), `folder` ([`StdoutFolder`]: all entities,
//! the hot ones bounded); then the readers: `backward` (from the end), `tick_range` (by tick), `checked` and
//! `search` (by text and condition), and `reads`, which puts them together.

mod backward;
mod checked;
mod comparison;
mod corrupt;
mod entity;
mod entry;
mod error;
mod file;
mod folder;
mod reads;
mod recent;
mod replay;
mod search;
mod tick_range;
mod time;

pub use abide_ledger::text::{NEEDLE_CHARS_MAX, Needle, NeedleError};

pub use self::{
    corrupt::{CORRUPT_LINES_MAX, CorruptLineError, CorruptLines, LogLineError},
    entity::EntrySource,
    entry::StdoutEntry,
    error::{LogFileError, SearchError, StdoutError},
    folder::{CacheBounds, StdoutFolder},
    recent::RECENT_ENTRIES,
    replay::NewestEntries,
    search::{EntryCondition, EntryFilter},
};

/// Most entries that one read answers with.
pub const ENTRIES_MAX: usize = 1_000;

/// What a read found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadResult {
    /// The newest that fit, oldest first.
    pub entries: Vec<StdoutEntry>,
    /// Whether older ones fit too.
    pub has_more: bool,
    /// How many fit in all; `None` where not everything was looked at.
    pub matched: Option<u64>,
    /// Lines among those looked at that cannot be read: their entries are missing here.
    pub corrupt: CorruptLines,
}
