//! The decks beside the deck: Attractions and sheets of stickers.

use super::{
    finding::{LegalityCode, LegalityFinding},
    view::{DeckView, ViewCard},
};
use crate::list::DeckZone;

/// Fewest different cards of a deck beside the deck.
const EXTRA_CARDS_MIN: usize = 10;

pub(super) fn check(view: &DeckView<'_>) -> Vec<LegalityFinding> {
    let mut findings = Vec::new();
    for held in view.starting_deck().filter(|held| held.card.is_extra()) {
        let text = format!("{} belongs into a deck of its own, beside this one", held.card.name);
        findings.push(held.finding(LegalityCode::ExtraDeck, text));
    }
    findings.extend(of_zone(view, DeckZone::Attractions, "Attraction", "Attractions"));
    findings.extend(of_zone(view, DeckZone::Stickers, "Stickers", "sheets of stickers"));
    findings
}

fn of_zone(
    view: &DeckView<'_>,
    zone: DeckZone,
    type_word: &str,
    plural: &str,
) -> Vec<LegalityFinding> {
    let held: Vec<ViewCard<'_>> = view.in_zone(zone).collect();
    let mut findings = Vec::new();
    for held in &held {
        let name = &held.card.name;
        if !held.card.is_deck_card() {
            continue;
        }
        if !held.card.front.is_of_type(type_word) {
            let text = format!("{name} is none of the {plural}");
            findings.push(held.finding(LegalityCode::ExtraDeck, text));
        } else if held.count > 1 {
            let text =
                format!("{name} is there {} times; {plural} must all be different", held.count);
            findings.push(held.finding(LegalityCode::ExtraDeck, text));
        }
    }
    if (1..EXTRA_CARDS_MIN).contains(&held.len()) {
        let text =
            format!("{} different {plural}; at least {EXTRA_CARDS_MIN} are needed", held.len());
        let finding = LegalityFinding::of_deck(LegalityCode::ExtraDeck, text);
        findings.push(LegalityFinding { zone: Some(zone), ..finding });
    }
    findings
}
