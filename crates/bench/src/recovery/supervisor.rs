//! A keeper of processes in this process: a supervisor and a ledger on the disk, put together like the binary's.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use abide_domain::{AgentId, Clock, event::ProcessSandbox};
use abide_engine::mind::Mind;
use abide_ledger::{FileStorage, Ledger, LedgerOptions};
use abide_supervisor::{
    AgentSpec, Confinement, ConfinementLevel, Launch, NetworkAccess, PrivateStateLimits,
    ProcessLimits, ProcessState, ProgramCode, Sandbox, ShimCommand, StartMode, Supervisor,
    SupervisorParts, SupervisorSettings,
};
use tokio::task::JoinSet;
use tracing::{instrument::WithSubscriber as _, subscriber::NoSubscriber};
use uuid::Uuid;

use super::asking;
use crate::{
    agent::{AGENT, BENCH_AGENT},
    error::BenchError,
    system::{SystemClock, SystemIds},
};

/// The hidden word of the binary under which every agent runs.
const SHIM: &str = "shim";
/// How long an agent may take to be ready or to end: longer than any bar, also with the largest state.
const PATIENCE: Duration = Duration::from_mins(2);

/// Which agents a supervisor has.
#[derive(Clone, Copy, Debug)]
pub(super) struct SupervisorPlan<'a> {
    /// Whose hidden words shim and agent are.
    pub(super) binary: &'a Path,
    /// How many agents.
    pub(super) agents: usize,
    /// Idleness after which an agent is put to rest; without one it stays, from the first turn on.
    pub(super) rest_after: Option<Duration>,
    /// Where agents say their first word.
    pub(super) listener: Option<&'a Path>,
    /// How strictly they are confined, if at all.
    pub(super) level: Option<ConfinementLevel>,
}

impl<'a> SupervisorPlan<'a> {
    /// One agent that stays, heard by nobody and without a sandbox.
    pub(super) const fn of_one(binary: &'a Path) -> Self {
        Self { binary, agents: 1, rest_after: None, listener: None, level: None }
    }
}

/// A running keeper of processes.
#[derive(Debug)]
pub(super) struct BenchSupervisor {
    supervisor: Supervisor,
    ledger: Ledger,
    tasks: JoinSet<()>,
    committer: JoinHandle<()>,
    agents: Vec<AgentId>,
}

impl BenchSupervisor {
    /// Builds a supervisor in a folder of its own. To be called inside of a runtime. No agent is started yet.
    pub(super) fn open(folder: &Path, design: SupervisorPlan<'_>) -> Result<Self, BenchError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let files = FileStorage::create(&folder.join("ledger"));
        let files = Arc::new(files.map_err(BenchError::io("make a ledger"))?);
        let (ledger, committer) = Ledger::open(files, LedgerOptions::new(Arc::clone(&clock)))
            .map_err(BenchError::of("open a ledger"))?;
        let committer = committer.spawn().map_err(BenchError::io("start the ledger's writer"))?;
        let agents: Result<Vec<AgentId>, _> =
            (0..design.agents).map(|number| format!("agent-{number}").parse()).collect();
        let agents = agents.map_err(BenchError::of("name an agent"))?;
        // As in a home: what a confined process may write is none of the keeper's folders.
        let work = folder.join("work");
        std::fs::create_dir(&work).map_err(BenchError::io("make the agents' folder"))?;
        let parts = SupervisorParts {
            home: folder.into(),
            ledger: ledger.clone(),
            clock,
            ids: Arc::new(SystemIds),
            shim: ShimCommand { program: design.binary.into(), args: vec![SHIM.into()] },
            settings: settings(design),
            agents: agents.iter().map(|id| spec(id, &work, design)).collect(),
        };
        let made = Supervisor::new(parts).map_err(BenchError::of("make a supervisor"));
        let (supervisor, made) = made?;
        let mut tasks = JoinSet::new();
        for task in made {
            // A line for each of a thousand ends would measure the terminal.
            tasks.spawn(task.future.with_subscriber(NoSubscriber::default()));
        }
        Ok(Self { supervisor, ledger, tasks, committer, agents })
    }

    /// The agent of that number.
    pub(super) fn agent(&self, number: usize) -> Result<&AgentId, BenchError> {
        let agent = self.agents.get(number);
        agent.ok_or_else(|| BenchError::Wrong(format!("there is no agent {number}")))
    }

    /// Its mind.
    pub(super) fn mind(&self, number: usize) -> Result<Arc<dyn Mind>, BenchError> {
        let mind = self.supervisor.mind(self.agent(number)?, "agent");
        mind.ok_or_else(|| BenchError::Wrong(format!("agent {number} has no mind")))
    }

    /// Asks an agent.
    pub(super) async fn ask(&self, number: usize, message: &str) -> Result<String, BenchError> {
        let request = asking::request(self.agent(number)?, message);
        asking::ask(&*self.mind(number)?, &request).await
    }

    /// Asks an agent and wants that very answer: another one means that something was lost.
    pub(super) async fn expect(
        &self,
        number: usize,
        message: &str,
        expected: &str,
    ) -> Result<(), BenchError> {
        let answer = self.ask(number, message).await?;
        if answer == expected {
            return Ok(());
        }
        let words = format!("an agent lost what it was: `{answer}` instead of `{expected}`");
        Err(BenchError::Wrong(words))
    }

    /// Has an agent written down; returns when that is durable.
    pub(super) async fn checkpoint(&self, number: usize) -> Result<(), BenchError> {
        let made = self.supervisor.checkpoint(self.agent(number)?).await;
        made.map(drop).map_err(BenchError::of("make a checkpoint"))
    }

    /// Ends a process as a person would and starts it anew, which also makes the next death the first of a row again.
    pub(super) async fn restart(&self, number: usize) -> Result<(), BenchError> {
        let restarted = self.supervisor.restart(self.agent(number)?).await;
        restarted.map_err(BenchError::of("restart an agent"))
    }

    /// Has an agent load code, and returns when it says that it did.
    pub(super) async fn reload(&self, number: usize, code: &str) -> Result<(), BenchError> {
        let code = ProgramCode { module: "memory".into(), code: code.into(), backup: Uuid::nil() };
        let loaded = self.supervisor.reload(self.agent(number)?, code).await;
        loaded.map_err(BenchError::of("load code"))?.confirm();
        Ok(())
    }

    /// Waits until an agent was put to rest.
    pub(super) async fn rest(&self, number: usize) -> Result<(), BenchError> {
        let changes = self.supervisor.status_changes(self.agent(number)?);
        let gone = || BenchError::Wrong(format!("agent {number} is not kept"));
        let mut changes = changes.ok_or_else(gone)?;
        let rests = changes.wait_for(|status| status.state == ProcessState::Hibernated);
        match tokio::time::timeout(PATIENCE, rests).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(BenchError::Wrong(format!("agent {number} was not put to rest"))),
        }
    }

    /// Ends all agents and the keeper.
    pub(super) async fn close(self) -> Result<(), BenchError> {
        let Self { supervisor, ledger, mut tasks, committer, .. } = self;
        supervisor.shutdown().await;
        drop(supervisor);
        while tasks.join_next().await.is_some() {}
        ledger.close().await;
        let joined = tokio::task::spawn_blocking(move || committer.join().is_ok()).await;
        match joined {
            Ok(true) => Ok(()),
            _ => Err(BenchError::Wrong("the ledger's writer panicked".into())),
        }
    }
}

fn spec(id: &AgentId, work: &Path, design: SupervisorPlan<'_>) -> AgentSpec {
    let words = [BENCH_AGENT, AGENT].map(Into::into);
    let listener = design.listener.map(|path| path.as_os_str().to_owned());
    AgentSpec {
        id: id.clone(),
        launch: Launch::Stdio {
            program: PathBuf::from(design.binary),
            args: words.into_iter().chain(listener).collect(),
            folder: work.into(),
            environment: Vec::new(),
        },
        start: StartMode::Lazy,
        limits: ProcessLimits::default(),
        sandbox: design.level.map(|level| confined(level, work, design)),
    }
}

/// As an agent of the configuration is confined by default: its folder is its own, the network is open.
fn confined(level: ConfinementLevel, work: &Path, design: SupervisorPlan<'_>) -> Sandbox {
    let listener = design.listener.and_then(Path::parent).map(PathBuf::from);
    Sandbox {
        confinement: Some(Confinement {
            level,
            network: NetworkAccess::Open,
            read: vec![design.binary.into()],
            write: std::iter::once(work.into()).chain(listener).collect(),
        }),
        recorded: ProcessSandbox { level: level.number(), open: Vec::new() },
    }
}

fn settings(design: SupervisorPlan<'_>) -> SupervisorSettings {
    let defaults = SupervisorSettings::default();
    SupervisorSettings {
        hibernate_after: design.rest_after.unwrap_or(Duration::from_hours(24)),
        ready_timeout: PATIENCE,
        shutdown_grace: PATIENCE,
        // The two newest of a large state are enough for the disk of a measurement.
        private: PrivateStateLimits { keep_for: Duration::ZERO, ..PrivateStateLimits::default() },
        ..defaults
    }
}
