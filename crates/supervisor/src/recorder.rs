//! Takes what happens to processes to the ledger, behind the actors: supervision never waits for the ledger.
//!
//! The queue is bounded. While the ledger takes nothing the oldest events wait and the newest are dropped and counted in
//! the log; a ledger that is closed for good loses them, and that is said too.

use std::{sync::Arc, time::Duration};

use abide_domain::{AgentId, EntityName, event::Event};
use abide_ledger::{AppendError, Draft, Ledger};
use tokio::sync::mpsc;

/// Events that may wait.
const WAITING_MAX: usize = 1024;
/// Events that go in one append.
const BATCH_MAX: usize = 64;
/// How long to wait before a ledger that takes nothing is asked again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Where actors leave their events.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    events: mpsc::Sender<Draft>,
}

/// Brings them to the ledger.
#[derive(Debug)]
pub(crate) struct Recording {
    events: mpsc::Receiver<Draft>,
    ledger: Ledger,
}

/// Makes both ends.
pub(crate) fn recorder(ledger: Ledger) -> (Recorder, Recording) {
    let (sender, events) = mpsc::channel(WAITING_MAX);
    (Recorder { events: sender }, Recording { events, ledger })
}

impl Recorder {
    /// Leaves an event about an agent that the keeper noticed.
    pub(crate) fn by_keeper(&self, agent: &AgentId, event: impl Into<Event>) {
        self.leave(agent, EntityName::keeper(), event.into());
    }

    /// Leaves an event that the agent itself caused: evidence.
    pub(crate) fn by_agent(&self, agent: &AgentId, event: impl Into<Event>) {
        self.leave(agent, agent.entity(), event.into());
    }

    fn leave(&self, agent: &AgentId, author: EntityName, event: Event) {
        let kind = event.kind().name;
        let draft = Draft { entity: agent.entity(), author, epoch: None, event };
        if self.events.try_send(draft).is_err() {
            tracing::warn!(%agent, kind, "an event is not recorded: the ledger takes nothing");
        }
    }
}

impl Recording {
    /// Runs until no actor is left and everything that they left was brought over.
    pub(crate) async fn run(mut self) {
        let mut drafts = Vec::new();
        while self.events.recv_many(&mut drafts, BATCH_MAX).await > 0 {
            self.bring(std::mem::take(&mut drafts)).await;
        }
    }

    async fn bring(&mut self, drafts: Vec<Draft>) {
        loop {
            match self.ledger.append(drafts.clone()).await {
                Ok(_) => return,
                // When the actors are gone nobody waits for a disk any more.
                Err(AppendError::Degraded { .. }) if !self.events.is_closed() => {
                    tokio::time::sleep(RETRY_AFTER).await;
                }
                Err(error) if drafts.len() > 1 && is_about_one(&error) => {
                    return self.bring_each(drafts).await;
                }
                Err(error) => return lost(&drafts, &Arc::new(error)),
            }
        }
    }

    /// One event that cannot be written must not take its neighbours with it.
    async fn bring_each(&mut self, drafts: Vec<Draft>) {
        for draft in drafts {
            if let Err(error) = self.ledger.append(vec![draft.clone()]).await {
                lost(&[draft], &Arc::new(error));
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

fn lost(drafts: &[Draft], error: &Arc<AppendError>) {
    for draft in drafts {
        let kind = draft.event.kind().name;
        tracing::error!(entity = %draft.entity, kind, %error, "an event is not recorded");
    }
}
