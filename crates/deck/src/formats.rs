//! Lists in the forms of other programs: Arena, Moxfield, Magic Online as text and as `.dek`, Archidekt. One reader takes all text
//! forms, for people mix them; each form has a printer of its own. What was printed reads back as [`carried`] says, and no card
//! is ever lost: where a form lacks a zone, the cards go to the nearest one, and the printer says so.

mod carried;
mod dek;
mod form;
mod line;
mod sections;
mod text;

pub use carried::carried;
pub use form::{ListError, ListFormat, ParsedList, PrintedList};
pub use line::{CardNames, NoCardNames};

use crate::{card_table::CardTable, limits::LIST_BYTES_MAX, list::DeckList};

/// Reads a list in any form. `names` says what is a card's name and a set's code, where that is known; without it, a line must
/// have a count.
///
/// # Errors
/// The text has more than 1 MiB.
pub fn parse_list(text: &str, names: &dyn CardNames) -> Result<ParsedList, ListError> {
    if text.len() > LIST_BYTES_MAX {
        return Err(ListError::TooLarge);
    }
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with("<?xml") || start.starts_with("<Deck") {
        Ok(dek::parse(start))
    } else {
        Ok(text::parse(text.trim_start_matches('\u{feff}'), names))
    }
}

/// Prints a list in a form. It prints what [`carried`] says, no more and no less.
///
/// # Errors
/// Cards without Magic Online's number in a `.dek` file.
pub fn print_list(list: &DeckList, format: ListFormat) -> Result<PrintedList, ListError> {
    let (list, moved) = carried(list, format);
    let text = match format {
        ListFormat::MtgoDek => dek::print(&list)?,
        _ => text::print(&list, format),
    };
    Ok(PrintedList { text, moved })
}

impl CardNames for CardTable {
    fn has_set(&self, code: &str) -> bool {
        Self::has_set(self, code)
    }

    fn has_name(&self, name: &str) -> bool {
        Self::has_name(self, name)
    }
}
