//! What the supervisor holds of each agent, and the tasks that it hands out to be run.

use std::fmt;

use abide_wire::Secret;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};

use super::{
    command::Command,
    status::{ProcessStatus, ReportedMetrics},
};

/// The ends of the channels to one agent's actor.
#[derive(Clone, Debug)]
pub(crate) struct AgentHandle {
    pub(crate) commands: mpsc::Sender<Command>,
    pub(super) status: watch::Receiver<ProcessStatus>,
    pub(super) metrics: watch::Receiver<Option<ReportedMetrics>>,
    /// What its process shows where it connects by itself.
    pub(crate) secret: Option<Secret>,
}

/// A task that the composition root runs until it ends; `Supervisor::shutdown` ends all of them.
pub struct SupervisorTask {
    /// For logs, such as `agent felix`.
    pub name: String,
    /// Runs until the supervisor is shut down.
    pub future: BoxFuture<'static, ()>,
}

impl fmt::Debug for SupervisorTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SupervisorTask").field("name", &self.name).finish_non_exhaustive()
    }
}

impl SupervisorTask {
    pub(crate) fn new(
        name: impl Into<String>,
        future: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        Self { name: name.into(), future: Box::pin(future) }
    }
}
