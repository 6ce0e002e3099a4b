//! What a revision changed, before and after: enough to do it, to undo it, and to see whether something else came between.

use serde::{Deserialize, Serialize};

use crate::{
    card::OracleId,
    colour::Colour,
    deck::{Deck, DeckEntry, EntryContent, EntryKey},
};

/// One thing that a revision changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum DeckChange {
    /// An entry came, went or changed.
    Entry {
        /// Which one.
        key: EntryKey,
        /// What it held; none where there was none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<EntryContent>,
        /// What it holds; none where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<EntryContent>,
    },
    /// The colour that was chosen for a commander.
    Colour {
        /// The commander.
        card: OracleId,
        /// The colour before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Colour>,
        /// The colour now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<Colour>,
    },
    /// The deck's name.
    Name {
        /// The name before.
        before: String,
        /// The name now.
        after: String,
    },
}

impl DeckChange {
    /// The change that takes this one back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        match self.clone() {
            Self::Entry { key, before, after } => Self::Entry { key, before: after, after: before },
            Self::Colour { card, before, after } => {
                Self::Colour { card, before: after, after: before }
            }
            Self::Name { before, after } => Self::Name { before: after, after: before },
        }
    }

    /// What it changed, in words for people.
    pub fn words(&self) -> String {
        let count = |content: &Option<EntryContent>| content.as_ref().map_or(0, |held| held.count);
        match self {
            Self::Entry { key, before, after } => {
                let name = after.as_ref().or(before.as_ref()).map_or("", |held| &held.name);
                let (was, is) = (count(before), count(after));
                let zone = key.zone.title();
                if was == is {
                    format!("{name} in {zone}: other tags")
                } else {
                    format!("{name} in {zone}: {was} before, {is} now")
                }
            }
            Self::Colour { after: Some(colour), .. } => format!("{} was chosen", colour.name()),
            Self::Colour { after: None, .. } => "no colour is chosen".to_owned(),
            Self::Name { before, after } => format!("named {after}, before {before}"),
        }
    }

    /// Whether the deck is as this change left it.
    pub fn is_in_force(&self, deck: &Deck) -> bool {
        match self {
            Self::Entry { key, after, .. } => deck.entry(key) == after.as_ref(),
            Self::Colour { card, after, .. } => deck.chosen_colours.get(card) == after.as_ref(),
            Self::Name { after, .. } => deck.name == *after,
        }
    }

    /// Does the change.
    pub(crate) fn apply(&self, deck: &mut Deck) {
        match self {
            Self::Entry { key, after, .. } => deck.set_entry(key, after.clone()),
            Self::Colour { card, after: Some(colour), .. } => {
                deck.chosen_colours.insert(card.clone(), *colour);
            }
            Self::Colour { card, after: None, .. } => drop(deck.chosen_colours.remove(card)),
            Self::Name { after, .. } => deck.name.clone_from(after),
        }
    }

    /// The card that it is about.
    pub fn card(&self) -> Option<&OracleId> {
        match self {
            Self::Entry { key, .. } => Some(&key.card),
            Self::Colour { card, .. } => Some(card),
            Self::Name { .. } => None,
        }
    }
}

/// All that differs between two decks.
pub(crate) fn changes_between(before: &Deck, after: &Deck) -> Vec<DeckChange> {
    let mut changes = Vec::new();
    if before.name != after.name {
        changes.push(DeckChange::Name { before: before.name.clone(), after: after.name.clone() });
    }
    let lost = |entry: &&DeckEntry| after.entry(&entry.key) != Some(&entry.content);
    for entry in before.entries().iter().filter(lost) {
        let now = after.entry(&entry.key).cloned();
        let was = Some(entry.content.clone());
        changes.push(DeckChange::Entry { key: entry.key.clone(), before: was, after: now });
    }
    for entry in after.entries().iter().filter(|entry| before.entry(&entry.key).is_none()) {
        let now = Some(entry.content.clone());
        changes.push(DeckChange::Entry { key: entry.key.clone(), before: None, after: now });
    }
    let cards = before.chosen_colours.keys().chain(after.chosen_colours.keys());
    let mut cards: Vec<_> = cards.collect();
    cards.sort();
    cards.dedup();
    for card in cards {
        let was = before.chosen_colours.get(card).copied();
        let now = after.chosen_colours.get(card).copied();
        if was != now {
            changes.push(DeckChange::Colour { card: card.clone(), before: was, after: now });
        }
    }
    changes
}
