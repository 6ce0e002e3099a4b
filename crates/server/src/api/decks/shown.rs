//! Decks as callers see them, made of what the state has and of the cards.

use std::{collections::BTreeMap, sync::Arc};

use abide_deck::{
    BracketEstimate, Card, CardFace, CardFinish, CardTable, Colour, Currency, Deck, DeckEntry,
    DeckError, DeckOp, DeckProposal, DeckRevision, DeckState, DeckSummary, DeckZone, FindingLevel,
    LegalityCode, LegalityFinding, LineState, OracleId, OracleTags, PriceReport, ProposalLine,
    RevisionCause, UnreadLine, commander_candidates, judge_deck, main_type, price_of,
    proposal_effect, summarize_deck,
};
use abide_engine::state::DeckRecord;
use serde_json::Value;

use super::view::{
    CardFaceView, CardFactsView, ColourCountView, DeckBracketView, DeckCardNameView, DeckCardView,
    DeckFindingView, DeckItemView, DeckPriceView, DeckProposalView, DeckRevisionView,
    DeckStateView, DeckSummaryView, ProposalLineView, UnparsedLineView,
};
use crate::{api::app_state::AppState, cards::StoredCards};

/// The one format that there is.
pub(super) const FORMAT: &str = "commander";
/// Proposals that a state shows.
const PROPOSALS_SHOWN: usize = 50;
/// The code of a finding that says that there are no cards.
const CARDS_MISSING: &str = "cards_missing";

/// What decks are shown with: the cards, or why there are none, and a currency.
#[derive(Clone, Debug)]
pub(super) struct DeckLens {
    pub(super) cards: Arc<CardTable>,
    tags: Option<Arc<OracleTags>>,
    /// Why there are no cards, and what to do.
    missing: Option<String>,
    currency: Currency,
    /// Whether pictures of cards are given out.
    has_images: bool,
}

impl DeckLens {
    /// With the cards of the keeper.
    pub(super) async fn of(app: &AppState, currency: Currency) -> Self {
        let has_images = app.card_images().is_enabled();
        match app.cards().cards().await {
            Ok(StoredCards { table, tags, .. }) => {
                Self { cards: table, tags, missing: None, currency, has_images }
            }
            Err(missing) => Self {
                cards: Arc::default(),
                tags: None,
                missing: Some(missing.to_string()),
                currency,
                has_images,
            },
        }
    }

    /// What effects are reckoned with.
    pub(super) fn cards_and_tags(&self) -> (&CardTable, Option<&OracleTags>) {
        (&self.cards, self.tags.as_deref())
    }

    /// A line of the list of decks.
    pub(super) fn item(&self, record: &DeckRecord) -> DeckItemView {
        let deck = &record.state.deck;
        let leaders = deck.in_zone(DeckZone::Commander).map(|entry| entry.content.name.as_str());
        let leaders: Vec<_> = leaders.collect();
        let report = judge_deck(deck, &self.cards);
        DeckItemView {
            deck_id: record.state.id.clone(),
            name: deck.name.clone(),
            format: FORMAT,
            commander: (!leaders.is_empty()).then(|| leaders.join(" // ")),
            count: count_of(deck),
            legal: self.missing.is_none() && report.is_legal,
            rev: record.state.rev,
            updated_at: record.updated_at.to_string(),
            open_proposals: u32::try_from(record.open_proposals().count()).unwrap_or(u32::MAX),
        }
    }

    /// A deck, whole.
    pub(super) fn state(&self, record: &DeckRecord) -> DeckStateView {
        let state = &*record.state;
        let deck = &state.deck;
        let summary = self.summarize(deck);
        let codes = codes_by_card(&summary);
        let entry = |entry: &DeckEntry| self.entry(entry, &codes);
        let (commander, cards): (Vec<_>, Vec<_>) =
            deck.entries().iter().partition(|entry| entry.key.zone == DeckZone::Commander);
        let price = price(&summary.price);
        let figures = &summary.figures;
        let mut colours: BTreeMap<Colour, ColourCountView> = BTreeMap::new();
        for (colour, count) in &figures.symbols {
            colours.entry(*colour).or_default().pips = *count;
        }
        for (colour, count) in &figures.land_colours {
            colours.entry(*colour).or_default().sources = *count;
        }
        let types = figures.types.iter().map(|(name, count)| (name.to_lowercase(), *count));
        DeckStateView {
            deck_id: state.id.clone(),
            name: deck.name.clone(),
            format: FORMAT,
            rev: state.rev,
            commander: commander.into_iter().map(entry).collect(),
            cards: cards.into_iter().map(entry).collect(),
            unparsed: deck.unread.iter().map(UnparsedLineView::from).collect(),
            legality: self.findings(deck, &summary),
            legal: self.is_legal(&summary),
            curve: figures.curve.to_vec(),
            colours,
            types: types.collect(),
            price,
            bracket: self.bracket(&summary.bracket, state.bracket),
            companion: deck.in_zone(DeckZone::Companion).next().map(entry),
            commander_candidates: self.candidates(deck),
            forked_from: state.forked_from.clone(),
            updated_at: record.updated_at.to_string(),
            proposals: self.proposals(state, &summary),
            import_notes: Vec::new(),
        }
    }

    fn candidates(&self, deck: &Deck) -> Vec<DeckCardNameView> {
        let ids = commander_candidates(deck, &self.cards).into_iter();
        let named = |id: OracleId| {
            let name = self.cards.card(&id)?.name.clone();
            Some(DeckCardNameView { oracle_id: id, name })
        };
        ids.filter_map(named).collect()
    }

    fn is_legal(&self, summary: &DeckSummary) -> bool {
        self.missing.is_none() && summary.legality.is_legal
    }

    /// A deck at a glance.
    pub(super) fn summarize(&self, deck: &Deck) -> DeckSummary {
        summarize_deck(deck, &self.cards, self.tags.as_deref(), self.currency)
    }

    /// The same as it is shown.
    pub(super) fn summary(
        &self,
        deck: &Deck,
        summary: &DeckSummary,
        set: Option<u8>,
    ) -> DeckSummaryView {
        DeckSummaryView {
            count: count_of(deck),
            legal: self.is_legal(summary),
            price: price(&summary.price),
            curve: summary.figures.curve.to_vec(),
            bracket: self.bracket(&summary.bracket, set),
            legality: self.findings(deck, summary),
        }
    }

    fn bracket(&self, estimate: &BracketEstimate, set: Option<u8>) -> DeckBracketView {
        if self.missing.is_some() {
            return DeckBracketView { estimate: None, set, reasons: Vec::new() };
        }
        let mut reasons = Vec::new();
        let mut reason = |what: &str, names: &[String]| {
            if !names.is_empty() {
                reasons.push(format!("{what}: {}", names.join(", ")));
            }
        };
        reason("game changers", &estimate.game_changers);
        reason("denies lands", estimate.land_denial.as_deref().unwrap_or_default());
        reason("early combos", estimate.early_combos.as_deref().unwrap_or_default());
        if estimate.land_denial.is_none() {
            reasons
                .push("what denies lands was not looked at: no tags of cards are here".to_owned());
        }
        DeckBracketView { estimate: Some(estimate.bracket), set, reasons }
    }

    /// What is wrong with a deck; without cards that there are none, and nothing else.
    fn findings(&self, deck: &Deck, summary: &DeckSummary) -> Vec<DeckFindingView> {
        if let Some(missing) = &self.missing {
            return vec![DeckFindingView {
                code: CARDS_MISSING.to_owned(),
                card: None,
                oracle_id: None,
                zone: None,
                message: missing.clone(),
                severity: FindingLevel::Warning,
            }];
        }
        let name = |id: &OracleId| {
            let held = deck.entries().iter().find(|entry| entry.key.card == *id);
            held.map(|entry| entry.content.name.clone())
        };
        let view = |finding: &LegalityFinding| DeckFindingView {
            code: word_of(finding.code),
            card: finding.card.as_ref().and_then(name),
            oracle_id: finding.card.clone(),
            zone: finding.zone,
            message: finding.text.clone(),
            severity: finding.level,
        };
        summary.legality.findings.iter().map(view).collect()
    }

    fn entry(
        &self,
        entry: &DeckEntry,
        codes: &BTreeMap<&OracleId, Vec<LegalityCode>>,
    ) -> DeckCardView {
        let mut facts = self.facts(&entry.key.card, &entry.content.name);
        let card = self.cards.card(&entry.key.card);
        facts.price = card.and_then(|card| price_of(card, entry, self.currency));
        let findings = if self.missing.is_some() { None } else { codes.get(&entry.key.card) };
        DeckCardView {
            facts,
            count: entry.content.count,
            zone: entry.key.zone,
            printing: entry.key.printing.clone(),
            finish: entry.key.finish,
            tags: entry.content.tags.clone(),
            findings: findings.cloned().unwrap_or_default(),
        }
    }

    /// What a card is; of one that the table lacks what it is called.
    pub(super) fn facts(&self, id: &OracleId, name: &str) -> CardFactsView {
        match self.cards.card(id) {
            Some(card) => self.known(card),
            None => CardFactsView {
                oracle_id: id.clone(),
                name: name.to_owned(),
                mana_cost: None,
                mana_value: 0,
                type_line: String::new(),
                colours: Vec::new(),
                colour_identity: Vec::new(),
                rules_text: None,
                power: None,
                toughness: None,
                faces: Vec::new(),
                price: None,
                image: false,
                group: "other".to_owned(),
                known: false,
            },
        }
    }

    /// What a card of the table is.
    pub(super) fn known(&self, card: &Card) -> CardFactsView {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let lowest = || {
            let finish = CardFinish::Nonfoil;
            card.printings.iter().filter_map(|at| at.prices.of(self.currency, finish)).min()
        };
        let names: Vec<_> = card.faces().map(|face| face.type_line.as_str()).collect();
        CardFactsView {
            oracle_id: card.id.clone(),
            name: card.name.clone(),
            mana_cost: some(&card.front.mana_cost),
            mana_value: card.mana_value,
            type_line: names.join(" // "),
            colours: card.colours.colours().collect(),
            colour_identity: card.identity.colours().collect(),
            rules_text: some(&card.front.text),
            power: card.front.power.clone(),
            toughness: card.front.toughness.clone(),
            faces: if card.other_faces.is_empty() {
                Vec::new()
            } else {
                card.faces().map(CardFaceView::from).collect()
            },
            price: lowest(),
            image: self.has_images && !card.images.is_empty(),
            group: main_type(card).to_lowercase(),
            known: true,
        }
    }

    /// The newest proposals, those with open lines before all others, each group with the oldest first.
    fn proposals(&self, state: &DeckState, before: &DeckSummary) -> Vec<DeckProposalView> {
        let is_open = |proposal: &&DeckProposal| {
            proposal.lines.iter().any(|line| line.state == LineState::Open)
        };
        let (open, answered): (Vec<_>, Vec<_>) = state.proposals.iter().partition(is_open);
        let skipped = answered.len().saturating_sub(PROPOSALS_SHOWN.saturating_sub(open.len()));
        let shown = open.into_iter().chain(answered.into_iter().skip(skipped));
        let shown = shown.take(PROPOSALS_SHOWN);
        shown.map(|proposal| self.proposal(state, proposal, before)).collect()
    }

    fn proposal(
        &self,
        state: &DeckState,
        proposal: &DeckProposal,
        before: &DeckSummary,
    ) -> DeckProposalView {
        let usable: Vec<u32> = (0..)
            .zip(&proposal.lines)
            .filter(|(_, line)| line.state == LineState::Open && !state.is_stale(line))
            .map(|(index, _)| index)
            .collect();
        let (mut after, mut problem) = (None, None);
        if !usable.is_empty() {
            match self.after(state, &proposal.id, &usable) {
                Ok(view) => after = Some(view),
                Err(error) => problem = Some(error.to_string()),
            }
        }
        let lines = (1..).zip(&proposal.lines);
        DeckProposalView {
            id: proposal.id.clone(),
            deck_rev: proposal.deck_rev,
            by: proposal.by.clone(),
            reason: proposal.reason.clone(),
            ops: lines.map(|(id, line)| self.line(state, id, line)).collect(),
            before: self.summary(&state.deck, before, state.bracket),
            after,
            problem,
        }
    }

    /// The deck with lines of a proposal done.
    fn after(
        &self,
        state: &DeckState,
        proposal_id: &str,
        lines: &[u32],
    ) -> Result<DeckSummaryView, DeckError> {
        let with = self.cards_and_tags();
        let effect = proposal_effect(state, (proposal_id, lines), with, self.currency)?;
        let mut view = self.summary(&state.deck, &effect.after, state.bracket);
        // How many cards there are then is the report's, for the deck itself is not at hand.
        view.count = effect.after.legality.size;
        Ok(view)
    }

    fn line(&self, state: &DeckState, id: u32, line: &ProposalLine) -> ProposalLineView {
        let cause = || {
            let revision = state.stale_cause(&line.op)?;
            Some((
                format!("{} changed it in revision {}", revision.by.name(), revision.rev),
                revision.rev,
            ))
        };
        let (word, cause, rev) = match &line.state {
            LineState::Taken { rev } => ("taken", None, Some(*rev)),
            LineState::Refused { reason } => ("refused", Some(reason.clone()), None),
            LineState::Open if state.is_stale(line) => {
                let (cause, rev) = cause().unzip();
                let changed = || "the deck changed since".to_owned();
                ("stale", Some(cause.unwrap_or_else(changed)), rev)
            }
            LineState::Open => ("open", None, None),
        };
        let (name, count) = about(&line.op);
        ProposalLineView {
            id,
            op: tag_of(&line.op),
            card: name,
            count,
            line: line.op.clone(),
            original: line.original.clone(),
            state: word,
            cause,
            rev,
            cards: refs(&line.op).into_iter().map(|(id, name)| self.facts(id, name)).collect(),
        }
    }

    /// Revisions, the newest first.
    pub(super) fn history(record: &DeckRecord) -> Vec<DeckRevisionView> {
        let state = &record.state;
        let view = |revision: &DeckRevision| {
            let (mut proposal_id, mut ops, mut undone) = (None, Vec::new(), None);
            let cause = match &revision.cause {
                RevisionCause::Created => "created",
                RevisionCause::Edited => "edited",
                RevisionCause::Taken { proposal_id: of, lines } => {
                    proposal_id = Some(of.clone());
                    ops = lines.iter().map(|line| line + 1).collect();
                    "taken"
                }
                RevisionCause::Undone { undone: rev } => {
                    undone = Some(*rev);
                    "undone"
                }
            };
            let in_force = revision.changes.iter().all(|change| change.is_in_force(&state.deck));
            DeckRevisionView {
                rev: revision.rev,
                at: record
                    .revision_times
                    .get(&revision.rev)
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                by: revision.by.clone(),
                cause,
                proposal_id,
                ops,
                undone,
                changes: revision.changes.clone(),
                is_undone: revision.is_undone,
                undoable: cause != "created" && !revision.is_undone && in_force,
            }
        };
        state.history.iter().rev().map(view).collect()
    }
}

impl From<&UnreadLine> for UnparsedLineView {
    fn from(line: &UnreadLine) -> Self {
        Self { line: line.line, text: line.text.clone(), why: line.reason.to_string() }
    }
}

impl From<&CardFace> for CardFaceView {
    fn from(face: &CardFace) -> Self {
        Self {
            name: face.name.clone(),
            mana_cost: face.mana_cost.clone(),
            type_line: face.type_line.clone(),
            rules_text: face.text.clone(),
            power: face.power.clone(),
            toughness: face.toughness.clone(),
        }
    }
}

/// Cards of a deck with its commanders.
pub(super) fn count_of(deck: &Deck) -> u32 {
    deck.count_in(DeckZone::Commander).saturating_add(deck.count_in(DeckZone::Main))
}

pub(super) const fn price(report: &PriceReport) -> DeckPriceView {
    DeckPriceView {
        currency: report.currency,
        total: report.total,
        priced: report.priced,
        of: report.cards,
    }
}

fn codes_by_card(summary: &DeckSummary) -> BTreeMap<&OracleId, Vec<LegalityCode>> {
    let mut codes: BTreeMap<&OracleId, Vec<LegalityCode>> = BTreeMap::new();
    for finding in &summary.legality.findings {
        if let Some(card) = &finding.card {
            let of_card = codes.entry(card).or_default();
            if !of_card.contains(&finding.code) {
                of_card.push(finding.code);
            }
        }
    }
    codes
}

/// A code as it is written.
fn word_of(code: LegalityCode) -> String {
    let written = serde_json::to_value(code).ok();
    written.and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What a line does, as it is written.
fn tag_of(op: &DeckOp) -> String {
    let written = serde_json::to_value(op).unwrap_or(Value::Null);
    written.get("op").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The card that a line is about first, and how many.
fn about(op: &DeckOp) -> (String, u32) {
    let name = refs(op).first().map(|(_, name)| (*name).to_owned()).unwrap_or_default();
    let count = match op {
        DeckOp::Add { count, .. }
        | DeckOp::Remove { count, .. }
        | DeckOp::SetCount { count, .. }
        | DeckOp::Move { count, .. }
        | DeckOp::Swap { count, .. } => *count,
        DeckOp::SetCommanders { .. }
        | DeckOp::ChooseColour { .. }
        | DeckOp::SetTags { .. }
        | DeckOp::Rename { .. } => 0,
    };
    (name, count)
}

/// The cards that a line is about.
fn refs(op: &DeckOp) -> Vec<(&OracleId, &str)> {
    match op {
        DeckOp::Add { entry, .. }
        | DeckOp::Remove { entry, .. }
        | DeckOp::SetCount { entry, .. }
        | DeckOp::Move { entry, .. }
        | DeckOp::SetTags { entry, .. } => vec![(&entry.card.id, entry.card.name.as_str())],
        DeckOp::Swap { out, into, .. } => {
            vec![(&out.card.id, out.card.name.as_str()), (&into.id, into.name.as_str())]
        }
        DeckOp::SetCommanders { cards } => {
            cards.iter().map(|card| (&card.id, card.name.as_str())).collect()
        }
        DeckOp::ChooseColour { card, .. } => vec![(&card.id, card.name.as_str())],
        DeckOp::Rename { .. } => Vec::new(),
    }
}
