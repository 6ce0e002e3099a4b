//! Lists as text, line by line.

use std::fmt::Write as _;

use super::{
    form::{ListFormat, ParsedList},
    line::{self, CardNames},
    sections::{Section, header},
};
use crate::{
    card::CardFinish,
    limits::{DECK_ENTRIES_MAX, DECK_NAME_CHARS_MAX, LIST_LINES_MAX, UNREAD_LINE_CHARS_MAX},
    list::{DeckList, DeckZone, ListEntry, ListLineError, UnreadLine, one_line},
};

/// Most cards that a sideboard without a header has.
const BARE_SIDEBOARD_MAX: u32 = 15;

/// Reads a list.
pub(super) fn parse(text: &str, names: &dyn CardNames) -> ParsedList {
    let mut reading = Reading::default();
    let mut lines = text.lines();
    for (number, line) in (1_u32..).zip(lines.by_ref().take(LIST_LINES_MAX)) {
        reading.take(number, line.trim(), names);
    }
    if let Some(line) = lines.next() {
        let number = u32::try_from(LIST_LINES_MAX).unwrap_or(u32::MAX).saturating_add(1);
        reading.refuse(number, line, ListLineError::TooManyEntries);
    }
    reading.done()
}

#[derive(Default)]
struct Reading {
    parsed: ParsedList,
    zone: DeckZone,
    /// The last header, until what it is about ends.
    section: Option<Section>,
    has_header: bool,
    /// Whether the section that is read has an entry.
    has_entry: bool,
    /// Where a block after an empty line begins, where no header was read.
    blocks: Vec<usize>,
}

impl Reading {
    fn take(&mut self, number: u32, line: &str, names: &dyn CardNames) {
        if line.is_empty() {
            self.take_gap();
        } else if let Some(section) = header(line).filter(|_| !names.has_name(line)) {
            self.open(section);
        } else if let Some(name) =
            line.strip_prefix("Name ").filter(|_| self.section == Some(Section::About))
        {
            let name: String = one_line(name).chars().take(DECK_NAME_CHARS_MAX).collect();
            self.parsed.list.name = Some(name).filter(|name| !name.is_empty());
        } else if line.starts_with("//") || line.starts_with('#') {
            self.refuse(number, line, ListLineError::Comment);
        } else {
            self.take_entry(number, line, names);
        }
    }

    /// An empty line ends what is about the deck, and the commander's section.
    fn take_gap(&mut self) {
        self.section = None;
        let is_short = matches!(self.zone, DeckZone::Commander | DeckZone::Companion);
        if is_short && self.has_entry {
            self.zone = DeckZone::Main;
        }
        self.blocks.push(self.parsed.list.entries.len());
    }

    fn open(&mut self, section: Section) {
        self.has_entry = false;
        self.section = Some(section);
        match section {
            Section::Zone(zone) => {
                self.zone = zone;
                self.has_header = true;
            }
            Section::Kind if matches!(self.zone, DeckZone::Commander | DeckZone::Companion) => {
                self.zone = DeckZone::Main;
            }
            Section::Kind => self.has_header = true,
            Section::About => {}
        }
    }

    fn take_entry(&mut self, number: u32, line: &str, names: &dyn CardNames) {
        match line::read(line, self.zone, names) {
            Ok(_) if self.parsed.list.entries.len() >= DECK_ENTRIES_MAX => {
                self.refuse(number, line, ListLineError::TooManyEntries);
            }
            Ok(entry) => {
                self.has_entry = true;
                self.parsed.list.entries.push(entry);
                self.parsed.lines.push(number);
            }
            Err(reason) => self.refuse(number, line, reason),
        }
    }

    fn refuse(&mut self, line: u32, text: &str, reason: ListLineError) {
        let text = one_line(text).chars().take(UNREAD_LINE_CHARS_MAX).collect();
        self.parsed.unread.push(UnreadLine { line, text, reason });
    }

    /// Magic Online once wrote sideboards behind an empty line, without a header.
    fn done(mut self) -> ParsedList {
        let entries = &mut self.parsed.list.entries;
        self.blocks.retain(|start| *start > 0 && *start < entries.len());
        self.blocks.dedup();
        if let ([start], false) = (self.blocks.as_slice(), self.has_header) {
            let cards = |entries: &[ListEntry]| {
                entries.iter().map(|entry| entry.count).fold(0, u32::saturating_add)
            };
            if let Some((main, side)) = entries.split_at_mut_checked(*start)
                && cards(side) <= BARE_SIDEBOARD_MAX
                && cards(side) < cards(main)
                && side.iter().all(|entry| entry.zone == DeckZone::Main)
            {
                for entry in side {
                    entry.zone = DeckZone::Sideboard;
                }
            }
        }
        self.parsed
    }
}

/// Prints what a form carries.
pub(super) fn print(list: &DeckList, format: ListFormat) -> String {
    let mut sections: Vec<String> = Vec::new();
    if let Some(name) = &list.name {
        sections.push(format!("About\nName {name}\n"));
    }
    for zone in DeckZone::ALL {
        let entries: Vec<_> = list.entries.iter().filter(|entry| entry.zone == zone).collect();
        let mut section = title(zone, format).filter(|_| !entries.is_empty()).unwrap_or_default();
        for entry in &entries {
            print_entry(&mut section, entry, format);
            section.push('\n');
        }
        if !entries.is_empty() {
            sections.push(section);
        }
    }
    sections.join(if format == ListFormat::Archidekt { "" } else { "\n" })
}

/// The header of a zone.
fn title(zone: DeckZone, format: ListFormat) -> Option<String> {
    match (format, zone) {
        (ListFormat::MtgoText, DeckZone::Sideboard) => Some("SIDEBOARD:\n".to_owned()),
        (ListFormat::MtgoText | ListFormat::Archidekt, _) => None,
        _ => Some(format!("{}\n", zone.title())),
    }
}

fn print_entry(text: &mut String, entry: &ListEntry, format: ListFormat) {
    let is_archidekt = format == ListFormat::Archidekt;
    let name = match format {
        ListFormat::MtgoText => entry.name.replace(" // ", "/"),
        _ => entry.name.clone(),
    };
    let times = if is_archidekt { "x" } else { "" };
    // Writing to a String does not fail.
    let _ = write!(text, "{}{times} {name}", entry.count);
    if let Some(printing) = &entry.printing {
        let set = if is_archidekt { printing.set.clone() } else { printing.set.to_uppercase() };
        let _ = write!(text, " ({set})");
        if let Some(number) = &printing.number {
            let _ = write!(text, " {number}");
        }
    }
    match entry.finish {
        CardFinish::Nonfoil => {}
        CardFinish::Foil => text.push_str(" *F*"),
        CardFinish::Etched => text.push_str(" *E*"),
    }
    if is_archidekt {
        print_categories(text, entry);
    } else {
        for tag in &entry.tags {
            let _ = write!(text, " #{tag}");
        }
    }
}

fn print_categories(text: &mut String, entry: &ListEntry) {
    let zone = match entry.zone {
        DeckZone::Main => None,
        DeckZone::Commander => Some("Commander{top}"),
        DeckZone::Maybeboard => Some("Maybeboard{noDeck}{noPrice}"),
        DeckZone::Tokens => Some("Tokens{noDeck}{noPrice}"),
        zone => Some(zone.title()),
    };
    let categories: Vec<_> =
        zone.into_iter().chain(entry.tags.iter().map(String::as_str)).collect();
    if !categories.is_empty() {
        let _ = write!(text, " [{}]", categories.join(","));
    }
    if let Some(label) = &entry.label {
        let _ = write!(text, " ^{label}^");
    }
}
