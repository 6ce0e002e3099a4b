//! What two decks differ in: cards that one has and the other lacks, and counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{card::OracleId, deck::Deck, list::DeckZone};

/// A card of which two decks have different numbers in a zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CardDifference {
    /// Where.
    pub zone: DeckZone,
    /// The card.
    pub card: OracleId,
    /// Its name.
    pub name: String,
    /// How many the first deck has.
    pub before: u32,
    /// How many the second deck has.
    pub after: u32,
}

/// Compares two decks, whatever their printings. Empty where they have the same cards.
pub fn compare_decks(before: &Deck, after: &Deck) -> Vec<CardDifference> {
    let mut counts: BTreeMap<(DeckZone, &OracleId), (&str, u32, u32)> = BTreeMap::new();
    for (deck, is_after) in [(before, false), (after, true)] {
        for entry in deck.entries() {
            let at = counts.entry((entry.key.zone, &entry.key.card));
            let counted = at.or_insert((&entry.content.name, 0, 0));
            let side = if is_after { &mut counted.2 } else { &mut counted.1 };
            *side = side.saturating_add(entry.content.count);
        }
    }
    let differing = counts.into_iter().filter(|(_, (_, before, after))| before != after);
    differing
        .map(|((zone, card), (name, before, after))| CardDifference {
            zone,
            card: card.clone(),
            name: name.to_owned(),
            before,
            after,
        })
        .collect()
}
