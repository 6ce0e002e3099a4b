//! From a list to a deck and back: names are looked up, what is not found stays visible, and nothing is picked for people.

use serde::{Deserialize, Serialize};

use crate::{
    card::{Card, CardFinish, OracleId},
    card_table::{CardLookup, CardTable, printing_of},
    deck::{Deck, EntryContent, EntryKey},
    formats::{ListFormat, ParsedList},
    list::{DeckList, DeckZone, ListEntry, ListLineError, PrintingRef, UnreadLine},
    rules_text::can_be_commander,
};

/// A list whose names were looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedDeck {
    /// The deck; what was not found is among its unread lines.
    pub deck: Deck,
    /// Cards whose printing there is not: their names won.
    pub unknown_printings: Vec<UnknownPrinting>,
    /// Where no commander is named: cards that could be it. A person picks.
    pub commander_candidates: Vec<OracleId>,
}

/// A printing that there is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownPrinting {
    /// The line of the list, from 1.
    pub line: u32,
    /// The card.
    pub name: String,
    /// What the list says.
    pub printing: PrintingRef,
}

/// Looks up the names of a list.
pub fn resolve(parsed: &ParsedList, cards: &CardTable) -> ResolvedDeck {
    let mut resolved = ResolvedDeck::default();
    let deck = &mut resolved.deck;
    deck.name = parsed.list.name.clone().unwrap_or_default();
    deck.unread.clone_from(&parsed.unread);
    for (index, entry) in parsed.list.entries.iter().enumerate() {
        let line = parsed.lines.get(index).copied().unwrap_or_default();
        let wanted = entry.printing.as_ref();
        let printing = wanted.map(|printing| (printing.set.as_str(), printing.number.as_deref()));
        let reason = match cards.find(&entry.name, printing) {
            CardLookup::Found(found) => {
                let known = found.printing.map(|printing| PrintingRef {
                    set: printing.set.clone(),
                    number: Some(printing.number.clone()),
                });
                if let (Some(wanted), None) = (wanted, &known) {
                    resolved.unknown_printings.push(UnknownPrinting {
                        line,
                        name: found.card.name.clone(),
                        printing: wanted.clone(),
                    });
                }
                let zone = home_zone(entry.zone, found.card);
                deck.add(&key(found.card, zone, known, entry.finish), content(entry, found.card));
                continue;
            }
            CardLookup::Ambiguous(_) => ListLineError::SeveralCards,
            CardLookup::Unknown => ListLineError::UnknownCard,
        };
        let text = format!("{} {}", entry.count, entry.name);
        deck.unread.push(UnreadLine { line, text, reason });
    }
    deck.unread.sort_by_key(|line| line.line);
    resolved.commander_candidates = commander_candidates(&resolved.deck, cards);
    resolved
}

/// Where a card belongs that a list without such a section has in its deck: tokens and the cards of second decks have places of
/// their own.
fn home_zone(zone: DeckZone, card: &Card) -> DeckZone {
    match zone {
        DeckZone::Main | DeckZone::Sideboard if card.front.is_of_type("Attraction") => {
            DeckZone::Attractions
        }
        DeckZone::Main | DeckZone::Sideboard if card.front.is_of_type("Stickers") => {
            DeckZone::Stickers
        }
        zone => zone,
    }
}

fn key(card: &Card, zone: DeckZone, printing: Option<PrintingRef>, finish: CardFinish) -> EntryKey {
    EntryKey { zone, card: card.id.clone(), printing, finish }
}

fn content(entry: &ListEntry, card: &Card) -> EntryContent {
    EntryContent {
        count: entry.count,
        name: card.name.clone(),
        tags: entry.tags.clone(),
        label: entry.label.clone(),
    }
}

/// Cards of the deck and of its sideboard that can lead a deck, where none does.
pub fn commander_candidates(deck: &Deck, cards: &CardTable) -> Vec<OracleId> {
    if deck.count_in(DeckZone::Commander) > 0 {
        return Vec::new();
    }
    let mut found: Vec<OracleId> = Vec::new();
    // Magic Online keeps the commander in the sideboard.
    for zone in [DeckZone::Sideboard, DeckZone::Main] {
        for entry in deck.in_zone(zone) {
            let is_one = cards.card(&entry.key.card).is_some_and(can_be_commander);
            if is_one && !found.contains(&entry.key.card) {
                found.push(entry.key.card.clone());
            }
        }
    }
    found
}

/// The deck as a list, with names as a form has them and Magic Online's numbers where they are known.
pub fn list_of(deck: &Deck, cards: &CardTable, format: ListFormat) -> DeckList {
    let entries = deck.entries().iter().map(|entry| {
        let card = cards.card(&entry.key.card);
        ListEntry {
            count: entry.content.count,
            name: card.map_or_else(|| entry.content.name.clone(), |card| name_in(card, format)),
            zone: entry.key.zone,
            printing: entry.key.printing.clone(),
            finish: entry.key.finish,
            tags: entry.content.tags.clone(),
            label: entry.content.label.clone(),
            mtgo_id: card.and_then(|card| mtgo_id(card, &entry.key)),
        }
    });
    let name = Some(deck.name.clone()).filter(|name| !name.is_empty());
    DeckList { name, entries: entries.collect() }
}

/// Arena and Magic Online write the front face of two-faced cards, and both halves of split ones.
fn name_in(card: &Card, format: ListFormat) -> String {
    let is_short = matches!(format, ListFormat::Arena | ListFormat::MtgoText | ListFormat::MtgoDek);
    if is_short && !card.other_faces.is_empty() && card.layout != "split" {
        card.front.name.clone()
    } else {
        card.name.clone()
    }
}

/// The number of the entry's printing, or of any.
fn mtgo_id(card: &Card, key: &EntryKey) -> Option<u32> {
    let wanted = key.printing.as_ref();
    let wanted = wanted.and_then(|wanted| printing_of(card, &wanted.set, wanted.number.as_deref()));
    let mut printings = wanted.into_iter().chain(&card.printings);
    let is_foil = key.finish != CardFinish::Nonfoil;
    printings.find_map(|printing| {
        if is_foil { printing.mtgo_foil_id.or(printing.mtgo_id) } else { printing.mtgo_id }
    })
}
