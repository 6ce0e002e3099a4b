//! What an entry of the queue or of a playlist is known by.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Number of an entry, given once and never again: the same track may stand in a queue twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub u64);

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
