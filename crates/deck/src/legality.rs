//! Whether a deck is legal in Commander, and what at which card is not. What is banned or not part of the format is what Scryfall
//! says; all else follows from what the cards say. An illegal deck is a deck: nothing here keeps anybody from saving it.

mod commanders;
mod companion;
mod copies;
mod extras;
mod finding;
mod identity;
mod status;
mod view;

pub use finding::{FindingLevel, LegalityCode, LegalityFinding};
use serde::{Deserialize, Serialize};
use view::DeckView;

use crate::{card_table::CardTable, colour::ColourSet, deck::Deck};

/// What was found out about a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegalityReport {
    /// Whether it may be played.
    pub is_legal: bool,
    /// Cards in the deck with its commanders.
    pub size: u32,
    /// The colours that it may have.
    pub identity: ColourSet,
    /// What is wrong, in a fixed order.
    pub findings: Vec<LegalityFinding>,
}

/// Judges a deck.
pub fn judge_deck(deck: &Deck, cards: &CardTable) -> LegalityReport {
    let view = DeckView::new(deck, cards);
    let mut findings = view.unknown_findings();
    findings.extend(commanders::check(&view));
    findings.extend(copies::check(&view));
    findings.extend(identity::check(&view));
    findings.extend(status::check(&view));
    findings.extend(companion::check(&view));
    findings.extend(extras::check(&view));
    findings.sort();
    findings.dedup();
    LegalityReport {
        is_legal: findings.iter().all(|finding| finding.level != FindingLevel::Error),
        size: view.size(),
        identity: view.identity,
        findings,
    }
}
