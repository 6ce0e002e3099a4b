//! What all routes share: the keeper once it is there, who may come in, and the signal to end streams.

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use abide_domain::{AgentId, Clock, EntityName, Timestamp};
use abide_engine::Keeper;
use abide_ledger::LedgerStatus;
use abide_watchdog::WatchdogHandle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::{
    alertmanager::KnownShelf, config::Configured, error::ApiError, meter::Meter, partial::Partials,
};
use crate::{
    auth::{Admission, Links, OriginCheck},
    irc::{Board, IrcView},
    processes::Processes,
    telegram::{self, TelegramView},
};

/// Requests that may read the whole ledger at the same time.
const FOLDS_MAX: usize = 1;
/// Requests that may read a page of the ledger at the same time.
const READINGS_MAX: usize = 4;
/// Whoever holds a token acts under this name in the ledger.
const PERSON: &str = "user";

/// Shared by all routes. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct AppState {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    keeper: OnceLock<(Keeper, Processes)>,
    watchdog: OnceLock<WatchdogHandle>,
    irc: OnceLock<Board>,
    telegram: OnceLock<telegram::Board>,
    configured: OnceLock<Configured>,
    door: Admission,
    gate: OriginCheck,
    links: Links,
    clock: Arc<dyn Clock>,
    bound: SocketAddr,
    alert_wake: Option<AgentId>,
    known_alerts: KnownShelf,
    meter: Meter,
    partials: Partials,
    stopping: CancellationToken,
    closing: CancellationToken,
    folds: Semaphore,
    readings: Arc<Semaphore>,
}

/// What a front is made of.
#[derive(Debug)]
pub(crate) struct AppStateParts {
    /// Host and Origin.
    pub(crate) door: Admission,
    /// Tokens and cookies.
    pub(crate) gate: OriginCheck,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where the keeper listens.
    pub(crate) bound: SocketAddr,
    /// The agent that is told of alerts, if one is.
    pub(crate) alert_wake: Option<AgentId>,
}

/// How the keeper is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Health {
    /// `loading`, `ok`, `degraded` or `poisoned`.
    pub(crate) status: &'static str,
    /// Why, where it is not ok.
    pub(crate) reason: Option<String>,
}

impl AppState {
    /// A front without a keeper yet: everything that needs one answers 503 until [`AppState::open`].
    pub(crate) fn new(parts: AppStateParts) -> Self {
        let AppStateParts { door, gate, clock, bound, alert_wake } = parts;
        let inner = Inner {
            keeper: OnceLock::new(),
            watchdog: OnceLock::new(),
            irc: OnceLock::new(),
            telegram: OnceLock::new(),
            configured: OnceLock::new(),
            door,
            gate,
            links: Links::default(),
            clock,
            bound,
            alert_wake,
            known_alerts: KnownShelf::default(),
            meter: Meter::default(),
            partials: Partials::default(),
            stopping: CancellationToken::new(),
            closing: CancellationToken::new(),
            folds: Semaphore::new(FOLDS_MAX),
            readings: Arc::new(Semaphore::new(READINGS_MAX)),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Begins to serve a keeper.
    pub(crate) fn open(&self, keeper: Keeper, processes: Processes) {
        // The composition root calls this once; a second keeper would be another process.
        drop(self.inner.keeper.set((keeper, processes)));
    }

    /// Begins to show a watchdog.
    pub(crate) fn watch(&self, watchdog: WatchdogHandle) {
        // As with the keeper.
        drop(self.inner.watchdog.set(watchdog));
    }

    /// Begins to show how IRC is.
    pub(crate) fn show_irc(&self, board: Board) {
        // As with the keeper.
        drop(self.inner.irc.set(board));
    }

    /// How IRC is; none while the ledger is read.
    pub(crate) fn irc(&self) -> Option<IrcView> {
        self.inner.irc.get().map(Board::view)
    }

    /// Begins to show how the Telegram bot is.
    pub(crate) fn show_telegram(&self, board: telegram::Board) {
        // As with the keeper.
        drop(self.inner.telegram.set(board));
    }

    /// How the Telegram bot is; none where there is none.
    pub(crate) fn telegram(&self) -> Option<TelegramView> {
        self.inner.telegram.get().map(telegram::Board::view)
    }

    /// The watchdog; none where it is off, or while the ledger is read.
    pub(crate) fn watchdog(&self) -> Option<&WatchdogHandle> {
        self.inner.watchdog.get()
    }

    /// Begins to show the values in force, and the file that may hold some of them.
    pub(crate) fn configure(&self, configured: Configured) {
        // As with the keeper.
        drop(self.inner.configured.set(configured));
    }

    /// The values in force.
    pub(crate) fn configured(&self) -> Option<&Configured> {
        self.inner.configured.get()
    }

    /// Says that the keeper stops: not ready any more, running requests go on.
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
        let loading = || ApiError::unavailable("loading", "the keeper is reading its ledger");
        self.inner.keeper.get().map(|(keeper, _)| keeper).ok_or_else(loading)
    }

    /// Agents' processes; none while the ledger is read.
    pub(crate) fn processes(&self) -> Option<&Processes> {
        self.inner.keeper.get().map(|(_, processes)| processes)
    }

    /// How the keeper is.
    pub(crate) fn health(&self) -> Health {
        let Some((keeper, _)) = self.inner.keeper.get() else {
            return Health { status: "loading", reason: None };
        };
        match keeper.ledger().status() {
            LedgerStatus::Ok => Health { status: "ok", reason: None },
            LedgerStatus::Degraded { reason } => {
                Health { status: "degraded", reason: Some(reason.to_string()) }
            }
            LedgerStatus::Poisoned { reason } => {
                Health { status: "poisoned", reason: Some(reason.to_string()) }
            }
        }
    }

    /// Whether stimuli are taken.
    pub(crate) fn is_ready(&self) -> bool {
        !self.inner.stopping.is_cancelled() && self.health().status == "ok"
    }

    /// Whether the keeper is about to end.
    pub(crate) fn is_stopping(&self) -> bool {
        self.inner.stopping.is_cancelled()
    }

    /// The agent that a request is about: the named one, else the only one of the configuration, whomever it has made.
    pub(crate) fn citizen(&self, named: Option<&str>) -> Result<AgentId, ApiError> {
        let keeper = self.keeper()?;
        let Some(name) = named else {
            if let [only] = keeper.unspawned_agents().as_slice() {
                return Ok(only.id.clone());
            }
            let agents = keeper.agents();
            let names: Vec<_> = agents.iter().map(|agent| agent.id.as_str()).collect();
            return Err(ApiError::malformed(format!("name a citizen: {}", names.join(", "))));
        };
        let known = name.parse::<AgentId>().ok().filter(|id| keeper.has_agent(id));
        known.ok_or_else(|| ApiError::not_found("agent", name))
    }

    /// A turn at reading the whole ledger; none where the front is gone.
    pub(crate) async fn fold_turn(&self) -> Option<SemaphorePermit<'_>> {
        self.inner.folds.acquire().await.ok()
    }

    /// A turn at reading a page of it, for whoever reads: a caller that goes away does not end a reading.
    pub(crate) async fn reading_turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.inner.readings).acquire_owned().await.ok()
    }

    /// The present.
    pub(crate) fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// The clock that only goes forward.
    pub(crate) fn monotonic(&self) -> Duration {
        self.inner.clock.monotonic()
    }

    /// Host and Origin.
    pub(crate) fn door(&self) -> &Admission {
        &self.inner.door
    }

    /// Tokens and cookies.
    pub(crate) fn gate(&self) -> &OriginCheck {
        &self.inner.gate
    }

    /// Single-use codes.
    pub(crate) fn links(&self) -> &Links {
        &self.inner.links
    }

    /// A new link that signs a browser in, once.
    pub(crate) fn link(&self) -> (String, String) {
        let code = self.inner.links.issue(self.monotonic());
        let address = crate::presence::Presence::here(self.inner.bound).address;
        let link = format!("http://{address}/?code={code}");
        (code, link)
    }

    /// Which alerts are on the record.
    pub(super) fn known_alerts(&self) -> &KnownShelf {
        &self.inner.known_alerts
    }

    /// The agent that is told of alerts, if one is.
    pub(crate) fn alert_wake(&self) -> Option<&AgentId> {
        self.inner.alert_wake.as_ref()
    }

    /// Counters of the HTTP side.
    pub(crate) fn meter(&self) -> &Meter {
        &self.inner.meter
    }

    /// Answers that grow.
    pub(crate) fn partials(&self) -> &Partials {
        &self.inner.partials
    }
}

/// The author of what a person orders over the API.
pub(crate) fn person() -> EntityName {
    EntityName::sender(PERSON).unwrap_or_else(|_| EntityName::keeper())
}
