//! A card: what the rules ask of it, and where its pictures are. One card is what Scryfall gives one `oracle_id`, however often it was printed.

use std::{borrow::Cow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::colour::ColourSet;

/// Names a card, over all its printings: Scryfall's `oracle_id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(value_type = String))]
#[serde(transparent)]
pub struct OracleId(Arc<str>);

impl OracleId {
    /// Takes an id as it is.
    pub fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OracleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What Scryfall says of a card in Commander.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommanderStatus {
    /// It may be played.
    Legal,
    /// It is not part of the format: acorn, playtest, digital.
    NotLegal,
    /// It is banned.
    Banned,
    /// One copy; not used in Commander today.
    Restricted,
}

/// How a printed card looks; prices differ.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CardFinish {
    /// Neither foil nor etched.
    #[default]
    Nonfoil,
    /// Foil.
    Foil,
    /// Etched.
    Etched,
}

/// Currencies that Scryfall has prices in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Currency {
    /// Dollars, of cards on paper.
    Usd,
    /// Euros, of cards on paper.
    Eur,
    /// Event tickets, of cards on Magic Online.
    Tix,
}

/// Prices of one printing in hundredths of their unit; none where Scryfall has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CardPrices {
    /// Dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<u32>,
    /// Dollars, foil.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_foil: Option<u32>,
    /// Dollars, etched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_etched: Option<u32>,
    /// Euros.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eur: Option<u32>,
    /// Euros, foil.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eur_foil: Option<u32>,
    /// Euros, etched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eur_etched: Option<u32>,
    /// Event tickets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tix: Option<u32>,
}

impl CardPrices {
    /// The price of a finish in a currency. One finish never stands in for another, nor one currency for another.
    pub const fn of(&self, currency: Currency, finish: CardFinish) -> Option<u32> {
        match (currency, finish) {
            (Currency::Usd, CardFinish::Nonfoil) => self.usd,
            (Currency::Usd, CardFinish::Foil) => self.usd_foil,
            (Currency::Usd, CardFinish::Etched) => self.usd_etched,
            (Currency::Eur, CardFinish::Nonfoil) => self.eur,
            (Currency::Eur, CardFinish::Foil) => self.eur_foil,
            (Currency::Eur, CardFinish::Etched) => self.eur_etched,
            (Currency::Tix, _) => self.tix,
        }
    }
}

/// One printing of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPrinting {
    /// Code of its set, in lower case.
    pub set: String,
    /// Its number in the set; text, for there are `349★` and `DTK-217`.
    pub number: String,
    /// Whether it exists online only: it has no price on paper.
    #[serde(default)]
    pub is_digital: bool,
    /// What it is called in this printing, where that is not the card's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_name: Option<String>,
    /// Its prices.
    #[serde(default)]
    pub prices: CardPrices,
    /// Magic Online's number (`CatID`) of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtgo_id: Option<u32>,
    /// Magic Online's number of its foil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mtgo_foil_id: Option<u32>,
}

/// How large a picture of a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardImageSize {
    /// 146 by 204 pixels.
    Small,
    /// 488 by 680 pixels.
    Normal,
}

/// Where the pictures of one side of a card are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardImage {
    /// The URL of the normal one.
    pub normal: String,
    /// The URL of the small one, where it is not the normal one's with the size in its path replaced: nearly never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub small: Option<String>,
}

impl CardImage {
    /// Keeps the URLs of both sizes. The small one is left out where it follows from the other: it is kept for every card.
    pub fn new(normal: &str, small: &str) -> Self {
        let small = (small_of(normal) != small).then(|| small.to_owned());
        Self { normal: normal.to_owned(), small }
    }

    /// The URL of a size.
    pub fn url(&self, size: CardImageSize) -> Cow<'_, str> {
        match (size, &self.small) {
            (CardImageSize::Normal, _) => Cow::Borrowed(&self.normal),
            (CardImageSize::Small, Some(small)) => Cow::Borrowed(small),
            (CardImageSize::Small, None) => Cow::Owned(small_of(&self.normal)),
        }
    }
}

fn small_of(normal: &str) -> String {
    normal.replacen("/normal/", "/small/", 1)
}

/// One face or half of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardFace {
    /// Its name.
    pub name: String,
    /// Its cost in symbols, `{2}{W/U}`; empty where it has none.
    #[serde(default)]
    pub mana_cost: String,
    /// Its types, `Legendary Creature — Elf`.
    #[serde(default)]
    pub type_line: String,
    /// Its rules text with reminders.
    #[serde(default)]
    pub text: String,
    /// Its power; text, for there is `*`. None where it is not printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<String>,
    /// Its toughness, in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toughness: Option<String>,
}

impl CardFace {
    /// Whether its type line has a word: a type, a supertype or a subtype, in any case.
    pub fn is_of_type(&self, word: &str) -> bool {
        has_type(&self.type_line, word)
    }

    /// Whether it is a land.
    pub fn is_land(&self) -> bool {
        self.is_of_type("Land")
    }

    /// The lines of its text without reminders.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.text.lines().map(without_reminders).filter(|line| !line.is_empty())
    }
}

/// A card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Names it.
    pub id: OracleId,
    /// Its name in English, both halves where it has two.
    pub name: String,
    /// Other names of the same card: those that single printings carry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_names: Vec<String>,
    /// Scryfall's layout: `normal`, `split`, `transform`, `token`.
    pub layout: String,
    /// Its front face, or its only one, or its first half.
    pub front: CardFace,
    /// Its other faces or halves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_faces: Vec<CardFace>,
    /// Its mana value without fractions; of a split card that of both halves.
    pub mana_value: u32,
    /// Its colours.
    #[serde(default)]
    pub colours: ColourSet,
    /// Its colour identity.
    #[serde(default)]
    pub identity: ColourSet,
    /// Its keyword abilities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Whether it may be played in Commander.
    pub commander: CommanderStatus,
    /// Whether it is on the list of game changers.
    #[serde(default)]
    pub game_changer: bool,
    /// Whether two other cards make it in play: it is in no deck.
    #[serde(default)]
    pub is_meld_result: bool,
    /// Its pictures, one a side that has its own; a split card has one. Empty where Scryfall has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<CardImage>,
    /// Its printings.
    pub printings: Vec<CardPrinting>,
}

/// Layouts of what is in no deck.
const OTHER_LAYOUTS: [&str; 9] = [
    "token",
    "double_faced_token",
    "emblem",
    "art_series",
    "planar",
    "scheme",
    "vanguard",
    "front_card",
    "dungeon",
];
/// What the second deck of a game is made of: its type and its plural.
const EXTRA_TYPES: [&str; 2] = ["Attraction", "Stickers"];

impl Card {
    /// All its faces, the front one first.
    pub fn faces(&self) -> impl Iterator<Item = &CardFace> {
        std::iter::once(&self.front).chain(&self.other_faces)
    }

    /// Whether it can be in a deck at all; tokens, art cards and melded cards cannot.
    pub fn is_deck_card(&self) -> bool {
        !self.is_meld_result && !OTHER_LAYOUTS.contains(&self.layout.as_str())
    }

    /// Whether it belongs into a deck beside the deck: an Attraction or a sheet of stickers.
    pub fn is_extra(&self) -> bool {
        EXTRA_TYPES.iter().any(|word| self.front.is_of_type(word))
    }

    /// Whether it is a basic land.
    pub fn is_basic_land(&self) -> bool {
        self.front.is_of_type("Basic") && self.front.is_land()
    }

    /// The types that it has in a deck: of a split card those of both halves, else those of its front face.
    pub fn is_of_type(&self, word: &str) -> bool {
        let halves = if self.layout == "split" { self.other_faces.as_slice() } else { &[] };
        self.front.is_of_type(word) || halves.iter().any(|half| half.is_of_type(word))
    }

    /// Whether it is a land in a deck.
    pub fn is_land(&self) -> bool {
        self.is_of_type("Land")
    }

    /// Whether it is a card of a permanent.
    pub fn is_permanent(&self) -> bool {
        ["Artifact", "Battle", "Creature", "Enchantment", "Land", "Planeswalker"]
            .iter()
            .any(|word| self.is_of_type(word))
    }

    /// Whether it is of every creature type.
    pub fn is_changeling(&self) -> bool {
        self.keywords.iter().any(|keyword| keyword == "Changeling")
    }
}

/// Whether a type line has a word.
fn has_type(type_line: &str, word: &str) -> bool {
    type_line.split_whitespace().any(|found| found.eq_ignore_ascii_case(word))
}

/// A line without what stands in brackets.
fn without_reminders(line: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept.trim().to_owned()
}
