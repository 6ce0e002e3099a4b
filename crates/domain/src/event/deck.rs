//! `deck.*`: decks and what is proposed of them. The entity is the keeper, of `deck.loaded` and of all that an agent's epoch holds the
//! agent; the author is who did it.
//!
//! What a card, a line or a change is, only the crate `deck` knows: here they are JSON, so that nouns need no rules of a game. Each
//! event that changes a deck carries its revision and what changed. What an epoch holds counts when it commits.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_group;

event_group! {
    /// A deck: what is in it, what is proposed, and what people decide.
    DeckLedgerEvent {
        /// A deck begins: empty, out of a list, or as a fork.
        Created(DeckCreated) = "deck.created" v 1,
        /// A deck is the one that an agent works with.
        Loaded(DeckLoaded) = "deck.loaded" v 1,
        /// A person changed a deck.
        Edited(DeckEdited) = "deck.edited" v 1,
        /// Somebody proposed changes; nothing changes yet.
        Proposed(DeckProposed) = "deck.proposed" v 1,
        /// A person took lines of a proposal.
        LinesTaken(DeckLinesTaken) = "deck.lines_taken" v 1,
        /// A person refused lines of a proposal.
        LinesRefused(DeckLinesRefused) = "deck.lines_refused" v 1,
        /// A person opened refused lines again.
        LinesReopened(DeckLinesReopened) = "deck.lines_reopened" v 1,
        /// A person rewrote an open line.
        LineEdited(DeckLineEdited) = "deck.line_edited" v 1,
        /// A person took a revision back; that is a revision of its own.
        Undone(DeckUndone) = "deck.undone" v 1,
        /// A person said which bracket a deck is of.
        BracketSet(DeckBracketSet) = "deck.bracket_set" v 1,
    }
}

/// Who did something to a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckAuthor {
    /// `person` or `agent`.
    pub who: String,
    /// The name.
    pub name: String,
}

/// A deck that begins. Its revision is 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeckCreated {
    /// Names the deck.
    pub deck_id: String,
    /// Who made it.
    pub by: DeckAuthor,
    /// What is in it.
    pub deck: Value,
    /// `deck_id` and `rev` of the deck that it is a fork of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<Value>,
}

/// A deck that an agent works with from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckLoaded {
    /// The deck.
    pub deck_id: String,
    /// Who loaded it.
    pub by: DeckAuthor,
}

/// A change of a person's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeckEdited {
    /// The deck.
    pub deck_id: String,
    /// The revision that this makes.
    pub rev: u64,
    /// Who.
    pub by: DeckAuthor,
    /// What was done, a line each.
    pub ops: Vec<Value>,
    /// What changed, with what was before.
    pub changes: Vec<Value>,
}

/// Changes that somebody proposed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeckProposed {
    /// The deck.
    pub deck_id: String,
    /// Names the proposal.
    pub proposal_id: String,
    /// Who.
    pub by: DeckAuthor,
    /// The revision that the proposer saw.
    pub deck_rev: u64,
    /// Why.
    pub reason: String,
    /// What is proposed, a line each.
    pub ops: Vec<Value>,
}

/// Lines that a person took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeckLinesTaken {
    /// The deck.
    pub deck_id: String,
    /// The revision that this makes.
    pub rev: u64,
    /// Who.
    pub by: DeckAuthor,
    /// Of which proposal.
    pub proposal_id: String,
    /// Which lines, from 0.
    pub lines: Vec<u32>,
    /// What changed, with what was before.
    pub changes: Vec<Value>,
}

/// Lines that a person does not want.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckLinesRefused {
    /// The deck.
    pub deck_id: String,
    /// Who.
    pub by: DeckAuthor,
    /// Of which proposal.
    pub proposal_id: String,
    /// Which lines, from 0.
    pub lines: Vec<u32>,
    /// Why, for the proposer.
    pub reason: String,
}

/// Refused lines that are open again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckLinesReopened {
    /// The deck.
    pub deck_id: String,
    /// Who.
    pub by: DeckAuthor,
    /// Of which proposal.
    pub proposal_id: String,
    /// Which lines, from 0.
    pub lines: Vec<u32>,
}

/// An open line that says something else now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeckLineEdited {
    /// The deck.
    pub deck_id: String,
    /// Who.
    pub by: DeckAuthor,
    /// Of which proposal.
    pub proposal_id: String,
    /// Which line, from 0.
    pub line: u32,
    /// What it says now.
    pub op: Value,
}

/// A revision that was taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeckUndone {
    /// The deck.
    pub deck_id: String,
    /// The revision that this makes.
    pub rev: u64,
    /// Who.
    pub by: DeckAuthor,
    /// The revision that is taken back.
    pub undone: u64,
    /// What changed, with what was before.
    pub changes: Vec<Value>,
}

/// What a person says of a deck's strength.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeckBracketSet {
    /// The deck.
    pub deck_id: String,
    /// Who.
    pub by: DeckAuthor,
    /// 1 to 5; none leaves it to the estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bracket: Option<u8>,
}

impl DeckLedgerEvent {
    /// The deck that it is about.
    pub fn deck_id(&self) -> &str {
        match self {
            Self::Created(event) => &event.deck_id,
            Self::Loaded(event) => &event.deck_id,
            Self::Edited(event) => &event.deck_id,
            Self::Proposed(event) => &event.deck_id,
            Self::LinesTaken(event) => &event.deck_id,
            Self::LinesRefused(event) => &event.deck_id,
            Self::LinesReopened(event) => &event.deck_id,
            Self::LineEdited(event) => &event.deck_id,
            Self::Undone(event) => &event.deck_id,
            Self::BracketSet(event) => &event.deck_id,
        }
    }
}
