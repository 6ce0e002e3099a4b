//! Who decided on an approval, from the ledger: for the question that stands in the chat.

use abide_domain::{
    ApprovalId, EntityName, EpochId,
    event::{ApprovalDecided, ApprovalEvent, Event},
};
use abide_engine::Keeper;
use abide_ledger::{Ledger, Query};

use super::texts;

/// A question as it stands in the chat after its decision.
pub(super) async fn decided_text(
    keeper: &Keeper,
    (epoch, approval): (EpochId, ApprovalId),
    question: &str,
) -> String {
    let ledger = keeper.ledger().clone();
    let read = move || find_decision(&ledger, epoch, approval);
    let decided = tokio::task::spawn_blocking(read).await.ok().flatten();
    texts::format_decided(question, decided.as_ref().map(|(decided, by)| (decided, by)))
}

/// Blocking.
fn find_decision(
    ledger: &Ledger,
    epoch: EpochId,
    approval: ApprovalId,
) -> Option<(ApprovalDecided, EntityName)> {
    let kinds = vec!["approval.decided".to_owned()];
    let records = ledger.query(Query { kinds, epoch: Some(epoch), ..Query::default() });
    records.filter_map(|record| record.ok()?.entry().ok()).find_map(|entry| match entry.event {
        Event::Approval(ApprovalEvent::Decided(decided)) if decided.approval_id == approval => {
            Some((decided, entry.author))
        }
        _ => None,
    })
}
