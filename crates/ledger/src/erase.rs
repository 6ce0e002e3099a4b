//! Erasing: the words of some lines are removed for good, and the chain from the first of them on is made anew.
//!
//! ```text
//! keeper.erase_requested → erasure.json (which lines) → segments rewritten one by one → erasure.json (what they are now)
//!   → keeper.erased → erasure.json is removed
//! ```
//!
//! A line keeps its place, its kind, its ids and its times; every text in it becomes [`ERASED`]. An old chain value would let
//! a short text be guessed, since all around it is known: so none is kept, and all that follows is chained again. What a cut at
//! any point leaves is carried on by the next opening of the ledger ([`resume`]): carrying it out twice changes nothing.
//! `keeper.erased` has the digest of each line as it stands since then, so that a later change of one is no erasure. It must
//! never run beside a writer: whoever calls it holds the home's lock.
//!
//! Reading order: here the order of things; `rewrite` (one segment); `mask` (one line).

use std::{collections::BTreeSet, io};

use abide_domain::event::LedgerErased;
use serde::{Deserialize, Serialize};

use crate::{
    damage::OpenError,
    names,
    record::Record,
    storage::{Storage, read_file, replace_file},
};

mod error;
mod mask;
mod rewrite;

pub use error::EraseError;
pub use mask::{ERASED, erasable_texts};

use rewrite::{RewrittenSegment, rewrite};

/// The note of an erasure that is under way.
pub(crate) const NOTE: &str = "erasure.json";

/// An erasure that is under way, as it is noted beside the segments. It holds no words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ErasureNote {
    pub(crate) requested_seq: u64,
    lines: BTreeSet<u64>,
    /// The lines as they stand now, once all segments are rewritten.
    pub(crate) erased: Option<Vec<NotedLine>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NotedLine {
    pub(crate) seq: u64,
    pub(crate) sha256: String,
}

/// Whether an erasure is under way in a folder: then its segments may not fit each other yet.
pub fn is_under_way(storage: &dyn Storage) -> Result<bool, OpenError> {
    let names = storage.list().map_err(OpenError::io("list its folder"))?;
    Ok(names.iter().any(|name| name == NOTE)
        && !matches!(read_note(storage), Ok(Some(note)) if note.erased.is_some()))
}

/// Notes which lines are to be erased, on the request that stands in the ledger at a sequence, and erases them. The ledger
/// must be closed.
pub fn erase(
    storage: &dyn Storage,
    requested_seq: u64,
    lines: BTreeSet<u64>,
) -> Result<(), EraseError> {
    // What an earlier one left comes first.
    resume(storage)?;
    write_note(storage, &ErasureNote { requested_seq, lines, erased: None })?;
    resume(storage)?;
    Ok(())
}

/// Carries on an erasure that was cut, before the ledger is opened. Gives whether there was one. What it erased is still to be
/// written down ([`crate::write_down_erasure`]).
pub fn resume(storage: &dyn Storage) -> Result<bool, EraseError> {
    let Some(mut note) = read_note(storage)? else { return Ok(false) };
    if note.erased.is_none() {
        let erased = rewrite_all(storage, &note.lines)?;
        note.erased = Some(erased);
        write_note(storage, &note)?;
    }
    Ok(true)
}

/// The erasure that a line tells of.
pub(crate) fn erased_of(record: &Record) -> Option<LedgerErased> {
    use abide_domain::event::{Event, KeeperEvent};
    match record.entry().ok()?.event {
        Event::Keeper(KeeperEvent::Erased(erased)) => Some(erased),
        _ => None,
    }
}

/// Rewrites all segments from the first that holds one of the lines on.
fn rewrite_all(storage: &dyn Storage, lines: &BTreeSet<u64>) -> Result<Vec<NotedLine>, EraseError> {
    let names = storage.list().map_err(EraseError::io("list its folder"))?;
    let mut numbers: Vec<u64> = names.iter().filter_map(|n| names::parse_segment(n)).collect();
    numbers.sort_unstable();
    let (mut erased, mut chain) = (Vec::new(), None);
    for number in numbers {
        let name = names::segment(number);
        let bytes = read_file(storage, &name).map_err(EraseError::io(format!("read {name}")))?;
        let RewrittenSegment { bytes: rewritten, chain: after, masked } =
            rewrite(&name, &bytes, chain, lines)?;
        if rewritten.is_some() || chain.is_some() {
            // They say where the old bytes stood; both are made again.
            for cache in [names::side(number), names::index(number)] {
                remove(storage, &cache)?;
            }
        }
        if let Some(rewritten) = rewritten {
            let writing = EraseError::io(format!("write {name}"));
            replace_file(storage, &name, &rewritten).map_err(writing)?;
        }
        // From the first segment with such a line on, each follows from the one before.
        if chain.is_some() || !masked.is_empty() {
            chain = Some(after);
        }
        erased.extend(masked.into_iter().map(|(seq, sha256)| NotedLine { seq, sha256 }));
    }
    // Bytes that were never acknowledged may hold the same words.
    for torn in names.iter().filter(|name| names::parse_torn(name).is_some()) {
        remove(storage, torn)?;
    }
    storage.sync_folder().map_err(EraseError::io("sync its folder"))?;
    Ok(erased)
}

fn remove(storage: &dyn Storage, name: &str) -> Result<(), EraseError> {
    match storage.remove(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(EraseError::io(format!("remove {name}"))(error))
        }
        _ => Ok(()),
    }
}

pub(crate) fn read_note(storage: &dyn Storage) -> Result<Option<ErasureNote>, EraseError> {
    match read_file(storage, NOTE) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|_| EraseError::Note),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EraseError::io(format!("read {NOTE}"))(error)),
    }
}

fn write_note(storage: &dyn Storage, note: &ErasureNote) -> Result<(), EraseError> {
    let writing = || EraseError::io(format!("write {NOTE}"));
    let bytes = serde_json::to_vec(note).map_err(io::Error::other).map_err(writing())?;
    replace_file(storage, NOTE, &bytes).map_err(writing())
}
