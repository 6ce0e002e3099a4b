//! The companion: whether the deck meets its condition, and whether it may be one at all. The condition is read from the card; one
//! that is not known is reported and not judged.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{
    finding::{LegalityCode, LegalityFinding},
    identity::wrong_colours,
    view::{DeckView, ViewCard},
};
use crate::{
    activated::has_activated_ability,
    card::{Card, CardFace},
    list::DeckZone,
    rules_text::number_of,
};

/// Cards that are banned in one role only, which Scryfall's data cannot say; each with the day since when.
static ROLE_BANS: LazyLock<Vec<RoleBan>> = LazyLock::new(|| {
    let lines = include_str!("../../data/role_bans.jsonl").lines();
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
});

#[derive(Debug, Deserialize)]
struct RoleBan {
    name: String,
    role: String,
    since: String,
}

pub(super) fn check(view: &DeckView<'_>) -> Vec<LegalityFinding> {
    let companions: Vec<_> = view.in_zone(DeckZone::Companion).collect();
    let count = companions.iter().map(|held| held.count).fold(0, u32::saturating_add);
    let mut findings = Vec::new();
    for companion in &companions {
        if count > 1 {
            let text = format!("{count} companions; a deck has one");
            findings.push(companion.finding(LegalityCode::CompanionCondition, text));
        }
        findings.extend(of_companion(view, companion));
    }
    findings
}

fn of_companion(view: &DeckView<'_>, companion: &ViewCard<'_>) -> Vec<LegalityFinding> {
    let card = companion.card;
    let name = &card.name;
    let mut findings = Vec::new();
    if let Some(ban) = ROLE_BANS.iter().find(|ban| ban.role == "companion" && ban.name == *name) {
        let text = format!("{name} is banned as a companion since {}", ban.since);
        findings.push(companion.finding(LegalityCode::CompanionBanned, text));
    }
    let wrong = wrong_colours(view, card);
    if view.leader_count() > 0 && !wrong.is_empty() {
        let text = format!("{name} needs {wrong}, which the commanders lack");
        let finding = companion.finding(LegalityCode::CompanionIdentity, text);
        findings.push(LegalityFinding { colours: wrong, ..finding });
    }
    if view.starting_deck().any(|held| held.card.id == card.id) {
        let text = format!("{name} is the companion and in the deck as well");
        findings.push(companion.finding(LegalityCode::CompanionDuplicate, text));
    }
    findings.extend(condition_findings(view, companion));
    findings
}

fn condition_findings(view: &DeckView<'_>, companion: &ViewCard<'_>) -> Vec<LegalityFinding> {
    let name = &companion.card.name;
    let sentence = companion.card.front.lines().find_map(|line| {
        line.strip_prefix("Companion")
            .map(|rest| rest.trim_start_matches([' ', '—', '-']).to_owned())
    });
    let Some(sentence) = sentence else {
        let text = format!("{name} is no companion");
        return vec![companion.finding(LegalityCode::CompanionCondition, text)];
    };
    let Some(condition) = read(&sentence) else {
        let text =
            format!("the condition of {name} could not be read and was not judged: {sentence}");
        return vec![companion.finding(LegalityCode::RuleUnread, text)];
    };
    if let Some(text) = whole_deck(view, &condition) {
        let text = format!("{name}: {text}");
        return vec![companion.finding(LegalityCode::CompanionCondition, text)];
    }
    let broken = view.starting_deck().filter(|held| !meets(held, &condition));
    let finding = |held: ViewCard<'_>| {
        let text = format!("{} does not meet the condition of {name}: {sentence}", held.card.name);
        held.finding(LegalityCode::CompanionCondition, text)
    };
    broken.map(finding).collect()
}

/// What a companion asks of the deck.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Condition {
    /// So many cards more than a deck must have.
    Larger(u32),
    /// Permanents of at most this mana value.
    PermanentsUpTo(u32),
    /// Lands, and cards of at least this mana value.
    AtLeast(u32),
    /// Even mana values.
    Even,
    /// Lands, and odd mana values.
    OddOrLand,
    /// No symbol twice in a cost.
    SymbolsOnce,
    /// Creatures of these types.
    CreaturesOf(Vec<String>),
    /// Nonlands with different names.
    DifferentNames,
    /// A type that all nonlands have.
    SharedType,
    /// Permanents with activated abilities.
    Activated,
}

fn read(sentence: &str) -> Option<Condition> {
    let sentence = sentence.trim_end_matches('.').to_lowercase();
    let within =
        |start: &str, end: &str| sentence.strip_prefix(start)?.strip_suffix(end).map(str::to_owned);
    let deck = "your starting deck contains ";
    Some(match sentence.as_str() {
        "your starting deck contains only cards with even mana values" => Condition::Even,
        "your starting deck contains only cards with odd mana values and land cards" => {
            Condition::OddOrLand
        }
        "no card in your starting deck has more than one of the same mana symbol in its mana cost" => {
            Condition::SymbolsOnce
        }
        "each nonland card in your starting deck has a different name" => Condition::DifferentNames,
        "each nonland card in your starting deck shares a card type" => Condition::SharedType,
        "each permanent card in your starting deck has an activated ability" => {
            Condition::Activated
        }
        _ => {
            if let Some(number) =
                within(&format!("{deck}at least "), " cards more than the minimum deck size")
            {
                Condition::Larger(number_of(&number)?)
            } else if let Some(number) =
                within("each permanent card in your starting deck has mana value ", " or less")
            {
                Condition::PermanentsUpTo(number_of(&number)?)
            } else if let Some(number) =
                within(&format!("{deck}only cards with mana value "), " or greater and land cards")
            {
                Condition::AtLeast(number_of(&number)?)
            } else {
                let kinds = within("each creature card in your starting deck is a ", " card")?;
                let kinds = kinds.replace(" or ", " ").replace(',', " ");
                Condition::CreaturesOf(kinds.split_whitespace().map(str::to_owned).collect())
            }
        }
    })
}

/// What is wrong with the deck as a whole.
fn whole_deck(view: &DeckView<'_>, condition: &Condition) -> Option<String> {
    match condition {
        Condition::Larger(more) => {
            Some(format!("a Commander deck cannot have {more} cards more than it must have"))
        }
        Condition::SharedType => {
            let nonlands: Vec<_> =
                view.starting_deck().filter(|held| !held.card.is_land()).collect();
            let is_shared = |word: &&str| nonlands.iter().all(|held| held.card.is_of_type(word));
            let types = [
                "Artifact",
                "Battle",
                "Creature",
                "Enchantment",
                "Instant",
                "Kindred",
                "Planeswalker",
                "Sorcery",
            ];
            let is_met = types.iter().any(is_shared);
            (!is_met).then(|| "the nonland cards share no type".to_owned())
        }
        _ => None,
    }
}

/// Whether a card of the deck meets a condition.
fn meets(held: &ViewCard<'_>, condition: &Condition) -> bool {
    let card = held.card;
    match condition {
        Condition::Larger(_) | Condition::SharedType => true,
        Condition::PermanentsUpTo(most) => !card.is_permanent() || card.mana_value <= *most,
        Condition::AtLeast(least) => card.is_land() || card.mana_value >= *least,
        Condition::Even => card.mana_value.is_multiple_of(2),
        Condition::OddOrLand => card.is_land() || !card.mana_value.is_multiple_of(2),
        Condition::SymbolsOnce => has_symbols_once(card),
        Condition::CreaturesOf(kinds) => {
            !card.is_of_type("Creature")
                || card.is_changeling()
                || kinds.iter().any(|kind| card.is_of_type(kind))
        }
        Condition::DifferentNames => card.is_land() || held.count == 1,
        Condition::Activated => !card.is_permanent() || has_activated_ability(card),
    }
}

/// Whether no symbol is twice in a card's cost; a split card has the costs of both halves.
fn has_symbols_once(card: &Card) -> bool {
    let halves = if card.layout == "split" { card.other_faces.as_slice() } else { &[] };
    let costs = std::iter::once(&card.front).chain(halves).map(|face: &CardFace| &face.mana_cost);
    let mut symbols: Vec<&str> = costs
        .flat_map(|cost| cost.split(['{', '}']))
        .filter(|symbol| !symbol.trim().is_empty() && *symbol != " // ")
        .collect();
    let all = symbols.len();
    symbols.sort_unstable();
    symbols.dedup();
    symbols.len() == all
}
