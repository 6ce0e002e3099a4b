//! The composition root: takes the home, opens the ledger, puts the keeper together, starts every long task, and stops
//! them in order. The only file that knows all parts.
//!
//! The port answers before the ledger is read, with 503 and `loading`; nothing is promised before all of it is.

use std::{
    convert::Infallible, io, net::SocketAddr, sync::Arc, thread::JoinHandle, time::Duration,
};

use abide_domain::{Clock, IdSource, event::WakeScheduled};
use abide_engine::{
    Blobs, Embedding, EpochSettings as EngineSettings, Keeper, Lane, ScheduleOf,
    context::History,
    failpoint::{FailpointError, Failpoints},
    keeper::{KeeperParts, KeeperTasks, Replayed, StartError, replay},
    sleep::SleepSettings,
};
use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_ledger::{FileStorage, HomeLock, Ledger, LedgerOptions, LockError, OpenError};
use abide_memory::{Embedder, stdout::StdoutFolder};
use abide_models::WeightsError;
use abide_supervisor::SupervisorTask;
use abide_watchdog::{Pager, WatchdogHandle, WatchdogState};
use tokio::{net::TcpListener, sync::mpsc};

mod nursery;
mod signals;
mod tasks;

use nursery::Nursery;
use signals::Signals;
use tasks::{Task, Tasks};

use crate::{
    api::{self, AppState, AppStateParts, Configured},
    auth::{Admission, OriginCheck, Requirement, Token, TokenError},
    config::{AgentSection, Config, Environment, HistoryKind, ScheduleSection, Settings},
    crew::{Beside, Crew, CrewError, Outfitter},
    home::Home,
    irc::{self, IrcError, Opened, Socket},
    listener::Listener,
    minds::{Chosen, MindError, Minds, Thinker},
    presence::Presence,
    processes::{Processes, Staff, Workshop, WorkshopError},
    system::{SystemClock, SystemIds},
    telegram, watch,
    weights::{Choice, choose},
};

/// How long a stopping keeper lets running epochs finish; what does not finish is resumed at the next start.
const DRAIN: Duration = Duration::from_secs(5);
/// How long the lanes may take beyond that to put their pens down.
const DRAIN_SLACK: Duration = Duration::from_secs(5);

/// Lanes of agents that have just come into being and wait to be run.
const NEWCOMERS_MAX: usize = 16;

/// What a keeper is started with.
#[derive(Debug)]
pub(crate) struct App {
    /// Its folder; it exists.
    pub(crate) home: Home,
    /// The checked configuration.
    pub(crate) config: Config,
    /// Where keys of providers are read from.
    pub(crate) environment: Environment,
}

/// What is told about a start, as it goes on.
#[derive(Clone, Debug)]
pub(crate) enum News {
    /// The port answers.
    Listening {
        /// Where.
        address: SocketAddr,
        /// Signs a browser in, once.
        link: String,
    },
    /// An agent has its mind.
    Mind(String),
    /// How memories are searched.
    Memory(String),
    /// How people get to IRC, or why they cannot.
    Irc(String),
    /// Stimuli are taken.
    Ready {
        /// The last event.
        seq: u64,
    },
    /// The keeper begins to stop.
    Stopping {
        /// Why.
        reason: String,
    },
}

/// Says why a keeper could not start or go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AppError {
    /// Another keeper has the home, or it cannot be locked.
    #[error("the home cannot be taken")]
    Lock(#[from] LockError),
    /// The token cannot be used.
    #[error("the token cannot be used")]
    Token(#[from] TokenError),
    /// The address cannot be bound.
    #[error(
        "{address} cannot be listened on; choose another with --listen or `abide config set keeper.listen`"
    )]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A file or thread that the start needs.
    #[error("the start failed")]
    Io(#[from] io::Error),
    /// `[test] failpoints` does not fit.
    #[error("test.failpoints does not fit")]
    Failpoints(#[from] FailpointError),
    /// The ledger cannot be opened. It was left as it is.
    #[error("the ledger cannot be opened")]
    Ledger(#[from] OpenError),
    /// A mind cannot be made.
    #[error("an agent has no mind")]
    Mind(#[from] MindError),
    /// Weights that the configuration names cannot be used.
    #[error("memory.embedder cannot be used; `abide model pull` fetches weights")]
    Embedder(#[from] WeightsError),
    /// It is not known how an agent's process is kept.
    #[error("an agent's process cannot be kept")]
    Workshop(#[from] WorkshopError),
    /// An agent cannot be put together.
    #[error("an agent cannot be put together")]
    Crew(#[from] CrewError),
    /// IRC cannot begin as configured.
    #[error("irc cannot begin")]
    Irc(#[from] IrcError),
    /// It is not known what the watchdog did before.
    #[error("the watchdog's past cannot be read")]
    Watchdog(#[from] watch::PastError),
    /// The ledger was read and the house cannot be taken up.
    #[error("the house cannot be taken up")]
    Start(#[from] StartError),
    /// A task that must not end has ended.
    #[error("{0}")]
    TaskEnded(String),
}

/// What a start works with.
struct Start<'a> {
    front: &'a AppState,
    token: &'a Token,
    clock: Arc<dyn Clock>,
    failpoints: Failpoints,
    tell: &'a (dyn Fn(News) + Send + Sync),
}

/// Everything that is there before the keeper starts.
struct Loaded {
    open: OpenLedger,
    crew: Crew,
    replayed: Replayed,
    processes: Processes,
    supervision: Vec<SupervisorTask>,
    nursery: Nursery,
    watch: WatchParts,
}

/// What the watchdog is started with.
struct WatchParts {
    client: Client,
    past: WatchdogState,
}

/// An open ledger and the thread that writes it.
struct OpenLedger {
    ledger: Ledger,
    committer: JoinHandle<()>,
}

impl App {
    /// Runs a keeper until it is told to stop, or cannot go on. `tell` is told how the start goes.
    pub(crate) async fn run(self, tell: &(dyn Fn(News) + Send + Sync)) -> Result<(), AppError> {
        let mut signals = Signals::catch()?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let _lock = HomeLock::acquire(self.home.root())?;
        let failpoints: Failpoints = self.config.settings.test.failpoints.parse()?;
        let token = Token::load_or_create(&self.home)?;
        let (socket, bound) = bind(self.config.settings.keeper.listen).await?;
        let front = self.front(&token, bound, &clock);
        front.configure(Configured::new(&self.config, &self.home.config_file()));
        let mut tasks = Tasks::default();
        let listener = Listener::new(socket, api::router(front.clone()));
        let stop = tasks.stop_of(Task::Listener);
        tasks.start(Task::Listener, endless(listener.run(stop)));
        let presence = Presence::here(bound);
        if let Err(error) = presence.announce(&self.home) {
            // A full disk must not keep a keeper from serving what it has; only the command line cannot find it then.
            tracing::warn!(%error, "keeper.json cannot be written");
        }
        tell(News::Listening { address: bound, link: front.link().1 });
        let start = Start { front: &front, token: &token, clock, failpoints, tell };
        let ended = self.live(start, &mut tasks, &mut signals).await;
        presence.withdraw(&self.home);
        front.close();
        tasks.end(Task::Listener, DRAIN_SLACK).await;
        ended
    }

    fn front(&self, token: &Token, bound: SocketAddr, clock: &Arc<dyn Clock>) -> AppState {
        let is_required = self.config.settings.auth.required;
        let required = if is_required { Requirement::Token } else { Requirement::Nothing };
        let gate = OriginCheck::new(self.home.clone(), token, bound.port(), required);
        let alert_wake = self.config.settings.alertmanager.wake();
        let (door, clock) = (Admission::new(bound), Arc::clone(clock));
        AppState::new(AppStateParts { door, gate, clock, bound, alert_wake })
    }

    /// Reads the ledger, serves, and winds down.
    async fn live(
        &self,
        start: Start<'_>,
        tasks: &mut Tasks,
        signals: &mut Signals,
    ) -> Result<(), AppError> {
        let Start { front, tell, .. } = start;
        let socket = Socket::bind(&self.config).await.map_err(IrcError::from)?;
        let loaded = tokio::select! {
            biased;
            reason = signals.next() => {
                tell(News::Stopping { reason });
                return Ok(());
            }
            loaded = self.load(&start) => loaded?,
        };
        let Loaded { open, crew, replayed, processes, supervision, nursery, watch } = loaded;
        let ledger = open.ledger.clone();
        let clock = Arc::clone(&start.clock);
        let parts = self.parts(ledger.clone(), start.clock, start.failpoints, crew);
        let (keeper, running) = Keeper::start(parts, replayed).await?;
        start_tasks(tasks, front, &keeper, running);
        for SupervisorTask { future, .. } in supervision {
            tasks.start(Task::Supervisor, endless(future));
        }
        keeper.services().view.applied(ledger.head().seq).await;
        let (newborn, mut newcomers) = mpsc::channel(NEWCOMERS_MAX);
        let stop = tasks.stop_of(Task::Nursery);
        // Those that came before this start are there before anybody can speak to them.
        for lane in nursery.take_in(&keeper).await {
            start_lane(tasks, lane);
        }
        tasks.start(Task::Nursery, endless(nursery.run(keeper.clone(), newborn, stop)));
        front.open(keeper.clone(), processes.clone());
        socket.words().into_iter().for_each(|words| tell(News::Irc(words)));
        let channel = self.start_irc(tasks, (front, &keeper), socket, Arc::clone(&clock))?;
        self.start_telegram(tasks, (front, &keeper), watch.client.clone(), Arc::clone(&clock));
        if self.config.settings.watchdog.enabled {
            let house = (&keeper, &processes, channel);
            front.watch(self.start_watchdog(tasks, house, watch, clock));
        }
        tell(News::Ready { seq: ledger.head().seq });
        let (reason, outcome) = loop {
            tokio::select! {
                biased;
                reason = signals.next() => break (reason, Ok(())),
                ended = tasks.fatal() => break (ended.clone(), Err(AppError::TaskEnded(ended))),
                Some(lane) = newcomers.recv() => start_lane(tasks, lane),
            }
        };
        tell(News::Stopping { reason: reason.clone() });
        let wound_down = wind_down(front, &keeper, &processes, tasks, &reason);
        tokio::select! {
            () = wound_down => {}
            reason = signals.next() => tracing::warn!(reason, "told twice to stop; epochs under way are resumed at the next start"),
        }
        drop((keeper, processes));
        close(open, ledger).await;
        outcome
    }

    /// Opens the ledger and reads it, while minds are looked for.
    async fn load(&self, start: &Start<'_>) -> Result<Loaded, AppError> {
        let Start { clock, tell, .. } = start;
        let settings = &self.config.settings;
        let addresses = AddressPolicy::Any;
        let client = Client::new(ClientSettings::new(addresses, Arc::clone(clock)));
        let minds = Minds::look_around(settings, &self.environment, client.clone());
        let (opened, minds) = tokio::join!(self.open_ledger(clock), minds);
        let mut chosen: Vec<(AgentSection, Thinker)> = Vec::new();
        let mut beside = Beside::default();
        let outfitter = Outfitter::new(&self.home, settings, self.embedder(&client, *tell)?)?;
        for agent in &settings.agents {
            let Chosen { thinker, announcement, distiller, explorer } = minds.choose(agent)?;
            tell(News::Mind(announcement));
            beside.distillers.insert(agent.id.clone(), distiller);
            beside.explorers.extend(explorer.map(|explorer| (agent.id.clone(), explorer)));
            chosen.push((agent.clone(), thinker));
        }
        let open = opened?;
        let workshop = self.workshop(start, open.ledger.clone());
        let is_watched = settings.watchdog.enabled;
        let read = move || -> Result<Loaded, AppError> {
            let Workshop { home, ledger, .. } = &workshop;
            let Staff { minds: staffed, processes, tasks } = workshop.staff(chosen)?;
            let crew = Crew::assemble(&outfitter, staffed, beside, ledger.head().seq)?;
            let logs = StdoutFolder::open(home.logs_folder(), ledger.head().timestamp);
            let replayed = replay(ledger, &crew.agents, logs)?;
            let nursery = Nursery::new(minds, outfitter);
            let past = if is_watched { watch::past(ledger)? } else { WatchdogState::default() };
            let watch = WatchParts { client, past };
            Ok(Loaded { open, crew, replayed, processes, supervision: tasks, nursery, watch })
        };
        let read = tokio::task::spawn_blocking(read).await;
        read.map_err(|error| AppError::TaskEnded(error.to_string()))?
    }

    /// Begins to serve IRC and to join networks, as far as that is configured; gives the channel that pages go to.
    fn start_irc(
        &self,
        tasks: &mut Tasks,
        (front, keeper): (&AppState, &Keeper),
        socket: Socket,
        clock: Arc<dyn Clock>,
    ) -> Result<Option<Arc<dyn Pager>>, AppError> {
        let (settings, environment) = (&self.config.settings.irc, &self.environment);
        let parts = irc::Parts { front, keeper, settings, environment, clock, socket };
        let Opened { board, pager, work } = irc::open(parts)?;
        front.show_irc(board);
        if let Some(work) = work {
            let stop = tasks.stop_of(Task::Irc);
            tasks.start(Task::Irc, endless(work.run(stop)));
        }
        Ok(pager)
    }

    /// Begins to watch over the agents.
    fn start_watchdog(
        &self,
        tasks: &mut Tasks,
        (keeper, processes, channel): (&Keeper, &Processes, Option<Arc<dyn Pager>>),
        WatchParts { client, past }: WatchParts,
        clock: Arc<dyn Clock>,
    ) -> WatchdogHandle {
        let (watchdog, handle) = watch::watchdog(watch::Parts {
            settings: &self.config.settings,
            environment: &self.environment,
            keeper,
            processes,
            client,
            channel,
            clock,
            past,
        });
        let stop = tasks.stop_of(Task::Watchdog);
        tasks.start(Task::Watchdog, endless(watchdog.run(stop)));
        handle
    }

    /// Begins to hear and answer on Telegram, where a bot is configured.
    fn start_telegram(
        &self,
        tasks: &mut Tasks,
        (front, keeper): (&AppState, &Keeper),
        client: Client,
        clock: Arc<dyn Clock>,
    ) {
        let (settings, environment) = (&self.config.settings, &self.environment);
        let parts = telegram::Parts { settings, environment, front, keeper, client, clock };
        if let Some(bridge) = telegram::bridge(parts) {
            front.show_telegram(bridge.board());
            let stop = tasks.stop_of(Task::Telegram);
            tasks.start(Task::Telegram, endless(bridge.run(stop)));
        }
    }

    /// What finds by meaning, and the one line about it.
    fn embedder(
        &self,
        client: &Client,
        tell: &(dyn Fn(News) + Send + Sync),
    ) -> Result<Option<Arc<dyn Embedder>>, AppError> {
        let memory = &self.config.settings.memory;
        let key = self.environment.get(&memory.embedder_key_env).map(Secret::new);
        let Choice { embedder, words } = choose(memory, &self.home.models_folder(), key, client)?;
        tell(News::Memory(words));
        Ok(embedder)
    }

    fn workshop(&self, start: &Start<'_>, ledger: Ledger) -> Workshop {
        Workshop {
            home: self.home.clone(),
            settings: self.config.settings.clone(),
            environment: self.environment.clone(),
            token: start.token.clone(),
            ledger,
            clock: Arc::clone(&start.clock),
            ids: Arc::new(SystemIds),
        }
    }

    async fn open_ledger(&self, clock: &Arc<dyn Clock>) -> Result<OpenLedger, AppError> {
        let folder = self.home.ledger_folder();
        let mut options = LedgerOptions::new(Arc::clone(clock));
        options.tick_interval = self.config.settings.keeper.tick_interval();
        let open = move || -> Result<OpenLedger, AppError> {
            let storage = Arc::new(FileStorage::create(&folder)?);
            let (ledger, committer) = Ledger::open(storage, options)?;
            Ok(OpenLedger { ledger, committer: committer.spawn()? })
        };
        let opened = tokio::task::spawn_blocking(open).await;
        opened.map_err(|error| AppError::TaskEnded(error.to_string()))?
    }

    fn parts(
        &self,
        ledger: Ledger,
        clock: Arc<dyn Clock>,
        failpoints: Failpoints,
        crew: Crew,
    ) -> KeeperParts {
        let ids: Arc<dyn IdSource> = Arc::new(SystemIds);
        KeeperParts {
            ledger,
            clock,
            ids,
            blobs: Blobs::folder(self.home.root().join("blobs")),
            failpoints,
            settings: engine_settings(&self.config.settings),
            agents: crew.agents,
            files: crew.files,
            dreams: crew.dreams,
            schedules: schedules(&self.config.settings),
            version: crate::VERSION.to_owned(),
        }
    }
}

async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), AppError> {
    let failed = |source| AppError::Bind { address, source };
    let socket = TcpListener::bind(address).await.map_err(failed)?;
    let bound = socket.local_addr().map_err(failed)?;
    Ok((socket, bound))
}

/// The stimuli that come by the clock.
fn schedules(settings: &Settings) -> Vec<ScheduleOf> {
    let of = |agent: &AgentSection, (index, schedule): (usize, &ScheduleSection)| {
        let (name, cron) = (schedule.name(index), schedule.cron.clone());
        let content = schedule.content.as_str().into();
        Some(ScheduleOf {
            agent: agent.id.clone(),
            // It has been read before, when the configuration was checked.
            cron: cron.parse().ok()?,
            scheduled: WakeScheduled { name, cron, content },
        })
    };
    let each = |agent: &AgentSection| {
        agent.schedule.iter().enumerate().filter_map(|one| of(agent, one)).collect::<Vec<_>>()
    };
    settings.agents.iter().flat_map(each).collect()
}

fn engine_settings(settings: &Settings) -> EngineSettings {
    // A microsecond is to a second what a microdollar is to a dollar, and this conversion checks its range.
    let budget = Duration::try_from_secs_f64(settings.budget.usd_day).unwrap_or(Duration::MAX);
    let budget = u64::try_from(budget.as_micros()).unwrap_or(u64::MAX);
    EngineSettings {
        limits: settings.limits(),
        context_tokens_max: settings.context.tokens_max,
        history: match settings.context.history {
            HistoryKind::Agent => History::Agent,
            HistoryKind::Session => History::Session,
        },
        budget_microusd_day: (budget > 0).then_some(budget),
        drain: DRAIN,
        sleep: Some(SleepSettings {
            idle: settings.sleep.idle.0,
            epochs_min: settings.sleep.epochs_min,
            // It has been read before, when the configuration was checked.
            at: settings.sleep.at.parse().ok(),
            tokens_max: settings.context.tokens_max,
        }),
    }
}

/// A task that has no error of its own: it ends when it is told to.
async fn endless(work: impl Future<Output = ()>) -> Result<(), Infallible> {
    work.await;
    Ok(())
}

fn start_lane(tasks: &mut Tasks, lane: Lane) {
    let stop = tasks.stop_of(Task::Lane);
    tasks.start(Task::Lane, endless(lane.run(stop)));
}

fn start_tasks(tasks: &mut Tasks, front: &AppState, keeper: &Keeper, running: KeeperTasks) {
    let KeeperTasks { projector, lanes, announcer, sleeper, waker } = running;
    let stop = tasks.stop_of(Task::Projector);
    tasks.start(Task::Projector, projector.run(stop));
    for lane in lanes {
        start_lane(tasks, lane);
    }
    let stop = tasks.stop_of(Task::Waker);
    tasks.start(Task::Waker, endless(waker.run(stop)));
    let stop = tasks.stop_of(Task::Sleeper);
    tasks.start(Task::Sleeper, endless(sleeper.run(stop)));
    let stop = tasks.stop_of(Task::Embedding);
    let embedding = Embedding::new(Arc::clone(keeper.services()));
    tasks.start(Task::Embedding, endless(embedding.run(stop)));
    if let Some(announcer) = announcer {
        let stop = tasks.stop_of(Task::Announcer);
        tasks.start(Task::Announcer, endless(announcer.run(stop)));
    }
    let (front, keeper, stop) = (front.clone(), keeper.clone(), tasks.stop_of(Task::Partials));
    let follow = async move { front.partials().follow(&keeper, stop).await };
    tasks.start(Task::Partials, endless(follow));
}

/// Stops in order: nothing new, what runs may finish, the last word, streams and connections, the reader of the ledger.
async fn wind_down(
    front: &AppState,
    keeper: &Keeper,
    processes: &Processes,
    tasks: &mut Tasks,
    reason: &str,
) {
    front.stop();
    keeper.stop_accepting();
    tasks.end(Task::Watchdog, DRAIN_SLACK).await;
    tasks.end(Task::Nursery, DRAIN_SLACK).await;
    tasks.end(Task::Lane, DRAIN + DRAIN_SLACK).await;
    tasks.end(Task::Telegram, DRAIN_SLACK).await;
    tasks.end(Task::Irc, DRAIN_SLACK).await;
    tasks.end(Task::Waker, DRAIN_SLACK).await;
    tasks.end(Task::Sleeper, DRAIN_SLACK).await;
    tasks.end(Task::Embedding, DRAIN_SLACK).await;
    processes.shutdown().await;
    tasks.end(Task::Supervisor, DRAIN_SLACK).await;
    tasks.end(Task::Announcer, DRAIN_SLACK).await;
    tasks.end(Task::Partials, DRAIN_SLACK).await;
    if let Err(error) = keeper.farewell(reason).await {
        tracing::warn!(%error, "the last event could not be written");
    }
    keeper.services().view.applied(keeper.ledger().head().seq).await;
    front.close();
    tasks.end(Task::Listener, DRAIN_SLACK).await;
    tasks.end(Task::Projector, DRAIN_SLACK).await;
}

async fn close(open: OpenLedger, ledger: Ledger) {
    let OpenLedger { ledger: first, committer } = open;
    drop(first);
    ledger.close().await;
    let joined = tokio::task::spawn_blocking(move || committer.join().is_ok()).await;
    if !matches!(joined, Ok(true)) {
        tracing::error!("the ledger's writer did not end in good order");
    }
}
