//! Records what happens to processes in the ledger, on a task of its own: supervision never waits for the ledger.
//!
//! The queue is bounded. While the ledger cannot write the oldest events wait, and the newest are dropped and logged; a
//! ledger that is closed for good loses them, which is logged too.

use std::{sync::Arc, time::Duration};

use abide_domain::{AgentId, EntityName, event::Event};
use abide_ledger::{AppendError, Draft, Ledger};
use tokio::sync::mpsc;

/// Events that may wait.
const WAITING_MAX: usize = 1024;
/// Events that go in one append.
const BATCH_MAX: usize = 64;
/// How long to wait before a ledger that cannot write is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Queues the events of actors. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    /// None: nothing is recorded.
    events: Option<mpsc::Sender<Draft>>,
}

/// Writes queued events to the ledger; ends with the last recorder.
#[derive(Debug)]
pub(crate) struct Recording {
    events: mpsc::Receiver<Draft>,
    ledger: Ledger,
}

/// Makes both ends.
pub(crate) fn recorder(ledger: Ledger) -> (Recorder, Recording) {
    let (sender, events) = mpsc::channel(WAITING_MAX);
    (Recorder { events: Some(sender) }, Recording { events, ledger })
}

impl Recorder {
    /// One that records nothing: of a shadow, whose life is no part of its agent's.
    pub(crate) const fn none() -> Self {
        Self { events: None }
    }

    /// Records an event about an agent that the keeper noticed.
    pub(crate) fn by_keeper(&self, agent: &AgentId, event: impl Into<Event>) {
        self.enqueue(agent, EntityName::keeper(), event.into());
    }

    /// Records an event that the agent itself caused: evidence.
    pub(crate) fn by_agent(&self, agent: &AgentId, event: impl Into<Event>) {
        self.enqueue(agent, agent.entity(), event.into());
    }

    fn enqueue(&self, agent: &AgentId, author: EntityName, event: Event) {
        let Some(events) = &self.events else { return };
        let kind = event.kind().name;
        let draft = Draft { entity: agent.entity(), author, epoch: None, event };
        if events.try_send(draft).is_err() {
            tracing::warn!(%agent, event = "event_dropped", kind, "event not recorded: the queue to the ledger is full");
        }
    }
}

impl Recording {
    /// Runs until no actor is left and all that was queued is written.
    pub(crate) async fn run(mut self) {
        let mut drafts = Vec::new();
        while self.events.recv_many(&mut drafts, BATCH_MAX).await > 0 {
            self.write(std::mem::take(&mut drafts)).await;
        }
    }

    async fn write(&mut self, drafts: Vec<Draft>) {
        loop {
            match self.ledger.append(drafts.clone()).await {
                Ok(_) => return,
                // When the actors are gone nobody waits for a disk any more.
                Err(AppendError::Degraded { .. }) if !self.events.is_closed() => {
                    tokio::time::sleep(RETRY_AFTER).await;
                }
                Err(error) if drafts.len() > 1 && is_about_one(&error) => {
                    return self.write_each(drafts).await;
                }
                Err(error) => return log_dropped(&drafts, &Arc::new(error)),
            }
        }
    }

    /// One event that cannot be written must not take its neighbours with it.
    async fn write_each(&mut self, drafts: Vec<Draft>) {
        for draft in drafts {
            if let Err(error) = self.ledger.append(vec![draft.clone()]).await {
                log_dropped(&[draft], &Arc::new(error));
            }
        }
    }
}

fn is_about_one(error: &AppendError) -> bool {
    matches!(
        error,
        AppendError::Encode { .. }
            | AppendError::LineTooLong { .. }
            | AppendError::BatchTooLarge { .. }
    )
}

fn log_dropped(drafts: &[Draft], error: &Arc<AppendError>) {
    for draft in drafts {
        let kind = draft.event.kind().name;
        tracing::error!(entity = %draft.entity, event = "event_dropped", kind, %error, "event not recorded: the ledger failed");
    }
}
