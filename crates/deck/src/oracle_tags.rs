//! What people tagged cards with, out of Scryfall's bulk file `oracle_tags`: one tag a line, with the cards that have it. A
//! parent has the cards of its children. Read loosely; tags are the community's word, so that all that follows is an estimate.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::card::OracleId;

/// Cards that take everybody's lands away or shut them off.
pub(crate) const MASS_LAND_DENIAL: &str = "mass-land-denial";

/// Slugs of the tags that this crate asks about; a file of tags needs no others, but those below them.
pub const USED_TAGS: [&str; 1] = [MASS_LAND_DENIAL];

/// Cards by tag.
#[derive(Clone, Debug, Default)]
pub struct OracleTags {
    cards: BTreeMap<String, BTreeSet<OracleId>>,
}

#[derive(Deserialize)]
struct TagLine {
    id: String,
    slug: String,
    #[serde(default)]
    child_ids: Vec<String>,
    #[serde(default)]
    taggings: Vec<Tagging>,
}

#[derive(Deserialize)]
struct Tagging {
    oracle_id: OracleId,
}

impl OracleTags {
    /// Reads lines; those that are no tags are passed over and counted.
    pub fn from_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> (Self, usize) {
        let mut read: BTreeMap<String, TagLine> = BTreeMap::new();
        let mut skipped = 0;
        for line in lines.into_iter().filter(|line| !line.trim().is_empty()) {
            match serde_json::from_str::<TagLine>(line) {
                Ok(tag) => drop(read.insert(tag.id.clone(), tag)),
                Err(_) => skipped += 1,
            }
        }
        let cards = read.values().map(|tag| (tag.slug.clone(), with_children(tag, &read)));
        (Self { cards: cards.collect() }, skipped)
    }

    /// Whether a card has a tag, given by its slug.
    pub fn has(&self, slug: &str, card: &OracleId) -> bool {
        self.cards.get(slug).is_some_and(|cards| cards.contains(card))
    }

    /// Whether the tag is known at all.
    pub fn knows(&self, slug: &str) -> bool {
        self.cards.contains_key(slug)
    }
}

/// The cards of a tag and of all tags below it, each tag once.
fn with_children(tag: &TagLine, all: &BTreeMap<String, TagLine>) -> BTreeSet<OracleId> {
    let mut cards = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![tag];
    while let Some(tag) = open.pop() {
        if seen.insert(tag.id.as_str()) {
            cards.extend(tag.taggings.iter().map(|tagging| tagging.oracle_id.clone()));
            open.extend(tag.child_ids.iter().filter_map(|id| all.get(id)));
        }
    }
    cards
}

#[cfg(test)]
mod tests {
    use super::OracleTags;
    use crate::card::OracleId;

    #[test]
    fn a_parent_has_the_cards_of_its_children_even_in_a_ring() {
        let lines = [
            r#"{"id":"1","slug":"tutor","child_ids":["2","9"],"taggings":[]}"#,
            r#"{"id":"2","slug":"tutor-land","child_ids":["1"],"taggings":[{"oracle_id":"a","weight":"strong"}]}"#,
            "",
            "no tag",
        ];
        let (tags, skipped) = OracleTags::from_lines(lines);
        assert_eq!(skipped, 1);
        for slug in ["tutor", "tutor-land"] {
            assert!(tags.has(slug, &OracleId::new("a")), "{slug}");
        }
        assert!(!tags.has("tutor", &OracleId::new("b")) && !tags.knows("moxen"));
    }
}
