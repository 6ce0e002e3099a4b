//! How entries and messages are printed: one a line, and what could not be read said beneath.

use std::fmt::Write as _;

use abide_domain::text::indented;
use abide_memory::stdout::{ReadResult, StdoutEntry};

/// Entries under a heading, as the specification prints them.
pub(super) fn entries(heading: &str, found: &ReadResult) -> String {
    let mut text = heading.to_owned();
    for StdoutEntry { tick, content, .. } in &found.entries {
        text.push_str(&line(*tick, content));
    }
    append_corrupt(&mut text, found);
    text
}

/// One entry. One of several lines cannot pass for several entries.
pub(super) fn line(tick: u64, content: &str) -> String {
    format!("\n  [tick {tick}] {}", indented(content))
}

/// Says what is missing because its line cannot be read.
pub(super) fn append_corrupt(text: &mut String, found: &ReadResult) {
    if !found.corrupt.is_empty() {
        // Writing into a String cannot fail.
        let _ = write!(text, "\n({})", found.corrupt);
    }
}
