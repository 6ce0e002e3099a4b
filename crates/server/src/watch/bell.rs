//! The first rung: does an agent's process breathe? It is pinged, and its pong is the answer, or whatever else is heard of it
//! after the ring: a process of an older protocol, or of the Agent Client Protocol, knows no ping.

use std::sync::Arc;

use abide_domain::{AgentId, Clock, EpisodeId};
use abide_supervisor::ProcessState;
use abide_watchdog::{Bell, BellOutcome};
use futures_util::future::BoxFuture;

use crate::processes::Processes;

/// Rings at processes.
#[derive(Debug)]
pub(super) struct ProcessBell {
    processes: Processes,
    clock: Arc<dyn Clock>,
}

impl ProcessBell {
    /// A bell at these processes.
    pub(super) fn new(processes: Processes, clock: Arc<dyn Clock>) -> Self {
        Self { processes, clock }
    }

    async fn answer(&self, agent: &AgentId) -> BellOutcome {
        let pong = async {
            match self.processes.ping(agent).await {
                Some(_) => BellOutcome::Pong,
                // Whether it lives is told by what else is heard.
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            answer = pong => answer,
            answer = self.listen(agent) => answer,
        }
    }

    async fn listen(&self, agent: &AgentId) -> BellOutcome {
        let Some(mut changes) = self.processes.changes(agent) else {
            return BellOutcome::NoProcess;
        };
        let rung_at = self.clock.now();
        loop {
            let (state, heard_at, message) = {
                let status = changes.borrow_and_update();
                (status.state, status.last_heartbeat_at, status.message.clone())
            };
            if let Some(why) = absence(state) {
                let message = message.map(|message| format!(": {message}")).unwrap_or_default();
                return BellOutcome::NotDelivered(format!("{why}{message}"));
            }
            if heard_at.is_some_and(|heard_at| heard_at > rung_at) {
                return BellOutcome::Pong;
            }
            if changes.changed().await.is_err() {
                return BellOutcome::NotDelivered("nobody keeps the process any more".to_owned());
            }
        }
    }
}

/// Why nobody can hear the bell, if so.
const fn absence(state: ProcessState) -> Option<&'static str> {
    match state {
        ProcessState::NotStarted => Some("the process has not started"),
        ProcessState::Waiting { .. } => Some("the process ended and waits for its next start"),
        ProcessState::Hibernated => Some("the process was put away"),
        ProcessState::Parked => Some("the process was taken out by a person"),
        ProcessState::Starting
        | ProcessState::Ready
        | ProcessState::Busy
        | ProcessState::Unresponsive => None,
    }
}

impl Bell for ProcessBell {
    fn ring(&self, agent: AgentId, _episode: EpisodeId) -> BoxFuture<'_, BellOutcome> {
        Box::pin(async move { self.answer(&agent).await })
    }
}
