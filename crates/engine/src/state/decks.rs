//! Decks, as they follow from their lines: each with its proposals, when it changed, and which agent works with which.
//!
//! What a line means is the crate `deck`'s; here it is taken in at its place in the ledger. What an epoch holds counts when it
//! commits, and where it does not follow any more by then, it is left out, as if it had not been proposed. What a person does with
//! an agent's lines becomes notes to that agent ([`DeckNotes`]).

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use abide_deck::{
    DeckActor, DeckEvent, DeckProposal, DeckState, LineState, ReviewNote, ReviewOutcome,
    limits::DECKS_MAX,
};
use abide_domain::{
    AgentId, EpochId, Timestamp,
    event::{DeckLedgerEvent, DeckNotesShown, Event},
    limits::{DECK_NOTE_CHARS_MAX, DECK_NOTES_KEPT_MAX, DECK_NOTES_SHOWN},
    text::shortened,
};
use abide_ledger::Entry;
use abide_tools::{AgentDecks, deck_event};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Lines of a proposal that one note spells out.
const NOTE_LINES_MAX: usize = 8;

/// A deck with what the ledger says of its times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeckRecord {
    /// The deck, its revisions and its proposals.
    pub state: Arc<DeckState>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Its newest line.
    pub seq: u64,
    /// When its revisions were made, as far as they are remembered.
    pub revision_times: BTreeMap<u64, Timestamp>,
    /// When its proposals were made.
    pub proposal_times: BTreeMap<String, Timestamp>,
    /// SHA-256 of what is in it, for the digest of the state.
    sha256: String,
}

impl DeckRecord {
    /// Its proposals that a person has not answered whole, the oldest first.
    pub fn open_proposals(&self) -> impl Iterator<Item = &DeckProposal> {
        let is_open = |proposal: &&DeckProposal| {
            proposal.lines.iter().any(|line| line.state == LineState::Open)
        };
        self.state.proposals.iter().filter(is_open)
    }
}

/// A note to an agent about lines that it proposed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeckNote {
    pub(super) to: AgentId,
    pub(super) text: String,
}

/// All decks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decks {
    by_id: BTreeMap<String, DeckRecord>,
    /// The deck that an agent works with.
    loaded: BTreeMap<AgentId, String>,
    /// What open epochs did: it counts when they commit.
    staged: BTreeMap<EpochId, Vec<Entry>>,
}

impl Decks {
    /// Takes a line in; gives the notes that agents are to read because of it.
    pub(super) fn apply(&mut self, entry: &Entry) -> Vec<DeckNote> {
        let Event::Deck(line) = &entry.event else { return Vec::new() };
        match entry.epoch {
            Some(epoch) => {
                self.staged.entry(epoch).or_default().push(entry.clone());
                Vec::new()
            }
            None => self.take(line, entry),
        }
    }

    /// Takes the end of an epoch in: what it did with decks is done from then on, or never was.
    pub(super) fn ended(&mut self, epoch: EpochId, is_committed: bool) {
        let staged = self.staged.remove(&epoch).unwrap_or_default();
        for entry in staged.iter().filter(|_| is_committed) {
            if let Event::Deck(line) = &entry.event {
                // Agents propose: nobody is told of that but people.
                drop(self.take(line, entry));
            }
        }
    }

    /// What does not follow from what was before, or has lost its words, changes nothing.
    fn take(&mut self, line: &DeckLedgerEvent, entry: &Entry) -> Vec<DeckNote> {
        let Ok(event) = deck_event(line) else { return Vec::new() };
        let Some(event) = event else {
            self.load(line.deck_id(), entry);
            return Vec::new();
        };
        if let DeckEvent::Created { .. } = event {
            self.begin(&event, entry);
            return Vec::new();
        }
        let Some(record) = self.by_id.get_mut(line.deck_id()) else { return Vec::new() };
        let heard = record.state.notes.last().map_or(0, |note| note.number);
        if Arc::make_mut(&mut record.state).apply(&event).is_err() {
            return Vec::new();
        }
        record.note_times(entry);
        let state = Arc::clone(&record.state);
        let new = state.notes.iter().filter(|note| note.number > heard);
        new.filter_map(|note| note_of(&state, note)).collect()
    }

    fn begin(&mut self, event: &DeckEvent, entry: &Entry) {
        let Ok(state) = DeckState::begin(event) else { return };
        if self.by_id.len() >= DECKS_MAX || self.by_id.contains_key(&state.id) {
            return;
        }
        let id = state.id.clone();
        let mut record = DeckRecord {
            state: Arc::new(state),
            updated_at: entry.timestamp,
            seq: entry.seq,
            revision_times: BTreeMap::new(),
            proposal_times: BTreeMap::new(),
            sha256: String::new(),
        };
        record.note_times(entry);
        self.by_id.insert(id, record);
    }

    fn load(&mut self, deck_id: &str, entry: &Entry) {
        let Ok(agent) = entry.entity.bare().parse::<AgentId>() else { return };
        if self.by_id.contains_key(deck_id) {
            self.loaded.insert(agent, deck_id.to_owned());
        }
    }

    /// One of them.
    pub fn get(&self, deck_id: &str) -> Option<&DeckRecord> {
        self.by_id.get(deck_id)
    }

    /// All of them, in the order of their ids: of when they began.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &DeckRecord> {
        self.by_id.values()
    }

    /// The deck that an agent works with.
    pub fn loaded(&self, agent: &AgentId) -> Option<&DeckRecord> {
        self.get(self.loaded.get(agent)?)
    }

    /// The deck that has a proposal.
    pub fn with_proposal(&self, proposal_id: &str) -> Option<&DeckRecord> {
        self.by_id.values().find(|record| record.state.proposal(proposal_id).is_some())
    }

    /// What an agent's calls see of them.
    pub fn for_agent(&self, agent: &AgentId) -> AgentDecks {
        let decks = self.by_id.iter().map(|(id, record)| (id.clone(), Arc::clone(&record.state)));
        AgentDecks::new(self.loaded.get(agent).cloned(), decks)
    }

    pub(super) fn parts(&self) -> Value {
        let deck = |(id, record): (&String, &DeckRecord)| {
            let DeckState { rev, proposals, bracket, .. } = &*record.state;
            let proposals: Value = proposals.iter().map(proposal_parts).collect();
            json!([id, rev, record.sha256, proposals, bracket, record.seq])
        };
        json!([self.by_id.iter().map(deck).collect::<Value>(), self.loaded])
    }
}

fn proposal_parts(proposal: &DeckProposal) -> Value {
    let lines = proposal.lines.iter().map(|line| match &line.state {
        LineState::Open => json!("open"),
        LineState::Taken { rev } => json!(rev),
        LineState::Refused { .. } => json!("refused"),
    });
    json!([proposal.id, lines.collect::<Value>()])
}

impl DeckRecord {
    /// Notes when the newest revision and proposal came, and forgets the times of those that are forgotten.
    fn note_times(&mut self, entry: &Entry) {
        let state = &self.state;
        // What an epoch staged comes after what a person did meanwhile.
        self.updated_at = self.updated_at.max(entry.timestamp);
        self.seq = self.seq.max(entry.seq);
        self.revision_times.entry(state.rev).or_insert(entry.timestamp);
        let oldest = state.history.first().map_or(0, |revision| revision.rev);
        self.revision_times.retain(|rev, _| *rev >= oldest);
        for proposal in &state.proposals {
            if !self.proposal_times.contains_key(&proposal.id) {
                self.proposal_times.insert(proposal.id.clone(), entry.timestamp);
            }
        }
        if self.proposal_times.len() > state.proposals.len() {
            self.proposal_times.retain(|id, _| state.proposal(id).is_some());
        }
        // A deck has a form that can be written: it came out of one.
        let form = serde_json::to_vec(&state.deck).unwrap_or_default();
        self.sha256 = hex::encode(Sha256::digest(&form));
    }
}

/// What an agent reads of a review of its lines.
fn note_of(state: &DeckState, note: &ReviewNote) -> Option<DeckNote> {
    let DeckActor::Agent(name) = &note.to else { return None };
    let to = name.parse().ok()?;
    let proposal = state.proposal(&note.proposal_id)?;
    let said = |index: &u32| {
        let line = proposal.lines.get(usize::try_from(*index).ok()?)?;
        Some(format!("{} ({})", index + 1, line.op))
    };
    let mut lines: Vec<_> = note.lines.iter().filter_map(said).take(NOTE_LINES_MAX).collect();
    if note.lines.len() > NOTE_LINES_MAX {
        lines.push(format!("and {} more", note.lines.len() - NOTE_LINES_MAX));
    }
    let (lines, by, deck) = (lines.join(", "), note.by.name(), &state.deck.name);
    let did = match &note.outcome {
        ReviewOutcome::Taken => format!("took {lines}; the deck is at revision {} now", state.rev),
        ReviewOutcome::Refused { reason } => {
            format!("refused {lines}: {reason} — do not propose the same again")
        }
        ReviewOutcome::Reopened => format!("opened {lines} again: they wait for an answer"),
        ReviewOutcome::Edited { .. } => format!("rewrote a line, which says now: {lines}"),
    };
    let proposal = &note.proposal_id;
    let text = format!("{by}, about your proposal {proposal} for the deck “{deck}”: {did}");
    Some(DeckNote { to, text: shortened(&text, DECK_NOTE_CHARS_MAX) })
}

/// What an agent has not read yet of what people did with lines that it proposed. An epoch that commits has read what it was shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeckNotes(VecDeque<(u64, String)>);

impl DeckNotes {
    /// Takes a note in that came with a line of the ledger; the oldest goes where there are too many.
    pub(super) fn push(&mut self, seq: u64, text: String) {
        if self.0.len() == DECK_NOTES_KEPT_MAX {
            self.0.pop_front();
        }
        self.0.push_back((seq, text));
    }

    /// What of it would be shown now; none where there is nothing.
    pub fn newest(&self) -> Option<DeckNotesShown> {
        let through_seq = self.0.back()?.0;
        let notes = u32::try_from(self.0.len().min(DECK_NOTES_SHOWN)).ok()?;
        Some(DeckNotesShown { through_seq, notes })
    }

    /// The notes up to an event, the newest first.
    pub fn newest_first(&self, through_seq: u64) -> impl Iterator<Item = &str> {
        let shown = self.0.iter().rev().filter(move |(seq, _)| *seq <= through_seq);
        shown.map(|(_, text)| text.as_str())
    }

    /// Lets go what was read.
    pub(super) fn read_through(&mut self, seq: u64) {
        self.0.retain(|(of, _)| *of > seq);
    }

    pub(super) fn parts(&self) -> Value {
        self.0.iter().map(|(seq, _)| *seq).collect()
    }
}
