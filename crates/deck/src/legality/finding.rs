//! What can be wrong with a deck, in words for programs and in sentences for people.

use serde::{Deserialize, Serialize};

use crate::{card::OracleId, colour::ColourSet, list::DeckZone};

/// What is wrong, as a word that programs can go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LegalityCode {
    /// The deck has too few or too many cards.
    Size,
    /// No card leads it.
    NoCommander,
    /// More than two cards lead it.
    TooManyCommanders,
    /// A card is in it more than once.
    Singleton,
    /// A card that may be in it several times is in it too often.
    Copies,
    /// A card has colours that the commanders lack.
    Identity,
    /// A commander's colour is not chosen, and a card needs it.
    ColourUnchosen,
    /// Scryfall says that the card is banned.
    Banned,
    /// Scryfall says that the card is not part of the format.
    NotLegal,
    /// Tokens, art cards and melded cards are in no deck.
    NotADeckCard,
    /// The card cannot lead a deck.
    CommanderType,
    /// The two cards cannot lead a deck together.
    Pair,
    /// The deck does not meet its companion's condition.
    CompanionCondition,
    /// The card is banned as a companion.
    CompanionBanned,
    /// The companion has colours that the commanders lack.
    CompanionIdentity,
    /// The companion is in the deck as well.
    CompanionDuplicate,
    /// The deck of Attractions or the sheets of stickers are not as they must be.
    ExtraDeck,
    /// A sentence about the deck could not be read.
    RuleUnread,
    /// The card is not in the table: it was pulled before the card was made.
    UnknownCard,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FindingLevel {
    /// The deck is not legal.
    Error,
    /// A person should look.
    Warning,
}

/// What is wrong with a deck, and with which card.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LegalityFinding {
    /// What is wrong.
    pub code: LegalityCode,
    /// How much it weighs.
    pub level: FindingLevel,
    /// The card; none where it is the deck as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<OracleId>,
    /// Where the card is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<DeckZone>,
    /// Of the card's colours those that are wrong, and no others.
    #[serde(default)]
    pub colours: ColourSet,
    /// One sentence for people.
    pub text: String,
}

impl LegalityFinding {
    /// A finding about the deck as a whole.
    pub(super) fn of_deck(code: LegalityCode, text: String) -> Self {
        let level = match code {
            LegalityCode::RuleUnread => FindingLevel::Warning,
            _ => FindingLevel::Error,
        };
        Self { code, level, card: None, zone: None, colours: ColourSet::NONE, text }
    }
}
