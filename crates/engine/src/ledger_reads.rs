//! What is read back from the ledger: an ended epoch, an event, whether an approval was asked for. All of it blocking.

use abide_domain::{
    ApprovalId, EpochId,
    event::{ApprovalEvent, Event, StimulusEvent},
};
use abide_ledger::{EntryError, Ledger, Query, ReadError};

use crate::state::{EpochRecord, EpochSpan};

/// Reads an ended epoch back from the ledger.
pub(crate) fn read_epoch(
    ledger: &Ledger,
    id: EpochId,
    span: &EpochSpan,
) -> Result<Option<EpochRecord>, ReadError> {
    let query = Query {
        epoch: Some(id),
        after: span.first_seq.saturating_sub(1),
        before: Some(span.last_seq + 1),
        ..Query::default()
    };
    let mut record: Option<EpochRecord> = None;
    for line in ledger.query(query) {
        let Ok(entry) = line?.entry() else { continue };
        match (&entry.event, record.as_mut()) {
            (Event::Stimulus(StimulusEvent::Accepted(stimulus)), _) => {
                let (at, seq) = (entry.timestamp, entry.seq);
                let agent = span.agent.clone();
                record = Some(EpochRecord::accepted(id, agent, stimulus.clone(), at, seq));
            }
            (event, Some(record)) => {
                // The state has folded these same events without an error.
                drop(record.apply(event, entry.timestamp));
                record.last_seq = entry.seq;
            }
            _ => {}
        }
    }
    Ok(record)
}

/// Whether an approval of this id was ever asked for.
pub(crate) fn was_approval(ledger: &Ledger, id: ApprovalId) -> Result<bool, ReadError> {
    let kinds = vec!["approval.requested".to_owned()];
    for record in ledger.query(Query { kinds, ..Query::default() }) {
        let Ok(entry) = record?.entry() else { continue };
        if matches!(&entry.event, Event::Approval(ApprovalEvent::Requested(r)) if r.approval_id == id)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// An event could not be read back.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum EventReadError {
    /// The line could not be read.
    Line(#[from] ReadError),
    /// The line is no event of ours.
    Entry(#[from] EntryError),
}

/// The event of this sequence, if there is one.
pub(crate) fn read_event(ledger: &Ledger, seq: u64) -> Result<Option<Event>, EventReadError> {
    let record = ledger.records(seq).next().transpose()?;
    let entry = record.map(|record| record.entry()).transpose()?;
    Ok(entry.map(|entry| entry.event))
}
