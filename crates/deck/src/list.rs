//! A deck as text programs exchange it: names, counts, zones, printings. What it means to the rules is found out when its names
//! are looked up.

use serde::{Deserialize, Serialize};

use crate::{card::CardFinish, limits::NAME_CHARS_MAX};

/// Where a card of a deck is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeckZone {
    /// It leads the deck.
    Commander,
    /// It is outside the deck and can be brought in once.
    Companion,
    /// It is in the deck.
    #[default]
    Main,
    /// It is beside the deck, where other formats have one.
    Sideboard,
    /// It is thought about, and not part of the deck.
    Maybeboard,
    /// It is in the deck of Attractions.
    Attractions,
    /// It is among the sheets of stickers.
    Stickers,
    /// It is a token that the deck makes.
    Tokens,
}

impl DeckZone {
    /// All zones, in the order in which they are printed.
    pub const ALL: [Self; 8] = [
        Self::Commander,
        Self::Companion,
        Self::Main,
        Self::Sideboard,
        Self::Maybeboard,
        Self::Attractions,
        Self::Stickers,
        Self::Tokens,
    ];

    /// Its name in lists, `Deck` for the deck itself.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Commander => "Commander",
            Self::Companion => "Companion",
            Self::Main => "Deck",
            Self::Sideboard => "Sideboard",
            Self::Maybeboard => "Maybeboard",
            Self::Attractions => "Attractions",
            Self::Stickers => "Stickers",
            Self::Tokens => "Tokens",
        }
    }

    /// Whether its cards are played with: they are judged and priced.
    pub const fn is_played(self) -> bool {
        match self {
            Self::Commander | Self::Companion | Self::Main | Self::Attractions | Self::Stickers => {
                true
            }
            Self::Sideboard | Self::Maybeboard | Self::Tokens => false,
        }
    }
}

/// A printing by set and number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PrintingRef {
    /// Code of the set, in lower case.
    pub set: String,
    /// Number in the set; none where only the set is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
}

/// One entry of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListEntry {
    /// How many cards.
    pub count: u32,
    /// The card's name as it was written.
    pub name: String,
    /// Where they are.
    pub zone: DeckZone,
    /// Which printing; none where the list does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printing: Option<PrintingRef>,
    /// How they look.
    #[serde(default)]
    pub finish: CardFinish,
    /// What people filed it under: Moxfield's tags, Archidekt's categories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Archidekt's coloured label, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Magic Online's number of the printing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtgo_id: Option<u32>,
}

/// A deck as text programs exchange it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckList {
    /// Its name; none where the list has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its entries in the order in which they came.
    pub entries: Vec<ListEntry>,
}

impl DeckList {
    /// How many cards are in a zone.
    pub fn count_in(&self, zone: DeckZone) -> u32 {
        let counts =
            self.entries.iter().filter(|entry| entry.zone == zone).map(|entry| entry.count);
        counts.fold(0, u32::saturating_add)
    }
}

/// Why a line was not read. It is kept and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ListLineError {
    /// Somebody's note.
    #[error("a comment")]
    Comment,
    /// It has no count, and what it says is no card's name.
    #[error("no count and no card's name")]
    NotACard,
    /// Its count is 0.
    #[error("a count of 0")]
    CountOfZero,
    /// Its count is above every deck's.
    #[error("more than 999 cards")]
    CountTooLarge,
    /// It has a count, and nothing after it.
    #[error("no name")]
    NoName,
    /// What follows is longer than any name.
    #[error("a name of more than 200 characters")]
    NameTooLong,
    /// The list has more entries than a deck may have.
    #[error("more than 2000 entries")]
    TooManyEntries,
    /// It is not what Magic Online writes.
    #[error("it cannot be read as XML")]
    NotXml,
    /// No card is called so in English.
    #[error("no card has this English name")]
    UnknownCard,
    /// Several cards have a face of this name.
    #[error("several cards have this name; write the whole name or the set")]
    SeveralCards,
}

/// A line that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadLine {
    /// Its number, from 1; 0 where it is of no line.
    pub line: u32,
    /// What it says, cut to 300 characters.
    pub text: String,
    /// Why it was not read.
    pub reason: ListLineError,
}

/// A name with one blank between words, two slashes between halves, and without control characters.
pub(crate) fn clean_name(name: &str) -> String {
    let name = one_line(name);
    let mut clean = String::with_capacity(name.len());
    let mut rest = name.as_str();
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        let after = from.trim_start_matches(['/', ' ']);
        let slashes = from.strip_suffix(after).unwrap_or_default();
        // `SP//dr` is a word, all else stands between two names.
        let is_word = slashes == "//" && !before.ends_with(' ');
        clean.push_str(before.trim_end());
        clean.push_str(if is_word { "//" } else { " // " });
        rest = after;
    }
    clean.push_str(rest);
    one_line(&clean)
}

/// One blank between words and no control characters.
pub(crate) fn one_line(text: &str) -> String {
    let plain: String =
        text.chars().map(|c| if c.is_control() || is_invisible(c) { ' ' } else { c }).collect();
    let words: Vec<_> = plain.split_whitespace().collect();
    words.join(" ")
}

/// Marks that are not seen and would make two names of one.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

/// Whether a name is longer than any.
pub(crate) fn is_too_long(name: &str) -> bool {
    name.chars().nth(NAME_CHARS_MAX).is_some()
}
