//! What a card's text says about the deck that it is in: whether it can lead one, with whom, how many copies there may be,
//! whether it lets its player choose a colour. Only sentences that are known are read; reminders are not.

use crate::{
    card::{Card, CardFace},
    folding::folded,
};

/// Whether a card can lead a deck by itself or with another one: of its front face alone.
pub(crate) fn can_be_commander(card: &Card) -> bool {
    card.is_deck_card() && (leads_alone(card) || is_background(card))
}

/// Whether a card can lead a deck by itself.
pub(crate) fn leads_alone(card: &Card) -> bool {
    let front = &card.front;
    let is_leader = front.is_of_type("Creature")
        || front.is_of_type("Vehicle")
        || front.is_of_type("Spacecraft") && front.power.is_some();
    front.is_of_type("Legendary") && is_leader || front.lines().any(|line| says_leader(&line))
}

/// "can be your commander", and what is a creature everywhere but on the battlefield.
fn says_leader(line: &str) -> bool {
    let line = line.to_lowercase();
    let is_creature = line
        .split_once("isn't on the battlefield, it's a")
        .is_some_and(|(_, rest)| rest.contains("creature"));
    line.contains("can be your commander") || is_creature
}

/// Whether a card is a legendary Background, which leads beside one that chooses it.
pub(crate) fn is_background(card: &Card) -> bool {
    let front = &card.front;
    ["Legendary", "Enchantment", "Background"].iter().all(|word| front.is_of_type(word))
}

/// An ability that lets two cards lead a deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PairAbility {
    /// With any other that has it.
    Partner,
    /// With any other that has the same word behind it, folded.
    Group(String),
    /// With the one card of a name, folded.
    With(String),
    /// With a Background.
    ChoosesBackground,
    /// With a Doctor.
    DoctorsCompanion,
}

/// The abilities of a card to lead a deck with another one.
pub(crate) fn pair_abilities(card: &Card) -> Vec<PairAbility> {
    card.front.lines().flat_map(|line| abilities_in(&line)).collect()
}

fn abilities_in(line: &str) -> Vec<PairAbility> {
    let line = folded(line);
    if let Some(name) = line.strip_prefix("partner with ") {
        return vec![PairAbility::With(name.trim_end_matches('.').to_owned())];
    }
    if let Some(group) = line.strip_prefix("partner").map(str::trim_start)
        && let Some(group) = group.strip_prefix('-')
    {
        return vec![PairAbility::Group(group.trim_matches(['-', ' ', '.']).to_owned())];
    }
    let ability = |part: &str| match part.trim() {
        "partner" => Some(PairAbility::Partner),
        "choose a background" => Some(PairAbility::ChoosesBackground),
        "doctor's companion" => Some(PairAbility::DoctorsCompanion),
        _ => None,
    };
    line.split(',').filter_map(ability).collect()
}

/// Whether two cards may lead a deck together: one ability of the one fits the other, and abilities do not mix.
pub(crate) fn are_pair(one: &Card, other: &Card) -> bool {
    fits(one, other) || fits(other, one)
}

fn fits(one: &Card, other: &Card) -> bool {
    let others = pair_abilities(other);
    pair_abilities(one).iter().any(|ability| match ability {
        PairAbility::Partner | PairAbility::Group(_) => others.contains(ability),
        PairAbility::With(name) => is_called(other, name) && names(&others, one),
        PairAbility::ChoosesBackground => is_background(other),
        PairAbility::DoctorsCompanion => is_doctor(other),
    })
}

fn names(abilities: &[PairAbility], card: &Card) -> bool {
    abilities
        .iter()
        .any(|ability| matches!(ability, PairAbility::With(name) if is_called(card, name)))
}

fn is_called(card: &Card, name: &str) -> bool {
    folded(&card.name) == name || folded(&card.front.name) == name
}

/// A legendary creature that is a Time Lord Doctor and nothing else.
fn is_doctor(card: &Card) -> bool {
    let kinds = card.front.type_line.split_once('—').map(|(_, kinds)| kinds.trim());
    let is_legend = card.front.is_of_type("Legendary") && card.front.is_of_type("Creature");
    is_legend && kinds == Some("Time Lord Doctor")
}

/// Whether the player of a commander chooses a colour that it then is.
pub(crate) fn chooses_colour(card: &Card) -> bool {
    card.front.lines().any(|line| {
        line.to_lowercase().contains("is your commander, choose a color before the game begins")
    })
}

/// How many copies of a card a deck may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyLimit {
    /// So many.
    UpTo(u32),
    /// Any number.
    Any,
}

/// How many copies of a card a deck may have: one, unless it is a basic land or says otherwise.
pub(crate) fn copy_limit(card: &Card) -> CopyLimit {
    if card.is_basic_land() {
        return CopyLimit::Any;
    }
    let said = card.faces().flat_map(CardFace::lines).find_map(|line| limit_in(&line));
    said.unwrap_or(CopyLimit::UpTo(1))
}

fn limit_in(line: &str) -> Option<CopyLimit> {
    let line = line.to_lowercase();
    let (_, rest) = line.split_once("deck can have ")?;
    if rest.starts_with("any number of cards named") {
        return Some(CopyLimit::Any);
    }
    let (number, _) = rest.strip_prefix("up to ")?.split_once(" cards named")?;
    number_of(number).map(CopyLimit::UpTo)
}

/// A number in words or digits, up to twenty.
pub(crate) fn number_of(word: &str) -> Option<u32> {
    const WORDS: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let word = word.trim();
    let named = WORDS.iter().position(|known| *known == word);
    named.and_then(|number| number.try_into().ok()).or_else(|| word.parse().ok())
}
