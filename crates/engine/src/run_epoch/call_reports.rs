//! What a running call says, on its way to the people who watch: at a pace that a person can follow, to whoever follows.
//!
//! It must never hold up the call, and nothing of it is recorded: the ledger gets what the call gave. That something was said is a
//! sign of life of the agent, as a piece of an answer is, and no evidence.

use std::{sync::Arc, time::Duration};

use abide_domain::{AgentId, CallId, EpochId};
use abide_tools::{CallProgress, CallUpdate};
use tokio::sync::broadcast;

use super::walk::Walk;
use crate::{activity::AgentActivity, services::ToolProgress};

/// The least time between two updates of a call, but for the last.
const UPDATE_INTERVAL: Duration = Duration::from_millis(250);

/// Hands on what one call says.
pub(super) struct CallReports<'a> {
    agent: AgentId,
    epoch: EpochId,
    call_id: &'a CallId,
    said: &'a CallProgress,
    activity: Arc<AgentActivity>,
    listeners: broadcast::Sender<ToolProgress>,
}

impl<'a> CallReports<'a> {
    pub(super) fn new(walk: &Walk<'_>, call_id: &'a CallId, said: &'a CallProgress) -> Self {
        let agent = walk.agent.id.clone();
        Self {
            activity: walk.services.activities.of(&agent),
            agent,
            epoch: walk.record.id,
            call_id,
            said,
            listeners: walk.services.tool_progress.clone(),
        }
    }

    /// Hands on what is said, as long as this is polled.
    pub(super) async fn hand_on(&self) {
        loop {
            self.said.changed().await;
            self.send(self.said.take());
            tokio::time::sleep(UPDATE_INTERVAL).await;
        }
    }

    /// Hands on what is left when the call has ended.
    pub(super) fn hand_on_last(&self) {
        self.send(self.said.take_last());
    }

    fn send(&self, update: Option<CallUpdate>) {
        let Some(update) = update else { return };
        self.activity.note_piece();
        let (agent, epoch, call_id) = (self.agent.clone(), self.epoch, self.call_id.clone());
        // That nobody listens is no failure.
        drop(self.listeners.send(ToolProgress { agent, epoch, call_id, update }));
    }
}
