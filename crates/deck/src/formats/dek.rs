//! Magic Online's `.dek`: XML with one element for each card, by the program's own number.

use quick_xml::{
    Reader,
    escape::{escape, unescape},
    events::{BytesStart, Event},
};

use super::form::{ListError, ParsedList};
use crate::{
    limits::{DECK_ENTRIES_MAX, ENTRY_COUNT_MAX, UNREAD_LINE_CHARS_MAX},
    list::{
        DeckList, DeckZone, ListEntry, ListLineError, UnreadLine, clean_name, is_too_long, one_line,
    },
};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>
<Deck xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">
  <NetDeckID>0</NetDeckID>
  <PreconstructedDeckID>0</PreconstructedDeckID>
";

/// Reads a file. Cards are found by their names; their numbers are kept.
pub(super) fn parse(text: &str) -> ParsedList {
    let mut parsed = ParsedList::default();
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_dangling_amp = true;
    let (mut line, mut counted) = (1_u32, 0);
    loop {
        let position = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        let passed = text.as_bytes().get(counted..position).unwrap_or_default();
        for _ in passed.split(|byte| *byte == b'\n').skip(1) {
            line = line.saturating_add(1);
        }
        counted = position;
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(Event::Start(start) | Event::Empty(start)) if is_card(&start) => {
                match entry_of(&start) {
                    Ok(_) if parsed.list.entries.len() >= DECK_ENTRIES_MAX => {
                        refuse(&mut parsed, line, &start, ListLineError::TooManyEntries);
                    }
                    Ok(entry) => {
                        parsed.list.entries.push(entry);
                        parsed.lines.push(line);
                    }
                    Err(reason) => refuse(&mut parsed, line, &start, reason),
                }
            }
            Ok(_) => {}
            Err(_) => {
                let rest = text.get(position..).unwrap_or_default();
                let text = one_line(rest).chars().take(UNREAD_LINE_CHARS_MAX).collect();
                parsed.unread.push(UnreadLine { line, text, reason: ListLineError::NotXml });
                break;
            }
        }
    }
    parsed
}

fn refuse(parsed: &mut ParsedList, line: u32, start: &BytesStart<'_>, reason: ListLineError) {
    let text: &str = start.as_ref();
    let text = one_line(text).chars().take(UNREAD_LINE_CHARS_MAX).collect();
    parsed.unread.push(UnreadLine { line, text, reason });
}

fn is_card(start: &BytesStart<'_>) -> bool {
    let name = start.name();
    let name: &str = name.as_ref();
    name.eq_ignore_ascii_case("Cards")
}

fn entry_of(start: &BytesStart<'_>) -> Result<ListEntry, ListLineError> {
    let attribute = |name: &str| {
        let found = start.attributes().with_checks(false).flatten().find(|attribute| {
            let key: &str = attribute.key.as_ref();
            key.eq_ignore_ascii_case(name)
        })?;
        let value = unescape(&found.value).map(std::borrow::Cow::into_owned);
        Some(value.unwrap_or_else(|_| found.value.into_owned()))
    };
    let name = clean_name(&attribute("Name").unwrap_or_default());
    if name.is_empty() {
        return Err(ListLineError::NoName);
    }
    if is_too_long(&name) {
        return Err(ListLineError::NameTooLong);
    }
    let count: u32 = attribute("Quantity")
        .unwrap_or_default()
        .trim()
        .parse()
        .map_err(|_| ListLineError::NotACard)?;
    match count {
        0 => return Err(ListLineError::CountOfZero),
        1..=ENTRY_COUNT_MAX => {}
        _ => return Err(ListLineError::CountTooLarge),
    }
    let is_side = attribute("Sideboard").is_some_and(|side| side.eq_ignore_ascii_case("true"));
    let mtgo_id = attribute("CatID").and_then(|id| id.trim().parse().ok()).filter(|id| *id != 0);
    let zone = if is_side { DeckZone::Sideboard } else { DeckZone::Main };
    Ok(ListEntry { count, name, zone, mtgo_id, ..ListEntry::default() })
}

/// Prints a file. A card without a number is none: the program would end on it.
pub(super) fn print(list: &DeckList) -> Result<String, ListError> {
    let missing: Vec<_> =
        list.entries.iter().filter(|entry| entry.mtgo_id.is_none_or(|id| id == 0)).collect();
    if !missing.is_empty() {
        return Err(ListError::NoMtgoId(missing.iter().map(|entry| entry.name.clone()).collect()));
    }
    let mut text = HEAD.to_owned();
    for entry in &list.entries {
        let name = entry.name.replace(" // ", "/");
        let line = format!(
            "  <Cards CatID=\"{}\" Quantity=\"{}\" Sideboard=\"{}\" Name=\"{}\" Annotation=\"0\" />\n",
            entry.mtgo_id.unwrap_or_default(),
            entry.count,
            entry.zone == DeckZone::Sideboard,
            escape(name.as_str()),
        );
        text.push_str(&line);
    }
    text.push_str("</Deck>\n");
    Ok(text)
}
