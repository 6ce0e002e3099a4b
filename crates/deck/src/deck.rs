//! A deck: cards by id, each entry once, in a fixed order. Made of a list by looking its names up; what was not found is kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    card::{CardFinish, OracleId},
    colour::Colour,
    list::{DeckZone, PrintingRef, UnreadLine},
};

/// What makes an entry one entry: two that agree in all of it are the same one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EntryKey {
    /// Where the cards are.
    pub zone: DeckZone,
    /// Which card.
    pub card: OracleId,
    /// Which printing; none where it does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printing: Option<PrintingRef>,
    /// How the cards look.
    #[serde(default)]
    pub finish: CardFinish,
}

/// What an entry holds beside its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EntryContent {
    /// How many cards; never 0.
    pub count: u32,
    /// What the card is called here.
    pub name: String,
    /// What people filed it under.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Archidekt's coloured label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// One entry of a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckEntry {
    /// Which one.
    #[serde(flatten)]
    pub key: EntryKey,
    /// What it holds.
    #[serde(flatten)]
    pub content: EntryContent,
}

/// A deck.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deck {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its entries in the order of their keys, each key once.
    entries: Vec<DeckEntry>,
    /// Colours that were chosen for commanders which let their players choose one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub chosen_colours: BTreeMap<OracleId, Colour>,
    /// Lines of its list that were not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadLine>,
}

impl Deck {
    /// Its entries in the order of their keys.
    pub fn entries(&self) -> &[DeckEntry] {
        &self.entries
    }

    /// The entry of a key.
    pub fn entry(&self, key: &EntryKey) -> Option<&EntryContent> {
        let at = self.position(key).ok()?;
        self.entries.get(at).map(|entry| &entry.content)
    }

    /// Sets what an entry holds; none, or no cards, takes it out.
    pub fn set_entry(&mut self, key: &EntryKey, content: Option<EntryContent>) {
        let content = content.filter(|content| content.count > 0);
        match (self.position(key), content) {
            (Ok(at), Some(content)) => {
                if let Some(entry) = self.entries.get_mut(at) {
                    entry.content = content;
                }
            }
            (Ok(at), None) => drop(self.entries.remove(at)),
            (Err(at), Some(content)) => {
                self.entries.insert(at, DeckEntry { key: key.clone(), content });
            }
            (Err(_), None) => {}
        }
    }

    /// Adds cards to an entry, or makes it.
    pub fn add(&mut self, key: &EntryKey, content: EntryContent) {
        let mut whole = self.entry(key).cloned().unwrap_or(EntryContent { count: 0, ..content });
        whole.count = whole.count.saturating_add(content.count);
        self.set_entry(key, Some(whole));
    }

    /// How many cards are in a zone.
    pub fn count_in(&self, zone: DeckZone) -> u32 {
        let in_zone = self.in_zone(zone).map(|entry| entry.content.count);
        in_zone.fold(0, u32::saturating_add)
    }

    /// The entries of a zone.
    pub fn in_zone(&self, zone: DeckZone) -> impl Iterator<Item = &DeckEntry> {
        self.entries.iter().filter(move |entry| entry.key.zone == zone)
    }

    fn position(&self, key: &EntryKey) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.key.cmp(key))
    }
}
