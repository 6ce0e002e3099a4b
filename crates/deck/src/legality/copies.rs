//! How often each card may be in the deck.

use super::{
    finding::{LegalityCode, LegalityFinding},
    view::{DeckView, ViewCard},
};
use crate::rules_text::{CopyLimit, copy_limit};

pub(super) fn check(view: &DeckView<'_>) -> Vec<LegalityFinding> {
    let mut held: Vec<ViewCard<'_>> = view.starting_deck().collect();
    held.sort_by(|one, other| (&one.card.id, one.zone).cmp(&(&other.card.id, other.zone)));
    let same = held.chunk_by(|one, other| one.card.id == other.card.id);
    same.filter_map(of_card).collect()
}

/// What is wrong with the copies of one card in all zones.
fn of_card(held: &[ViewCard<'_>]) -> Option<LegalityFinding> {
    let last = held.last()?;
    let card = last.card;
    let count = held.iter().map(|held| held.count).fold(0, u32::saturating_add);
    let CopyLimit::UpTo(most) = copy_limit(card) else { return None };
    if count <= most || !card.is_deck_card() || card.is_extra() {
        return None;
    }
    let (code, text) = if most == 1 {
        let where_it_is = if held.len() > 1 { ", the commander included" } else { "" };
        (
            LegalityCode::Singleton,
            format!("{} is in the deck {count} times{where_it_is}", card.name),
        )
    } else {
        (
            LegalityCode::Copies,
            format!("{} is in the deck {count} times; {most} are allowed", card.name),
        )
    };
    Some(last.finding(code, text))
}
