//! What taking lines would do: the deck before and after, for exactly those lines that are ticked.

use serde::{Deserialize, Serialize};

use crate::{
    bracket::{BracketEstimate, estimate_bracket},
    card::Currency,
    card_table::CardTable,
    compare::{CardDifference, compare_decks},
    decide::{DeckError, with_lines},
    deck::Deck,
    deck_state::DeckState,
    figures::{DeckFigures, PriceReport, deck_figures, deck_price},
    legality::{LegalityReport, judge_deck},
    oracle_tags::OracleTags,
};

/// A deck at a glance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckSummary {
    /// Whether it is legal, and what is not.
    pub legality: LegalityReport,
    /// Its figures.
    pub figures: DeckFigures,
    /// Its price.
    pub price: PriceReport,
    /// An estimate of its bracket.
    pub bracket: BracketEstimate,
}

/// What lines would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalEffect {
    /// The deck as it is.
    pub before: DeckSummary,
    /// The deck as it would be.
    pub after: DeckSummary,
    /// What differs.
    pub differences: Vec<CardDifference>,
}

/// Sums a deck up.
pub fn summarize_deck(
    deck: &Deck,
    cards: &CardTable,
    tags: Option<&OracleTags>,
    currency: Currency,
) -> DeckSummary {
    DeckSummary {
        legality: judge_deck(deck, cards),
        figures: deck_figures(deck, cards),
        price: deck_price(deck, cards, currency),
        bracket: estimate_bracket(deck, cards, tags, None),
    }
}

/// What lines of a proposal would do to the deck as it is.
///
/// # Errors
/// There is no such proposal or line, or a line cannot be done.
pub fn proposal_effect(
    state: &DeckState,
    (proposal_id, lines): (&str, &[u32]),
    (cards, tags): (&CardTable, Option<&OracleTags>),
    currency: Currency,
) -> Result<ProposalEffect, DeckError> {
    let proposal = state.proposal(proposal_id);
    let proposal = proposal.ok_or_else(|| DeckError::UnknownProposal(proposal_id.to_owned()))?;
    let after = with_lines(state, proposal, lines)?;
    Ok(ProposalEffect {
        before: summarize_deck(&state.deck, cards, tags, currency),
        after: summarize_deck(&after, cards, tags, currency),
        differences: compare_decks(&state.deck, &after),
    })
}
