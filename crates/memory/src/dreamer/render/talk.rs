//! Exchanges that were had: who said what when, and what the agent answered. What stands in the shown history anyway is
//! named and not repeated.

use std::fmt::Write as _; // into a String, which cannot fail

use abide_domain::{
    EpochId, Timestamp,
    context_object::{HISTORY_SOURCE, OWN_REPLY_PREFIX},
    dates::{annotate, annotate_for},
    event::{Lens, MemoryRef},
    format_age,
    graph::ConversationMemory,
};

use super::view::RenderView;
use crate::{
    RecalledPassage, ReferencedItem,
    dreamer::words::{field, list, name, quote, seconds, sourced_line},
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
    let now = view.scene.envelope.timestamp;
    let mut lines = Vec::new();
    let (mut shown, mut below) = (Vec::new(), Vec::new());
    let mut conversations = 0;
    for (reference, remembered) in view.findings.of_lens(Lens::Historical) {
        match remembered {
            ReferencedItem::Node(version) => {
                if let abide_domain::graph::Node::Conversation(talk) = &*version.node
                    && conversations < CONVERSATIONS_MAX
                {
                    conversations += 1;
                    let at = talk.timestamp.unwrap_or(version.valid_from);
                    lines.push(conversation(talk, at, now, *reference));
                }
            }
            ReferencedItem::Passage(passage) => {
                let (seq, epoch) = (passage.exchange.seq, passage.exchange.epoch);
                if view.scene.history.iter().any(|exchange| exchange.epoch == epoch) {
                    note_once(&mut below, epoch, passage.exchange.sent_at);
                } else if !shown.contains(&seq) && shown.len() < EXCHANGES_MAX {
                    shown.push(seq);
                    exchange(view, passage, &mut lines);
                }
            }
            ReferencedItem::Fact(_) => {}
        }
    }
    if let Some(newest) = below.iter().map(|(_, at)| *at).max() {
        let count = below.len();
        let age =
            format_age(now, newest).map_or(String::new(), |age| format!(", the newest {age}"));
        let exchanges =
            if count == 1 { "exchange about this is" } else { "exchanges about this are" };
        let text = format!("{count} {exchanges} in the conversation below{age}.");
        lines.push(sourced_line(&text, HISTORY_SOURCE));
    }
    lines
}

fn note_once(below: &mut Vec<(EpochId, Timestamp)>, epoch: EpochId, at: Timestamp) {
    if !below.iter().any(|(known, _)| *known == epoch) {
        below.push((epoch, at));
    }
}

fn conversation(
    talk: &ConversationMemory,
    at: Timestamp,
    now: Timestamp,
    reference: MemoryRef,
) -> String {
    let age = format_age(now, at).unwrap_or_else(|| format!("dated {}", seconds(at)));
    let mut text = format!("With {}, {age}, about {}", name(&talk.partner), field(&talk.topic));
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
    let now = view.scene.envelope.timestamp;
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
    let age = |at| format_age(now, at).unwrap_or_else(|| format!("at {}", seconds(at)));
    if let Some(said) = said {
        let (sender, channel) = (name(&stamps.sender), stamps.channel);
        let text = format!(
            "{sender} said, {}, over {channel}: {}",
            age(stamps.sent_at),
            quote(&annotate_for(
                &said.text,
                stamps.sent_at,
                stamps.zone().as_ref().unwrap_or(view.scene.zone),
                view.scene.zone
            ))
        );
        lines.push(sourced_line(&text, said.reference));
    }
    if let Some(answered) = answered {
        let mood = match stamps.emotive_state.as_str() {
            "" | NEUTRAL => String::new(),
            mood => format!(", {}", name(mood)),
        }; // Where the question is not shown, the answer carries the time.
        let when =
            if said.is_none() { format!(", {}", age(stamps.replied_at)) } else { String::new() };
        let text = format!(
            "{OWN_REPLY_PREFIX}{mood}{when}: {}",
            quote(&annotate(&answered.text, stamps.replied_at, view.scene.zone))
        );
        lines.push(sourced_line(&text, answered.reference));
    }
}
