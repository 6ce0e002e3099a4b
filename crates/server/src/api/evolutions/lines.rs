//! What stands in the ledger about one change: its proposal, its story a line an event, the pairs that were compared. Blocking.
//!
//! It is read by the change's own sequences, never by a search, and what it holds is bounded.

use std::collections::VecDeque;

use abide_domain::event::{
    ComparedPair, Event, EvolutionCompared, EvolutionDecision, EvolutionEvent, EvolutionProposed,
};
use abide_ledger::{Entry, Ledger};

use super::view::{ComparedPairView, StoryLineView};
use crate::api::error::ApiError;

/// Lines that are read of one change: its first, and the newest of the others.
const LINES_MAX: usize = 4_000;
/// Pairs that are shown of one change: the newest.
const PAIRS_MAX: usize = 500;

/// What stands in the ledger about one change.
#[derive(Debug, Default)]
pub(super) struct EvolutionLines {
    /// Its proposal; none where that line cannot be read any more.
    pub(super) proposed: Option<EvolutionProposed>,
    /// What happened, in order; comparisons that follow each other are one line.
    pub(super) story: Vec<StoryLineView>,
    /// The newest pairs, in the order in which they were made.
    pub(super) compared: VecDeque<ComparedPairView>,
    /// Of a hundred requests, how many the candidate answers here; none during its trial.
    stage_percent: Option<u8>,
    /// What the comparisons before the present line came to.
    counted: PairCounts,
}

/// What comparisons that follow each other came to.
#[derive(Clone, Copy, Debug, Default)]
struct PairCounts {
    pairs: usize,
    agreeing: usize,
    differing: usize,
    candidate_errors: usize,
    main_errors: usize,
}

impl EvolutionLines {
    /// Reads the lines at these sequences, which are in order and of one change.
    pub(super) fn read(ledger: &Ledger, sequences: &[u64]) -> Result<Self, ApiError> {
        let mut lines = Self::default();
        let left_out = 1..sequences.len().saturating_sub(LINES_MAX).max(1);
        let read = sequences.iter().enumerate().filter(|(place, _)| !left_out.contains(place));
        for (_, seq) in read {
            let Some(entry) = entry_at(ledger, *seq)? else { continue };
            if let Event::Evolution(event) = &entry.event {
                lines.take(event, &entry);
            }
        }
        Ok(lines)
    }

    fn take(&mut self, event: &EvolutionEvent, entry: &Entry) {
        match event {
            EvolutionEvent::Proposed(proposed) => self.proposed = Some(proposed.clone()),
            EvolutionEvent::Reloaded(loaded) => self.stage_percent = Some(loaded.percent),
            EvolutionEvent::StageBegun(stage) => self.stage_percent = Some(stage.percent),
            EvolutionEvent::Compared(compared) => return self.compare(compared, entry),
            _ => {}
        }
        self.counted = PairCounts::default();
        self.story.push(StoryLineView::new(entry, sentence(event)));
    }

    fn compare(&mut self, compared: &EvolutionCompared, entry: &Entry) {
        let is_first = self.counted.pairs == 0;
        for pair in &compared.pairs {
            self.counted.add(pair);
            if self.compared.len() >= PAIRS_MAX {
                self.compared.pop_front();
            }
            self.compared.push_back(ComparedPairView::new(pair, entry.seq, self.stage_percent));
        }
        if !is_first {
            self.story.pop();
        }
        self.story.push(StoryLineView::new(entry, self.counted.sentence()));
    }
}

impl PairCounts {
    fn add(&mut self, pair: &ComparedPair) {
        self.pairs += 1;
        self.agreeing += usize::from(pair.agrees == Some(true));
        self.differing += usize::from(pair.agrees == Some(false));
        self.candidate_errors += usize::from(pair.candidate.error.is_some());
        self.main_errors += usize::from(pair.main.error.is_some());
    }

    fn sentence(self) -> String {
        let Self { pairs, agreeing, differing, candidate_errors, main_errors } = self;
        let noun = if pairs == 1 { "pair" } else { "pairs" };
        format!(
            "{pairs} {noun} compared: {agreeing} agree, {differing} differ; errors: {main_errors} of the code in force, \
             {candidate_errors} of the candidate"
        )
    }
}

/// The code that a proposal at a sequence holds; none where it cannot be read any more.
pub(super) fn code_at(ledger: &Ledger, seq: u64) -> Result<Option<String>, ApiError> {
    let event = entry_at(ledger, seq)?.map(|entry| entry.event);
    Ok(match event {
        Some(Event::Evolution(EvolutionEvent::Proposed(proposed))) => Some(proposed.code),
        _ => None,
    })
}

fn entry_at(ledger: &Ledger, seq: u64) -> Result<Option<Entry>, ApiError> {
    let record = ledger.records(seq).next().transpose();
    let record = record.map_err(|error| ApiError::internal(&error))?;
    // A line that was erased since holds no event that could be shown.
    Ok(record.and_then(|record| record.entry().ok()))
}

/// An event in a sentence.
fn sentence(event: &EvolutionEvent) -> String {
    match event {
        EvolutionEvent::Proposed(event) => format!("proposed: {}", event.reason),
        EvolutionEvent::Validated(event) if event.notes.is_empty() => "the checks passed".into(),
        EvolutionEvent::Validated(event) => {
            format!("the checks passed: {}", event.notes.join("; "))
        }
        EvolutionEvent::Checkpointed(event) => {
            format!("it is tried on the record up to line {} of the ledger", event.record_seq)
        }
        EvolutionEvent::ShadowStarted(event) => format!(
            "the trial begins, with {} requests; attempt {} since the last change that was kept",
            event.requests, event.attempt
        ),
        EvolutionEvent::Compared(_) => String::new(),
        EvolutionEvent::Decided(event) => {
            let word = match event.decision {
                EvolutionDecision::Promoted if event.needs_person => {
                    "better, and a person must say yes"
                }
                EvolutionDecision::Promoted => "promoted",
                EvolutionDecision::Rejected => "rejected",
                EvolutionDecision::Marginal => "marginal: a person decides",
                EvolutionDecision::Reported => "compared, as was asked for",
            };
            with_reason(word, &event.reason)
        }
        EvolutionEvent::Answered(event) => {
            with_reason(if event.approved { "approved" } else { "rejected" }, &event.reason)
        }
        EvolutionEvent::BackedUp(_) => "what a rollback restores is stored".into(),
        EvolutionEvent::Reloaded(event) => {
            format!("loaded: it answers {} of 100 requests", event.percent)
        }
        EvolutionEvent::StageBegun(event) => {
            format!("it answers {} of 100 requests", event.percent)
        }
        EvolutionEvent::Kept(event) => with_reason("kept", &event.reason),
        EvolutionEvent::RolledBack(event) => with_reason("rolled back", &event.reason),
        EvolutionEvent::Aborted(event) => with_reason("aborted", &event.reason),
    }
}

fn with_reason(word: &str, reason: &str) -> String {
    if reason.is_empty() { word.to_owned() } else { format!("{word}: {reason}") }
}
