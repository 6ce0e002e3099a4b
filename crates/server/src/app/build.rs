//! Step 1, build: everything that must be there before the keeper starts. The ledger is opened and read while minds are
//! looked for; no task of the keeper runs yet.

use std::{sync::Arc, thread::JoinHandle};

use abide_domain::Clock;
use abide_engine::{
    keeper::{ReplayedState, replay},
    snapshot::Snapshots,
};
use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_ledger::{FileStorage, Ledger, LedgerOptions, Storage as _, write_down_erasure};
use abide_memory::{Embedder, stdout::StdoutFolder};
use abide_supervisor::SupervisorTask;
use abide_tools::{Registry, SharedRegistry, ToolMeanings};
use abide_watchdog::WatchdogState;

use super::{
    error::AppError,
    input::{App, Scope, StartupEvent},
};
use crate::{
    agents::{
        AgentBuilder, AgentSetups, AgentsWithMinds, ChosenAgent, EmbedderChoice, MindSelector,
        ProcessSetup, Processes, SandboxProbe, SandboxedModules, SandboxedServers, Spawner,
        ToolParts, choose_embedder, tool_registry,
    },
    evolution::OwnModules,
    home::require_folder,
    irc::{IrcError, IrcSocket},
    mcp_servers::{AcceptedTools, QuestionKey, read_accepted, read_left_open},
    system::SystemIds,
    watch,
};

/// Everything that is there before the keeper starts.
pub(super) struct Built {
    pub(super) ledger: OpenLedger,
    pub(super) agents: AgentSetups,
    pub(super) replayed: ReplayedState,
    /// Where snapshots of the state are kept.
    pub(super) snapshots: Snapshots,
    pub(super) processes: Processes,
    pub(super) supervision: Vec<SupervisorTask>,
    pub(super) spawner: Spawner,
    pub(super) irc_socket: IrcSocket,
    /// What the watchdog did before.
    pub(super) watchdog_past: WatchdogState,
    /// What servers of tools are started with.
    pub(super) servers: BuiltServers,
    /// How notifiers and Telegram are reached.
    pub(super) client: Client,
    /// What ranks passages by agents' own rules.
    pub(super) modules: Arc<OwnModules>,
    /// What makes minds, for trials.
    pub(super) minds: Arc<MindSelector>,
}

/// What is there for servers of tools before they are started.
pub(super) struct BuiltServers {
    pub(super) launcher: SandboxedServers,
    /// What was accepted of them before.
    pub(super) accepted: AcceptedTools,
    /// What they asked of people before, and nobody ended.
    pub(super) left_open: Vec<QuestionKey>,
    /// The tools that are the keeper's own.
    pub(super) own_tools: Registry,
    /// Those of agents.
    pub(super) tools: Arc<SharedRegistry>,
}

/// An open ledger and the thread that writes it.
pub(super) struct OpenLedger {
    pub(super) ledger: Ledger,
    committer: JoinHandle<()>,
}

/// Opens and reads the ledger, and chooses a mind for every agent of the configuration.
pub(super) async fn build(scope: &Scope<'_>) -> Result<Built, AppError> {
    let Scope { input, clock, report, .. } = scope;
    let settings = &input.config.settings;
    let irc_socket = IrcSocket::bind(&input.config).await.map_err(IrcError::from)?;
    let client = Client::new(ClientSettings::new(AddressPolicy::Any, Arc::clone(clock)));
    let minds = MindSelector::new(settings, &input.environment, client.clone());
    let (opened, minds) = tokio::join!(open_ledger(input, clock), minds);
    let minds = Arc::new(minds);
    let probe = Arc::new(SandboxProbe::new(&input.home, settings.test.sandbox_level_max));
    let own_tools = own_tools(scope, &probe)?;
    let launching = (Arc::clone(clock), Arc::clone(&probe));
    let launcher = SandboxedServers::new(&input.home, settings, &input.environment, launching)?;
    let modules = SandboxedModules::new(
        &input.home,
        settings,
        &input.environment,
        (Arc::clone(clock), probe),
    )?;
    let embedder = embedder(scope, &client)?;
    let meanings = embedder.clone().and_then(ToolMeanings::new);
    let tools = Arc::new(SharedRegistry::new(own_tools.clone()).with_meanings(meanings));
    let modules = Arc::new(OwnModules::new(Arc::new(modules), Arc::clone(&tools)));
    let builder = AgentBuilder::new(&input.home, settings, Arc::clone(&tools), embedder)?
        .with_ranker(modules.ranker());
    let mut chosen = Vec::new();
    for agent in &settings.agents {
        builder.check_folder(&agent.id)?;
        let choice = minds.choose(agent)?;
        report(StartupEvent::Mind(choice.announcement.clone()));
        chosen.push(ChosenAgent { settings: agent.clone(), choice });
    }
    let open = opened?;
    let setup = process_setup(scope, open.ledger.clone());
    let is_watched = settings.watchdog.enabled;
    let read = move || -> Result<Built, AppError> {
        let ProcessSetup { home, ledger, .. } = &setup;
        let AgentsWithMinds { agents, processes, tasks } = setup.make_minds(chosen)?;
        let agents = builder.build_all(agents, ledger.head().seq)?;
        let logs = StdoutFolder::open(home.logs_folder(), ledger.head().timestamp);
        let snapshots = Snapshots::in_folder(home.snapshots_folder()).map_err(AppError::Folder)?;
        let replayed = replay(ledger, &agents.agents, logs, Some(&snapshots))?;
        if replayed.has_own_parts() {
            tools.expect_own_parts();
        }
        let spawner = Spawner::new(Arc::clone(&minds), builder);
        let watchdog_past =
            if is_watched { watch::read_history(ledger)? } else { WatchdogState::default() };
        let (accepted, left_open) = (read_accepted(ledger)?, read_left_open(ledger)?);
        let servers = BuiltServers { launcher, accepted, left_open, own_tools, tools };
        let (ledger, supervision) = (open, tasks);
        let built = Built {
            ledger,
            agents,
            replayed,
            snapshots,
            processes,
            supervision,
            spawner,
            irc_socket,
            watchdog_past,
            servers,
            client,
            modules,
            minds,
        };
        Ok(built)
    };
    off_thread(read).await
}

/// The tools that are the keeper's own.
fn own_tools(scope: &Scope<'_>, probe: &Arc<SandboxProbe>) -> Result<Registry, AppError> {
    let App { home, config, environment } = scope.input;
    let parts = ToolParts {
        clock: scope.clock,
        probe,
        cards: scope.app.cards().clone(),
        music: Arc::new(scope.app.music().clone()),
    };
    Ok(tool_registry(home, &config.settings, environment, parts)?)
}

/// What finds memories by meaning; the choice is reported.
fn embedder(scope: &Scope<'_>, client: &Client) -> Result<Option<Arc<dyn Embedder>>, AppError> {
    let App { home, config, environment } = scope.input;
    let memory = &config.settings.memory;
    let key = environment.get(&memory.embedder_key_env).map(Secret::new);
    let EmbedderChoice { embedder, announcement } =
        choose_embedder(memory, &home.models_folder(), key, client)?;
    (scope.report)(StartupEvent::Memory(announcement));
    Ok(embedder)
}

fn process_setup(scope: &Scope<'_>, ledger: Ledger) -> ProcessSetup {
    let App { home, config, environment } = scope.input;
    ProcessSetup {
        home: home.clone(),
        settings: config.settings.clone(),
        environment: environment.clone(),
        ledger,
        clock: Arc::clone(scope.clock),
        ids: Arc::new(SystemIds),
    }
}

async fn open_ledger(input: &App, clock: &Arc<dyn Clock>) -> Result<OpenLedger, AppError> {
    let home = input.home.clone();
    let mut options = LedgerOptions::new(Arc::clone(clock));
    options.tick_interval = input.config.settings.keeper.tick_interval();
    let open = move || -> Result<OpenLedger, AppError> {
        for folder in home.shared_folders() {
            require_folder(&folder).map_err(AppError::Folder)?;
        }
        let storage = Arc::new(FileStorage::create(&home.ledger_folder())?);
        if storage.list()?.is_empty() && home.has_memories() {
            return Err(AppError::LedgerGone { folder: home.ledger_folder() });
        }
        let (ledger, committer) = Ledger::open(storage, options)?;
        Ok(OpenLedger { ledger, committer: committer.spawn()? })
    };
    let opened = off_thread(open).await?;
    // An erasure that was cut was finished by the opening; here it is written down.
    let storage = FileStorage::at(&input.home.ledger_folder());
    if let Err(error) = write_down_erasure(&storage, &opened.ledger).await {
        tracing::error!(event = "erasure_not_written_down", %error,
            "words were erased from the ledger, but that could not be written down; the next start tries again");
    }
    Ok(opened)
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(AppError::TaskEnded(format!("the start ended: {error}"))))
}

impl OpenLedger {
    /// Closes the ledger and waits for the thread that writes it.
    pub(super) async fn close(self) {
        let Self { ledger, committer } = self;
        ledger.close().await;
        let joined = tokio::task::spawn_blocking(move || committer.join().is_ok()).await;
        if !matches!(joined, Ok(true)) {
            tracing::error!(
                event = "ledger_writer_panicked",
                "the thread that writes the ledger ended with a panic"
            );
        }
    }
}
