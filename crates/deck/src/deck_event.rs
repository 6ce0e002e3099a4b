//! The events of a deck, from which alone its state follows. Each that changes the deck carries its revision and what changed, so
//! that rules which change later do not change the past.

use serde::{Deserialize, Serialize};

use crate::{deck::Deck, deck_change::DeckChange, deck_op::DeckOp};

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "who", content = "name", rename_all = "snake_case")]
pub enum DeckActor {
    /// A person.
    Person(String),
    /// An agent.
    Agent(String),
}

impl DeckActor {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Self::Person(name) | Self::Agent(name) => name,
        }
    }
}

/// Where a fork comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ForkSource {
    /// The deck.
    pub deck_id: String,
    /// Its revision.
    pub rev: u64,
}

/// What happened to a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum DeckEvent {
    /// A deck begins, empty, out of a list, or as a fork. Its revision is 1.
    #[serde(rename = "deck.created")]
    Created {
        /// Names the deck.
        deck_id: String,
        /// Who made it.
        by: DeckActor,
        /// What is in it.
        deck: Deck,
        /// Where a fork comes from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forked_from: Option<ForkSource>,
    },
    /// A person changed the deck.
    #[serde(rename = "deck.edited")]
    Edited {
        /// The revision that this makes.
        rev: u64,
        /// Who.
        by: DeckActor,
        /// What was done.
        ops: Vec<DeckOp>,
        /// What changed.
        changes: Vec<DeckChange>,
    },
    /// Changes are proposed; nothing changes yet.
    #[serde(rename = "deck.proposed")]
    Proposed {
        /// Names the proposal.
        proposal_id: String,
        /// Who proposes.
        by: DeckActor,
        /// The revision that the proposer saw.
        deck_rev: u64,
        /// Why.
        reason: String,
        /// The lines.
        ops: Vec<DeckOp>,
    },
    /// A person took lines of a proposal.
    #[serde(rename = "deck.lines_taken")]
    LinesTaken {
        /// The revision that this makes.
        rev: u64,
        /// Who.
        by: DeckActor,
        /// Of which proposal.
        proposal_id: String,
        /// Which lines, from 0.
        lines: Vec<u32>,
        /// What changed.
        changes: Vec<DeckChange>,
    },
    /// A person refused lines of a proposal.
    #[serde(rename = "deck.lines_refused")]
    LinesRefused {
        /// Who.
        by: DeckActor,
        /// Of which proposal.
        proposal_id: String,
        /// Which lines, from 0.
        lines: Vec<u32>,
        /// Why, for the proposer.
        reason: String,
    },
    /// A person took a refusal back.
    #[serde(rename = "deck.lines_reopened")]
    LinesReopened {
        /// Who.
        by: DeckActor,
        /// Of which proposal.
        proposal_id: String,
        /// Which lines, from 0.
        lines: Vec<u32>,
    },
    /// A person rewrote an open line.
    #[serde(rename = "deck.line_edited")]
    LineEdited {
        /// Who.
        by: DeckActor,
        /// Of which proposal.
        proposal_id: String,
        /// Which line, from 0.
        line: u32,
        /// What it says now.
        op: DeckOp,
    },
    /// A person took a revision back; that is a revision of its own.
    #[serde(rename = "deck.undone")]
    Undone {
        /// The revision that this makes.
        rev: u64,
        /// Who.
        by: DeckActor,
        /// The revision that is taken back.
        undone: u64,
        /// What changed.
        changes: Vec<DeckChange>,
    },
    /// A person said which bracket the deck is of.
    #[serde(rename = "deck.bracket_set")]
    BracketSet {
        /// Who.
        by: DeckActor,
        /// 1 to 5; none leaves it to the estimate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bracket: Option<u8>,
    },
}
