//! What all routes share: the keeper once the ledger is read, the checks of a request, and the signal to end streams.

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock, PoisonError, RwLock},
    time::Duration,
};

use abide_domain::{AgentId, Clock, Timestamp};
use abide_engine::Keeper;
use abide_ledger::LedgerStatus;
use abide_watchdog::WatchdogHandle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::{
    alertmanager::KnownAlertsCache, config_view::ConfigView, error::ApiError,
    http_metrics::HttpMetrics, partial_answers::PartialAnswers,
};
use crate::{
    agents::Processes,
    auth::{Admission, Caller, OriginCheck},
    cards::{CardImages, CardStore},
    evolution::{ModuleMetrics, Searches},
    irc::{IrcStatus, IrcView},
    mcp_servers::McpServers,
    media::MusicService,
    self_watch::{SelfWatch, StandingPart, find_standing, sentences},
    telegram::{TelegramStatus, TelegramView},
};

/// Requests that may read the whole ledger at the same time.
const FOLDS_MAX: usize = 1;
/// Requests that may read a page of the ledger at the same time.
const READS_MAX: usize = 4;
/// Requests that change something and run at the same time, those included whose callers have left.
pub(crate) const CHANGES_MAX: usize = 4096;

/// What all routes share (the state of axum). Cheap to clone; the composition root fills it in as the keeper starts.
#[derive(Clone, Debug)]
pub(crate) struct AppState {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    keeper: OnceLock<(Keeper, Processes)>,
    watchdog: OnceLock<WatchdogHandle>,
    irc: OnceLock<IrcStatus>,
    servers: OnceLock<McpServers>,
    searches: OnceLock<Searches>,
    telegram: OnceLock<TelegramStatus>,
    modules: OnceLock<ModuleMetrics>,
    config: RwLock<Option<Arc<ConfigView>>>,
    origin_check: OriginCheck,
    admission: Admission,
    cards: CardStore,
    card_images: CardImages,
    music: MusicService,
    clock: Arc<dyn Clock>,
    self_watch: SelfWatch,
    bound: SocketAddr,
    alert_wake: Option<AgentId>,
    known_alerts: KnownAlertsCache,
    metrics: HttpMetrics,
    partial_answers: PartialAnswers,
    stopping: CancellationToken,
    closing: CancellationToken,
    folds: Semaphore,
    reads: Arc<Semaphore>,
    changes: Arc<Semaphore>,
}

/// What the state is made of before there is a keeper.
#[derive(Debug)]
pub(crate) struct AppStateParts {
    /// Host and Origin.
    pub(crate) origin_check: OriginCheck,
    /// Tokens and cookies.
    pub(crate) admission: Admission,
    /// The cards of decks.
    pub(crate) cards: CardStore,
    /// Their pictures.
    pub(crate) card_images: CardImages,
    /// What is played.
    pub(crate) music: MusicService,
    /// The present, and the time since the start.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where the keeper listens.
    pub(crate) bound: SocketAddr,
    /// The agent that gets alerts as stimuli, if one is configured.
    pub(crate) alert_wake: Option<AgentId>,
    /// What of the keeper stands still.
    pub(crate) self_watch: SelfWatch,
}

/// The health of the keeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Health {
    /// `loading`, `ok`, `stalled`, `degraded` or `poisoned`.
    pub(crate) status: &'static str,
    /// Why, where it is not ok.
    pub(crate) reason: Option<String>,
}

impl AppState {
    /// Without a keeper yet: everything that needs one answers 503 until [`AppState::open`].
    pub(crate) fn new(parts: AppStateParts) -> Self {
        let AppStateParts { origin_check, admission, cards, card_images, music, .. } = parts;
        let AppStateParts { clock, bound, alert_wake, self_watch, .. } = parts;
        let inner = Inner {
            keeper: OnceLock::new(),
            watchdog: OnceLock::new(),
            irc: OnceLock::new(),
            servers: OnceLock::new(),
            searches: OnceLock::new(),
            telegram: OnceLock::new(),
            modules: OnceLock::new(),
            config: RwLock::default(),
            origin_check,
            admission,
            cards,
            card_images,
            music,
            clock,
            self_watch,
            bound,
            alert_wake,
            known_alerts: KnownAlertsCache::default(),
            metrics: HttpMetrics::default(),
            partial_answers: PartialAnswers::default(),
            stopping: CancellationToken::new(),
            closing: CancellationToken::new(),
            folds: Semaphore::new(FOLDS_MAX),
            reads: Arc::new(Semaphore::new(READS_MAX)),
            changes: Arc::new(Semaphore::new(CHANGES_MAX)),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Begins to serve a keeper.
    pub(crate) fn open(&self, keeper: Keeper, processes: Processes) {
        // The composition root calls this once; a second keeper would be another process.
        drop(self.inner.keeper.set((keeper, processes)));
    }

    /// Begins to show how modules of agents are asked.
    pub(crate) fn show_modules(&self, metrics: ModuleMetrics) {
        // As with the keeper.
        drop(self.inner.modules.set(metrics));
    }

    /// How modules of agents were asked; none while the ledger is read.
    pub(crate) fn modules(&self) -> Option<&ModuleMetrics> {
        self.inner.modules.get()
    }

    /// Begins to show a watchdog.
    pub(crate) fn show_watchdog(&self, watchdog: WatchdogHandle) {
        // As with the keeper.
        drop(self.inner.watchdog.set(watchdog));
    }

    /// Begins to show the status of IRC.
    pub(crate) fn show_irc(&self, status: IrcStatus) {
        // As with the keeper.
        drop(self.inner.irc.set(status));
    }

    /// The status of IRC; none while the ledger is read.
    pub(crate) fn irc(&self) -> Option<IrcView> {
        self.inner.irc.get().map(IrcStatus::view)
    }

    /// Begins to show the servers whose tools agents use.
    pub(crate) fn show_servers(&self, servers: McpServers) {
        // As with the keeper.
        drop(self.inner.servers.set(servers));
    }

    /// The servers whose tools agents use; none while the ledger is read.
    pub(crate) fn servers(&self) -> Option<&McpServers> {
        self.inner.servers.get()
    }

    /// Begins to show searches for something to propose.
    pub(crate) fn show_searches(&self, searches: Searches) {
        // As with the keeper.
        drop(self.inner.searches.set(searches));
    }

    /// Searches for something to propose; none while the ledger is read.
    pub(crate) fn searches(&self) -> Option<&Searches> {
        self.inner.searches.get()
    }

    /// Begins to show the status of the Telegram bot.
    pub(crate) fn show_telegram(&self, status: TelegramStatus) {
        // As with the keeper.
        drop(self.inner.telegram.set(status));
    }

    /// The status of the Telegram bot; none where no bot is configured.
    pub(crate) fn telegram(&self) -> Option<TelegramView> {
        self.inner.telegram.get().map(TelegramStatus::view)
    }

    /// The watchdog; none where it is off, or while the ledger is read.
    pub(crate) fn watchdog(&self) -> Option<&WatchdogHandle> {
        self.inner.watchdog.get()
    }

    /// Begins to show the values in force, and the file that may hold some of them.
    pub(crate) fn show_config(&self, config: ConfigView) {
        let mut shown = self.inner.config.write().unwrap_or_else(PoisonError::into_inner);
        *shown = Some(Arc::new(config));
    }

    /// The values in force.
    pub(crate) fn config(&self) -> Option<Arc<ConfigView>> {
        self.inner.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The right to run one more request that changes something; none where too many run.
    pub(crate) fn change_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.inner.changes).try_acquire_owned().ok()
    }

    /// Marks the keeper as stopping: not ready any more, running requests go on.
    pub(crate) fn stop(&self) {
        self.inner.stopping.cancel();
    }

    /// Ends all streams.
    pub(crate) fn close(&self) {
        self.inner.closing.cancel();
    }

    /// The signal that ends streams.
    pub(crate) fn closing(&self) -> &CancellationToken {
        &self.inner.closing
    }

    /// The keeper, or 503 while the ledger is read.
    pub(crate) fn keeper(&self) -> Result<&Keeper, ApiError> {
        let loading = || {
            ApiError::unavailable(
                "loading",
                "the keeper is still reading its ledger; try again in a moment",
            )
        };
        self.inner.keeper.get().map(|(keeper, _)| keeper).ok_or_else(loading)
    }

    /// Agents' processes; none while the ledger is read.
    pub(crate) fn processes(&self) -> Option<&Processes> {
        self.inner.keeper.get().map(|(_, processes)| processes)
    }

    /// The health of the keeper.
    pub(crate) fn health(&self) -> Health {
        let Some((keeper, _)) = self.inner.keeper.get() else {
            return Health { status: "loading", reason: None };
        };
        match keeper.ledger().status() {
            LedgerStatus::Ok => match &*self.standing_parts() {
                [] => Health { status: "ok", reason: None },
                standing => Health { status: "stalled", reason: Some(sentences(standing)) },
            },
            LedgerStatus::Degraded { reason } => {
                Health { status: "degraded", reason: Some(reason.to_string()) }
            }
            LedgerStatus::Poisoned { reason } => {
                Health { status: "poisoned", reason: Some(reason.to_string()) }
            }
        }
    }

    /// What of the keeper itself stands still, agents' lanes left out.
    pub(crate) fn standing_own_parts(&self) -> Vec<StandingPart> {
        self.inner.self_watch.standing()
    }

    /// What of the keeper stands still.
    pub(crate) fn standing_parts(&self) -> Vec<StandingPart> {
        let keeper = self.inner.keeper.get().map(|(keeper, _)| keeper);
        keeper.map(|keeper| find_standing(&self.inner.self_watch, keeper)).unwrap_or_default()
    }

    /// Whether stimuli are accepted.
    pub(crate) fn is_ready(&self) -> bool {
        !self.inner.stopping.is_cancelled() && self.health().status == "ok"
    }

    /// Whether the keeper is stopping.
    pub(crate) fn is_stopping(&self) -> bool {
        self.inner.stopping.is_cancelled()
    }

    /// The agent that a request is about: the named one, else the only one of the configuration, even if it has spawned
    /// others.
    pub(crate) fn citizen(&self, named: Option<&str>) -> Result<AgentId, ApiError> {
        let keeper = self.keeper()?;
        let Some(name) = named else {
            if let [only] = keeper.unspawned_agents().as_slice() {
                return Ok(only.id.clone());
            }
            let agents = keeper.agents();
            let names: Vec<_> = agents.iter().map(|agent| agent.id.as_str()).collect();
            return Err(ApiError::malformed(format!(
                "the request names no agent and there are several: set citizen to one of {}",
                names.join(", ")
            )));
        };
        let known = name.parse::<AgentId>().ok().filter(|id| keeper.has_agent(id));
        known.ok_or_else(|| ApiError::not_found("agent", name))
    }

    /// Waits for the permit to read the whole ledger.
    pub(crate) async fn fold_permit(&self) -> Option<SemaphorePermit<'_>> {
        self.inner.folds.acquire().await.ok()
    }

    /// Waits for a permit to read a page of the ledger. Owned by the read: a caller that goes away does not end it.
    pub(crate) async fn read_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.inner.reads).acquire_owned().await.ok()
    }

    /// The present.
    pub(crate) fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// The present as the ledger counts it, once it is read: a step of the wall clock neither ends a token nor brings one back.
    pub(crate) fn ledger_now(&self) -> Timestamp {
        self.keeper().map_or_else(|_| self.now(), |keeper| keeper.ledger().now())
    }

    /// The clock that only goes forward.
    pub(crate) fn monotonic(&self) -> Duration {
        self.inner.clock.monotonic()
    }

    /// Host and Origin.
    pub(crate) fn origin_check(&self) -> &OriginCheck {
        &self.inner.origin_check
    }

    /// Tokens and cookies.
    pub(crate) fn admission(&self) -> &Admission {
        &self.inner.admission
    }

    /// The cards of decks.
    pub(crate) fn cards(&self) -> &CardStore {
        &self.inner.cards
    }

    /// The pictures of cards.
    pub(crate) fn card_images(&self) -> &CardImages {
        &self.inner.card_images
    }

    /// What is played.
    pub(crate) fn music(&self) -> &MusicService {
        &self.inner.music
    }

    /// A new link that signs a browser in as a caller, once.
    pub(crate) fn link_for(&self, caller: &Caller) -> (String, String) {
        self.link(self.inner.admission.link_for(caller, self.monotonic()))
    }

    /// A new link that signs a browser in as the owner of the keeper's own token, once.
    pub(crate) fn link_for_owner(&self) -> (String, String) {
        self.link(self.inner.admission.link_for_owner(self.monotonic()))
    }

    /// Whether a caller of before may still act.
    pub(crate) fn still_admits(&self, caller: &Caller) -> bool {
        self.inner.admission.still_admits(caller, self.ledger_now())
    }

    fn link(&self, code: String) -> (String, String) {
        let address = crate::presence::Presence::here(self.inner.bound).address;
        let link = format!("http://{address}/?code={code}");
        (code, link)
    }

    /// The alerts that are recorded.
    pub(super) fn known_alerts(&self) -> &KnownAlertsCache {
        &self.inner.known_alerts
    }

    /// The agent that gets alerts as stimuli, if one is configured.
    pub(crate) fn alert_wake(&self) -> Option<&AgentId> {
        self.inner.alert_wake.as_ref()
    }

    /// Counters of the HTTP side.
    pub(crate) fn metrics(&self) -> &HttpMetrics {
        &self.inner.metrics
    }

    /// Answers as far as they have grown.
    pub(crate) fn partial_answers(&self) -> &PartialAnswers {
        &self.inner.partial_answers
    }
}
