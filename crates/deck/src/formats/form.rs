//! The forms of lists, and what is read and printed in them.

use serde::{Deserialize, Serialize};

use crate::list::{DeckList, DeckZone, UnreadLine};

/// A form of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListFormat {
    /// Magic Arena.
    Arena,
    /// Moxfield, with tags and finishes.
    Moxfield,
    /// Magic Online, text.
    MtgoText,
    /// Magic Online, `.dek`.
    MtgoDek,
    /// Archidekt, with categories and labels.
    Archidekt,
}

impl ListFormat {
    /// All forms.
    pub const ALL: [Self; 5] =
        [Self::Arena, Self::Moxfield, Self::MtgoText, Self::MtgoDek, Self::Archidekt];
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParsedList {
    /// The entries.
    pub list: DeckList,
    /// The line of each entry, from 1.
    pub lines: Vec<u32>,
    /// Lines that were not read, in their order.
    pub unread: Vec<UnreadLine>,
}

/// What was printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintedList {
    /// The text.
    pub text: String,
    /// Zones that the form lacks, where their cards stand instead, and how many they are.
    pub moved: Vec<(DeckZone, DeckZone, u32)>,
}

/// Why a list was not read or printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// It is larger than any deck's.
    #[error("the list has more than 1 MiB; a deck of 100 cards has about 4 KiB")]
    TooLarge,
    /// Magic Online ends when it reads a file in which a card has no number.
    #[error("a .dek file needs Magic Online's number of each card, which these lack: {}", .0.join(", "))]
    NoMtgoId(Vec<String>),
}
