//! The agent's own entries in its prompt: what it wrote down before it was woken, started again or reset (decision 10).
//!
//! They stand last in the system text, so that what comes before them stays the same from epoch to epoch. The Dreamer has no
//! part in it: it sees the envelope and its eight queries alone.

use std::{collections::VecDeque, sync::Arc};

use abide_domain::{
    event::OwnEntries,
    limits::OWN_ENTRIES_SHOWN,
    text::{indented, shortened},
};
use abide_memory::estimate_tokens;

/// What is shown of one entry, in Unicode scalar values.
const ENTRY_CHARS_MAX: usize = 1_000;
/// Entries that are kept beyond those that are shown: some may come from outside between a look at the log and the event that
/// says what was shown.
const SPARE: usize = 20;
const HEADING: &str =
    "\n\nWhat you wrote down for yourself before this, with \\stdout, the newest last:";

/// An entry of an agent's own log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnEntry {
    /// Its event.
    pub seq: u64,
    /// When, in ticks.
    pub tick: u64,
    /// The words.
    pub content: Arc<str>,
}

/// The newest entries of a log, as many as may be shown.
#[derive(Clone, Debug, Default)]
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
}

/// The newest of these entries that fit, oldest first, and which they are.
pub(super) fn render(
    log: &OwnLog,
    shown: OwnEntries,
    tokens_max: u64,
) -> Option<(OwnEntries, String)> {
    let up_to = log.0.iter().rev().filter(|entry| entry.seq <= shown.through_seq);
    let mut left = tokens_max.saturating_sub(estimate_tokens(HEADING));
    let mut lines = Vec::new();
    for entry in up_to.take(shown.entries as usize) {
        let line = line(entry);
        let tokens = estimate_tokens(&line);
        if tokens > left {
            break;
        }
        left -= tokens;
        lines.push(line);
    }
    let entries = u32::try_from(lines.len()).ok().filter(|entries| *entries > 0)?;
    lines.push(HEADING.to_owned());
    let text = lines.into_iter().rev().collect();
    Some((OwnEntries { entries, ..shown }, text))
}

fn line(entry: &OwnEntry) -> String {
    format!("\n[tick {}] {}", entry.tick, indented(&shortened(&entry.content, ENTRY_CHARS_MAX)))
}

#[cfg(test)]
mod tests {
    use super::{HEADING, OwnEntry, OwnLog, render};

    fn log(entries: u64) -> OwnLog {
        let mut log = OwnLog::default();
        for seq in 1..=entries {
            let content = format!("note {seq}\nand more").into();
            log.push(OwnEntry { seq, tick: seq * 10, content });
        }
        log
    }

    #[test]
    fn the_last_twenty_are_shown_in_order() {
        let log = log(25);
        let (shown, text) = render(&log, log.newest().unwrap(), 10_000).unwrap();
        assert_eq!((shown.entries, shown.through_seq), (20, 25));
        assert!(text.starts_with(&format!("{HEADING}\n[tick 60] note 6\n    and more\n[tick 70]")));
        assert!(text.ends_with("[tick 250] note 25\n    and more"), "{text}");
    }

    #[test]
    fn the_newest_stay_where_not_all_fit_and_later_ones_do_not_count() {
        let log = log(25);
        let mut then = log.newest().unwrap();
        then.through_seq = 24;
        let (shown, text) = render(&log, then, 40).unwrap();
        assert!(shown.entries < 5 && text.ends_with("note 24\n    and more"), "{text}");
        assert_eq!(render(&log, then, 5), None);
        assert_eq!(OwnLog::default().newest(), None);
    }
}
