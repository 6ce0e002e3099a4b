//! Step 2, start: the keeper, every long task, and the channels.

use std::sync::Arc;

use abide_engine::{
    Blobs, EmbeddingTask, Keeper, Lane,
    keeper::{KeeperParts, KeeperTasks},
    snapshot::Snapshots,
};
use abide_http::Client;
use abide_ledger::Ledger;
use abide_supervisor::SupervisorTask;
use abide_watchdog::{Pager, WatchdogState};
use tokio::sync::mpsc;

use super::{
    build::{Built, BuiltServers, OpenLedger},
    drain::epochs_time,
    error::AppError,
    input::{Scope, StartupEvent},
    settings::{epoch_settings, schedules},
    snapshots::keep_snapshots,
    tasks::{Task, Tasks, infallible},
};
use crate::{
    agents::{AgentSetups, MindSelector, Processes, Spawner},
    evolution::{EvolutionParts, EvolutionTask, OwnModules, Searches, SearchesParts},
    irc::{self, IrcSetup, IrcSocket},
    mcp_servers::{McpQuestions, McpServers, McpServersParts},
    self_watch::{ReporterParts, StandstillReporter, run_canaries},
    system::SystemIds,
    telegram, watch,
};

/// Lanes of spawned agents that wait to be run.
const NEW_LANES_MAX: usize = 16;

/// A keeper that runs.
pub(super) struct Running {
    pub(super) keeper: Keeper,
    pub(super) processes: Processes,
    pub(super) ledger: OpenLedger,
    /// Lanes of agents that are spawned while it runs.
    pub(super) new_lanes: mpsc::Receiver<Lane>,
}

/// Starts everything. Stimuli are accepted when this returns.
pub(super) async fn start(
    scope: &Scope<'_>,
    built: Built,
    tasks: &mut Tasks,
) -> Result<Running, AppError> {
    let Built { ledger: open, agents, replayed, processes, .. } = built;
    let ledger = open.ledger.clone();
    scope.self_watch.watch_work("the writer of the ledger", ledger.committer_clock());
    let servers = start_servers(scope, tasks, built.servers, &ledger)?;
    let parts = keeper_parts(scope, ledger.clone(), agents);
    let (keeper, keeper_tasks) = Keeper::start(parts, replayed).await?;
    servers.questions().open(keeper.clone());
    start_keeper_tasks(scope, tasks, &keeper, keeper_tasks);
    for SupervisorTask { future, .. } in built.supervision {
        tasks.start(Task::Supervisor, infallible(future));
    }
    keeper.services().view.applied(ledger.head().seq).await;
    let new_lanes = start_spawner(tasks, built.spawner, &keeper).await;
    scope.app.open(keeper.clone(), processes.clone());
    let questions = servers.questions().clone();
    scope.app.show_servers(servers);
    if let Some(message) = built.irc_socket.startup_message() {
        (scope.report)(StartupEvent::Irc(message));
    }
    let channel = start_irc(scope, tasks, &keeper, built.irc_socket)?;
    start_telegram(scope, tasks, &keeper, built.client.clone());
    start_self_watch(scope, tasks, &keeper, &built.client);
    start_process_history(scope, tasks, &processes);
    start_cards(scope, tasks);
    start_snapshots(tasks, built.snapshots, ledger);
    start_media(scope, tasks, &keeper).await;
    scope.app.show_modules(built.modules.metrics().clone());
    start_searches(scope, tasks, &keeper, &built.modules).await;
    start_evolution(scope, tasks, (&keeper, &processes), (built.modules, built.minds));
    if scope.input.config.settings.watchdog.enabled {
        let parts = (channel, built.client, built.watchdog_past);
        start_watchdog(scope, tasks, (&keeper, &processes, questions), parts);
    }
    Ok(Running { keeper, processes, ledger: open, new_lanes })
}

/// Begins to start the servers of tools; agents are offered what was accepted of them at once.
fn start_servers(
    scope: &Scope<'_>,
    tasks: &mut Tasks,
    built: BuiltServers,
    ledger: &Ledger,
) -> Result<McpServers, AppError> {
    let BuiltServers { launcher, accepted, left_open, own_tools, tools } = built;
    let (servers, task) = McpServers::start(McpServersParts {
        sections: &scope.input.config.settings.mcp,
        home: &scope.input.home,
        environment: &scope.input.environment,
        clock: Arc::clone(scope.clock),
        launcher,
        ledger: ledger.clone(),
        accepted,
        left_open,
        answer_limit: scope.input.config.settings.limits().approval,
        base: own_tools,
        tools,
    })?;
    let stop = tasks.stop_of(Task::McpServers);
    tasks.start(Task::McpServers, infallible(task.run(stop)));
    Ok(servers)
}

/// Runs a lane until the lanes are stopped.
pub(super) fn start_lane(tasks: &mut Tasks, lane: Lane) {
    let stop = tasks.stop_of(Task::Lane);
    tasks.start(Task::Lane, infallible(lane.run(stop)));
}

fn keeper_parts(scope: &Scope<'_>, ledger: Ledger, agents: AgentSetups) -> KeeperParts {
    let settings = &scope.input.config.settings;
    KeeperParts {
        ledger,
        clock: Arc::clone(scope.clock),
        ids: Arc::new(SystemIds),
        blobs: Blobs::folder(scope.input.home.blobs_folder()),
        failpoints: scope.failpoints.clone(),
        settings: epoch_settings(
            &scope.input.config,
            &scope.input.home,
            epochs_time(settings.supervisor.shutdown_grace.0),
        ),
        agents: agents.agents,
        files: agents.files,
        dreams: agents.dreams,
        schedules: schedules(settings, &scope.input.config.zone),
        version: crate::VERSION.to_owned(),
    }
}

fn start_keeper_tasks(
    scope: &Scope<'_>,
    tasks: &mut Tasks,
    keeper: &Keeper,
    keeper_tasks: KeeperTasks,
) {
    let KeeperTasks { projector, lanes, announcer, sleeper, waker } = keeper_tasks;
    scope.self_watch.watch_work("the projector", projector.clock());
    let stop = tasks.stop_of(Task::Projector);
    tasks.start(Task::Projector, projector.run(stop));
    for lane in lanes {
        start_lane(tasks, lane);
    }
    let stop = tasks.stop_of(Task::Waker);
    tasks.start(Task::Waker, infallible(waker.run(stop)));
    let stop = tasks.stop_of(Task::Sleeper);
    tasks.start(Task::Sleeper, infallible(sleeper.run(stop)));
    let stop = tasks.stop_of(Task::Embedding);
    let embedding = EmbeddingTask::new(Arc::clone(keeper.services()));
    tasks.start(Task::Embedding, infallible(embedding.run(stop)));
    if let Some(announcer) = announcer {
        let stop = tasks.stop_of(Task::Announcer);
        tasks.start(Task::Announcer, infallible(announcer.run(stop)));
    }
    let stop = tasks.stop_of(Task::PartialAnswers);
    let (app, keeper) = (scope.app.clone(), keeper.clone());
    let follow = async move { app.partial_answers().follow(&keeper, stop).await };
    tasks.start(Task::PartialAnswers, infallible(follow));
}

/// Adds the agents that were spawned before this start, before anybody can speak to them, and follows later ones.
async fn start_spawner(
    tasks: &mut Tasks,
    spawner: Spawner,
    keeper: &Keeper,
) -> mpsc::Receiver<Lane> {
    let (lanes, new_lanes) = mpsc::channel(NEW_LANES_MAX);
    for lane in spawner.add_missing(keeper).await {
        start_lane(tasks, lane);
    }
    let stop = tasks.stop_of(Task::Spawner);
    tasks.start(Task::Spawner, infallible(spawner.run(keeper.clone(), lanes, stop)));
    new_lanes
}

/// Serves IRC and joins networks, as far as that is configured; gives the channel that pages go to.
fn start_irc(
    scope: &Scope<'_>,
    tasks: &mut Tasks,
    keeper: &Keeper,
    socket: IrcSocket,
) -> Result<Option<Arc<dyn Pager>>, AppError> {
    let IrcSetup { status, pager, work } = irc::open(irc::IrcParts {
        app: scope.app,
        keeper,
        settings: &scope.input.config.settings.irc,
        environment: &scope.input.environment,
        clock: Arc::clone(scope.clock),
        socket,
    })?;
    scope.app.show_irc(status);
    if let Some(work) = work {
        let stop = tasks.stop_of(Task::Irc);
        tasks.start(Task::Irc, infallible(work.run(stop)));
    }
    Ok(pager)
}

/// Polls and answers on Telegram, where a bot is configured.
fn start_telegram(scope: &Scope<'_>, tasks: &mut Tasks, keeper: &Keeper, client: Client) {
    let parts = telegram::TelegramParts {
        settings: &scope.input.config.settings,
        environment: &scope.input.environment,
        app: scope.app,
        keeper,
        client,
        clock: Arc::clone(scope.clock),
    };
    if let Some(bridge) = telegram::bridge(parts) {
        scope.app.show_telegram(bridge.status());
        let stop = tasks.stop_of(Task::Telegram);
        tasks.start(Task::Telegram, infallible(bridge.run(stop)));
    }
}

/// Keeps what processes show, also while nobody looks.
fn start_process_history(scope: &Scope<'_>, tasks: &mut Tasks, processes: &Processes) {
    let (stop, clock) = (tasks.stop_of(Task::ProcessHistory), Arc::clone(scope.clock));
    let processes = processes.clone();
    let keep = async move { processes.keep_history(clock, stop).await };
    tasks.start(Task::ProcessHistory, infallible(keep));
}

/// Tries changes of agents, and keeps in force what the ledger says.
fn start_evolution(
    scope: &Scope<'_>,
    tasks: &mut Tasks,
    (keeper, processes): (&Keeper, &Processes),
    (modules, minds): (Arc<OwnModules>, Arc<MindSelector>),
) {
    let evolution = EvolutionTask::new(EvolutionParts {
        keeper: keeper.clone(),
        modules,
        processes: processes.clone(),
        minds,
        settings: scope.input.config.settings.clone(),
    });
    let (follower, stop) = (evolution.follower(), tasks.stop_of(Task::Evolution));
    tasks.start(Task::Evolution, infallible(follower.run(stop.clone())));
    tasks.start(Task::Evolution, infallible(evolution.run(stop)));
}

/// Carries on searches for something to propose, and takes new ones.
async fn start_searches(
    scope: &Scope<'_>,
    tasks: &mut Tasks,
    keeper: &Keeper,
    modules: &Arc<OwnModules>,
) {
    let made_with = (keeper.clone(), Arc::clone(modules));
    let is_enabled = scope.input.config.settings.evolution.enabled;
    let parts = SearchesParts::new(made_with, &scope.input.home, is_enabled);
    let (searches, queue) = Searches::open(parts, tasks.stop_of(Task::Evolution)).await;
    scope.app.show_searches(searches.clone());
    tasks.start(Task::Evolution, infallible(searches.run(queue)));
}

/// Tells people where a part of the keeper stands still.
fn start_self_watch(scope: &Scope<'_>, tasks: &mut Tasks, keeper: &Keeper, client: &Client) {
    let (watch, stop) = (scope.self_watch.clone(), tasks.stop_of(Task::SelfWatch));
    tasks.start(Task::SelfWatch, infallible(run_canaries(watch.clone(), stop.clone())));
    let settings = &scope.input.config.settings;
    let services = watch::build_services(settings, &scope.input.environment, client);
    let clock = Arc::clone(scope.clock);
    let reporter =
        StandstillReporter::new(ReporterParts { watch, keeper: keeper.clone(), services, clock });
    tasks.start(Task::SelfWatch, infallible(reporter.run(stop)));
}

/// Lets the cards of decks go whenever nobody asks for them.
fn start_cards(scope: &Scope<'_>, tasks: &mut Tasks) {
    let stop = tasks.stop_of(Task::Cards);
    let cards = scope.app.cards().clone();
    tasks.start(Task::Cards, infallible(cards.let_go_when_idle(stop)));
}

/// Makes snapshots of the state, so that the next start is short.
fn start_snapshots(tasks: &mut Tasks, snapshots: Snapshots, ledger: Ledger) {
    let stop = tasks.stop_of(Task::Snapshots);
    tasks.start(Task::Snapshots, infallible(keep_snapshots(snapshots, ledger, stop)));
}

/// Scans and plays music, where there are folders.
async fn start_media(scope: &Scope<'_>, tasks: &mut Tasks, keeper: &Keeper) {
    let stop = tasks.stop_of(Task::Media);
    for task in scope.app.music().start(keeper, &stop).await {
        tasks.start(Task::Media, infallible(task.future));
    }
}

fn start_watchdog(
    scope: &Scope<'_>,
    tasks: &mut Tasks,
    (keeper, processes, questions): (&Keeper, &Processes, McpQuestions),
    (channel, client, past): (Option<Arc<dyn Pager>>, Client, WatchdogState),
) {
    let (watchdog, handle) = watch::build(watch::WatchParts {
        settings: &scope.input.config.settings,
        environment: &scope.input.environment,
        keeper,
        processes,
        questions,
        client,
        channel,
        clock: Arc::clone(scope.clock),
        past,
    });
    let stop = tasks.stop_of(Task::Watchdog);
    tasks.start(Task::Watchdog, infallible(watchdog.run(stop)));
    scope.app.show_watchdog(handle);
}
