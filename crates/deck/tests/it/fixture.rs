//! The cards that the cases need, in the shape of Scryfall's bulk data.

use std::sync::LazyLock;

use abide_deck::{Card, CardTable, OracleTags};

const LINES: &str = include_str!("../fixtures/cards.jsonl");
const TAG_LINES: &str = include_str!("../fixtures/oracle_tags.jsonl");

static TABLE: LazyLock<CardTable> =
    LazyLock::new(|| CardTable::from_lines(LINES.lines()).expect("the fixture has cards only"));
static TAGS: LazyLock<OracleTags> = LazyLock::new(|| OracleTags::from_lines(TAG_LINES.lines()).0);

pub(crate) fn table() -> &'static CardTable {
    &TABLE
}

pub(crate) fn tags() -> &'static OracleTags {
    &TAGS
}

pub(crate) fn lines() -> &'static str {
    LINES
}

/// A card that the fixture has, by any of its names.
pub(crate) fn card(name: &str) -> &'static Card {
    table().find(name, None).found().unwrap_or_else(|| panic!("no card {name:?}")).card
}
