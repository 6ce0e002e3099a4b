//! Agents as processes, as the configuration wants them: what is run, where, with which variables and limits.
//!
//! A process gets the few variables that every program needs, those that the configuration names, and the name of the
//! agent; the built-in agent also gets its model, and the variable with the model's key. Nothing else of ours.

use std::{collections::BTreeMap, ffi::OsString, io, path::PathBuf, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, Clock, IdSource,
    event::{AgentEvent, Event, PauseReason},
};
use abide_engine::mind::Mind;
use abide_ledger::{EntryError, Ledger, Query, ReadError};
use abide_supervisor::{
    AcpMind, AcpParts, AcpSettings, AcpSpec, AgentSpec, Launch, ProcessLimits, ProcessStatus,
    ReportedMetrics, ShimCommand, StartMode, Supervisor, SupervisorError, SupervisorParts,
    SupervisorSettings, SupervisorTask, environment,
};
use abide_wire::Secret;
use futures_util::future::join_all;
use tokio::sync::watch;

use crate::{
    auth::Token,
    config::{AgentSection, Environment, Settings, Start, Transport},
    home::Home,
    minds::{Program, Thinker},
};

/// Where agents that are started by somebody else connect.
const SOCKET: &str = "keeper.sock";
/// The hidden command under which every process runs.
pub(crate) const SHIM: &str = "shim";
/// The hidden command that is the built-in agent.
pub(crate) const AGENT: &str = "agent";

/// Says why it is not known how an agent's process is kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkshopError {
    /// This program does not find itself, and runs under itself.
    #[error("the program that runs does not know where its file is")]
    Own(#[from] io::Error),
    /// The supervisor cannot be made.
    #[error("agents cannot be kept as processes")]
    Supervisor(#[from] SupervisorError),
    /// The ledger cannot be read.
    #[error("the ledger cannot be read")]
    Read(#[from] ReadError),
    /// An event of the ledger cannot be read.
    #[error("an event of the ledger cannot be read")]
    Entry(#[from] EntryError),
}

/// What processes are started with.
#[derive(Debug)]
pub(crate) struct Workshop {
    /// Where their folders are.
    pub(crate) home: Home,
    /// The configuration.
    pub(crate) settings: Settings,
    /// The keeper's own variables.
    pub(crate) environment: Environment,
    /// What an agent that connects must show.
    pub(crate) token: Token,
    /// Where the life of processes is recorded, and who is parked.
    pub(crate) ledger: Ledger,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Ids of runs and checkpoints.
    pub(crate) ids: Arc<dyn IdSource>,
}

/// The minds of all agents, and what keeps those that are processes.
#[derive(Debug)]
pub(crate) struct Staff {
    /// Each agent with its mind.
    pub(crate) minds: Vec<(AgentSection, Arc<dyn Mind>)>,
    /// What keeps the processes.
    pub(crate) processes: Processes,
    /// What is to be run for that.
    pub(crate) tasks: Vec<SupervisorTask>,
}

/// All agents' processes: those over frames, and those of the Agent Client Protocol, which keep their sessions themselves.
#[derive(Clone, Debug)]
pub(crate) struct Processes {
    supervisor: Supervisor,
    acp: Arc<BTreeMap<AgentId, AcpMind>>,
}

impl Processes {
    /// The agents that have one, by id.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.supervisor.agents().chain(self.acp.keys())
    }

    /// Where an agent's process stands; none where its mind runs in the keeper.
    pub(crate) fn status(&self, id: &AgentId) -> Option<ProcessStatus> {
        self.acp.get(id).map(AcpMind::status).or_else(|| self.supervisor.status(id))
    }

    /// Where an agent's process stands, and each change of that.
    pub(crate) fn changes(&self, id: &AgentId) -> Option<watch::Receiver<ProcessStatus>> {
        self.acp.get(id).map(AcpMind::status_changes).or_else(|| self.supervisor.status_changes(id))
    }

    /// Asks an agent's process whether it lives, and returns when it has answered; none where it cannot be asked.
    pub(crate) async fn ping(&self, id: &AgentId) -> Option<Duration> {
        self.supervisor.ping(id).await.ok()
    }

    /// What a process last measured of itself.
    pub(crate) fn metrics(&self, id: &AgentId) -> Option<ReportedMetrics> {
        self.supervisor.metrics(id)
    }

    /// What can start, stop, save and restore an agent's process; none where nothing can.
    pub(crate) fn commander(&self, id: &AgentId) -> Option<&Supervisor> {
        self.supervisor.status(id).map(|_| &self.supervisor)
    }

    /// Ends all of them, and returns when none is left.
    pub(crate) async fn shutdown(&self) {
        let acp = join_all(self.acp.values().map(AcpMind::shutdown));
        tokio::join!(self.supervisor.shutdown(), acp);
    }
}

impl Workshop {
    /// Gives every agent the mind that was chosen for it. Starts no process. Blocking.
    pub(crate) fn staff(
        &self,
        chosen: Vec<(AgentSection, Thinker)>,
    ) -> Result<Staff, WorkshopError> {
        let mut specs = Vec::new();
        let mut acp = BTreeMap::new();
        let mut acp_tasks = Vec::new();
        for (agent, thinker) in &chosen {
            match thinker {
                Thinker::Here(_) => {}
                Thinker::Process { program, .. } => specs.push(self.spec(agent, program)?),
                Thinker::Acp { label, program, args } => {
                    let (mind, task) = AcpMind::new(self.acp_parts(agent, label, program, args)?);
                    acp.insert(agent.id.clone(), mind);
                    acp_tasks.push(task);
                }
            }
        }
        let (supervisor, mut tasks) = Supervisor::new(self.parts(specs)?)?;
        tasks.extend(acp_tasks);
        let processes = Processes { supervisor, acp: Arc::new(acp) };
        let mind = |(agent, thinker): (AgentSection, Thinker)| {
            let mind = match thinker {
                Thinker::Here(mind) => Some(mind),
                Thinker::Process { label, .. } => processes.supervisor.mind(&agent.id, &label),
                Thinker::Acp { .. } => {
                    processes.acp.get(&agent.id).map(|mind| Arc::new(mind.clone()) as Arc<dyn Mind>)
                }
            };
            mind.map(|mind| (agent, mind))
        };
        // None is left out: the supervisor has just been given all that are processes.
        let minds = chosen.into_iter().filter_map(mind).collect();
        Ok(Staff { minds, processes, tasks })
    }

    /// An agent of the Agent Client Protocol.
    fn acp_parts(
        &self,
        agent: &AgentSection,
        label: &str,
        program: &str,
        args: &[String],
    ) -> Result<AcpParts, WorkshopError> {
        let asked = &self.settings.supervisor;
        let settings = AcpSettings {
            ready_timeout: asked.ready_timeout.0,
            idle_after: asked.hibernate_after.0,
            ..AcpSettings::default()
        };
        let spec = AcpSpec {
            agent: agent.id.clone(),
            label: label.to_owned(),
            program: program.into(),
            args: args.iter().map(OsString::from).collect(),
            folder: self.folder(agent)?,
            environment: self.variables(agent, &[]),
            limits: limits(agent),
        };
        Ok(AcpParts {
            home: self.home.root().to_owned(),
            ledger: self.ledger.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            shim: ShimCommand { program: std::env::current_exe()?, args: vec![SHIM.into()] },
            settings,
            spec,
        })
    }

    fn parts(&self, agents: Vec<AgentSpec>) -> Result<SupervisorParts, WorkshopError> {
        Ok(SupervisorParts {
            home: self.home.root().to_owned(),
            ledger: self.ledger.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            shim: ShimCommand { program: std::env::current_exe()?, args: vec![SHIM.into()] },
            settings: self.supervision(),
            agents,
        })
    }

    fn supervision(&self) -> SupervisorSettings {
        let asked = &self.settings.supervisor;
        let token = Secret::new(self.token.expose());
        // Only where somebody may come: the path of a deep home is too long for a socket.
        let comes = |agent: &AgentSection| agent.transport == Transport::Socket;
        let is_open = self.settings.agents.iter().any(comes);
        SupervisorSettings {
            heartbeat_timeout: asked.heartbeat_timeout.0,
            kill_after: asked.kill_after.0,
            checkpoint_interval: asked.checkpoint_interval.0,
            hibernate_after: asked.hibernate_after.0,
            ready_timeout: asked.ready_timeout.0,
            shutdown_grace: asked.shutdown_grace.0,
            socket_path: is_open.then(|| self.home.root().join(SOCKET)),
            tcp: asked.listen(),
            ..SupervisorSettings::new(token)
        }
    }

    /// How an agent's process is kept.
    fn spec(&self, agent: &AgentSection, program: &Program) -> Result<AgentSpec, WorkshopError> {
        let start = match agent.start {
            _ if is_parked(&self.ledger, &agent.id)? => StartMode::Parked,
            Start::Lazy => StartMode::Lazy,
            Start::Keeper => StartMode::WithKeeper,
        };
        let launch = self.launch(agent, program)?;
        Ok(AgentSpec { id: agent.id.clone(), launch, start, limits: limits(agent) })
    }

    /// What an agent's process is started with.
    fn launch(&self, agent: &AgentSection, program: &Program) -> Result<Launch, WorkshopError> {
        let (program, args, more) = match program {
            Program::Comes => return Ok(Launch::Socket),
            Program::Command { program, args } => {
                (program.into(), args.iter().map(OsString::from).collect(), Vec::new())
            }
            Program::BuiltIn { variables } => {
                (std::env::current_exe()?, vec![AGENT.into()], variables.clone())
            }
        };
        let environment = self.variables(agent, &more);
        Ok(Launch::Stdio { program, args, folder: self.folder(agent)?, environment })
    }

    /// What of the keeper's variables an agent's process sees, and what is its own.
    fn variables(
        &self,
        agent: &AgentSection,
        more: &[(String, String)],
    ) -> Vec<(OsString, OsString)> {
        let own: Vec<_> = self.environment.all().collect();
        let more: Vec<_> = more.iter().map(|(name, value)| (name.as_str(), value.into())).collect();
        environment(&own, &agent.environment, &more)
    }

    fn folder(&self, agent: &AgentSection) -> Result<PathBuf, WorkshopError> {
        if agent.folder.is_empty() {
            Ok(self.home.agent_folder(&agent.id))
        } else {
            Ok(std::path::absolute(&agent.folder)?)
        }
    }
}

/// Whether a person has taken an agent out and not back in: the newest word in the ledger counts. Blocking.
fn is_parked(ledger: &Ledger, agent: &AgentId) -> Result<bool, WorkshopError> {
    let kinds = ["agent.paused", "agent.resumed"].map(str::to_owned).to_vec();
    let newest = Query { entity: Some(agent.entity()), kinds, ..Query::default() };
    let Some(record) = ledger.newest(newest)? else { return Ok(false) };
    Ok(match record.entry()?.event {
        Event::Agent(AgentEvent::Paused(paused)) => paused.reason == PauseReason::Person,
        _ => false,
    })
}

/// What an agent's processes may take.
fn limits(agent: &AgentSection) -> ProcessLimits {
    let bound = |value: u64| (value > 0).then_some(value);
    ProcessLimits {
        memory_bytes: bound(agent.memory_mb).map(|mb| mb.saturating_mul(1024 * 1024)),
        cpu_seconds: bound(agent.cpu_seconds),
        files: bound(agent.files),
    }
}
