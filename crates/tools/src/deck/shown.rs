//! Decks and cards as minds read them: short lines, and no more of them than a prompt should hold.

use abide_deck::{
    Card, CardTable, Currency, DeckEntry, DeckProposal, DeckState, DeckZone, LineState, judge_deck,
    summarize_deck,
};
use abide_domain::text::shortened;
use serde_json::{Map, Value, json};

/// Entries of a deck that are shown.
const ENTRIES_MAX: usize = 400;
/// Findings and unread lines that are shown, of each.
const FINDINGS_MAX: usize = 20;
/// Proposals that are shown, the newest.
const PROPOSALS_MAX: usize = 5;
/// Lines that are shown of one.
const LINES_MAX: usize = 60;
/// Rules text that is shown of a card, in Unicode scalar values.
const TEXT_CHARS_MAX: usize = 240;

/// A card in one line: name, cost, types, text.
pub(super) fn card_line(card: &Card) -> String {
    let face = &card.front;
    let text = shortened(&face.text.replace('\n', " / "), TEXT_CHARS_MAX);
    let power = face.power.as_ref().map_or(String::new(), |power| format!(" (power {power})"));
    format!("{} {} — {}{power}: {text}", card.name, face.mana_cost, face.type_line)
}

/// A deck: its cards by zone, what is wrong, its figures, and what waits.
pub(super) fn shown_deck(state: &DeckState, cards: &CardTable, missing: Option<String>) -> Value {
    let deck = &state.deck;
    let mut shown = Map::new();
    let mut left = ENTRIES_MAX;
    for zone in DeckZone::ALL {
        let lines: Vec<String> = deck.in_zone(zone).take(left).map(entry_line).collect();
        left -= lines.len();
        if !lines.is_empty() {
            shown.insert(zone.title().to_lowercase(), json!(lines));
        }
    }
    let proposals = state.proposals.iter().rev().take(PROPOSALS_MAX);
    let proposals: Vec<_> = proposals.map(|proposal| shown_proposal(state, proposal)).collect();
    let unread: Vec<_> = deck.unread.iter().take(FINDINGS_MAX).map(|line| &line.text).collect();
    let mut whole = json!({
        "deck_id": state.id, "name": deck.name, "rev": state.rev, "zones": shown, "not_shown": deck.entries().len().saturating_sub(ENTRIES_MAX),
        "unread_lines": unread, "proposals_newest_first": proposals,
    });
    let Some(fields) = whole.as_object_mut() else { return whole };
    if let Some(missing) = missing {
        fields.insert(
            "note".to_owned(),
            format!("legality and figures are unknown: {missing}").into(),
        );
        return whole;
    }
    let report = judge_deck(deck, cards);
    let findings: Vec<_> =
        report.findings.iter().take(FINDINGS_MAX).map(|finding| &finding.text).collect();
    let summary = summarize_deck(deck, cards, None, Currency::Usd);
    fields.extend([
        ("size".to_owned(), json!(report.size)),
        ("legal".to_owned(), json!(report.is_legal)),
        ("colours".to_owned(), json!(report.identity)),
        ("wrong".to_owned(), json!(findings)),
        ("curve_0_to_7".to_owned(), json!(summary.figures.curve)),
        ("types".to_owned(), json!(summary.figures.types)),
        (
            "usd".to_owned(),
            json!(format!(
                "{}.{:02}, {}",
                summary.price.total / 100,
                summary.price.total % 100,
                summary.price.coverage()
            )),
        ),
        ("bracket".to_owned(), json!({"set": state.bracket, "estimate": summary.bracket.bracket})),
    ]);
    whole
}

fn entry_line(entry: &DeckEntry) -> String {
    let (count, name) = (entry.content.count, &entry.content.name);
    match entry.content.tags.as_slice() {
        [] => format!("{count} {name}"),
        tags => format!("{count} {name} #{}", tags.join(" #")),
    }
}

fn shown_proposal(state: &DeckState, proposal: &DeckProposal) -> Value {
    let lines = (1..).zip(&proposal.lines).take(LINES_MAX).map(|(number, line)| {
        let what = match &line.state {
            LineState::Open if state.is_stale(line) => "stale: the deck changed".to_owned(),
            LineState::Open => "open".to_owned(),
            LineState::Taken { rev } => format!("taken in revision {rev}"),
            LineState::Refused { reason } => format!("refused: {reason}"),
        };
        format!("{number}. {}: {what}", line.op)
    });
    json!({"proposal_id": proposal.id, "by": proposal.by.name(), "lines": lines.collect::<Vec<_>>()})
}
