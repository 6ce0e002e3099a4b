//! The cards of decks: `<home>/cards/`, a table that `abide cards pull` makes of Scryfall's bulk data.
//!
//! One small file, `cards.json`, says which table is the present one; it is replaced by renaming, so that a reader finds the old
//! cards or the new ones, whole, whatever ended the writer. Nothing is read before somebody asks for a card, and nothing is
//! fetched unless a person asks for it.
//!
//! Reading order: `limits`, `manifest` (what the folder says of itself), `folder` (its names, its lock, how a table gets in and
//! out of it), `shelf` (the cards in the memory of a keeper).

mod folder;
mod limits;
mod manifest;
mod shelf;

pub(crate) use self::shelf::{CardShelf, CardsMissingError, ShelvedCards};
