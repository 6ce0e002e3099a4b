//! Gives every text of the agents' memories its vector, in the background.
//!
//! It follows the ledger: what an epoch left behind can be found by words at once, by meaning a moment later. Nothing
//! waits for it, and what it has not done when it is stopped it does at the next start. It must never be why an epoch
//! fails: an embedder that is away is asked again later.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use abide_domain::AgentId;
use abide_memory::{EmbedMissingError, VectorCursor, embed_next};
use tokio_util::sync::CancellationToken;

use crate::{agent_setup::AgentSetup, services::Services};

/// How long what comes in is gathered, so that texts are embedded in batches.
const GATHER: Duration = Duration::from_millis(100);
/// How long an embedder that failed is left alone.
const PAUSE: Duration = Duration::from_mins(1);

/// How far the texts of one agent are.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    cursor: VectorCursor,
    /// The last event that was applied before the last run.
    done_seq: u64,
}

/// Gives texts their vectors. One task for all agents; what it has not done when it stops it does at the next start.
#[derive(Debug)]
pub struct EmbeddingTask {
    services: Arc<Services>,
    progress: BTreeMap<AgentId, Progress>,
}

impl EmbeddingTask {
    /// For all agents that have an embedder.
    pub fn new(services: Arc<Services>) -> Self {
        Self { services, progress: BTreeMap::new() }
    }

    /// Works until it is told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut applications = self.services.view.applications();
        loop {
            let pause = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                pause = self.catch_up() => pause,
            };
            let changed = async {
                // The sender lives as long as the services.
                drop(applications.changed().await);
                tokio::time::sleep(pause).await;
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = changed => {}
            }
        }
    }

    /// Embeds what has none yet, and says how long to wait after the next event.
    async fn catch_up(&mut self) -> Duration {
        let mut pause = GATHER;
        for agent in self.services.agents.all() {
            let done = self.progress.entry(agent.id.clone()).or_default();
            let applied = agent.facts.applied_seq();
            if applied <= done.done_seq {
                continue;
            }
            match catch_up(&agent, &mut done.cursor).await {
                Ok(()) => done.done_seq = applied,
                Err(error) => {
                    tracing::warn!(agent = %agent.id, event = "embedding_failed", %error,
                        "new texts could not be embedded; they are found by words alone until the next try");
                    pause = PAUSE;
                }
            }
        }
        pause
    }
}

async fn catch_up(agent: &AgentSetup, cursor: &mut VectorCursor) -> Result<(), EmbedMissingError> {
    let Some(embedder) = &agent.dreamer.embedder else { return Ok(()) };
    while embed_next(&agent.facts, &**embedder, cursor).await? > 0 {
        // A long catching-up leaves the thread to others between its batches.
        tokio::task::yield_now().await;
    }
    Ok(())
}
