//! Decks for Magic's Commander format: what cards are, how lists are read and written, whether a deck is legal, and how changes
//! that agents propose are reviewed by people.
//!
//! ```
//! use abide_deck::{CardTable, DeckActor, LegalityCode, create_deck, judge_deck, parse_list, resolve};
//!
//! let ring = r#"{"oracle_id":"o1","name":"Sol Ring","layout":"normal","set":"c21","collector_number":"263",
//!     "type_line":"Artifact","legalities":{"commander":"legal"}}"#;
//! let mut cards = CardTable::default();
//! cards.add_line(ring)?;
//!
//! let resolved = resolve(&parse_list("1x sol ring (C21) 263 *F*\n1 Blitzschlag", &cards)?, &cards);
//! assert_eq!(resolved.deck.unread[0].text, "1 Blitzschlag");
//! let report = judge_deck(&resolved.deck, &cards);
//! assert_eq!(report.findings.len(), 2);
//! assert_eq!(report.findings[1].code, LegalityCode::NoCommander);
//!
//! let ada = DeckActor::Person("ada".into());
//! let created = create_deck(&ada, "d1", resolved.deck)?;
//! # drop(created);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`limits`], [`Colour`], [`Card`], [`CardTable`] and how it gets onto a disk ([`read_bulk_cards`]), [`DeckList`]
//! and its forms ([`parse_list`], [`print_list`]), [`Deck`] and [`resolve()`], [`judge_deck`], the figures ([`deck_figures`],
//! [`deck_price`], [`estimate_bracket`], [`playtest_hand`], [`compare_decks`]), and a deck's life: [`DeckOp`], [`DeckEvent`],
//! [`DeckState`], [`decide`], [`proposal_effect`].
//!
//! Pure: no clock, no file, no task. Cards come from readers that are handed in (`card_file`), and a seed stands for chance.

pub mod limits;

mod activated;
mod bracket;
mod card;
mod card_file;
mod card_table;
mod colour;
mod compare;
mod decide;
mod deck;
mod deck_change;
mod deck_event;
mod deck_op;
mod deck_state;
mod edhrec;
mod effect;
mod figures;
mod folding;
mod formats;
mod legality;
mod list;
mod oracle_tags;
mod playtest;
mod resolve;
mod rulebreaker;
mod rules_text;
mod scryfall_line;
mod search;

pub use bracket::{BracketEstimate, estimate_bracket};
pub use card::{
    Card, CardFace, CardFinish, CardImage, CardImageSize, CardPrices, CardPrinting,
    CommanderStatus, Currency, OracleId,
};
pub use card_file::{
    BulkReading, CardFileError, read_bulk_cards, read_card_table, read_new_bulk_cards,
    write_card_table,
};
pub use card_table::{CardLookup, CardTable, FoundCard, NameMatch};
pub use colour::{Colour, ColourSet};
pub use compare::{CardDifference, compare_decks};
pub use decide::{
    DeckCommand, DeckError, LineChoice, LineConflict, create_deck, decide, fork_deck,
};
pub use deck::{Deck, DeckEntry, EntryContent, EntryKey};
pub use deck_change::DeckChange;
pub use deck_event::{DeckActor, DeckEvent, ForkSource};
pub use deck_op::{CardRef, DeckOp, EntryTarget, Footprint, OpError};
pub use deck_state::{
    DeckProposal, DeckReplayError, DeckRevision, DeckState, LineState, ProposalLine, ReviewNote,
    ReviewOutcome, RevisionCause,
};
pub use edhrec::{DeckCombo, SaltReport, combos_of, salt_of};
pub use effect::{DeckSummary, ProposalEffect, proposal_effect, summarize_deck};
pub use figures::{DeckFigures, PriceReport, deck_figures, deck_price, main_type, price_of};
pub use formats::{
    CardNames, ListError, ListFormat, NoCardNames, ParsedList, PrintedList, carried, parse_list,
    print_list,
};
pub use legality::{FindingLevel, LegalityCode, LegalityFinding, LegalityReport, judge_deck};
pub use list::{DeckList, DeckZone, ListEntry, ListLineError, PrintingRef, UnreadLine};
pub use oracle_tags::{OracleTags, USED_TAGS};
pub use playtest::{PlaytestHand, playtest_hand};
pub use resolve::{ResolvedDeck, UnknownPrinting, commander_candidates, list_of, resolve};
pub use scryfall_line::CardLineError;
pub use search::{CardSuggestion, search_cards, similar_cards};
