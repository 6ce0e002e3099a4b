//! Sentences of commanders that widen what their decks may have: cards of some kind in any colour, any lands, one more colour for
//! some kinds, no maximum of cards. A sentence that cannot be read widens nothing and is reported.

use crate::card::Card;

/// What a sentence of a commander lets its deck have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeckRule {
    /// Cards of these kinds, whatever their colours.
    AnyColour(Vec<CardKind>),
    /// One more colour, which the player chooses, for cards of the first kinds; those of the second, whatever their colours.
    OneMoreColour(Vec<CardKind>, Vec<CardKind>),
    /// More cards than 100.
    NoMaximum,
    /// Something that cannot be read: the sentence.
    Unread(String),
}

/// A kind of cards: all words of the type line, and bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CardKind {
    types: Vec<String>,
    is_permanent: bool,
    mana_value_min: Option<u32>,
    mana_value_max: Option<u32>,
    power_min: Option<i64>,
}

/// Types and supertypes in lower case; other words with a capital are subtypes.
const TYPES: [&str; 12] = [
    "artifact",
    "basic",
    "battle",
    "creature",
    "enchantment",
    "instant",
    "kindred",
    "land",
    "legendary",
    "planeswalker",
    "snow",
    "sorcery",
];
/// Subtypes that are no creature types, as far as rules name them.
const OTHER_SUBTYPES: [&str; 10] = [
    "Aura",
    "Background",
    "Clue",
    "Equipment",
    "Food",
    "Saga",
    "Shrine",
    "Spacecraft",
    "Treasure",
    "Vehicle",
];

impl CardKind {
    /// Whether a card is of the kind, by what it is in a deck.
    pub(crate) fn has(&self, card: &Card) -> bool {
        let is_typed = self.types.iter().all(|word| {
            let is_creature_type =
                !TYPES.contains(&word.as_str()) && !OTHER_SUBTYPES.contains(&word.as_str());
            card.is_of_type(word) || is_creature_type && card.is_changeling()
        });
        let power = card.front.power.as_deref().and_then(|power| power.parse::<i64>().ok());
        is_typed
            && (!self.is_permanent || card.is_permanent())
            && self.mana_value_min.is_none_or(|least| card.mana_value >= least)
            && self.mana_value_max.is_none_or(|most| card.mana_value <= most)
            && self.power_min.is_none_or(|least| power.is_some_and(|power| power >= least))
    }
}

/// The rules in a commander's text.
pub(crate) fn deck_rules(card: &Card) -> Vec<DeckRule> {
    card.front.lines().filter_map(|line| rule_in(&line)).collect()
}

fn rule_in(line: &str) -> Option<DeckRule> {
    let ability =
        line.strip_prefix("Rulebreaker").map(|rest| rest.trim_start_matches([' ', '—', '-']));
    let sentence = match ability {
        Some(sentence) => sentence,
        None if line.contains("deck with this commander") => line,
        None => return None,
    };
    Some(
        read(sentence.trim_end_matches('.'))
            .unwrap_or_else(|| DeckRule::Unread(sentence.to_owned())),
    )
}

fn read(sentence: &str) -> Option<DeckRule> {
    if let Some((_, rest)) = sentence.split_once("deck with this commander ") {
        if rest == "has no maximum deck size" {
            return Some(DeckRule::NoMaximum);
        }
        return any_colour(rest.strip_prefix("can have ")?);
    }
    let (_, rest) = split_ignoring_case(sentence, " is your commander, ")?;
    if let Some(rest) = rest.strip_prefix("you may include ") {
        let (kinds, _) = rest.split_once(" in your deck regardless of color identity")?;
        return any_colour(kinds.strip_suffix(" of any color").unwrap_or(kinds));
    }
    let rest = rest.strip_prefix("the color identity of ")?;
    let (kinds, rest) = rest.split_once(
        " in your deck can include one color of your choice not in your commander's color identity",
    )?;
    let others =
        rest.strip_prefix(", and your deck can have ").map_or(Some(Vec::new()), read_kinds)?;
    let is_whole = rest.is_empty() || !others.is_empty();
    is_whole.then_some(DeckRule::OneMoreColour(read_kinds(kinds)?, others))
}

fn split_ignoring_case<'a>(text: &'a str, middle: &str) -> Option<(&'a str, &'a str)> {
    let at = text.to_ascii_lowercase().find(middle)?;
    Some((text.get(..at)?, text.get(at + middle.len()..)?))
}

/// `Angel cards of any color identity and any basic land cards`
fn any_colour(body: &str) -> Option<DeckRule> {
    let mut kinds = Vec::new();
    for part in body.split(" of any color identity") {
        let part = part.trim();
        let part = part.strip_prefix("and ").unwrap_or(part);
        if !part.is_empty() {
            kinds.extend(read_kinds(part)?);
        }
    }
    (!kinds.is_empty()).then_some(DeckRule::AnyColour(kinds))
}

/// `artifact creature and Equipment cards`
fn read_kinds(text: &str) -> Option<Vec<CardKind>> {
    text.split(" and ").map(read_kind).collect()
}

fn read_kind(text: &str) -> Option<CardKind> {
    let mut kind = CardKind::default();
    let text = bounded(text.trim(), &mut kind)?;
    for word in text.split_whitespace() {
        match word {
            "any" | "all" | "card" | "cards" => {}
            "permanent" | "permanents" => kind.is_permanent = true,
            _ if word.starts_with(char::is_uppercase) => kind.types.push(word.to_owned()),
            _ => {
                let single = word.strip_suffix('s').filter(|single| TYPES.contains(single));
                let word = single.unwrap_or(word);
                kind.types.push(TYPES.contains(&word).then(|| word.to_owned())?);
            }
        }
    }
    (kind != CardKind::default()).then_some(kind)
}

/// Reads a bound and gives the text without it; none where there is one that is not known.
fn bounded<'a>(text: &'a str, kind: &mut CardKind) -> Option<&'a str> {
    let Some((before, bound)) = text.split_once(" with ").or_else(|| text.split_once(" of "))
    else {
        return Some(text);
    };
    let words: Vec<_> = bound.split(' ').collect();
    match words.as_slice() {
        ["mana", "value", number, "or", "greater" | "more"] => {
            kind.mana_value_min = Some(number.parse().ok()?);
        }
        ["mana", "value", number, "or", "less" | "fewer"] => {
            kind.mana_value_max = Some(number.parse().ok()?);
        }
        ["power", number, "or", "greater" | "more"] => kind.power_min = Some(number.parse().ok()?),
        _ => return None,
    }
    Some(before)
}
