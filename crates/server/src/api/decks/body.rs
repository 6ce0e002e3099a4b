//! What callers ask of decks.

use abide_deck::DeckOp;
use serde::Deserialize;
use utoipa::ToSchema;

/// A deck to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckCreateBody {
    /// Its name: 1 to 120 characters.
    pub(super) name: String,
    /// `commander`, which is the default and all there is.
    pub(super) format: Option<String>,
    /// The name of the card that leads it; of two cards their names joined by ` // `.
    pub(super) commander: Option<String>,
    /// A list in any known form; at most 1 MiB. Lines that cannot be read are kept and shown.
    pub(super) cards: Option<String>,
    /// The agent for which it is loaded at once.
    pub(super) citizen: Option<String>,
}

/// A deck to load for an agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckLoadBody {
    /// The deck.
    pub(super) deck_id: String,
    /// The agent [default: the only one].
    pub(super) citizen: Option<String>,
}

/// Lines to take.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckApproveBody {
    /// The proposal.
    pub(super) proposal_id: String,
    /// The lines, from 1; absent: all that are open and not stale.
    pub(super) ops: Option<Vec<u32>>,
    /// The revision that the person saw [default: the newest].
    pub(super) deck_rev: Option<u64>,
    /// Whether stale lines are taken as they are, where they can be done.
    #[serde(default)]
    pub(super) despite_conflict: bool,
}

/// Lines to refuse.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckRejectBody {
    /// The proposal.
    pub(super) proposal_id: String,
    /// The lines, from 1; absent: all that are open.
    pub(super) ops: Option<Vec<u32>>,
    /// Why, for the proposer, which hears it at its next turn.
    pub(super) reason: Option<String>,
}

/// Changes of a person's.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckEditBody {
    /// The deck.
    pub(super) deck_id: String,
    /// The revision that the person saw.
    pub(super) deck_rev: u64,
    /// What to do, in this order: 1 to 500 lines.
    pub(super) ops: Vec<DeckOp>,
}

/// A revision to take back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckUndoBody {
    /// The deck.
    pub(super) deck_id: String,
    /// The revision.
    pub(super) rev: u64,
}

/// A line to rewrite.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckRewriteBody {
    /// The proposal.
    pub(super) proposal_id: String,
    /// The line, from 1.
    pub(super) op: u32,
    /// What it is to say.
    pub(super) line: DeckOp,
}

/// Refused lines to open again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckReopenBody {
    /// The proposal.
    pub(super) proposal_id: String,
    /// The lines, from 1.
    pub(super) ops: Vec<u32>,
}

/// A deck to make out of another one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckForkBody {
    /// The deck.
    pub(super) deck_id: String,
    /// Its revision [default: the newest].
    pub(super) rev: Option<u64>,
    /// The name of the new deck.
    pub(super) name: String,
}

/// What a person says of a deck's strength.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckBracketBody {
    /// The deck.
    pub(super) deck_id: String,
    /// 1 to 5; null leaves it to the estimate.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, value_type = Option<u8>)]
    pub(super) bracket: Option<u8>,
}

/// Lines whose effect is asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeckEffectBody {
    /// The proposal.
    pub(super) proposal_id: String,
    /// The lines, from 1; none: the deck as it is.
    pub(super) ops: Vec<u32>,
}
