//! What a form of lists can say of a deck: zones, printings, tags that it lacks are left out, cards never.

use super::{
    form::ListFormat,
    line::{clean_tag, is_number, is_set_code},
    sections::zone_of,
};
use crate::{
    card::CardFinish,
    limits::{DECK_NAME_CHARS_MAX, ENTRY_COUNT_MAX, ENTRY_TAGS_MAX, NAME_CHARS_MAX},
    list::{DeckList, DeckZone, ListEntry, PrintingRef, clean_name, one_line},
};

/// The list that comes back when a list was printed in a form and read again, with the zones that the form lacks: where their
/// cards went, and how many. Entries without cards or names are no entries.
pub fn carried(list: &DeckList, format: ListFormat) -> (DeckList, Vec<(DeckZone, DeckZone, u32)>) {
    let mut moved = Vec::new();
    let mut entries = Vec::new();
    for zone in DeckZone::ALL {
        let nearest = nearest_zone(zone, format);
        let in_zone = list.entries.iter().filter(|entry| entry.zone == zone);
        let in_zone: Vec<_> =
            in_zone.flat_map(|entry| carried_entry(entry, nearest, format)).collect();
        let cards = in_zone.iter().map(|entry| entry.count).fold(0, u32::saturating_add);
        if nearest != zone && cards > 0 {
            moved.push((zone, nearest, cards));
        }
        entries.extend(in_zone);
    }
    entries.sort_by_key(|entry| entry.zone);
    let name = list.name.as_deref().filter(|_| format == ListFormat::Arena);
    let name =
        name.map(|name| one_line(name).chars().take(DECK_NAME_CHARS_MAX).collect::<String>());
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    (DeckList { name, entries }, moved)
}

/// Where the cards of a zone stand in a form.
const fn nearest_zone(zone: DeckZone, format: ListFormat) -> DeckZone {
    match (format, zone) {
        (ListFormat::Moxfield | ListFormat::Archidekt, _)
        | (_, DeckZone::Main)
        | (ListFormat::Arena, DeckZone::Commander | DeckZone::Companion) => zone,
        _ => DeckZone::Sideboard,
    }
}

/// An entry as a form carries it; in several parts where it has more cards than a line may have.
fn carried_entry(entry: &ListEntry, zone: DeckZone, format: ListFormat) -> Vec<ListEntry> {
    let mut name: String = clean_name(&entry.name).chars().take(NAME_CHARS_MAX).collect();
    name.truncate(name.trim_end().len());
    if name.is_empty() {
        return Vec::new();
    }
    let is_mtgo = matches!(format, ListFormat::MtgoText | ListFormat::MtgoDek);
    let has_tags = matches!(format, ListFormat::Moxfield | ListFormat::Archidekt);
    let tags = entry.tags.iter().filter(|_| has_tags).filter_map(|tag| clean_tag(tag));
    let tags = tags.filter(|tag| format != ListFormat::Archidekt || zone_of(tag).is_none());
    let mut tags: Vec<_> = tags.collect();
    tags.dedup();
    tags.truncate(ENTRY_TAGS_MAX);
    let label = entry.label.as_deref().filter(|_| format == ListFormat::Archidekt);
    let carried = ListEntry {
        count: 0,
        name,
        zone,
        printing: entry.printing.as_ref().filter(|_| !is_mtgo).and_then(carried_printing),
        finish: if has_tags { entry.finish } else { CardFinish::Nonfoil },
        tags,
        label: label
            .map(|label| one_line(&label.replace('^', " ")))
            .filter(|label| !label.is_empty()),
        mtgo_id: entry.mtgo_id.filter(|_| format == ListFormat::MtgoDek),
    };
    let whole = entry.count / ENTRY_COUNT_MAX;
    let parts = (0..whole).map(|_| ENTRY_COUNT_MAX).chain([entry.count % ENTRY_COUNT_MAX]);
    parts.filter(|count| *count > 0).map(|count| ListEntry { count, ..carried.clone() }).collect()
}

/// A printing whose set has the form of a code. A number that a reader would take for something else is left out.
fn carried_printing(printing: &PrintingRef) -> Option<PrintingRef> {
    is_set_code(&printing.set).then(|| PrintingRef {
        set: printing.set.to_lowercase(),
        number: printing.number.clone().filter(|number| is_number(number)),
    })
}
