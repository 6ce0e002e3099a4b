//! All agents that are kept as processes: what the server and the engine see of them.
//!
//! A handle costs nothing to clone and holds no process; all of them live in actors. It starts no task: whoever makes it
//! runs the tasks that it hands out.

use std::{
    collections::BTreeMap, fmt, io, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration,
};

use abide_domain::{AgentId, Clock, IdSource};
use abide_engine::mind::Mind;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    agent::{Agent, House},
    checkpoint::StoredCheckpoint,
    mind::AgentMind,
    recorder::recorder,
    socket::SocketListeners,
};

mod command;
mod spec;
mod status;

pub use command::{ProcessCommandError, RestoreSummary};
pub use spec::{AgentSpec, Launch, StartMode, SupervisorParts, SupervisorSettings};
pub use status::{CheckpointStatus, ProcessState, ProcessStatus, ReportedMetrics};

pub(crate) use command::{Command, Reply};

/// Commands that may wait for one agent.
const COMMANDS_MAX: usize = 64;

/// All agents that are kept as processes.
#[derive(Clone, Debug)]
pub struct Supervisor {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    agents: Arc<BTreeMap<AgentId, AgentHandle>>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    stop: CancellationToken,
    tcp: Option<SocketAddr>,
}

/// What is held of one agent.
#[derive(Clone, Debug)]
pub(crate) struct AgentHandle {
    pub(crate) commands: mpsc::Sender<Command>,
    status: watch::Receiver<ProcessStatus>,
    metrics: watch::Receiver<Option<ReportedMetrics>>,
}

/// A task that the composition root runs until it ends; [`Supervisor::shutdown`] ends all of them.
pub struct SupervisorTask {
    /// For logs, such as `agent felix`.
    pub name: String,
    /// What is to be run.
    pub future: BoxFuture<'static, ()>,
}

impl fmt::Debug for SupervisorTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SupervisorTask").field("name", &self.name).finish_non_exhaustive()
    }
}

impl SupervisorTask {
    fn new(name: impl Into<String>, future: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { name: name.into(), future: Box::pin(future) }
    }
}

/// Says why there is no supervisor.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// Two agents share an id.
    #[error("the agent `{agent}` is there twice")]
    Twice {
        /// The id.
        agent: AgentId,
    },
    /// The socket cannot be opened.
    #[error("cannot listen on {}", path.display())]
    Socket {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Tcp {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The address is not on this machine alone.
    #[error("{address} is no loopback address: agents that connect are met on this machine alone")]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
}

impl Supervisor {
    /// Makes a supervisor and the tasks that it is made of. Opens the sockets; starts nothing.
    pub fn new(parts: SupervisorParts) -> Result<(Self, Vec<SupervisorTask>), SupervisorError> {
        let SupervisorParts { home, ledger, clock, ids, shim, settings, agents: specs } = parts;
        let stop = CancellationToken::new();
        let doors = SocketListeners::open(&settings)?;
        let tcp = doors.tcp();
        let (recorder, recording) = recorder(ledger.clone());
        let house = Arc::new(House {
            home,
            ledger,
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            shim,
            settings,
            recorder,
            stop: stop.clone(),
        });
        let mut tasks = vec![SupervisorTask::new("supervisor recorder", recording.run())];
        let mut agents = BTreeMap::new();
        for spec in specs {
            let agent = spec.id.clone();
            let (commands, orders) = mpsc::channel(COMMANDS_MAX);
            let (status_sender, status) = watch::channel(ProcessStatus::default());
            let (metrics_sender, metrics) = watch::channel(None);
            let actor = Agent::new(Arc::clone(&house), spec, orders, status_sender, metrics_sender);
            tasks.push(SupervisorTask::new(format!("agent {agent}"), actor.run()));
            let handle = AgentHandle { commands, status, metrics };
            if agents.insert(agent.clone(), handle).is_some() {
                return Err(SupervisorError::Twice { agent });
            }
        }
        if agents.is_empty() {
            // A recorder that nobody speaks to would end at once.
            tasks.clear();
        }
        let agents = Arc::new(agents);
        tasks.extend(
            doors.serve(&house, &agents).map(|(name, future)| SupervisorTask { name, future }),
        );
        let shared = Shared { agents, clock, ids, stop, tcp };
        Ok((Self { shared: Arc::new(shared) }, tasks))
    }

    /// The agents, by id.
    pub fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.shared.agents.keys()
    }

    /// The address that agents connect to, where there is one.
    pub fn tcp_address(&self) -> Option<SocketAddr> {
        self.shared.tcp
    }

    /// The mind of an agent, under a name for people; none where it is not kept as a process.
    pub fn mind(&self, id: &AgentId, label: &str) -> Option<Arc<dyn Mind>> {
        let commands = self.shared.agents.get(id)?.commands.clone();
        let (clock, ids) = (Arc::clone(&self.shared.clock), Arc::clone(&self.shared.ids));
        Some(Arc::new(AgentMind::new(label, commands, clock, ids)))
    }

    /// Where an agent's process stands.
    pub fn status(&self, id: &AgentId) -> Option<ProcessStatus> {
        self.shared.agents.get(id).map(|handle| handle.status.borrow().clone())
    }

    /// Where it stands, and each change of that.
    pub fn status_changes(&self, id: &AgentId) -> Option<watch::Receiver<ProcessStatus>> {
        self.shared.agents.get(id).map(|handle| handle.status.clone())
    }

    /// The newest measurements that an agent's process sent.
    pub fn metrics(&self, id: &AgentId) -> Option<ReportedMetrics> {
        self.shared.agents.get(id)?.metrics.borrow().clone()
    }

    /// Ends the run and begins another. Returns when the old one is over; a start that is due later is made now.
    pub async fn restart(&self, id: &AgentId) -> Result<(), ProcessCommandError> {
        self.order(id, Command::Restart).await
    }

    /// Ends the run and begins none until [`resume`](Self::resume). Turns wait.
    pub async fn park(&self, id: &AgentId) -> Result<(), ProcessCommandError> {
        self.order(id, Command::Park).await
    }

    /// Takes a parked agent back in.
    pub async fn resume(&self, id: &AgentId) -> Result<(), ProcessCommandError> {
        self.order(id, Command::Resume).await
    }

    /// Asks the process whether it lives, and returns when it has answered: how long that took. It waits for ever for one that
    /// does not answer, and ends with an error where none can be asked or the process ends.
    pub async fn ping(&self, id: &AgentId) -> Result<Duration, ProcessCommandError> {
        self.order(id, Command::Ping).await
    }

    /// Has the process make a checkpoint, and returns when it is durable.
    pub async fn checkpoint(&self, id: &AgentId) -> Result<StoredCheckpoint, ProcessCommandError> {
        self.order(id, Command::Checkpoint).await
    }

    /// Goes back to a checkpoint: ends the run, sets aside what came later, begins another.
    pub async fn restore(
        &self,
        id: &AgentId,
        checkpoint: Uuid,
    ) -> Result<RestoreSummary, ProcessCommandError> {
        self.order(id, |reply| Command::Restore(checkpoint, reply)).await
    }

    async fn order<T>(
        &self,
        id: &AgentId,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<T, ProcessCommandError> {
        let unknown = || ProcessCommandError::UnknownAgent { agent: id.to_string() };
        let handle = self.shared.agents.get(id).ok_or_else(unknown)?;
        let (reply, answer) = oneshot::channel();
        let sent = handle.commands.send(command(reply)).await;
        sent.map_err(|_| ProcessCommandError::Stopping)?;
        answer.await.unwrap_or(Err(ProcessCommandError::Stopping))
    }

    /// Ends all runs at once, each with a checkpoint where its process can make one, and returns when none is left.
    pub async fn shutdown(&self) {
        self.shared.stop.cancel();
        for handle in self.shared.agents.values() {
            handle.commands.closed().await;
        }
    }
}
