//! `/deck/…`: decks, what agents propose of them, and what people decide.
//!
//! Reading order: `body` (what is asked), `view` (what is shown).

pub(crate) mod body;
pub(crate) mod view;
