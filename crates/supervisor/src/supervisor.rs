//! All agents that are kept as processes: what the server and the engine see of them.
//!
//! A handle costs nothing to clone and holds no process; all of them live in actors. It starts no task: whoever makes it
//! runs the tasks that it hands out.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc, time::Duration};

use abide_domain::{AgentId, Clock, IdSource};
use abide_engine::mind::Mind;
use abide_wire::EvolutionResult;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    agent::AgentActor, checkpoint::StoredCheckpoint, lifecycle::LifecycleParts, mind::AgentMind,
    recorder::recorder, shared::SharedResources, socket::SocketListeners,
};

mod code;
mod command;
mod error;
mod handle;
mod spec;
mod status;

pub use code::{CodeProblem, LoadedCandidate, ProgramCode, ProgramCodes};
pub use command::{ProcessCommandError, RestoreSummary};
pub use error::SupervisorError;
pub use handle::SupervisorTask;
pub use spec::{AgentSpec, Launch, Sandbox, StartMode, SupervisorParts, SupervisorSettings};
pub use status::{
    CheckpointStatus, DiskHold, ProcessState, ProcessStatus, ReportedMetrics, StateProblem,
    StateProblemKind,
};

pub(crate) use command::{Command, Reply, WithCodes};
pub(crate) use handle::AgentHandle;

/// Commands that may wait for one agent.
const COMMANDS_MAX: usize = 64;

/// All agents that are kept as processes.
#[derive(Clone, Debug)]
pub struct Supervisor {
    handles: Arc<SupervisorHandles>,
}

#[derive(Debug)]
struct SupervisorHandles {
    agents: Arc<BTreeMap<AgentId, AgentHandle>>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    stop: CancellationToken,
    tcp: Option<SocketAddr>,
}

impl Supervisor {
    /// Makes a supervisor and the tasks that it is made of. Opens the sockets; starts nothing.
    pub fn new(parts: SupervisorParts) -> Result<(Self, Vec<SupervisorTask>), SupervisorError> {
        let SupervisorParts { home, ledger, clock, ids, shim, settings, agents: specs } = parts;
        let stop = CancellationToken::new();
        let listeners = SocketListeners::open(&settings)?;
        let tcp = listeners.tcp();
        let (recorder, recording) = recorder(ledger.clone());
        let shared = Arc::new(SharedResources {
            home,
            ledger: Some(ledger),
            lifecycle: LifecycleParts {
                clock: Arc::clone(&clock),
                ids: Arc::clone(&ids),
                shim,
                recorder,
            },
            settings,
            stop: stop.clone(),
        });
        let mut tasks = vec![SupervisorTask::new("supervisor recorder", recording.run())];
        let mut agents = BTreeMap::new();
        for spec in specs {
            let agent = spec.id.clone();
            let secret = match &spec.launch {
                Launch::Socket { secret } => Some(secret.clone()),
                Launch::Stdio { .. } => None,
            };
            let (commands, incoming) = mpsc::channel(COMMANDS_MAX);
            let (status_sender, status) = watch::channel(ProcessStatus::default());
            let (metrics_sender, metrics) = watch::channel(None);
            let actor =
                AgentActor::new(Arc::clone(&shared), spec, incoming, status_sender, metrics_sender);
            tasks.push(SupervisorTask::new(format!("agent {agent}"), actor.run()));
            let handle = AgentHandle { commands, status, metrics, secret };
            if agents.insert(agent.clone(), handle).is_some() {
                return Err(SupervisorError::Twice { agent });
            }
        }
        if agents.is_empty() {
            // A recorder without an actor would end at once.
            tasks.clear();
        }
        let agents = Arc::new(agents);
        tasks.extend(
            listeners.serve(&shared, &agents).map(|(name, future)| SupervisorTask { name, future }),
        );
        let handles = SupervisorHandles { agents, clock, ids, stop, tcp };
        Ok((Self { handles: Arc::new(handles) }, tasks))
    }

    /// The agents, by id.
    pub fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.handles.agents.keys()
    }

    /// The address that agents connect to, where there is one.
    pub fn tcp_address(&self) -> Option<SocketAddr> {
        self.handles.tcp
    }

    /// The mind of an agent, under a name for people; none where it is not kept as a process.
    pub fn mind(&self, id: &AgentId, label: &str) -> Option<Arc<dyn Mind>> {
        let commands = self.handles.agents.get(id)?.commands.clone();
        let (clock, ids) = (Arc::clone(&self.handles.clock), Arc::clone(&self.handles.ids));
        Some(Arc::new(AgentMind::new(label, commands, clock, ids)))
    }

    /// The state of an agent's process.
    pub fn status(&self, id: &AgentId) -> Option<ProcessStatus> {
        self.handles.agents.get(id).map(|handle| handle.status.borrow().clone())
    }

    /// The state of an agent's process, and each change of it.
    pub fn status_changes(&self, id: &AgentId) -> Option<watch::Receiver<ProcessStatus>> {
        self.handles.agents.get(id).map(|handle| handle.status.clone())
    }

    /// The newest measurements that an agent's process sent.
    pub fn metrics(&self, id: &AgentId) -> Option<ReportedMetrics> {
        self.handles.agents.get(id)?.metrics.borrow().clone()
    }

    /// Ends the run and begins another. Returns when the old one is over; a start that is due later is made now.
    pub async fn restart(&self, id: &AgentId) -> Result<(), ProcessCommandError> {
        self.send_command(id, Command::Restart).await
    }

    /// Ends the run and begins none until [`resume`](Self::resume). Turns wait.
    pub async fn park(&self, id: &AgentId) -> Result<(), ProcessCommandError> {
        self.send_command(id, Command::Park).await
    }

    /// Lets runs of a parked agent begin again.
    pub async fn resume(&self, id: &AgentId) -> Result<(), ProcessCommandError> {
        self.send_command(id, Command::Resume).await
    }

    /// Pings the process and returns how long the answer took. It waits for ever where none comes, and ends with an error where
    /// the process cannot be pinged or ends.
    pub async fn ping(&self, id: &AgentId) -> Result<Duration, ProcessCommandError> {
        self.send_command(id, Command::Ping).await
    }

    /// Has the process make a checkpoint, and returns when it is durable.
    pub async fn checkpoint(&self, id: &AgentId) -> Result<StoredCheckpoint, ProcessCommandError> {
        self.send_command(id, Command::Checkpoint).await
    }

    /// Goes back to a checkpoint: ends the run, sets aside what came later, begins another.
    pub async fn restore(
        &self,
        id: &AgentId,
        checkpoint: Uuid,
    ) -> Result<RestoreSummary, ProcessCommandError> {
        self.send_command(id, |reply| Command::Restore(checkpoint, reply)).await
    }

    /// Tells the process what became of a proposal of its own, where it runs.
    pub async fn say_evolution_result(
        &self,
        id: &AgentId,
        result: EvolutionResult,
    ) -> Result<(), ProcessCommandError> {
        self.send_command(id, |reply| Command::SayEvolutionResult(Box::new(result), reply)).await
    }

    /// Starts the process where it is not there and may be. Returns at once: its status says when it is ready.
    pub async fn wake(&self, id: &AgentId) -> Result<(), ProcessCommandError> {
        self.send_command(id, Command::Wake).await
    }

    /// Says which code the process runs beside its own, and which checkpoints are not to go. Returns when no turn is answered by other
    /// code any more: a run that has loaded something else is ended first.
    pub async fn run_code(
        &self,
        id: &AgentId,
        codes: ProgramCodes,
    ) -> Result<(), ProcessCommandError> {
        self.send_command(id, |reply| Command::RunCode(codes, WithCodes::Nothing(reply))).await
    }

    /// The same from a checkpoint on: ends the run, sets aside what came later.
    pub async fn run_code_from(
        &self,
        id: &AgentId,
        codes: ProgramCodes,
        checkpoint: Uuid,
    ) -> Result<RestoreSummary, ProcessCommandError> {
        let with = |reply| Command::RunCode(codes, WithCodes::Restore(checkpoint, reply));
        self.send_command(id, with).await
    }

    /// Has the process load code between two turns. No turn is answered before the answer is
    /// [confirmed](LoadedCandidate::confirm); where it is dropped, the process begins anew with the code in force. Where the
    /// code cannot be loaded the process begins anew as well, and answers nothing before [`run_code`](Self::run_code).
    pub async fn reload(
        &self,
        id: &AgentId,
        code: ProgramCode,
    ) -> Result<LoadedCandidate, ProcessCommandError> {
        self.send_command(id, |reply| Command::Reload(Box::new(code), reply)).await
    }

    async fn send_command<T>(
        &self,
        id: &AgentId,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<T, ProcessCommandError> {
        let unknown = || ProcessCommandError::UnknownAgent { agent: id.to_string() };
        let handle = self.handles.agents.get(id).ok_or_else(unknown)?;
        let (reply, answer) = oneshot::channel();
        let sent = handle.commands.send(command(reply)).await;
        sent.map_err(|_| ProcessCommandError::Stopping)?;
        answer.await.unwrap_or(Err(ProcessCommandError::Stopping))
    }

    /// Ends all runs at once, each with a checkpoint where its process can make one, and returns when none is left.
    pub async fn shutdown(&self) {
        self.handles.stop.cancel();
        for handle in self.handles.agents.values() {
            handle.commands.closed().await;
        }
    }
}
