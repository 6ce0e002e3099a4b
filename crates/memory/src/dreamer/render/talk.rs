//! Exchanges that were had: who said what when, and what the agent answered. What stands in the shown history anyway is
//! named and not repeated, but for what of it no longer holds: the history itself stays as it was said.

use std::fmt::Write as _; // into a String, which cannot fail

use abide_domain::{
    EpochId, Timestamp,
    context_object::{HISTORY_SOURCE, OWN_REPLY_PREFIX, epoch_source},
    dates::{annotate, annotate_for},
    envelope::Channel,
    event::{Lens, MemoryRef},
    graph::ConversationMemory,
    is_reserved_name,
};

use super::view::RenderView;
use crate::{
    ExchangeStamps, GroupMembers, Listener, Origin, RecalledPassage, ReferencedItem, Wording,
    dreamer::words::{field, list, name, quote, sourced_line},
    foreign_author, is_about_oneself,
};

/// Exchanges that are shown.
const EXCHANGES_MAX: usize = 4;
/// Exchanges that are shown beside them because they replace one of them or say otherwise.
const LATER_MAX: usize = 4;
/// Words of the shown history that are repeated because something took their place, or they that of something.
const ABOVE_MAX: usize = 4;
/// Recorded conversations that are shown.
const CONVERSATIONS_MAX: usize = 3;
/// Key points of a recorded conversation that are shown.
const POINTS_MAX: usize = 3;
/// The state of mind that is not worth a word.
const NEUTRAL: &str = "neutral";

/// The lines of earlier talk: recorded conversations, then exchanges in the order in which they were had.
pub(super) fn lines(view: &RenderView<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut above = Vec::new();
    for (reference, remembered) in view.findings.of_lens(Lens::Historical) {
        match remembered {
            ReferencedItem::Node(version) => {
                if let abide_domain::graph::Node::Conversation(talk) = &*version.node
                    && lines.len() < CONVERSATIONS_MAX
                {
                    let at = talk.timestamp.unwrap_or(version.valid_from);
                    lines.push(conversation(view, talk, at, *reference));
                }
            }
            ReferencedItem::Passage(passage) if is_above(view, passage) => {
                // It stands there because it was said lately; that it is about this is said only where it shows.
                if view.is_about_this(&passage.text) {
                    note_once(&mut above, passage.exchange.epoch, passage.exchange.sent_at);
                }
            }
            ReferencedItem::Passage(_) | ReferencedItem::Fact(_) => {}
        }
    }
    for passage in shown(view) {
        exchange(view, passage, &mut lines);
    }
    lines.extend(marked_above(view));
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

/// What people said in the shown history and what became of it, in the order in which it was said, where there is anything to
/// say.
fn marked_above(view: &RenderView<'_>) -> Vec<String> {
    let found = view.findings.of_lens(Lens::Historical).iter();
    let passages = found.filter_map(|(_, remembered)| match remembered {
        ReferencedItem::Passage(passage) => Some(passage),
        ReferencedItem::Node(_) | ReferencedItem::Fact(_) => None,
    });
    let mut marked: Vec<&RecalledPassage> = passages
        .filter(|passage| !passage.by_agent && is_above(view, passage))
        .filter(|passage| !view.standings.label(passage.reference).is_empty())
        .take(ABOVE_MAX)
        .collect();
    marked.sort_by_key(|passage| passage.exchange.seq);
    let line = |passage: &&RecalledPassage| {
        sourced_line(&said(view, passage, " above"), epoch_source(passage.exchange.epoch))
    };
    marked.iter().map(line).collect()
}

/// The passages that are shown, one an exchange: the best, and what replaces one of them; oldest first.
fn shown<'a>(view: &'a RenderView<'_>) -> Vec<&'a RecalledPassage> {
    let found = view.findings.of_lens(Lens::Historical).iter();
    let passages: Vec<&RecalledPassage> = found
        .filter_map(|(_, remembered)| match remembered {
            ReferencedItem::Passage(passage) => {
                (!is_above(view, passage) && is_for_asker(view, passage)).then_some(passage)
            }
            _ => None,
        })
        .collect();
    let mut shown: Vec<&RecalledPassage> = Vec::new();
    let is_new = |shown: &[&RecalledPassage], passage: &RecalledPassage| {
        !shown.iter().any(|known| known.exchange.seq == passage.exchange.seq)
    };
    for passage in &passages {
        if shown.len() < EXCHANGES_MAX && is_new(&shown, passage) {
            shown.push(passage);
        }
    }
    let later: Vec<MemoryRef> =
        shown.iter().flat_map(|passage| view.standings.later(passage.reference)).collect();
    for passage in passages.iter().filter(|passage| later.contains(&passage.reference)) {
        if shown.len() < EXCHANGES_MAX + LATER_MAX && is_new(&shown, passage) {
            shown.push(passage);
        }
    }
    shown.sort_by_key(|passage| passage.exchange.seq);
    shown
}

/// Whether an exchange may answer a question about the one who asks: what others say of themselves, and what the asker passed
/// on of others, does not.
fn is_for_asker(view: &RenderView<'_>, passage: &RecalledPassage) -> bool {
    if !is_about_oneself(&view.scene.envelope.content) {
        return true;
    }
    let stamps = &passage.exchange;
    let said = match view.lookup.resolve(MemoryRef::Passage { seq: stamps.seq, part: 0 }) {
        Ok(Some(ReferencedItem::Passage(said))) => said.text,
        _ => passage.text.clone(),
    };
    let is_foreign = stamps.sender != view.scene.envelope.sender || foreign_author(&said).is_some();
    !(is_foreign && Wording::of(&said, true).speaks_of_a_person)
}

fn is_above(view: &RenderView<'_>, passage: &RecalledPassage) -> bool {
    view.scene.history.iter().any(|exchange| exchange.epoch == passage.exchange.epoch)
}

/// Whether the whole of an exchange may be told here, and not only what was found of it.
fn is_heard_whole(view: &RenderView<'_>, stamps: &ExchangeStamps) -> bool {
    let envelope = view.scene.envelope;
    let session = envelope.session();
    let here = Origin { channel: envelope.channel, session: &session, sender: &envelope.sender };
    let said = Origin { channel: stamps.channel, session: &stamps.session, sender: &stamps.sender };
    Listener::of(view.scene.sharing, here).hears(&said, &GroupMembers::default())
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
    // Of an exchange with somebody else, only what was found is for whoever listens now.
    let other = is_heard_whole(view, stamps).then(|| view.lookup.resolve(other));
    let other = match other {
        Some(Ok(Some(ReferencedItem::Passage(other)))) => Some(other),
        _ => None,
    };
    let (asked, answered) = if passage.by_agent {
        (other.as_ref(), Some(passage))
    } else {
        (Some(passage), other.as_ref())
    };
    if let Some(asked) = asked {
        lines.push(sourced_line(&said(view, asked, ""), asked.reference));
    }
    if let Some(answered) = answered {
        let mood = match stamps.emotive_state.as_str() {
            "" | NEUTRAL => String::new(),
            mood => format!(", {}", name(mood)),
        }; // Where the question is not shown, the answer carries the time.
        let at = if asked.is_none() {
            format!(", {}", view.moment(stamps.replied_at))
        } else {
            String::new()
        };
        let label = view.standings.label(answered.reference);
        let words = annotate(&answered.text, stamps.replied_at, view.scene.zone);
        let text = format!("{OWN_REPLY_PREFIX}{mood}{at}{label}: {}", quote(&words));
        lines.push(sourced_line(&text, answered.reference));
    }
}

/// Who said what when and where, and what became of it.
fn said(view: &RenderView<'_>, passage: &RecalledPassage, place: &str) -> String {
    let stamps = &passage.exchange;
    let zone = view.scene.zone;
    let told_in = stamps.zone();
    let words = annotate_for(&passage.text, stamps.sent_at, told_in.as_ref().unwrap_or(zone), zone);
    format!(
        "{}{place}, {}, over {}{}: {}",
        speaker(stamps, &passage.text),
        view.moment(stamps.sent_at),
        stamps.channel,
        view.standings.label(passage.reference),
        quote(&words)
    )
}

/// Who said it, and whose words it passes on.
fn speaker(stamps: &ExchangeStamps, text: &str) -> String {
    let sender = name(&stamps.sender);
    let is_agent = stamps.channel == Channel::System && !is_reserved_name(&stamps.sender);
    let who = if is_agent { format!("The agent {sender}") } else { sender };
    match foreign_author(text) {
        None => format!("{who} said"),
        Some(Some(author)) => format!("{who} passed on words of {}", name(&author)),
        Some(None) => format!("{who} passed on words of somebody else"),
    }
}
