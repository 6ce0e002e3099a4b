//! Makes the next snapshot of the state where one is due: after many events, at the seal of a segment, and at a graceful stop.

use std::time::Duration;

use abide_engine::snapshot::{SNAPSHOT_EVENTS, Snapshots};
use abide_ledger::Ledger;
use tokio_util::sync::CancellationToken;

/// How often it is looked whether one is due.
const LOOK: Duration = Duration::from_secs(10);
/// New events below which a stop makes none: a start folds them in a few milliseconds.
const STOP_EVENTS: u64 = 1_024;

/// Keeps snapshots up to a ledger, whose start was made with all of it; until it is told to stop, when it makes the last one.
pub(super) async fn keep_snapshots(snapshots: Snapshots, ledger: Ledger, stop: CancellationToken) {
    let mut done = ledger.head();
    loop {
        let is_stopped = tokio::time::timeout(LOOK, stop.cancelled()).await.is_ok();
        let head = ledger.head();
        let new = head.seq.saturating_sub(done.seq);
        let is_due = if is_stopped {
            new >= STOP_EVENTS
        } else {
            new >= SNAPSHOT_EVENTS || head.segment != done.segment && new > 0
        };
        if is_due {
            advance(&snapshots, &ledger).await;
            done = head;
        }
        if is_stopped {
            return;
        }
    }
}

async fn advance(snapshots: &Snapshots, ledger: &Ledger) {
    let (snapshots, ledger) = (snapshots.clone(), ledger.clone());
    let made = tokio::task::spawn_blocking(move || snapshots.advance(&ledger)).await;
    match made {
        Ok(Ok(seq)) => tracing::debug!(event = "snapshot_made", seq, "a snapshot was made"),
        Ok(Err(error)) => {
            tracing::warn!(event = "snapshot_not_written", %error,
                "a snapshot could not be made; the next start reads more of the ledger");
        }
        Err(error) => {
            tracing::error!(event = "snapshot_not_written", %error, "the making of a snapshot panicked");
        }
    }
}
