//! Headers of lists: which zone the lines below them are in.

use crate::list::DeckZone;

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// What follows is in a zone.
    Zone(DeckZone),
    /// What follows is of one type; the zone stays, unless it was that of a commander.
    Kind,
    /// What follows is about the deck.
    About,
}

/// Names of zones in lists, in lower case.
const ZONES: [(&str, DeckZone); 25] = [
    ("commander", DeckZone::Commander),
    ("commanders", DeckZone::Commander),
    ("companion", DeckZone::Companion),
    ("companions", DeckZone::Companion),
    ("deck", DeckZone::Main),
    ("main", DeckZone::Main),
    ("mainboard", DeckZone::Main),
    ("main deck", DeckZone::Main),
    ("maindeck", DeckZone::Main),
    ("sideboard", DeckZone::Sideboard),
    ("side", DeckZone::Sideboard),
    ("sb", DeckZone::Sideboard),
    ("maybeboard", DeckZone::Maybeboard),
    ("maybe", DeckZone::Maybeboard),
    ("considering", DeckZone::Maybeboard),
    ("wishlist", DeckZone::Maybeboard),
    ("attractions", DeckZone::Attractions),
    ("attraction", DeckZone::Attractions),
    ("attraction deck", DeckZone::Attractions),
    ("stickers", DeckZone::Stickers),
    ("sticker", DeckZone::Stickers),
    ("sticker sheets", DeckZone::Stickers),
    ("tokens", DeckZone::Tokens),
    ("token", DeckZone::Tokens),
    ("tokens & extras", DeckZone::Tokens),
];
/// Names of types over groups of cards, in lower case.
const KINDS: [&str; 22] = [
    "artifact",
    "artifacts",
    "battle",
    "battles",
    "creature",
    "creatures",
    "enchantment",
    "enchantments",
    "instant",
    "instants",
    "land",
    "lands",
    "basic lands",
    "nonbasic lands",
    "planeswalker",
    "planeswalkers",
    "sorcery",
    "sorceries",
    "spells",
    "other",
    "other spells",
    "instants and sorceries",
];

/// The zone of a name, in any case.
pub(super) fn zone_of(name: &str) -> Option<DeckZone> {
    let name = name.to_lowercase();
    ZONES.iter().find(|(title, _)| *title == name).map(|(_, zone)| *zone)
}

/// The section that a line opens: `Commander`, `SIDEBOARD:`, `// Lands (37)`, `## Creatures`.
pub(super) fn header(line: &str) -> Option<Section> {
    let line = line.trim_start_matches(['/', '#', '~', '=', '-', '*']).trim();
    let line = line.trim_end_matches([':', '~', '=', '-', '*']).trim();
    let line = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap_or(line);
    let name = without_count(line).trim_end_matches(':').trim().to_lowercase();
    if let Some(zone) = zone_of(&name) {
        Some(Section::Zone(zone))
    } else if name == "about" {
        Some(Section::About)
    } else {
        KINDS.contains(&name.as_str()).then_some(Section::Kind)
    }
}

/// `Lands (37)` without the number.
fn without_count(line: &str) -> &str {
    let Some((name, count)) =
        line.strip_suffix([')', ']']).and_then(|line| line.rsplit_once(['(', '[']))
    else {
        return line;
    };
    let is_count = !count.is_empty() && count.chars().all(|c| c.is_ascii_digit());
    if is_count { name.trim_end() } else { line }
}
