//! What a caller sees of decks. Lines of proposals have ids from 1, in the order in which they were proposed.

use std::collections::BTreeMap;

use abide_deck::{
    CardDifference, CardFinish, Colour, Currency, DeckActor, DeckChange, DeckOp, DeckZone,
    FindingLevel, ForkSource, LegalityCode, OracleId, PrintingRef,
};
use serde::Serialize;
use utoipa::ToSchema;

/// A deck in the list of decks.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckItemView {
    /// Its id.
    pub(super) deck_id: String,
    /// Its name.
    pub(super) name: String,
    /// `commander`.
    pub(super) format: &'static str,
    /// The names of the cards that lead it, joined by ` // `; null where none does.
    pub(super) commander: Option<String>,
    /// Cards in it with its commanders.
    pub(super) count: u32,
    /// Whether it may be played; false also while cards are missing, for nobody can say then.
    pub(super) legal: bool,
    /// Its newest revision, from 1.
    pub(super) rev: u64,
    /// When it was last changed.
    pub(super) updated_at: String,
    /// Proposals with lines that nobody has answered.
    pub(super) open_proposals: u32,
}

/// What a card is, wherever it is. Of a card that the table lacks only `oracle_id`, `name` and `known` say something.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CardFactsView {
    /// Names the card over all its printings.
    pub(super) oracle_id: OracleId,
    /// Its name.
    pub(super) name: String,
    /// Its cost in symbols, `{2}{W/U}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mana_cost: Option<String>,
    /// Its mana value.
    pub(super) mana_value: u32,
    /// Its types, `Legendary Creature — Elf`.
    pub(super) type_line: String,
    /// Its colours.
    pub(super) colours: Vec<Colour>,
    /// Its colour identity.
    pub(super) colour_identity: Vec<Colour>,
    /// Its rules text; of a card with faces that of the front one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rules_text: Option<String>,
    /// Its power, as it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) power: Option<String>,
    /// Its toughness, as it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) toughness: Option<String>,
    /// All faces of a card that has several, the front one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) faces: Vec<CardFaceView>,
    /// The price of one, in hundredths of the currency that was asked for: of its printing and finish, else the lowest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) price: Option<u32>,
    /// Whether there may be an image of it.
    pub(super) image: bool,
    /// `land`, `creature`, `planeswalker`, `battle`, `instant`, `sorcery`, `artifact`, `enchantment` or `other`: its most telling type.
    pub(super) group: String,
    /// Whether the card table has it.
    pub(super) known: bool,
}

/// One face or half of a card.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CardFaceView {
    /// Its name.
    pub(super) name: String,
    /// Its cost; empty where it has none.
    pub(super) mana_cost: String,
    /// Its types.
    pub(super) type_line: String,
    /// Its rules text.
    pub(super) rules_text: String,
    /// Its power, as it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) power: Option<String>,
    /// Its toughness, as it is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) toughness: Option<String>,
}

/// An entry of a deck.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckCardView {
    #[serde(flatten)]
    pub(super) facts: CardFactsView,
    /// How many.
    pub(super) count: u32,
    /// Where.
    pub(super) zone: DeckZone,
    /// Which printing; absent where it does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) printing: Option<PrintingRef>,
    /// How the cards look.
    pub(super) finish: CardFinish,
    /// What people filed it under.
    pub(super) tags: Vec<String>,
    /// What is wrong with it in this deck.
    pub(super) findings: Vec<LegalityCode>,
}

/// A line of a list that was not read.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct UnparsedLineView {
    /// Its number, from 1; 0 where it is of no line.
    pub(super) line: u32,
    /// What it says.
    pub(super) text: String,
    /// Why it was not read.
    pub(super) why: String,
}

/// What is wrong with a deck.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckFindingView {
    /// A code of the rules, or `cards_missing`: there is no card table, and nothing can be said.
    pub(super) code: String,
    /// The card's name; absent where it is the deck as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) card: Option<String>,
    /// The card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) oracle_id: Option<OracleId>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) zone: Option<DeckZone>,
    /// One sentence.
    pub(super) message: String,
    /// Whether the deck is not legal by it, or a person should look.
    pub(super) severity: FindingLevel,
}

/// A colour of a deck.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub(crate) struct ColourCountView {
    /// Symbols of it in costs.
    pub(super) pips: u32,
    /// Lands with it in their identity.
    pub(super) sources: u32,
}

/// What a deck costs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckPriceView {
    /// In what.
    pub(super) currency: Currency,
    /// The sum of all known prices, in hundredths.
    pub(super) total: u64,
    /// How many cards have a price.
    pub(super) priced: u32,
    /// How many cards are played.
    pub(super) of: u32,
}

/// How strong a deck is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckBracketView {
    /// An estimate by what can be counted: 2, 3 or 4; null while there is no card table.
    pub(super) estimate: Option<u8>,
    /// What a person says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) set: Option<u8>,
    /// What speaks for the estimate.
    pub(super) reasons: Vec<String>,
}

/// A deck, whole.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckStateView {
    /// Its id.
    pub(super) deck_id: String,
    /// Its name.
    pub(super) name: String,
    /// `commander`.
    pub(super) format: &'static str,
    /// Its newest revision, from 1.
    pub(super) rev: u64,
    /// The cards that lead it.
    pub(super) commander: Vec<DeckCardView>,
    /// All other entries, of every zone.
    pub(super) cards: Vec<DeckCardView>,
    /// Lines of its list that were not read.
    pub(super) unparsed: Vec<UnparsedLineView>,
    /// What is wrong with it.
    pub(super) legality: Vec<DeckFindingView>,
    /// Whether it may be played; false also while cards are missing.
    pub(super) legal: bool,
    /// Cards without lands by mana value: 0 to 6, then 7 and more.
    pub(super) curve: Vec<u32>,
    /// By colour.
    #[schema(value_type = BTreeMap<String, ColourCountView>)]
    pub(super) colours: BTreeMap<Colour, ColourCountView>,
    /// Cards by their most telling type, as in `group`.
    pub(super) types: BTreeMap<String, u32>,
    /// What it costs.
    pub(super) price: DeckPriceView,
    /// How strong it is.
    pub(super) bracket: DeckBracketView,
    /// Its companion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) companion: Option<DeckCardView>,
    /// Where no card leads it: those that could. A person picks.
    pub(super) commander_candidates: Vec<DeckCardNameView>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) forked_from: Option<ForkSource>,
    /// When it was last changed.
    pub(super) updated_at: String,
    /// Proposals that are remembered, the oldest first: at most 50, those with open lines before all others.
    pub(super) proposals: Vec<DeckProposalView>,
    /// What a list that was just read said that does not hold: printings that there are not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) import_notes: Vec<String>,
}

/// A card by its name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckCardNameView {
    /// The card.
    pub(super) oracle_id: OracleId,
    /// Its name.
    pub(super) name: String,
}

/// Changes that somebody proposes.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckProposalView {
    /// Its id.
    pub(super) id: String,
    /// The revision that the proposer saw.
    pub(super) deck_rev: u64,
    /// Who proposed it.
    pub(super) by: DeckActor,
    /// Why.
    pub(super) reason: String,
    /// Its lines.
    pub(super) ops: Vec<ProposalLineView>,
    /// The deck as it is.
    pub(super) before: DeckSummaryView,
    /// The deck with all open lines done that are not stale; null where they cannot be done together, or where there are none.
    pub(super) after: Option<DeckSummaryView>,
    /// Why they cannot be done together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

/// A line of a proposal.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProposalLineView {
    /// Its id in the proposal, from 1.
    pub(super) id: u32,
    /// What it does: `add`, `remove`, `swap` and so on, as in `line`.
    pub(super) op: String,
    /// The card that it is about, by name; of a swap the one that goes. Empty where it is about none.
    pub(super) card: String,
    /// How many; 0 where it has no count.
    pub(super) count: u32,
    /// What it does.
    pub(super) line: DeckOp,
    /// What the proposer wrote, where a person rewrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) original: Option<DeckOp>,
    /// `open`, `taken`, `refused` or `stale`.
    pub(super) state: &'static str,
    /// Of a refused line the reason, of a stale one what changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cause: Option<String>,
    /// Of a taken line its revision, of a stale one the revision that made it so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rev: Option<u64>,
    /// The cards that it is about, as they are in the deck or would come in; of a swap the one that goes and the one that comes.
    pub(super) cards: Vec<CardFactsView>,
}

/// A deck at a glance.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckSummaryView {
    /// Cards in it with its commanders.
    pub(super) count: u32,
    /// Whether it may be played.
    pub(super) legal: bool,
    /// What it costs.
    pub(super) price: DeckPriceView,
    /// Cards without lands by mana value: 0 to 6, then 7 and more.
    pub(super) curve: Vec<u32>,
    /// How strong it is.
    pub(super) bracket: DeckBracketView,
    /// What is wrong with it.
    pub(super) legality: Vec<DeckFindingView>,
}

/// What lines of a proposal would do.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckEffectView {
    /// The deck as it is.
    pub(super) before: DeckSummaryView,
    /// The deck as it would be.
    pub(super) after: DeckSummaryView,
    /// What differs.
    pub(super) differences: Vec<CardDifference>,
}

/// A revision of a deck.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckRevisionView {
    /// Its number, from 1.
    pub(super) rev: u64,
    /// When.
    pub(super) at: String,
    /// Who made it.
    pub(super) by: DeckActor,
    /// `created`, `edited`, `taken` or `undone`.
    pub(super) cause: &'static str,
    /// Of `taken`: the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proposal_id: Option<String>,
    /// Of `taken`: its lines, from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ops: Vec<u32>,
    /// Of `undone`: the revision that it took back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undone: Option<u64>,
    /// What changed.
    pub(super) changes: Vec<DeckChange>,
    /// Whether it was taken back since.
    pub(super) is_undone: bool,
    /// Whether it can be taken back now.
    pub(super) undoable: bool,
}

/// A deck as text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckExportView {
    /// `arena`, `moxfield`, `mtgo`, `dek` or `archidekt`.
    pub(super) format: String,
    /// The text.
    pub(super) text: String,
    /// What the form cannot say, in sentences.
    pub(super) lost: Vec<String>,
}

/// A hand to try a deck with.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckPlaytestView {
    /// The same seed gives the same cards. Below 2^53, so that every program can hold it.
    pub(super) seed: u64,
    /// The cards of the hand, each by itself.
    pub(super) hand: Vec<CardFactsView>,
    /// How many of the hand go to the bottom, by the mulligans.
    pub(super) to_bottom: u32,
    /// How many cards are left.
    pub(super) library: usize,
    /// The next ten of them, the first to be drawn first.
    pub(super) next: Vec<CardFactsView>,
}

/// Why lines cannot be taken or done.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DeckConflictView {
    /// The line, from 1.
    pub(crate) id: u32,
    /// What happened, in a sentence.
    pub(crate) cause: String,
    /// The revision that changed what it is about, where it is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rev: Option<u64>,
    /// Who made that revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<DeckActor>,
    /// What it changed of the cards of the line.
    pub(crate) changes: Vec<DeckChange>,
}
