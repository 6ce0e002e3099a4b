//! Exchanges that were had: who said what when, and what the agent answered. What stands in the shown history anyway is
//! named and not repeated.

use std::fmt::Write as _; // into a String, which cannot fail

use abide_domain::{
    EpochId, Timestamp,
    context_object::{HISTORY_SOURCE, OWN_REPLY_PREFIX},
    event::{Lens, MemoryRef},
    graph::ConversationMemory,
};

use super::view::RenderView;
use crate::{
    RecalledPassage, ReferencedItem,
    dreamer::words::{field, list, name, quote, sourced_line},
};

/// Exchanges that are shown.
const EXCHANGES_MAX: usize = 3;
/// Recorded conversations that are shown.
const CONVERSATIONS_MAX: usize = 3;
/// Key points of a recorded conversation that are shown.
const POINTS_MAX: usize = 3;
/// The state of mind that is not worth a word.
const NEUTRAL: &str = "neutral";

/// The lines of earlier talk, best first.
pub(super) fn lines(view: &RenderView<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut shown, mut above) = (Vec::new(), Vec::new());
    let mut conversations = 0;
    for (reference, remembered) in view.findings.of_lens(Lens::Historical) {
        match remembered {
            ReferencedItem::Node(version) => {
                if let abide_domain::graph::Node::Conversation(talk) = &*version.node
                    && conversations < CONVERSATIONS_MAX
                {
                    conversations += 1;
                    let at = talk.timestamp.unwrap_or(version.valid_from);
                    lines.push(conversation(view, talk, at, *reference));
                }
            }
            ReferencedItem::Passage(passage) => {
                let (seq, epoch) = (passage.exchange.seq, passage.exchange.epoch);
                if view.scene.history.iter().any(|exchange| exchange.epoch == epoch) {
                    // It stands there because it was said lately; that it is about this is said only where it shows.
                    if view.is_about_this(&passage.text) {
                        note_once(&mut above, epoch, passage.exchange.sent_at);
                    }
                } else if !shown.contains(&seq) && shown.len() < EXCHANGES_MAX {
                    shown.push(seq);
                    exchange(view, passage, &mut lines);
                }
            }
            ReferencedItem::Fact(_) => {}
        }
    }
    if let Some(newest) = above.iter().map(|(_, at)| *at).max() {
        let count = above.len();
        let exchanges =
            if count == 1 { "exchange about this is" } else { "exchanges about this are" };
        let newest = view.moment(newest);
        let text = format!("{count} {exchanges} in the conversation above, the newest {newest}.");
        lines.push(sourced_line(&text, HISTORY_SOURCE));
    }
    lines
}

fn note_once(above: &mut Vec<(EpochId, Timestamp)>, epoch: EpochId, at: Timestamp) {
    if !above.iter().any(|(known, _)| *known == epoch) {
        above.push((epoch, at));
    }
}

fn conversation(
    view: &RenderView<'_>,
    talk: &ConversationMemory,
    at: Timestamp,
    reference: MemoryRef,
) -> String {
    let when = view.moment(at);
    let mut text = format!("With {}, {when}, about {}", name(&talk.partner), field(&talk.topic));
    if talk.message_count > 0 {
        let _ = write!(text, " ({} messages)", talk.message_count);
    }
    if !talk.key_points.is_empty() {
        let _ = write!(text, ": {}", list(&talk.key_points, POINTS_MAX, "; "));
    }
    text.push('.');
    if !talk.outcome.is_empty() {
        let _ = write!(text, " Outcome: {}.", field(&talk.outcome));
    }
    if !talk.emotional_tone.is_empty() {
        let _ = write!(text, " Tone: {}.", field(&talk.emotional_tone));
    }
    sourced_line(&text, reference)
}

/// What was said, and what was answered: the passage that was found, and the beginning of the other side.
fn exchange(view: &RenderView<'_>, passage: &RecalledPassage, lines: &mut Vec<String>) {
    let stamps = &passage.exchange;
    let part = |part| MemoryRef::Passage { seq: stamps.seq, part };
    let other = if passage.by_agent { part(0) } else { part(stamps.stimulus_parts) };
    let other = match view.lookup.resolve(other) {
        Ok(Some(ReferencedItem::Passage(other))) => Some(other),
        _ => None,
    };
    let (said, answered) = if passage.by_agent {
        (other.as_ref(), Some(passage))
    } else {
        (Some(passage), other.as_ref())
    };
    if let Some(said) = said {
        let (sender, channel) = (name(&stamps.sender), stamps.channel);
        let text = format!(
            "{sender} said, {}, over {channel}: {}",
            view.moment(stamps.sent_at),
            quote(&said.text)
        );
        lines.push(sourced_line(&text, said.reference));
    }
    if let Some(answered) = answered {
        let mood = match stamps.emotive_state.as_str() {
            "" | NEUTRAL => String::new(),
            mood => format!(", {}", name(mood)),
        }; // Where the question is not shown, the answer carries the time.
        let when = if said.is_none() {
            format!(", {}", view.moment(stamps.replied_at))
        } else {
            String::new()
        };
        let text = format!("{OWN_REPLY_PREFIX}{mood}{when}: {}", quote(&answered.text));
        lines.push(sourced_line(&text, answered.reference));
    }
}
