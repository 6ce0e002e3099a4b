//! Whether a card has an activated ability: a cost, a colon and an effect, or a keyword that stands for them.

use crate::card::Card;

/// Keywords that are activated abilities.
const KEYWORDS: [&str; 37] = [
    "aura swap",
    "bloodrush",
    "boast",
    "channel",
    "craft",
    "crew",
    "cycling",
    "embalm",
    "encore",
    "equip",
    "eternalize",
    "exhaust",
    "forecast",
    "fortify",
    "grandeur",
    "landcycling",
    "basic landcycling",
    "islandcycling",
    "swampcycling",
    "mountaincycling",
    "forestcycling",
    "plainscycling",
    "slivercycling",
    "wizardcycling",
    "typecycling",
    "level up",
    "ninjutsu",
    "commander ninjutsu",
    "outlast",
    "reconfigure",
    "reinforce",
    "saddle",
    "scavenge",
    "station",
    "transfigure",
    "transmute",
    "unearth",
];
/// Lands of these types have a mana ability that is not printed.
const BASIC_TYPES: [&str; 5] = ["Plains", "Island", "Swamp", "Mountain", "Forest"];

/// Whether a card has an activated ability on its front face.
pub(crate) fn has_activated_ability(card: &Card) -> bool {
    let front = &card.front;
    BASIC_TYPES.iter().any(|word| front.is_of_type(word))
        || card.keywords.iter().any(|keyword| KEYWORDS.contains(&keyword.to_lowercase().as_str()))
        || front.lines().any(|line| is_activated(&line))
}

fn is_activated(line: &str) -> bool {
    // What stands in quotes is an ability of something else.
    let mut is_outside = true;
    let own: String = line
        .chars()
        .filter(|c| {
            if matches!(c, '"' | '“' | '”') {
                is_outside = !is_outside;
            }
            is_outside
        })
        .collect();
    let lower = own.to_lowercase();
    let is_keyword = KEYWORDS.iter().any(|keyword| {
        lower
            .strip_prefix(keyword)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '—']))
    });
    is_keyword || own.split_once(": ").is_some_and(|(cost, _)| is_cost(cost))
}

/// A cost has a symbol, is a number of loyalty, or says what is paid.
fn is_cost(cost: &str) -> bool {
    const VERBS: [&str; 12] = [
        "sacrifice",
        "discard",
        "pay",
        "tap",
        "untap",
        "exile",
        "remove",
        "return",
        "put",
        "reveal",
        "mill",
        "collect",
    ];
    let cost = cost.rsplit_once('—').map_or(cost, |(_, cost)| cost.trim());
    let is_loyalty = cost.starts_with(['+', '−', '-']) || cost.chars().all(|c| c.is_ascii_digit());
    let lower = cost.to_lowercase();
    cost.contains('{') || is_loyalty || VERBS.iter().any(|verb| lower.starts_with(verb))
}
