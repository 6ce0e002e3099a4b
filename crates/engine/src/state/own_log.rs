//! The newest entries of an agent's own log, as many as a prompt may show.

use std::{collections::VecDeque, sync::Arc};

use abide_domain::{event::OwnEntries, limits::OWN_ENTRIES_SHOWN};
use serde::{Deserialize, Serialize};

/// Entries that are kept beyond those that are shown: some may come from outside between the reading of the log and the
/// event that says what was shown.
const SPARE: usize = 20;

/// An entry of an agent's own log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnEntry {
    /// The sequence of its event.
    pub seq: u64,
    /// Its tick.
    pub tick: u64,
    /// The text.
    pub content: Arc<str>,
}

/// The newest entries of a log, as many as may be shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnLog(VecDeque<OwnEntry>);

impl OwnLog {
    /// Takes an entry in; the oldest goes where there are more than are ever shown.
    pub fn push(&mut self, entry: OwnEntry) {
        if self.0.len() == OWN_ENTRIES_SHOWN + SPARE {
            self.0.pop_front();
        }
        self.0.push_back(entry);
    }

    /// What of it would be shown now; none where there is nothing.
    pub fn newest(&self) -> Option<OwnEntries> {
        let through_seq = self.0.back()?.seq;
        let entries = u32::try_from(self.0.len().min(OWN_ENTRIES_SHOWN)).ok()?;
        Some(OwnEntries { through_seq, entries })
    }

    /// The entries up to an event, the newest first.
    pub fn newest_first(&self, through_seq: u64) -> impl Iterator<Item = &OwnEntry> {
        self.0.iter().rev().filter(move |entry| entry.seq <= through_seq)
    }
}
