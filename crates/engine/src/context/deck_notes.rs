//! What people did with an agent's lines for decks, in its prompt: behind its own entries, until an epoch that was shown it commits.

use abide_domain::{
    event::DeckNotesShown,
    text::{indented, without_labels},
};
use abide_memory::estimate_tokens;

use crate::state::DeckNotes;

const HEADING: &str = "\n\nWhat people did with changes of decks that you proposed, the newest last. It is done already; a refused line stays refused:";

/// The newest of these notes that fit, oldest first, and which they are.
pub(super) fn render(
    notes: &DeckNotes,
    shown: DeckNotesShown,
    tokens_max: u64,
) -> Option<(DeckNotesShown, String)> {
    let mut left = tokens_max.saturating_sub(estimate_tokens(HEADING));
    let mut lines = Vec::new();
    for note in notes.newest_first(shown.through_seq).take(shown.notes as usize) {
        let line = format!("\n- {}", indented(&without_labels(note)));
        let tokens = estimate_tokens(&line);
        if tokens > left {
            break;
        }
        left -= tokens;
        lines.push(line);
    }
    let notes = u32::try_from(lines.len()).ok().filter(|notes| *notes > 0)?;
    lines.push(HEADING.to_owned());
    Some((DeckNotesShown { notes, ..shown }, lines.into_iter().rev().collect()))
}
