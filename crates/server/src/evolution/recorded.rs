//! What the ledger holds of a proposal beside its state: the code, the pairs. Blocking reads, off the runtime's threads.

use abide_domain::event::{ComparedPair, Event, EvolutionEvent, EvolutionProposed};
use abide_engine::state::EvolutionRecord;
use abide_ledger::{Entry, Ledger, Query};

/// The proposal as it was made, with its code. Errors are words for people.
pub(super) async fn proposal(
    ledger: &Ledger,
    record: &EvolutionRecord,
) -> Result<EvolutionProposed, String> {
    let seq = record.proposed_seq().ok_or("the proposal is in no line of the ledger")?;
    let found = read(ledger, vec![seq]).await?;
    match found.into_iter().next().map(|entry| entry.event) {
        Some(Event::Evolution(EvolutionEvent::Proposed(proposed))) => Ok(proposed),
        _ => Err(format!("line {seq} of the ledger is not the proposal")),
    }
}

/// The pairs that stand in the ledger, in their order: those of the trial, and those of the watch.
pub(super) async fn pairs(
    ledger: &Ledger,
    record: &EvolutionRecord,
) -> Result<RecordedPairs, String> {
    let mut pairs = RecordedPairs::default();
    let mut is_watched = false;
    for entry in read(ledger, record.events.clone()).await? {
        match entry.event {
            Event::Evolution(EvolutionEvent::Reloaded(_)) => is_watched = true,
            Event::Evolution(EvolutionEvent::StageBegun(_)) => {
                pairs.before_stage = pairs.watch.len();
            }
            Event::Evolution(EvolutionEvent::Compared(compared)) => {
                let into = if is_watched { &mut pairs.watch } else { &mut pairs.trial };
                into.extend(compared.pairs);
            }
            _ => {}
        }
    }
    Ok(pairs)
}

/// The line by which a change was loaded. Errors are words for people.
pub(super) async fn loaded_seq(ledger: &Ledger, record: &EvolutionRecord) -> Result<u64, String> {
    let is_load =
        |entry: &Entry| matches!(entry.event, Event::Evolution(EvolutionEvent::Reloaded(_)));
    let entries = read(ledger, record.events.clone()).await?;
    let seq = entries.iter().find(|entry| is_load(entry)).map(|entry| entry.seq);
    seq.ok_or_else(|| "the change was never loaded".to_owned())
}

/// Pairs of one change.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordedPairs {
    /// Of its trial.
    pub(super) trial: Vec<ComparedPair>,
    /// Since it was loaded.
    pub(super) watch: Vec<ComparedPair>,
    /// How many of those there were when its stage began.
    pub(super) before_stage: usize,
}

async fn read(ledger: &Ledger, seqs: Vec<u64>) -> Result<Vec<Entry>, String> {
    let ledger = ledger.clone();
    let read = move || -> Result<Vec<Entry>, String> {
        let mut entries = Vec::with_capacity(seqs.len());
        for seq in seqs {
            let query = Query { after: seq - 1, before: Some(seq + 1), ..Query::default() };
            for line in ledger.query(query) {
                let line = line.map_err(|error| error.to_string())?;
                entries.push(line.entry().map_err(|error| error.to_string())?);
            }
        }
        Ok(entries)
    };
    let done = tokio::task::spawn_blocking(read).await;
    done.unwrap_or_else(|_| Err("the reading of the ledger ended".to_owned()))
}
