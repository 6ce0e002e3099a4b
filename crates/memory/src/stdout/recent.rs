//! The last hundred entries of an entity, in memory.

use std::{collections::VecDeque, io, ops::ControlFlow};

use abide_domain::EntityName;
use abide_ledger::storage::StoredFile;

use super::{
    ReadResult,
    backward::newest,
    corrupt::{CorruptLineError, CorruptLines, LogLineError},
    entry::{ParsedLine, StdoutEntry},
};

/// How many of the newest entries are kept in memory.
pub const RECENT_ENTRIES: usize = 100;
/// Most corrupt lines among them that are remembered.
const CORRUPT_KEPT_MAX: usize = 100;

/// The newest entries, with the places of their lines.
#[derive(Debug, Default)]
pub(super) struct RecentEntries {
    /// Oldest first.
    entries: VecDeque<(u64, StdoutEntry)>,
    /// Lines between and behind them that cannot be read.
    corrupt: Vec<CorruptLineError>,
    has_older: bool,
    bytes: usize,
}

impl RecentEntries {
    /// Reads them from the end of a file.
    pub(super) fn load(file: &dyn StoredFile, end: u64, entity: &EntityName) -> io::Result<Self> {
        let mut recent = Self::default();
        newest(file, 0..end, &mut |at, line| {
            if recent.entries.len() == RECENT_ENTRIES {
                recent.has_older = true;
                return ControlFlow::Break(());
            }
            match line.ok_or(LogLineError::TooLong).and_then(|line| ParsedLine::read(line, entity))
            {
                Ok(line) => recent.push_older(at, line.entry(entity)),
                Err(why) if recent.corrupt.len() < CORRUPT_KEPT_MAX => {
                    recent.corrupt.push(CorruptLineError { offset: at, why });
                }
                Err(_) => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok(recent)
    }

    fn push_older(&mut self, at: u64, entry: StdoutEntry) {
        self.bytes += entry.bytes();
        self.entries.push_front((at, entry));
    }

    /// Takes the next entry in.
    pub(super) fn push(&mut self, at: u64, entry: StdoutEntry) {
        self.bytes += entry.bytes();
        self.entries.push_back((at, entry));
        if self.entries.len() > RECENT_ENTRIES
            && let Some((_, oldest)) = self.entries.pop_front()
        {
            self.bytes -= oldest.bytes();
            self.has_older = true;
            let first = self.entries.front().map_or(0, |(at, _)| *at);
            self.corrupt.retain(|line| line.offset > first);
        }
    }

    /// About how much memory they hold.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last few of them.
    pub(super) fn last(&self, count: usize) -> ReadResult {
        let skipped = self.entries.len().saturating_sub(count);
        let has_more = self.has_older || skipped > 0;
        // Where all are shown, what stands before the first counts too.
        let shown_from = self.entries.get(skipped).map_or(u64::MAX, |(at, _)| *at);
        let first = if has_more { shown_from } else { 0 };
        let corrupt = self.corrupt.iter().filter(|line| line.offset >= first).cloned();
        let corrupt: Vec<_> = corrupt.collect();
        let total = corrupt.len() as u64;
        ReadResult {
            entries: self.entries.iter().skip(skipped).map(|(_, entry)| entry.clone()).collect(),
            has_more,
            matched: (!self.has_older).then_some(self.entries.len() as u64),
            corrupt: CorruptLines::of(corrupt, total),
        }
    }
}
