//! What entities wrote to themselves: the projection of `stdout.written`, one file of JSON lines an entity.
//!
//! `<home>/memory/stdout/@alice.jsonl` has exactly the form of the specification, for `cat`, `grep` and `jq`. It follows
//! the ledger and never leads it: nothing here is synced, and whatever a crash, a person or a disk did to a file, the
//! next replay makes it whole, each entry once. A line that cannot be read hurts itself alone and is said; a log that
//! cannot be looked at is an error and never an empty one. No read depends on how long a log is, but a search.
//!
//! Reading order: [`StdoutEntry`] and its line (`entry`), [`Corrupt`]; `file` (one file), `replay` (what a replay must
//! add), `recent` (the last hundred), `entity` (all of that for one entity), `folder` ([`StdoutFolder`]: all entities,
//! the hot ones bounded); then the readers: `backward` (from the end), `seek` (by tick), `checked` and
//! `search` (by text and condition), and `reads`, which puts them together.

mod backward;
mod checked;
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
mod seek;
mod time;

pub use abide_ledger::text::{NEEDLE_CHARS_MAX, Needle, NeedleError};

pub use self::{
    corrupt::{CORRUPT_LINES_MAX, Corrupt, CorruptLineError, LogLineError},
    entry::StdoutEntry,
    error::{LogNotice, SearchError, StdoutError},
    folder::{HotBounds, StdoutFolder},
    recent::RECENT_ENTRIES,
    search::{EntryCondition, Filter},
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
    pub corrupt: Corrupt,
}
