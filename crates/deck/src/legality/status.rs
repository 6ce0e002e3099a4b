//! What Scryfall says of each card, and what is no card of a deck.

use super::{
    finding::{LegalityCode, LegalityFinding},
    view::{DeckView, ViewCard},
};
use crate::card::CommanderStatus;

pub(super) fn check(view: &DeckView<'_>) -> Vec<LegalityFinding> {
    view.cards.iter().filter_map(of_card).collect()
}

fn of_card(held: &ViewCard<'_>) -> Option<LegalityFinding> {
    let name = &held.card.name;
    let (code, text) = match held.card.commander {
        _ if !held.card.is_deck_card() => (
            LegalityCode::NotADeckCard,
            format!("{name} is no card of a deck, but a token, an art card or a melded card"),
        ),
        CommanderStatus::Legal | CommanderStatus::Restricted => return None,
        CommanderStatus::Banned => (LegalityCode::Banned, format!("{name} is banned in Commander")),
        CommanderStatus::NotLegal => {
            (LegalityCode::NotLegal, format!("{name} is not part of Commander"))
        }
    };
    Some(held.finding(code, text))
}
