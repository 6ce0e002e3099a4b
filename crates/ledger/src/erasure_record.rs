//! What was erased, written down: the last step of an erasure, once the ledger is open again.

use abide_domain::{
    event::{ErasedLine, LedgerErased},
    limits::ERASED_LINES_A_LINE,
};

use crate::{
    draft::Draft,
    erase::{EraseError, NOTE, NotedLine, erased_of, read_note},
    ledger::Ledger,
    query::Query,
    storage::Storage,
};

/// Writes down what was erased, in one batch, and removes the note. Does nothing where there is none.
pub async fn write_down_erasure(storage: &dyn Storage, ledger: &Ledger) -> Result<(), EraseError> {
    let Some(note) = read_note(storage)? else { return Ok(()) };
    let Some(erased) = note.erased else { return Ok(()) };
    if !is_written_down(ledger, note.requested_seq) {
        let lines: Vec<ErasedLine> = erased
            .into_iter()
            .map(|NotedLine { seq, sha256 }| ErasedLine { seq, sha256 })
            .collect();
        let parts = u32::try_from(lines.chunks(ERASED_LINES_A_LINE).len()).unwrap_or(u32::MAX);
        let drafts = lines.chunks(ERASED_LINES_A_LINE).zip(1..).map(|(lines, part)| {
            let (requested_seq, lines) = (note.requested_seq, lines.to_vec());
            Draft::of_keeper(LedgerErased { requested_seq, part, parts, lines })
        });
        let drafts: Vec<Draft> = drafts.collect();
        if !drafts.is_empty() {
            ledger.append(drafts).await?;
        }
    }
    let removing = || EraseError::io(format!("remove {NOTE}"));
    storage.remove(NOTE).map_err(removing())?;
    storage.sync_folder().map_err(removing())
}

fn is_written_down(ledger: &Ledger, requested_seq: u64) -> bool {
    let query = Query { kinds: vec!["keeper.erased".to_owned()], ..Query::default() };
    ledger.query(query).filter_map(Result::ok).any(|record| {
        erased_of(&record).is_some_and(|erased| erased.requested_seq == requested_seq)
    })
}
