//! Cards by what people and agents look for, and cards that share something with a deck's commanders. Both go over the whole table;
//! no index is kept, for nobody asks often.

use std::collections::BTreeSet;

use crate::{
    card::{Card, CommanderStatus, OracleId},
    card_table::CardTable,
    colour::{Colour, ColourSet},
    deck::Deck,
    folding::folded,
    legality::judge_deck,
    limits::{FOUND_CARDS_MAX, SEARCH_CHARS_MAX, SEARCH_WORDS_MAX},
    list::DeckZone,
};

/// What one word of a search asks for.
enum Term {
    /// In the name, the types or the text.
    Any(String),
    /// In the types.
    Type(String),
    /// In the text.
    Text(String),
    /// All these colours are the card's.
    Colours(ColourSet),
    /// The mana value.
    ManaValue(u32),
}

/// Cards that have every word of a query in their names, types or texts, the best ones first: those whose name it is, then those
/// whose name has it. `t:elf` looks at types alone, `o:draw` at texts, `c:gw` at colours and `mv:3` at mana values. With colours,
/// only cards whose identity is within them. At most 100; an empty query finds nothing.
pub fn search_cards<'a>(
    cards: &'a CardTable,
    query: &str,
    within: Option<ColourSet>,
    limit: usize,
) -> Vec<&'a Card> {
    let query: String = query.chars().take(SEARCH_CHARS_MAX).collect();
    let terms: Vec<Term> =
        query.split_whitespace().take(SEARCH_WORDS_MAX).filter_map(term_of).collect();
    if terms.is_empty() {
        return Vec::new();
    }
    let whole = folded(&query);
    let fits = |card: &&Card| {
        card.is_deck_card() && within.is_none_or(|within| card.identity.without(within).is_empty())
    };
    let mut found: Vec<_> = cards
        .cards()
        .iter()
        .filter(fits)
        .filter_map(|card| Some((rank(card, &whole, &terms)?, card)))
        .collect();
    found.sort_by(|(rank, card), (other_rank, other)| {
        let illegal = |card: &Card| card.commander != CommanderStatus::Legal;
        let key = |rank: &u8, card: &Card| (illegal(card), *rank);
        key(rank, card).cmp(&key(other_rank, other)).then_with(|| card.name.cmp(&other.name))
    });
    found.into_iter().map(|(_, card)| card).take(limit.min(FOUND_CARDS_MAX)).collect()
}

fn term_of(word: &str) -> Option<Term> {
    let Some((kind, value)) = word.split_once(':') else {
        return Some(folded(word)).filter(|word| !word.is_empty()).map(Term::Any);
    };
    let lower = value.to_lowercase();
    if lower.is_empty() {
        return None;
    }
    Some(match kind.to_ascii_lowercase().as_str() {
        "t" | "type" => Term::Type(lower),
        "o" | "text" => Term::Text(lower),
        "c" | "colour" | "color" => {
            Term::Colours(value.chars().filter_map(Colour::from_letter).collect())
        }
        "mv" | "cmc" => Term::ManaValue(value.parse().ok()?),
        _ => Term::Any(folded(word)),
    })
}

/// How well a card fits, 0 best; none where it lacks a word.
fn rank(card: &Card, whole: &str, terms: &[Term]) -> Option<u8> {
    let name = folded(&card.name);
    if name == *whole {
        return Some(0);
    }
    let types: Vec<String> = card.faces().map(|face| face.type_line.to_lowercase()).collect();
    let has_type = |word: &str| types.iter().any(|types| types.contains(word));
    // Texts are long: they are looked at only where nothing else has the word.
    let has_text = |word: &str| card.faces().any(|face| face.text.to_lowercase().contains(word));
    let mut worst = if name.starts_with(whole) { 1 } else { 2 };
    for term in terms {
        let of_term = match term {
            Term::Any(word) if name.contains(word.as_str()) => 2,
            Term::Any(word) if has_type(word) => 3,
            Term::Any(word) if has_text(word) => 4,
            Term::Type(word) if has_type(word) => 2,
            Term::Text(word) if has_text(word) => 2,
            Term::Colours(colours) if colours.without(card.colours).is_empty() => 2,
            Term::ManaValue(value) if *value == card.mana_value => 2,
            _ => return None,
        };
        worst = worst.max(if worst == 1 && of_term == 2 { 1 } else { of_term });
    }
    Some(worst)
}

/// A card that shares something with the commanders of a deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSuggestion<'a> {
    /// The card.
    pub card: &'a Card,
    /// What both have: subtypes and keywords, and subtypes of the commanders that its text names.
    pub shared: Vec<String>,
}

/// Cards that a deck lacks, may have, and that share subtypes or keywords with its commanders, those that share most first. It says
/// nothing of how good they are. Empty where no card leads.
pub fn similar_cards<'a>(
    deck: &Deck,
    cards: &'a CardTable,
    limit: usize,
) -> Vec<CardSuggestion<'a>> {
    let leaders = deck.in_zone(DeckZone::Commander).filter_map(|entry| cards.card(&entry.key.card));
    let leaders: Vec<&Card> = leaders.collect();
    let types: BTreeSet<&str> = leaders.iter().flat_map(|card| subtypes(card)).collect();
    let keywords: BTreeSet<&str> =
        leaders.iter().flat_map(|card| &card.keywords).map(String::as_str).collect();
    if leaders.is_empty() || types.is_empty() && keywords.is_empty() {
        return Vec::new();
    }
    let identity = judge_deck(deck, cards).identity;
    let held: BTreeSet<&OracleId> = deck.entries().iter().map(|entry| &entry.key.card).collect();
    let fits = |card: &&Card| {
        card.is_deck_card()
            && card.commander == CommanderStatus::Legal
            && !card.is_extra()
            && card.identity.without(identity).is_empty()
            && !held.contains(&card.id)
    };
    let suggestion = |card: &'a Card| {
        let own: BTreeSet<&str> = subtypes(card).collect();
        let text = card.front.text.as_str();
        let of_types = types.iter().filter(|word| own.contains(*word) || text.contains(**word));
        let of_keywords =
            keywords.iter().filter(|word| card.keywords.iter().any(|own| own == *word));
        let shared: Vec<String> = of_types.chain(of_keywords).map(ToString::to_string).collect();
        (!shared.is_empty()).then_some(CardSuggestion { card, shared })
    };
    let mut found: Vec<_> = cards.cards().iter().filter(fits).filter_map(suggestion).collect();
    found.sort_by(|one, other| {
        let by_shared = other.shared.len().cmp(&one.shared.len());
        by_shared.then_with(|| one.card.name.cmp(&other.card.name))
    });
    found.truncate(limit.min(FOUND_CARDS_MAX));
    found
}

/// The words behind the dash of a card's types.
fn subtypes(card: &Card) -> impl Iterator<Item = &str> {
    card.faces().flat_map(|face| {
        let behind = face.type_line.split_once('—').map_or("", |(_, behind)| behind);
        behind.split_whitespace()
    })
}

#[cfg(test)]
mod tests {
    use super::{search_cards, similar_cards};
    use crate::{
        card::CardFinish,
        card_table::CardTable,
        colour::{Colour, ColourSet},
        deck::{Deck, EntryContent, EntryKey},
        list::DeckZone,
    };

    fn table() -> CardTable {
        let card = |id: &str, name: &str, types: &str, text: &str, colours: &str| {
            format!(
                r#"{{"oracle_id":"{id}","name":"{name}","layout":"normal","set":"x","collector_number":"1","type_line":"{types}","oracle_text":"{text}","colors":{colours},"color_identity":{colours},"cmc":2,"legalities":{{"commander":"legal"}}}}"#
            )
        };
        let lines = [
            card("1", "Elvish Mystic", "Creature — Elf Druid", "Add one green mana.", r#"["G"]"#),
            card("2", "Priest of Titania", "Creature — Elf Druid", "Elf by Elf.", r#"["G"]"#),
            card("3", "Marwyn, the Nurturer", "Legendary Creature — Elf Druid", "", r#"["G"]"#),
            card("4", "Goblin Guide", "Creature — Goblin Scout", "Not an elf.", r#"["R"]"#),
            card("5", "Elf", "Artifact", "", "[]"),
        ];
        CardTable::from_lines(lines.iter().map(String::as_str)).unwrap()
    }

    #[test]
    fn names_come_before_types_and_types_before_texts() {
        let table = table();
        let names = |query: &str, within| -> Vec<String> {
            let found = search_cards(&table, query, within, 10);
            found.into_iter().map(|card| card.name.clone()).collect()
        };
        let all = ["Elf", "Marwyn, the Nurturer", "Elvish Mystic", "Priest of Titania"];
        let found = names("elf", None);
        assert_eq!(found.first().map(String::as_str), Some("Elf"));
        assert_eq!(found.last().map(String::as_str), Some("Goblin Guide"), "its text alone has it");
        assert!(all.iter().all(|name| found.contains(&(*name).to_owned())), "{found:?}");
        assert_eq!(names("t:goblin c:r mv:2", None), ["Goblin Guide"]);
        let green = ColourSet::NONE.with(Colour::Green);
        assert!(!names("elf", Some(green)).contains(&"Goblin Guide".to_owned()));
        assert_eq!(names("", None), [""; 0]);
        assert_eq!(names("o:titania", None), [""; 0], "a name is no text");
        assert_eq!(search_cards(&table, "elf", None, 1).len(), 1);
    }

    #[test]
    fn what_a_deck_lacks_and_shares_with_its_commander() {
        let table = table();
        let mut deck = Deck::default();
        for (zone, id) in [(DeckZone::Commander, 2_usize), (DeckZone::Main, 0)] {
            let card = &table.cards()[id];
            let finish = CardFinish::Nonfoil;
            let key = EntryKey { zone, card: card.id.clone(), printing: None, finish };
            let (name, tags) = (card.name.clone(), Vec::new());
            deck.add(&key, EntryContent { count: 1, name, tags, label: None });
        }
        let found = similar_cards(&deck, &table, 10);
        let names: Vec<_> = found.iter().map(|found| found.card.name.as_str()).collect();
        assert_eq!(names, ["Priest of Titania"]);
        assert_eq!(found[0].shared, ["Druid", "Elf"]);
        assert!(similar_cards(&Deck::default(), &table, 10).is_empty());
    }
}
