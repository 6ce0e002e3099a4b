//! The agent's own entries in its prompt: what it wrote down before it was woken, started again or reset (decision 10).
//!
//! They stand behind the context object. The Dreamer has no part in it: it sees the envelope and its eight queries alone.

use abide_domain::{
    event::OwnEntries,
    text::{indented, shortened, without_labels},
};
use abide_memory::estimate_tokens;

use crate::state::{OwnEntry, OwnLog};

/// What is shown of one entry, in Unicode scalar values.
const ENTRY_CHARS_MAX: usize = 1_000;
const HEADING: &str =
    "\n\nWhat you wrote down for yourself before this, with \\stdout, the newest last:";

/// The newest of these entries that fit, oldest first, and which they are.
pub(super) fn render(
    log: &OwnLog,
    shown: OwnEntries,
    tokens_max: u64,
) -> Option<(OwnEntries, String)> {
    let mut left = tokens_max.saturating_sub(estimate_tokens(HEADING));
    let mut lines = Vec::new();
    for entry in log.newest_first(shown.through_seq).take(shown.entries as usize) {
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
    let content = without_labels(&entry.content);
    format!("\n[tick {}] {}", entry.tick, indented(&shortened(&content, ENTRY_CHARS_MAX)))
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
