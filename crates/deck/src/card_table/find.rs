//! A card by what people write: its name, a face's name, a name that only one printing has.

use super::{CardTable, printing_of};
use crate::{
    card::{Card, CardPrinting},
    folding::folded,
};

/// By which kind of name a card was found. Earlier kinds win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameMatch {
    /// Its own name, both halves where it has two.
    Whole,
    /// A name that one of its printings carries.
    Alias,
    /// The name of one of its faces.
    Face,
}

/// A card that was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundCard<'a> {
    /// The card.
    pub card: &'a Card,
    /// By which kind of name.
    pub by: NameMatch,
    /// The printing that was asked for; none where none was, or where the card has none such.
    pub printing: Option<&'a CardPrinting>,
}

/// What a name leads to.
#[derive(Clone, Debug)]
pub enum CardLookup<'a> {
    /// One card.
    Found(FoundCard<'a>),
    /// Several, of which none can be preferred.
    Ambiguous(Vec<&'a Card>),
    /// None.
    Unknown,
}

impl<'a> CardLookup<'a> {
    /// The one card, where there is one.
    pub fn found(self) -> Option<FoundCard<'a>> {
        match self {
            Self::Found(found) => Some(found),
            Self::Ambiguous(_) | Self::Unknown => None,
        }
    }
}

impl CardTable {
    /// Finds a card by a name, and its printing by set and number where they are given. A name that only one printing carries
    /// leads to that printing, unless another was asked for.
    pub fn find(&self, name: &str, printing: Option<(&str, Option<&str>)>) -> CardLookup<'_> {
        let name = folded(name);
        let indexes = [
            (NameMatch::Whole, &self.whole),
            (NameMatch::Alias, &self.aliases),
            (NameMatch::Face, &self.faces),
        ];
        // Art cards and tokens have names of cards; they are meant only where nothing else is called so.
        for is_deck_card in [true, false] {
            for (by, index) in indexes {
                let found: Vec<&Card> = self
                    .at(index.get(&name).map_or(&[], Vec::as_slice))
                    .filter(|card| card.is_deck_card() == is_deck_card)
                    .collect();
                match chosen(&found, printing) {
                    Some(card) => return CardLookup::Found(hit(card, by, &name, printing)),
                    None if !found.is_empty() => return CardLookup::Ambiguous(found),
                    None => {}
                }
            }
        }
        CardLookup::Unknown
    }
}

/// The one card, or the one that has the printing that was asked for.
fn chosen<'a>(found: &[&'a Card], printing: Option<(&str, Option<&str>)>) -> Option<&'a Card> {
    match (found, printing) {
        ([card], _) => Some(card),
        (_, Some((set, number))) => {
            let mut having = found.iter().filter(|card| printing_of(card, set, number).is_some());
            having.next().filter(|_| having.next().is_none()).copied()
        }
        _ => None,
    }
}

fn hit<'a>(
    card: &'a Card,
    by: NameMatch,
    name: &str,
    printing: Option<(&str, Option<&str>)>,
) -> FoundCard<'a> {
    let printing = match printing {
        Some((set, number)) => printing_of(card, set, number),
        None if by == NameMatch::Alias => {
            card.printings.iter().find(|printing| is_called(printing, name))
        }
        None => None,
    };
    FoundCard { card, by, printing }
}

fn is_called(printing: &CardPrinting, name: &str) -> bool {
    let own = printing.own_name.as_deref();
    own.is_some_and(|own| folded(own) == name || own.split(" // ").any(|face| folded(face) == name))
}
