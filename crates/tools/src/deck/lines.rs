//! Lines as minds write them: by the names of cards, which become ids here.

use abide_deck::{
    CardLookup, CardRef, CardTable, Deck, DeckOp, DeckZone, EntryTarget, PrintingRef,
    limits::DECK_NAME_CHARS_MAX,
};
use serde::Deserialize;

use crate::ToolError;

/// A line as a mind writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenLine {
    op: WrittenOp,
    card: Option<String>,
    count: Option<u32>,
    zone: Option<DeckZone>,
    set: Option<String>,
    into: Option<String>,
    to: Option<DeckZone>,
    tags: Option<Vec<String>>,
    name: Option<String>,
    cards: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenOp {
    Add,
    Remove,
    SetCount,
    Move,
    Swap,
    SetCommanders,
    SetTags,
    Rename,
}

/// The line of what a mind wrote; else what is wrong with it.
pub(super) fn line_of(
    written: WrittenLine,
    deck: &Deck,
    cards: &CardTable,
) -> Result<DeckOp, String> {
    let WrittenLine { op, card, count, zone, set, into, to, tags, name, cards: leaders } = written;
    let target = |what: &str| -> Result<EntryTarget, String> {
        let card = card.as_deref().ok_or_else(|| format!("{what} needs `card`"))?;
        let printing = set.clone().map(|set| PrintingRef { set: set.to_lowercase(), number: None });
        let card = card_of(card, deck, cards)?;
        Ok(EntryTarget { card, zone: zone.unwrap_or_default(), printing, finish: None })
    };
    let count = count.unwrap_or(1);
    Ok(match op {
        WrittenOp::Add => DeckOp::Add { entry: target("add")?, count },
        WrittenOp::Remove => DeckOp::Remove { entry: target("remove")?, count },
        WrittenOp::SetCount => DeckOp::SetCount { entry: target("set_count")?, count },
        WrittenOp::Move => {
            let to = to.ok_or("move needs `to`: commander, main, sideboard or maybeboard")?;
            DeckOp::Move { entry: target("move")?, to, count }
        }
        WrittenOp::Swap => {
            let into = into.ok_or("swap needs `into`: the card that comes")?;
            let into = card_of(&into, deck, cards)?;
            DeckOp::Swap { out: target("swap")?, into, count }
        }
        WrittenOp::SetCommanders => {
            let names = leaders.or_else(|| Some(vec![card.clone()?]));
            let names = names.ok_or("set_commanders needs `cards`")?;
            let leaders: Result<Vec<_>, _> =
                names.iter().map(|name| card_of(name, deck, cards)).collect();
            DeckOp::SetCommanders { cards: leaders? }
        }
        WrittenOp::SetTags => DeckOp::SetTags {
            entry: target("set_tags")?,
            tags: tags.ok_or("set_tags needs `tags`")?,
        },
        WrittenOp::Rename => DeckOp::Rename { name: name.ok_or("rename needs `name`")? },
    })
}

/// The card of a name: as the table has it, else as the deck has it.
fn card_of(name: &str, deck: &Deck, cards: &CardTable) -> Result<CardRef, String> {
    match cards.find(name, None) {
        CardLookup::Found(found) => {
            return Ok(CardRef { id: found.card.id.clone(), name: found.card.name.clone() });
        }
        CardLookup::Ambiguous(_) => {
            return Err(format!("several cards are called {name}; write the whole name"));
        }
        CardLookup::Unknown => {}
    }
    let is_it = |held: &str| held.eq_ignore_ascii_case(name.trim());
    let held = deck.entries().iter().find(|entry| is_it(&entry.content.name));
    let held =
        held.map(|entry| CardRef { id: entry.key.card.clone(), name: entry.content.name.clone() });
    held.ok_or_else(|| {
        if cards.cards().is_empty() {
            format!("{name} is not in the deck, and there is no card table to look it up in; a person can run `abide cards pull`")
        } else {
            format!("no card is called {name}; names are English ones, and deck.search_cards finds them")
        }
    })
}

/// Names a deck that is made.
pub(super) fn rename(deck: &mut Deck, name: &str) -> Result<(), ToolError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > DECK_NAME_CHARS_MAX {
        return Err(ToolError::new(format!("name: 1 to {DECK_NAME_CHARS_MAX} characters")));
    }
    name.clone_into(&mut deck.name);
    Ok(())
}

/// Lets a card lead a deck that is made.
pub(super) fn lead(deck: &mut Deck, name: &str, cards: &CardTable) -> Result<(), ToolError> {
    let card =
        card_of(name, deck, cards).map_err(|why| ToolError::new(format!("commander: {why}")))?;
    let mut changed = deck.clone();
    let line = DeckOp::SetCommanders { cards: vec![card] };
    // A list may name the same commander.
    if line.apply_to(&mut changed).is_ok() {
        *deck = changed;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use abide_deck::{CardTable, Deck, DeckOp};
    use serde_json::{Value, json};

    use super::{WrittenLine, line_of};

    fn table() -> CardTable {
        let card = |id: &str, name: &str| {
            format!(
                r#"{{"oracle_id":"{id}","name":"{name}","layout":"normal","set":"x","collector_number":"1","type_line":"Artifact","legalities":{{"commander":"legal"}}}}"#
            )
        };
        let lines = [card("1", "Sol Ring"), card("2", "Arcane Signet")];
        CardTable::from_lines(lines.iter().map(String::as_str)).unwrap()
    }

    fn read(line: Value, cards: &CardTable) -> Result<String, String> {
        let written: WrittenLine = serde_json::from_value(line).map_err(|e| e.to_string())?;
        line_of(written, &Deck::default(), cards).map(|op| op.to_string())
    }

    #[test]
    fn names_become_cards_and_what_is_missing_is_said() {
        let cards = table();
        for (line, said) in [
            (json!({"op": "add", "card": "sol ring"}), "add 1 Sol Ring"),
            (
                json!({"op": "swap", "card": "Sol Ring", "into": "arcane signet"}),
                "swap 1 Sol Ring for Arcane Signet",
            ),
            (
                json!({"op": "move", "card": "Sol Ring", "zone": "maybeboard", "to": "main", "count": 2}),
                "move 2 Sol Ring in Maybeboard to Deck",
            ),
            (json!({"op": "set_commanders", "cards": ["Sol Ring"]}), "let Sol Ring lead the deck"),
            (
                json!({"op": "set_tags", "card": "Sol Ring", "tags": ["ramp"]}),
                "tag Sol Ring as ramp",
            ),
            (json!({"op": "rename", "name": "Elves"}), "rename the deck to Elves"),
        ] {
            assert_eq!(read(line, &cards).as_deref(), Ok(said));
        }
        for (line, said) in [
            (json!({"op": "add"}), "needs `card`"),
            (json!({"op": "add", "card": "Blitzschlag"}), "no card is called"),
            (json!({"op": "swap", "card": "Sol Ring"}), "needs `into`"),
            (json!({"op": "burn", "card": "Sol Ring"}), "unknown variant"),
        ] {
            let error = read(line, &cards).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
        let error = read(json!({"op": "add", "card": "Sol Ring"}), &CardTable::default());
        assert!(error.unwrap_err().contains("abide cards pull"));
        assert!(matches!(
            line_of(
                serde_json::from_value(json!({"op": "set_count", "card": "Sol Ring", "count": 0}))
                    .unwrap(),
                &Deck::default(),
                &cards
            ),
            Ok(DeckOp::SetCount { count: 0, .. })
        ));
    }
}
