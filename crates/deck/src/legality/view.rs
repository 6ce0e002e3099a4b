//! A deck as its judges see it: cards with their counts, whatever their printings, and what its commanders allow.

use super::finding::{LegalityCode, LegalityFinding};
use crate::{
    card::{Card, OracleId},
    card_table::CardTable,
    colour::ColourSet,
    deck::{Deck, DeckEntry},
    list::DeckZone,
    rulebreaker::{DeckRule, deck_rules},
    rules_text::chooses_colour,
};

/// A card in a zone.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewCard<'a> {
    pub(super) card: &'a Card,
    pub(super) zone: DeckZone,
    pub(super) count: u32,
}

impl ViewCard<'_> {
    /// A finding about this card.
    pub(super) fn finding(&self, code: LegalityCode, text: String) -> LegalityFinding {
        LegalityFinding {
            card: Some(self.card.id.clone()),
            zone: Some(self.zone),
            ..LegalityFinding::of_deck(code, text)
        }
    }
}

/// A deck as its judges see it.
#[derive(Debug)]
pub(super) struct DeckView<'a> {
    /// Cards of zones that are played, each once a zone.
    pub(super) cards: Vec<ViewCard<'a>>,
    /// Cards that the table lacks.
    unknown: Vec<&'a DeckEntry>,
    /// The colours that the deck may have.
    pub(super) identity: ColourSet,
    /// Commanders whose colour is not chosen.
    pub(super) unchosen: Vec<ViewCard<'a>>,
    /// What the commanders' sentences allow, with the commander.
    pub(super) rules: Vec<(ViewCard<'a>, DeckRule)>,
    deck: &'a Deck,
}

impl<'a> DeckView<'a> {
    pub(super) fn new(deck: &'a Deck, table: &'a CardTable) -> Self {
        let mut cards: Vec<ViewCard<'a>> = Vec::new();
        let mut unknown = Vec::new();
        for entry in deck.entries().iter().filter(|entry| entry.key.zone.is_played()) {
            let Some(card) = table.card(&entry.key.card) else {
                unknown.push(entry);
                continue;
            };
            let (zone, count) = (entry.key.zone, entry.content.count);
            // Entries of one card in one zone follow each other.
            match cards.last_mut().filter(|last| last.zone == zone && last.card.id == card.id) {
                Some(known) => known.count = known.count.saturating_add(count),
                None => cards.push(ViewCard { card, zone, count }),
            }
        }
        let mut view = Self {
            cards,
            unknown,
            identity: ColourSet::NONE,
            unchosen: Vec::new(),
            rules: Vec::new(),
            deck,
        };
        view.take_commanders();
        view
    }

    fn take_commanders(&mut self) {
        let commanders: Vec<_> = self.in_zone(DeckZone::Commander).collect();
        for leader in commanders {
            self.identity = self.identity.union(leader.card.identity);
            if chooses_colour(leader.card) {
                match self.chosen(&leader.card.id) {
                    Some(colours) => self.identity = self.identity.union(colours),
                    None => self.unchosen.push(leader),
                }
            }
            let rules = deck_rules(leader.card);
            self.rules.extend(rules.into_iter().map(|rule| (leader, rule)));
        }
    }

    /// The colour that was chosen for a commander.
    pub(super) fn chosen(&self, card: &OracleId) -> Option<ColourSet> {
        let colour = self.deck.chosen_colours.get(card)?;
        Some(ColourSet::NONE.with(*colour))
    }

    pub(super) fn in_zone(&self, zone: DeckZone) -> impl Iterator<Item = ViewCard<'a>> + '_ {
        self.cards.iter().copied().filter(move |held| held.zone == zone)
    }

    /// The deck before its commanders are set aside.
    pub(super) fn starting_deck(&self) -> impl Iterator<Item = ViewCard<'a>> + '_ {
        self.in_zone(DeckZone::Commander).chain(self.in_zone(DeckZone::Main))
    }

    /// Cards of the deck with its commanders, those that the table lacks included.
    pub(super) fn size(&self) -> u32 {
        self.deck.count_in(DeckZone::Commander).saturating_add(self.deck.count_in(DeckZone::Main))
    }

    /// How many cards lead the deck.
    pub(super) fn leader_count(&self) -> u32 {
        self.deck.count_in(DeckZone::Commander)
    }

    pub(super) fn unknown_findings(&self) -> Vec<LegalityFinding> {
        let finding = |entry: &&DeckEntry| LegalityFinding {
            card: Some(entry.key.card.clone()),
            zone: Some(entry.key.zone),
            ..LegalityFinding::of_deck(
                LegalityCode::UnknownCard,
                format!("{} is not in the card table; pull the cards again", entry.content.name),
            )
        };
        self.unknown.iter().map(finding).collect()
    }
}
