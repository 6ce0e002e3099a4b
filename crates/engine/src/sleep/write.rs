//! How a run of sleep writes: it waits for a full disk, so that what was distilled and paid for is not lost.

use std::time::Duration;

use abide_domain::event::Event;
use abide_ledger::{AppendError, Draft, LedgerStatus};

use crate::{agent_setup::AgentSetup, failpoint::InjectedError, services::Services};

/// Between two tries to write.
const WRITE_AGAIN: Duration = Duration::from_secs(5);

/// Why a run stops before its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum SleepRunError {
    /// Nothing can be written for good.
    #[error("the ledger accepts no more events")]
    Ledger(#[source] AppendError),
    /// A test set a failpoint.
    #[error(transparent)]
    Failpoint(#[from] InjectedError),
}

/// Writes events of one batch and waits until all views show them. A disk that is full is waited for, so that what was
/// distilled and paid for is not lost.
pub(super) async fn write(
    services: &Services,
    agent: &AgentSetup,
    events: Vec<Event>,
) -> Result<(), SleepRunError> {
    let entity = agent.id.entity();
    let draft =
        |event| Draft { entity: entity.clone(), author: entity.clone(), epoch: None, event };
    let drafts: Vec<Draft> = events.into_iter().map(draft).collect();
    loop {
        match services.ledger.append(drafts.clone()).await {
            Ok(appended) => {
                services.view.applied(appended.last_seq).await;
                return Ok(());
            }
            Err(AppendError::Degraded { reason }) => {
                tracing::warn!(agent = %agent.id, event = "sleep_waits_for_disk", %reason,
                    "the ledger cannot be written at present; the sleep waits");
                // A degraded ledger finds out by trying: the next append is the try.
                tokio::time::sleep(WRITE_AGAIN).await;
            }
            Err(error) => return Err(SleepRunError::Ledger(error)),
        }
    }
}

/// Waits until there is a point in distilling: what cannot be written would be paid for in vain.
pub(super) async fn until_writable(services: &Services) -> Result<(), SleepRunError> {
    let mut status = services.ledger.status_changes();
    let settled = status.wait_for(|status| !matches!(status, LedgerStatus::Degraded { .. })).await;
    match settled.as_deref() {
        Ok(LedgerStatus::Poisoned { reason }) => {
            Err(SleepRunError::Ledger(AppendError::Poisoned { reason: reason.clone() }))
        }
        _ => Ok(()),
    }
}
