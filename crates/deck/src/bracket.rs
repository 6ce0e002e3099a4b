//! An estimate of a deck's bracket, by what can be counted. It says 2, 3 or 4: brackets 1 and 5 are a matter of intent, which no
//! count shows. What a person says stands beside it and is never overwritten.

use serde::{Deserialize, Serialize};

use crate::{
    card_table::CardTable,
    deck::Deck,
    edhrec::DeckCombo,
    list::DeckZone,
    oracle_tags::{MASS_LAND_DENIAL, OracleTags},
};

/// Game changers of bracket 3.
const GAME_CHANGERS_MAX: usize = 3;

/// An estimate of a bracket, with what speaks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BracketEstimate {
    /// 2 (which stands for 1 too), 3 or 4 (which stands for 5 too).
    pub bracket: u8,
    /// Cards on the list of game changers.
    pub game_changers: Vec<String>,
    /// Cards that deny everybody's lands; none where nothing is known of tags.
    pub land_denial: Option<Vec<String>>,
    /// Combos of two cards that come early; none where nothing is known of combos.
    pub early_combos: Option<Vec<String>>,
}

/// Estimates a deck's bracket. Tags and combos are left out of account where they are not known, and the estimate says so.
pub fn estimate_bracket(
    deck: &Deck,
    cards: &CardTable,
    tags: Option<&OracleTags>,
    combos: Option<&[DeckCombo]>,
) -> BracketEstimate {
    let entries = deck.entries().iter();
    let played =
        entries.filter(|entry| matches!(entry.key.zone, DeckZone::Commander | DeckZone::Main));
    let mut held: Vec<_> = played.filter_map(|entry| cards.card(&entry.key.card)).collect();
    held.sort_by(|one, other| one.name.cmp(&other.name));
    held.dedup_by(|one, other| one.id == other.id);
    let named = |is_one: &dyn Fn(&crate::card::Card) -> bool| -> Vec<String> {
        held.iter().filter(|card| is_one(card)).map(|card| card.name.clone()).collect()
    };
    let game_changers = named(&|card| card.game_changer);
    let tags = tags.filter(|tags| tags.knows(MASS_LAND_DENIAL));
    let land_denial = tags.map(|tags| named(&|card| tags.has(MASS_LAND_DENIAL, &card.id)));
    let early_combos = combos.map(|combos| {
        let early = combos.iter().filter(|combo| combo.is_early && combo.cards.len() == 2);
        early.map(|combo| combo.cards.join(" + ")).collect::<Vec<_>>()
    });
    let is_heavy =
        [&land_denial, &early_combos].into_iter().flatten().any(|found| !found.is_empty());
    let bracket = if is_heavy || game_changers.len() > GAME_CHANGERS_MAX {
        4
    } else if game_changers.is_empty() {
        2
    } else {
        3
    };
    BracketEstimate { bracket, game_changers, land_denial, early_combos }
}
