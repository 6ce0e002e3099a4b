//! Agents' processes while the keeper runs: where each stands, and what can be asked of it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use abide_domain::{AgentId, Clock};
use abide_engine::mind::Mind;
use abide_supervisor::{
    AcpMind, DiskHold, ProcessStatus, ReportedMetrics, StateProblem, Supervisor,
};
use futures_util::future::join_all;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::process_history::{LOOK_EVERY, ProcessHistory, ProcessLook};
use super::shadows::ShadowLauncher;

/// Ends in a row after which a person is told that a process does not stay up.
const FAILURES_ALARM: u32 = 5;

/// All agents' processes: those over frames, and those of the Agent Client Protocol, which keep their sessions themselves.
#[derive(Clone, Debug)]
pub(crate) struct Processes {
    supervisor: Supervisor,
    acp: Arc<BTreeMap<AgentId, AcpMind>>,
    shadows: Arc<ShadowLauncher>,
    history: Arc<ProcessHistory>,
}

impl Processes {
    /// Joins what the supervisor keeps and the processes of the Agent Client Protocol.
    pub(super) fn new(
        supervisor: Supervisor,
        acp: BTreeMap<AgentId, AcpMind>,
        shadows: ShadowLauncher,
    ) -> Self {
        let (acp, shadows) = (Arc::new(acp), Arc::new(shadows));
        Self { supervisor, acp, shadows, history: Arc::default() }
    }

    /// What starts second processes of agents' own programs.
    pub(crate) fn shadows(&self) -> &ShadowLauncher {
        &self.shadows
    }

    /// The agents whose processes speak over frames, by id, and what keeps them.
    pub(crate) fn over_frames(&self) -> (&Supervisor, impl Iterator<Item = &AgentId>) {
        (&self.supervisor, self.supervisor.agents())
    }

    /// The mind that is an agent's process; none where it has none.
    pub(super) fn mind(&self, id: &AgentId, label: &str) -> Option<Arc<dyn Mind>> {
        let acp = self.acp.get(id).map(|mind| Arc::new(mind.clone()) as Arc<dyn Mind>);
        acp.or_else(|| self.supervisor.mind(id, label))
    }

    /// The agents that have one, by id.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.supervisor.agents().chain(self.acp.keys())
    }

    /// Where an agent's process stands; none where its mind runs in the keeper.
    pub(crate) fn status(&self, id: &AgentId) -> Option<ProcessStatus> {
        self.acp.get(id).map(AcpMind::status).or_else(|| self.supervisor.status(id))
    }

    /// Where a process stands that ends again and again; none where it does not.
    pub(crate) fn failing(&self, id: &AgentId) -> Option<ProcessStatus> {
        self.status(id).filter(|status| status.failures >= FAILURES_ALARM)
    }

    /// What keeps a process from being started that keeps more on the disk than it may; none where it does not.
    pub(crate) fn disk_hold(&self, id: &AgentId) -> Option<DiskHold> {
        self.status(id)?.disk_hold
    }

    /// What is wrong with keeping the private state of a process at this moment; none where nothing is.
    pub(crate) fn state_problem(&self, id: &AgentId) -> Option<StateProblem> {
        self.status(id)?.state_problem
    }

    /// Where an agent's process stands, and each change of that.
    pub(crate) fn changes(&self, id: &AgentId) -> Option<watch::Receiver<ProcessStatus>> {
        self.acp.get(id).map(AcpMind::status_changes).or_else(|| self.supervisor.status_changes(id))
    }

    /// Pings an agent's process and returns when it has answered; none where it cannot be pinged.
    pub(crate) async fn ping(&self, id: &AgentId) -> Option<Duration> {
        self.supervisor.ping(id).await.ok()
    }

    /// What an agent's process showed lately, the oldest first.
    pub(crate) fn looks(&self, id: &AgentId) -> Vec<ProcessLook> {
        self.history.of(id)
    }

    /// Looks at all of them again and again, until it is told to stop.
    pub(crate) async fn keep_history(&self, clock: Arc<dyn Clock>, stop: CancellationToken) {
        loop {
            for agent in self.agents() {
                if let Some(status) = self.status(agent) {
                    self.history.note(agent, &status, clock.now());
                }
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }

    /// What a process last measured of itself.
    pub(crate) fn metrics(&self, id: &AgentId) -> Option<ReportedMetrics> {
        self.supervisor.metrics(id)
    }

    /// What can start, stop, save and restore an agent's process; none where nothing can.
    pub(crate) fn supervisor_of(&self, id: &AgentId) -> Option<&Supervisor> {
        self.supervisor.status(id).map(|_| &self.supervisor)
    }

    /// Ends all of them, and returns when none is left.
    pub(crate) async fn shutdown(&self) {
        let acp = join_all(self.acp.values().map(AcpMind::shutdown));
        tokio::join!(self.supervisor.shutdown(), acp);
    }
}
