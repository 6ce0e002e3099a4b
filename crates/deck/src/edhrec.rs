//! Combos and salt where EDHREC tells them. Its pages are unofficial and change: what has another shape than expected is left
//! out, and what is not told stays unknown.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    card::OracleId, card_table::CardTable, deck::Deck, limits::COMBOS_MAX, list::DeckZone,
};

/// A combo whose cards a deck has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckCombo {
    /// Names of its cards, as the card table has them.
    pub cards: Vec<String>,
    /// What it does, in EDHREC's words.
    pub results: Vec<String>,
    /// Whether EDHREC counts it among bracket 4: it comes early.
    pub is_early: bool,
}

/// The combos of one of EDHREC's pages whose cards are all in the deck.
pub fn combos_of(deck: &Deck, cards: &CardTable, page: &Value) -> Vec<DeckCombo> {
    let mut combos = Vec::new();
    for list in lists(page).take(COMBOS_MAX) {
        let views = list.get("cardviews").and_then(Value::as_array);
        let names = views.into_iter().flatten().filter_map(|view| view.get("name")?.as_str());
        let held: Option<Vec<String>> = names.map(|name| held_name(deck, cards, name)).collect();
        let Some(held) = held.filter(|held| held.len() >= 2) else { continue };
        let combo = list.get("combo").unwrap_or(&Value::Null);
        let results = combo.get("results").and_then(Value::as_array);
        let results = results.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let bracket = combo.get("comboVote").and_then(|vote| vote.get("bracket"));
        let is_early = bracket.is_some_and(|bracket| match bracket {
            Value::Number(number) => number.as_u64().is_some_and(|number| number >= 4),
            Value::String(text) => text.trim().parse::<u64>().is_ok_and(|number| number >= 4),
            _ => false,
        });
        combos.push(DeckCombo { cards: held, results: results.collect(), is_early });
    }
    combos
}

/// The card's name in the table where the deck plays it.
fn held_name(deck: &Deck, cards: &CardTable, name: &str) -> Option<String> {
    let card = cards.find(name, None).found()?.card;
    let is_held = [DeckZone::Commander, DeckZone::Main]
        .into_iter()
        .flat_map(|zone| deck.in_zone(zone))
        .any(|entry| entry.key.card == card.id);
    is_held.then(|| card.name.clone())
}

/// How much people dislike a deck's cards, where EDHREC tells it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SaltReport {
    /// The sum over the cards that are told.
    pub total: f64,
    /// How many different cards are told.
    pub told_cards: u32,
    /// How many different cards there are.
    pub cards: u32,
    /// Salt by card, of those that are told.
    pub by_card: BTreeMap<String, f64>,
}

/// Adds up the salt of a deck's cards out of EDHREC's pages about single cards.
pub fn salt_of(deck: &Deck, cards: &CardTable, pages: &[Value]) -> SaltReport {
    let mut salt: BTreeMap<OracleId, f64> = BTreeMap::new();
    for page in pages {
        let card = page.pointer("/container/json_dict/card");
        let name = card.and_then(|card| card.get("name")?.as_str());
        let found = name.and_then(|name| cards.find(name, None).found());
        let told = card.and_then(|card| card.get("salt")?.as_f64()).filter(|salt| salt.is_finite());
        if let (Some(found), Some(told)) = (found, told) {
            salt.insert(found.card.id.clone(), told);
        }
    }
    let mut report = SaltReport::default();
    let mut seen = BTreeSet::new();
    for entry in deck.entries().iter().filter(|entry| entry.key.zone.is_played()) {
        if !seen.insert(&entry.key.card) {
            continue;
        }
        report.cards += 1;
        if let Some(told) = salt.get(&entry.key.card) {
            report.told_cards += 1;
            report.total += told;
            report.by_card.insert(entry.content.name.clone(), *told);
        }
    }
    report
}

/// The lists of cards of a page, which may be nested, or an object instead of a list.
fn lists(page: &Value) -> impl Iterator<Item = &Value> {
    let lists = page.pointer("/container/json_dict/cardlists").and_then(Value::as_array);
    lists.into_iter().flatten().flat_map(|list| match list {
        Value::Array(inner) => inner.as_slice(),
        other => std::slice::from_ref(other),
    })
}
