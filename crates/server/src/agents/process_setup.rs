//! What the supervisor is given of each agent: what is run, where, with which variables and limits.
//!
//! A process gets the few variables that every program needs, those that the configuration names, and the name of the
//! agent; the built-in agent also gets its model, and the variable with the model's key. No other variable of the keeper.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::{
    AgentId, Clock, IdSource,
    event::{AgentEvent, Event, PauseReason},
};
use abide_engine::mind::{Mind, PricedMind};
use abide_ledger::{EntryError, Ledger, Query, ReadError};
use abide_memory::IdentityFileWriters;
use abide_supervisor::{
    AcpMind, AcpParts, AcpSettings, AcpSpec, AgentSpec, Launch, ProcessLimits, Sandbox,
    ShimCommand, StartMode, Supervisor, SupervisorError, SupervisorParts, SupervisorSettings,
    SupervisorTask, environment,
};

use super::{
    confine::{megabytes, temporary_files},
    minds::{MemoryModels, MindChoice, MindPlacement},
    processes::Processes,
    program::Program,
    sandbox::{SandboxError, SandboxPlan, SandboxedProcess},
    shadows::{ShadowLauncher, ShadowLauncherParts},
    socket_secret::{self, SocketSecretError},
};
use crate::{
    config::{AgentSection, Environment, Settings, Start, Transport},
    home::Home,
};

/// The socket in the home to which agents connect that are started by somebody else.
const SOCKET: &str = "keeper.sock";
/// The hidden command under which every process runs.
pub(crate) const SHIM: &str = "shim";
/// The hidden command that is the built-in agent.
pub(crate) const AGENT: &str = "agent";

/// Says why agents' processes cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessSetupError {
    /// The program's own file, or a folder of an agent, is not known.
    #[error("the path of this program or of an agent's folder cannot be determined")]
    Path(#[from] io::Error),
    /// The supervisor cannot be made.
    #[error("the supervisor of agents' processes cannot be set up")]
    Supervisor(#[from] SupervisorError),
    /// The secret of an agent that connects cannot be used.
    #[error("an agent that connects by itself cannot be told from others")]
    SocketSecret(#[from] SocketSecretError),
    /// A sandbox is required and cannot be had.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The ledger cannot be read.
    #[error("the ledger cannot be read")]
    Read(#[from] ReadError),
    /// An event of the ledger cannot be decoded.
    #[error("an event of the ledger cannot be decoded")]
    Entry(#[from] EntryError),
}

/// What processes are set up with.
#[derive(Debug)]
pub(crate) struct ProcessSetup {
    /// Where their folders are.
    pub(crate) home: Home,
    /// The configuration.
    pub(crate) settings: Settings,
    /// The keeper's own variables.
    pub(crate) environment: Environment,
    /// Where the life of processes is recorded, and who is parked.
    pub(crate) ledger: Ledger,
    /// Times of the supervisor's events.
    pub(crate) clock: Arc<dyn Clock>,
    /// Ids of runs and checkpoints.
    pub(crate) ids: Arc<dyn IdSource>,
}

/// An agent of the configuration and the mind that was chosen for it.
#[derive(Debug)]
pub(crate) struct ChosenAgent {
    /// The agent.
    pub(crate) settings: AgentSection,
    /// Its mind.
    pub(crate) choice: MindChoice,
}

/// An agent whose mind can be asked.
#[derive(Debug)]
pub(crate) struct AgentWithMind {
    pub(super) settings: AgentSection,
    pub(super) mind: Arc<dyn Mind>,
    pub(super) memory: MemoryModels,
    /// Who can write to its identity file.
    pub(super) writers: IdentityFileWriters,
}

/// What a process is started in.
struct Placed {
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
    sandbox: Sandbox,
}

/// All agents with their minds, and what keeps those that are processes.
#[derive(Debug)]
pub(crate) struct AgentsWithMinds {
    /// Each agent with its mind.
    pub(crate) agents: Vec<AgentWithMind>,
    /// Handle of the processes.
    pub(crate) processes: Processes,
    /// The tasks that keep them; to be run.
    pub(crate) tasks: Vec<SupervisorTask>,
}

impl ProcessSetup {
    /// Gives every agent the mind that was chosen for it. Starts no process. Blocking.
    pub(crate) fn make_minds(
        &self,
        chosen: Vec<ChosenAgent>,
    ) -> Result<AgentsWithMinds, ProcessSetupError> {
        let is_process = |chosen: &ChosenAgent| match &chosen.choice.placement {
            MindPlacement::InKeeper(_) => false,
            MindPlacement::Process { program, .. } => *program != Program::Connects,
            MindPlacement::Acp { .. } => true,
        };
        let confined = chosen.iter().filter(|chosen| is_process(chosen));
        let confined: Vec<_> = confined.map(|chosen| &chosen.settings).collect();
        let modes = (self.settings.supervisor.sandbox, self.settings.test.sandbox_level_max);
        let plan = SandboxPlan::make(&self.home, modes, &confined)?;
        let mut specs = Vec::new();
        let mut shadowed = BTreeMap::new();
        let mut acp = BTreeMap::new();
        let mut acp_tasks = Vec::new();
        // One program that is not ours and is not confined can write to the files of every agent.
        let mut writers = IdentityFileWriters::People;
        let mut note = |sandbox: Option<&Sandbox>| {
            if sandbox.is_none_or(|sandbox| sandbox.confinement.is_none()) {
                writers = IdentityFileWriters::PeopleAndProcess;
            }
        };
        for ChosenAgent { settings, choice } in &chosen {
            match &choice.placement {
                MindPlacement::InKeeper(_) => {}
                MindPlacement::Process { program, .. } => {
                    let spec = self.spec(&plan, settings, program)?;
                    if !matches!(program, Program::BuiltIn { .. }) {
                        note(spec.sandbox.as_ref());
                    }
                    if matches!(program, Program::Command { .. }) {
                        shadowed.insert(settings.id.clone(), spec.clone());
                    }
                    specs.push(spec);
                }
                MindPlacement::Acp { label, program, args } => {
                    let parts = self.acp_parts(&plan, settings, (label, program, args))?;
                    note(parts.spec.sandbox.as_ref());
                    let (mind, task) = AcpMind::new(parts);
                    acp.insert(settings.id.clone(), mind);
                    acp_tasks.push(task);
                }
            }
        }
        let (supervisor, mut tasks) = Supervisor::new(self.supervisor_parts(specs)?)?;
        tasks.extend(acp_tasks);
        let processes = Processes::new(supervisor, acp, self.shadows(shadowed)?);
        let with_mind = |ChosenAgent { settings, choice }: ChosenAgent| {
            let mind = match choice.placement {
                MindPlacement::InKeeper(mind) => Some(mind),
                MindPlacement::Process { label, model: Some(model), .. } => processes
                    .mind(&settings.id, &label)
                    .map(|mind| Arc::new(PricedMind::new(mind, *model)) as Arc<dyn Mind>),
                MindPlacement::Process { label, .. } | MindPlacement::Acp { label, .. } => {
                    processes.mind(&settings.id, &label)
                }
            };
            Some(AgentWithMind { settings, mind: mind?, memory: choice.memory, writers })
        };
        // None is left out: the supervisor has just been given all that are processes.
        let agents = chosen.into_iter().filter_map(with_mind).collect();
        Ok(AgentsWithMinds { agents, processes, tasks })
    }

    /// An agent of the Agent Client Protocol.
    fn acp_parts(
        &self,
        plan: &SandboxPlan,
        agent: &AgentSection,
        (label, program, args): (&str, &str, &[String]),
    ) -> Result<AcpParts, ProcessSetupError> {
        let configured = &self.settings.supervisor;
        let settings = AcpSettings {
            ready_timeout: configured.ready_timeout.0,
            idle_after: configured.hibernate_after.0,
            ..AcpSettings::default()
        };
        let Placed { folder, environment, sandbox } =
            self.place(plan, agent, (Path::new(program), args), &[])?;
        let spec = AcpSpec {
            agent: agent.id.clone(),
            label: label.to_owned(),
            program: program.into(),
            args: args.iter().map(OsString::from).collect(),
            folder,
            environment,
            limits: limits(agent),
            sandbox: Some(sandbox),
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

    fn supervisor_parts(
        &self,
        agents: Vec<AgentSpec>,
    ) -> Result<SupervisorParts, ProcessSetupError> {
        Ok(SupervisorParts {
            home: self.home.root().to_owned(),
            ledger: self.ledger.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            shim: ShimCommand { program: std::env::current_exe()?, args: vec![SHIM.into()] },
            settings: self.supervisor_settings(),
            agents,
        })
    }

    /// What starts second processes of agents' own programs.
    fn shadows(
        &self,
        specs: BTreeMap<AgentId, AgentSpec>,
    ) -> Result<ShadowLauncher, ProcessSetupError> {
        Ok(ShadowLauncher::new(ShadowLauncherParts {
            home: self.home.clone(),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
            shim: ShimCommand { program: std::env::current_exe()?, args: vec![SHIM.into()] },
            settings: SupervisorSettings {
                socket_path: None,
                tcp: None,
                ..self.supervisor_settings()
            },
            reaches_network: self.settings.evolution.shadow_network,
            specs,
        }))
    }

    fn supervisor_settings(&self) -> SupervisorSettings {
        let configured = &self.settings.supervisor;
        // Only where an agent connects by itself: the path of a deep home is too long for a socket.
        let connects = |agent: &AgentSection| agent.transport == Transport::Socket;
        let is_open = self.settings.agents.iter().any(connects);
        SupervisorSettings {
            heartbeat_timeout: configured.heartbeat_timeout.0,
            kill_after: configured.kill_after.0,
            checkpoint_interval: configured.checkpoint_interval.0,
            hibernate_after: configured.hibernate_after.0,
            ready_timeout: configured.ready_timeout.0,
            shutdown_grace: configured.shutdown_grace.0,
            socket_path: is_open.then(|| self.home.root().join(SOCKET)),
            tcp: configured.listen(),
            // Which code is in force follows from the ledger, which is read first.
            awaits_code: true,
            ..SupervisorSettings::default()
        }
    }

    /// What the supervisor is given of an agent.
    fn spec(
        &self,
        plan: &SandboxPlan,
        agent: &AgentSection,
        program: &Program,
    ) -> Result<AgentSpec, ProcessSetupError> {
        let start = match agent.start {
            _ if is_parked(&self.ledger, &agent.id)? => StartMode::Parked,
            Start::Lazy => StartMode::Lazy,
            Start::Keeper => StartMode::WithKeeper,
        };
        let (launch, sandbox) = self.launch(plan, agent, program)?;
        Ok(AgentSpec { id: agent.id.clone(), launch, start, limits: limits(agent), sandbox })
    }

    /// What an agent's process is started with, and confined to.
    fn launch(
        &self,
        plan: &SandboxPlan,
        agent: &AgentSection,
        program: &Program,
    ) -> Result<(Launch, Option<Sandbox>), ProcessSetupError> {
        let (program, args, added) = match program {
            Program::Connects => {
                let secret = socket_secret::load_or_create(&self.home, &agent.id)?;
                return Ok((Launch::Socket { secret }, None));
            }
            Program::Command { program, args } => (program.into(), args.clone(), Vec::new()),
            Program::BuiltIn { variables } => {
                (std::env::current_exe()?, vec![AGENT.to_owned()], variables.clone())
            }
        };
        let Placed { folder, environment, sandbox } =
            self.place(plan, agent, (&program, &args), &added)?;
        let args = args.iter().map(OsString::from).collect();
        Ok((Launch::Stdio { program, args, folder, environment }, Some(sandbox)))
    }

    /// Where a process works, what it sees of the environment and of the rest.
    fn place(
        &self,
        plan: &SandboxPlan,
        agent: &AgentSection,
        (program, args): (&Path, &[String]),
        added: &[(String, String)],
    ) -> Result<Placed, ProcessSetupError> {
        let folder = self.folder(agent)?;
        let temporary = self.home.temporary_folder(&agent.id);
        let mut added = added.to_vec();
        let confined_to = plan.level_of(agent).map(|level| temporary_files(level, &temporary));
        added.extend(confined_to.map(|path| ("TMPDIR".to_owned(), path.display().to_string())));
        let environment = self.variables(agent, &added);
        let own = [self.home.work_folder(&agent.id), temporary];
        let sandbox = plan.confine(&SandboxedProcess {
            agent,
            program,
            args,
            folder: &folder,
            environment: &environment,
            own: &own,
        })?;
        Ok(Placed { folder, environment, sandbox })
    }

    /// The variables of an agent's process: those of the keeper's that it may see, and its own.
    fn variables(
        &self,
        agent: &AgentSection,
        added: &[(String, String)],
    ) -> Vec<(OsString, OsString)> {
        let keepers: Vec<_> = self.environment.all().collect();
        let added: Vec<_> =
            added.iter().map(|(name, value)| (name.as_str(), value.into())).collect();
        environment(&keepers, &agent.environment, &added)
    }

    fn folder(&self, agent: &AgentSection) -> Result<PathBuf, ProcessSetupError> {
        if agent.folder.is_empty() {
            Ok(self.home.work_folder(&agent.id))
        } else {
            Ok(std::path::absolute(&agent.folder)?)
        }
    }
}

/// Whether a person has parked an agent and not resumed it: the newest event counts. Blocking.
fn is_parked(ledger: &Ledger, agent: &AgentId) -> Result<bool, ProcessSetupError> {
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
        memory_bytes: megabytes(agent.memory_mb),
        cpu_seconds: bound(agent.cpu_seconds),
        files: bound(agent.files),
        disk_bytes: megabytes(agent.disk_mb),
    }
}
