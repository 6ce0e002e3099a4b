//! The first rung: does an agent's process answer? It is pinged, and its pong is the answer, or any heartbeat after the
//! ping: a process of an older protocol, or of the Agent Client Protocol, knows no ping.

use std::sync::Arc;

use abide_domain::{AgentId, Clock, EpisodeId};
use abide_supervisor::ProcessState;
use abide_watchdog::{Bell, BellOutcome};
use futures_util::future::BoxFuture;

use crate::agents::Processes;

/// Pings processes.
#[derive(Debug)]
pub(super) struct ProcessBell {
    processes: Processes,
    clock: Arc<dyn Clock>,
}

impl ProcessBell {
    /// Pings these processes.
    pub(super) fn new(processes: Processes, clock: Arc<dyn Clock>) -> Self {
        Self { processes, clock }
    }

    async fn answer(&self, agent: &AgentId) -> BellOutcome {
        let pong = async {
            match self.processes.ping(agent).await {
                Some(_) => BellOutcome::Pong,
                // The heartbeats decide.
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            answer = pong => answer,
            answer = self.wait_for_heartbeat(agent) => answer,
        }
    }

    async fn wait_for_heartbeat(&self, agent: &AgentId) -> BellOutcome {
        let Some(mut changes) = self.processes.changes(agent) else {
            return BellOutcome::NoProcess;
        };
        let rung_at = self.clock.now();
        loop {
            let (state, heartbeat_at, message) = {
                let status = changes.borrow_and_update();
                (status.state, status.last_heartbeat_at, status.message.clone())
            };
            if let Some(reason) = not_running(state) {
                let message = message.map(|message| format!(": {message}")).unwrap_or_default();
                return BellOutcome::NotDelivered(format!("{reason}{message}"));
            }
            if heartbeat_at.is_some_and(|heartbeat_at| heartbeat_at > rung_at) {
                return BellOutcome::Pong;
            }
            if changes.changed().await.is_err() {
                return BellOutcome::NotDelivered(
                    "the supervisor of the process has ended".to_owned(),
                );
            }
        }
    }
}

/// Why the process cannot be pinged, if so.
const fn not_running(state: ProcessState) -> Option<&'static str> {
    match state {
        ProcessState::NotStarted => Some("the process has not started"),
        ProcessState::Waiting { .. } => Some("the process ended and waits for its next start"),
        ProcessState::Hibernated => Some("the process is hibernated"),
        ProcessState::Parked => Some("the process was parked by a person"),
        ProcessState::OverDiskLimit => Some("the process keeps more on the disk than it may"),
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
