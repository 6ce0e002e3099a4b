//! All cards, by id and by every name that people write. Built from lines of Scryfall's bulk data, one printing a line.

mod find;
mod set_codes;

use std::collections::{BTreeMap, HashMap};

pub use find::{CardLookup, FoundCard, NameMatch};

use crate::{
    card::{Card, CardPrinting, OracleId},
    folding::folded,
    limits::PRINTINGS_MAX,
    scryfall_line::{CardLineError, read_line},
};

/// All cards.
#[derive(Clone, Debug, Default)]
pub struct CardTable {
    cards: Vec<Card>,
    by_id: HashMap<OracleId, usize>,
    /// Folded names of whole cards.
    whole: HashMap<String, Vec<usize>>,
    /// Folded names that only some printings carry.
    aliases: HashMap<String, Vec<usize>>,
    /// Folded names of single faces.
    faces: HashMap<String, Vec<usize>>,
    /// Codes of sets, with how many printings each has.
    sets: BTreeMap<String, u32>,
}

impl CardTable {
    /// Reads lines of bulk data; empty ones are passed over.
    ///
    /// # Errors
    /// A line is no card; with its number, from 1.
    pub fn from_lines<'a>(
        lines: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, (usize, CardLineError)> {
        let mut table = Self::default();
        for (index, line) in lines.into_iter().enumerate() {
            table.add_line(line).map_err(|error| (index + 1, error))?;
        }
        Ok(table)
    }

    /// Adds the card of a line, or its printing where the card is there already.
    ///
    /// # Errors
    /// The line is no card.
    pub fn add_line(&mut self, line: &str) -> Result<(), CardLineError> {
        if !line.trim().is_empty() {
            self.add(read_line(line)?);
        }
        Ok(())
    }

    /// Adds a card, or its names and printings where the card is there already.
    pub fn add(&mut self, card: Card) {
        for printing in &card.printings {
            *self.sets.entry(printing.set.clone()).or_default() += 1;
        }
        let index = self.by_id.get(&card.id).copied().unwrap_or(self.cards.len());
        self.index_names(&card, index);
        if index < self.cards.len() {
            self.merge(index, card);
        } else {
            self.by_id.insert(card.id.clone(), index);
            self.cards.push(card);
        }
    }

    fn merge(&mut self, index: usize, card: Card) {
        let Some(known) = self.cards.get_mut(index) else { return };
        // The usual look of a card is that of a printing on paper under its own name.
        let is_usual =
            |printing: &CardPrinting| !printing.is_digital && printing.own_name.is_none();
        let is_better =
            card.printings.iter().any(is_usual) && !known.printings.iter().any(is_usual);
        if !card.images.is_empty() && (known.images.is_empty() || is_better) {
            known.images = card.images;
        }
        for name in std::iter::once(card.name).chain(card.other_names) {
            if name != known.name && !known.other_names.contains(&name) {
                known.other_names.push(name);
            }
        }
        known.printings.extend(card.printings);
        known.printings.truncate(PRINTINGS_MAX);
        // A printing may show one face alone; the card has what its fullest printing has.
        if known.other_faces.is_empty() && !card.other_faces.is_empty() {
            known.front = card.front;
            known.other_faces = card.other_faces;
            known.layout = card.layout;
        }
    }

    /// Notes all names of a card that is, or will be, at an index.
    fn index_names(&mut self, card: &Card, index: usize) {
        let is_named = self.cards.get(index).is_none_or(|known| known.name == card.name);
        note(if is_named { &mut self.whole } else { &mut self.aliases }, &card.name, index);
        let own = card.printings.iter().filter_map(|printing| printing.own_name.as_ref());
        for name in card.other_names.iter().chain(own) {
            note(&mut self.aliases, name, index);
            for face in name.split(" // ") {
                note(&mut self.aliases, face, index);
            }
        }
        if !card.other_faces.is_empty() {
            for face in card.faces() {
                note(&mut self.faces, &face.name, index);
            }
        }
    }

    /// The card of an id.
    pub fn card(&self, id: &OracleId) -> Option<&Card> {
        self.cards.get(*self.by_id.get(id)?)
    }

    /// All cards, in the order in which they came.
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// Whether there is a set of a code, as Scryfall or as another program writes it.
    pub fn has_set(&self, code: &str) -> bool {
        set_codes::candidates(code).any(|code| self.sets.contains_key(code.as_ref()))
    }

    /// Whether some card is called so: itself, one of its printings or one of its faces.
    pub fn has_name(&self, name: &str) -> bool {
        let name = folded(name);
        [&self.whole, &self.aliases, &self.faces].iter().any(|index| index.contains_key(&name))
    }

    /// The cards at some indexes.
    fn at<'a>(&'a self, indexes: &'a [usize]) -> impl Iterator<Item = &'a Card> {
        indexes.iter().filter_map(|index| self.cards.get(*index))
    }
}

fn note(index: &mut HashMap<String, Vec<usize>>, name: &str, at: usize) {
    let found = index.entry(folded(name)).or_default();
    if !found.contains(&at) {
        found.push(at);
    }
}

/// The printing of a card by set and number, both as people write them.
pub(crate) fn printing_of<'a>(
    card: &'a Card,
    set: &str,
    number: Option<&str>,
) -> Option<&'a CardPrinting> {
    let is_of_set = |printing: &&CardPrinting| {
        set_codes::candidates(set).any(|code| code.as_ref() == printing.set)
    };
    let mut of_set = card.printings.iter().filter(is_of_set);
    match number {
        None => of_set.next(),
        Some(number) => of_set.find(|printing| is_number(&printing.number, number)),
    }
}

/// Numbers are text; only the star has two spellings.
fn is_number(known: &str, written: &str) -> bool {
    known.replace('★', "*").eq_ignore_ascii_case(&written.replace('★', "*"))
}
