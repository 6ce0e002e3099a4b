//! Writes what happens to the queue into the ledger.

use abide_engine::Keeper;
use abide_media::{MediaActor, QueueEvent, QueueRecordError, QueueRecorder};
use futures_util::future::{BoxFuture, FutureExt as _};

/// The ledger, as who plays the queue needs it.
#[derive(Debug)]
pub(super) struct LedgerRecorder(pub(super) Keeper);

impl QueueRecorder for LedgerRecorder {
    fn record(
        &self,
        events: Vec<QueueEvent>,
        by: MediaActor,
    ) -> BoxFuture<'_, Result<(), QueueRecordError>> {
        async move {
            let written = self.0.record_queue(&events, &by).await;
            written.map_err(|error| QueueRecordError { reason: error.to_string() })
        }
        .boxed()
    }
}
