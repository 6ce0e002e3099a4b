//! Figures of a deck: its curve, its types, its colours, its price.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    card::{Card, Currency},
    card_table::{CardTable, printing_of},
    colour::Colour,
    deck::{Deck, DeckEntry},
    list::DeckZone,
};

/// Mana values of the curve; the last stands for itself and all above.
const CURVE_COLUMNS: usize = 8;
/// Types that are counted, from the most telling one down: an artifact creature counts as a creature.
const TYPES: [&str; 9] = [
    "Land",
    "Creature",
    "Planeswalker",
    "Battle",
    "Instant",
    "Sorcery",
    "Artifact",
    "Enchantment",
    "Other",
];

/// Figures of a deck's cards with its commanders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckFigures {
    /// How many cards there are; those that the table lacks are not counted.
    pub cards: u32,
    /// Cards without lands by mana value, 0 to 6, the last column 7 and more.
    pub curve: [u32; CURVE_COLUMNS],
    /// Mean mana value of cards without lands, in hundredths; none without such cards.
    pub mean_mana_value: Option<u32>,
    /// Cards by type, each once: by its most telling type.
    pub types: BTreeMap<String, u32>,
    /// Cards by colour; one of two colours counts for both.
    pub colours: BTreeMap<Colour, u32>,
    /// Cards without lands that have no colour.
    pub colourless: u32,
    /// Symbols of each colour in costs; one of two colours counts for both.
    pub symbols: BTreeMap<Colour, u32>,
    /// Lands by the colours that they have in their identity.
    pub land_colours: BTreeMap<Colour, u32>,
}

/// Counts a deck's cards and its commanders.
pub fn deck_figures(deck: &Deck, cards: &CardTable) -> DeckFigures {
    let mut figures = DeckFigures::default();
    let (mut spells, mut total) = (0_u32, 0_u32);
    for (entry, card) in known(deck, cards).filter(|(entry, _)| is_counted(entry)) {
        let count = entry.content.count;
        figures.cards = figures.cards.saturating_add(count);
        *figures.types.entry(main_type(card).to_owned()).or_default() += count;
        if card.is_land() {
            for colour in card.identity.colours() {
                *figures.land_colours.entry(colour).or_default() += count;
            }
            continue;
        }
        spells = spells.saturating_add(count);
        total = total.saturating_add(card.mana_value.saturating_mul(count));
        let column = usize::try_from(card.mana_value).unwrap_or(usize::MAX).min(CURVE_COLUMNS - 1);
        if let Some(column) = figures.curve.get_mut(column) {
            *column = column.saturating_add(count);
        }
        for colour in card.colours.colours() {
            *figures.colours.entry(colour).or_default() += count;
        }
        figures.colourless += if card.colours.is_empty() { count } else { 0 };
        count_symbols(card, count, &mut figures.symbols);
    }
    figures.mean_mana_value = total.saturating_mul(100).checked_div(spells);
    figures
}

fn is_counted(entry: &DeckEntry) -> bool {
    matches!(entry.key.zone, DeckZone::Commander | DeckZone::Main)
}

fn known<'a>(
    deck: &'a Deck,
    cards: &'a CardTable,
) -> impl Iterator<Item = (&'a DeckEntry, &'a Card)> {
    deck.entries().iter().filter_map(|entry| Some((entry, cards.card(&entry.key.card)?)))
}

/// A card's most telling type, as decks are counted by it: `Creature`, `Other`.
pub fn main_type(card: &Card) -> &'static str {
    TYPES.into_iter().find(|word| card.is_of_type(word)).unwrap_or("Other")
}

fn count_symbols(card: &Card, count: u32, symbols: &mut BTreeMap<Colour, u32>) {
    let halves = if card.layout == "split" { card.other_faces.as_slice() } else { &[] };
    for face in std::iter::once(&card.front).chain(halves) {
        for symbol in face.mana_cost.split(['{', '}']).filter(|symbol| *symbol != " // ") {
            for colour in Colour::ALL.into_iter().filter(|colour| symbol.contains(colour.letter()))
            {
                *symbols.entry(colour).or_default() += count;
            }
        }
    }
}

/// What a deck costs in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceReport {
    /// The currency. Others never stand in for it.
    pub currency: Currency,
    /// The sum of all known prices, in hundredths.
    pub total: u64,
    /// How many cards have a price.
    pub priced: u32,
    /// How many cards are played.
    pub cards: u32,
    /// Names of the cards without one.
    pub unpriced: Vec<String>,
    /// How many cards have the lowest price of any printing, for the deck does not say which it has.
    pub any_printing: u32,
}

impl PriceReport {
    /// "97 of 100 priced"
    pub fn coverage(&self) -> String {
        format!("{} of {} priced", self.priced, self.cards)
    }
}

/// Adds up the prices of all cards that are played. A card has the price of its own printing and finish, or none.
pub fn deck_price(deck: &Deck, cards: &CardTable, currency: Currency) -> PriceReport {
    let mut report = PriceReport {
        currency,
        total: 0,
        priced: 0,
        cards: 0,
        unpriced: Vec::new(),
        any_printing: 0,
    };
    for entry in deck.entries().iter().filter(|entry| entry.key.zone.is_played()) {
        let count = entry.content.count;
        report.cards = report.cards.saturating_add(count);
        let card = cards.card(&entry.key.card);
        let Some(price) = card.and_then(|card| price_of(card, entry, currency)) else {
            report.unpriced.push(entry.content.name.clone());
            continue;
        };
        report.priced = report.priced.saturating_add(count);
        report.total = report.total.saturating_add(u64::from(price) * u64::from(count));
        report.any_printing += if entry.key.printing.is_none() { count } else { 0 };
    }
    report.unpriced.dedup();
    report
}

/// The price of one card of an entry, in hundredths: of its printing and finish, else the lowest of any printing.
pub fn price_of(card: &Card, entry: &DeckEntry, currency: Currency) -> Option<u32> {
    let finish = entry.key.finish;
    match &entry.key.printing {
        Some(wanted) => {
            let printing = printing_of(card, &wanted.set, wanted.number.as_deref())?;
            printing.prices.of(currency, finish)
        }
        None => card.printings.iter().filter_map(|at| at.prices.of(currency, finish)).min(),
    }
}
