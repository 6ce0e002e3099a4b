//! What the handle of a client, its tools and its task share: where the connection stands, what the server offers, what was accepted.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::{Clock, Timestamp, text::shortened, visible, visible_line};
use abide_tools::CallProgress;
use rmcp::model::{ClientRequest, ServerPeerInfo};
use serde_json::Value;
use tokio::{
    sync::{Notify, Semaphore, watch},
    task::spawn_blocking,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{
    catalog::{Catalog, ListedTool},
    elicitation::ElicitationHandler,
    http_link::RemoteAccess,
    launch::ServerLauncher,
    limits::{CALLS_AT_ONCE_MAX, ERROR_CHARS_MAX, INSTRUCTIONS_CHARS_MAX},
    listing::Listing,
    pin::ToolPin,
    reach::{McpReach, shown_address},
    request::{RequestError, RequestLimits, request},
    running_calls::CallOrigin,
    session::Link,
    settings::McpServerSettings,
    status::{Counts, McpLifecycle, McpState, McpStatus},
    stderr_tail::StderrTail,
};

/// The longest wait for a restart that a call sits through; before a longer one it fails at once.
const CALL_SITS_THROUGH: Duration = Duration::from_secs(5);
/// What a call waits beyond the two starts that a server may need.
const READY_SLACK: Duration = Duration::from_secs(5);
/// What a call has beyond its own limits, so that they end it first and say what they know.
const CALL_SLACK: Duration = Duration::from_secs(5);

/// Where the connection stands, for those who wait for it.
#[derive(Clone, Debug)]
pub(crate) enum Phase {
    Starting,
    Ready(Link),
    Waiting { reason: String, wait: Duration },
    LoginNeeded { reason: String },
    Stopped,
}

/// Everything about the connection to one server.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) settings: McpServerSettings,
    pub(crate) launcher: Arc<dyn ServerLauncher>,
    /// How a remote server is spoken to; none for a process.
    pub(crate) remote: Option<RemoteAccess>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) elicitations: Arc<dyn ElicitationHandler>,
    pub(crate) counts: Arc<Counts>,
    pub(crate) stderr: StderrTail,
    pub(crate) list_changed: Arc<Notify>,
    /// Cancelled where the connection is to end.
    pub(crate) stop: CancellationToken,
    phase: watch::Sender<Phase>,
    /// Counts the changes of what is offered.
    revision: watch::Sender<u64>,
    calls: Semaphore,
    /// Locked while tools are sorted out, and so on threads alone that may block.
    source: Mutex<Source>,
    /// Locked for a moment at a time.
    facts: Mutex<Facts>,
}

/// What the catalog is made of.
#[derive(Debug, Default)]
struct Source {
    /// What the server listed last.
    listed: Vec<Value>,
    list_problem: Option<String>,
    listings: u64,
    /// What a person accepted of it; none where nobody has looked yet.
    pinned: Option<Vec<ToolPin>>,
}

/// What is known about the server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) lifecycle: Option<McpLifecycle>,
    pub(crate) has_resources: bool,
    /// Since when no call goes through.
    broken_since: Option<Timestamp>,
    /// Whether anything of it was accepted, or refused as a whole: then what is new waits.
    pub(crate) is_pinned: bool,
    pub(crate) pid: Option<u32>,
    info: Option<Arc<ServerPeerInfo>>,
    pub(crate) listings: u64,
    list_problem: Option<String>,
    last_error: Option<String>,
}

/// The parts of a connection that come from outside.
pub(crate) struct ConnectionParts {
    pub(crate) settings: McpServerSettings,
    pub(crate) launcher: Arc<dyn ServerLauncher>,
    pub(crate) remote: Option<RemoteAccess>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) elicitations: Arc<dyn ElicitationHandler>,
    pub(crate) pinned: Option<Vec<ToolPin>>,
}

impl Connection {
    pub(crate) fn new(parts: ConnectionParts) -> Self {
        let pinned = parts.pinned.map(|pinned| only_of(&parts.settings, pinned));
        // What was accepted is offered before the server is there to say it again; a call waits for the server.
        let listed: Vec<Value> = pinned.iter().flatten().map(ToolPin::as_listed).collect();
        let is_pinned = pinned.is_some();
        let catalog = Arc::new(Catalog::new(&listed, &parts.settings, pinned.as_deref()));
        Self {
            settings: parts.settings,
            launcher: parts.launcher,
            remote: parts.remote,
            clock: parts.clock,
            elicitations: parts.elicitations,
            counts: Arc::default(),
            stderr: StderrTail::default(),
            list_changed: Arc::default(),
            stop: CancellationToken::new(),
            phase: watch::Sender::new(Phase::Starting),
            revision: watch::Sender::new(0),
            calls: Semaphore::new(CALLS_AT_ONCE_MAX),
            source: Mutex::new(Source { listed, pinned, ..Source::default() }),
            facts: Mutex::new(Facts { catalog, is_pinned, ..Facts::default() }),
        }
    }

    pub(crate) fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(&self, phase: Phase) {
        match phase {
            Phase::Ready(_) => self.facts().broken_since = None,
            Phase::Waiting { .. } | Phase::LoginNeeded { .. } => self.note_broken(),
            // Between two tries it is as it was.
            Phase::Starting | Phase::Stopped => {}
        }
        self.phase.send_replace(phase);
    }

    fn note_broken(&self) {
        let now = self.clock.now();
        self.facts().broken_since.get_or_insert(now);
    }

    pub(crate) fn note_error(&self, error: &str) {
        self.facts().last_error = Some(shortened(&visible(error), ERROR_CHARS_MAX));
    }

    pub(crate) fn note_info(&self, info: Option<Arc<ServerPeerInfo>>) {
        let mut facts = self.facts();
        facts.has_resources =
            info.as_ref().is_some_and(|info| info.capabilities.resources.is_some());
        facts.info = info;
    }

    /// Takes a new list in. Whoever looks at the tools sees the old ones or the new ones, never a part.
    pub(crate) async fn take_listing(
        self: &Arc<Self>,
        listing: Listing,
    ) -> Result<(), RequestError> {
        self.sort_out(move |source| {
            source.listed = listing.items;
            source.list_problem = listing.problem;
            source.listings += 1;
        })
        .await
    }

    /// Takes in what a person accepted, beside what was accepted before of other tools. Nothing: then each tool waits that was not
    /// accepted.
    pub(crate) async fn accept(self: &Arc<Self>, new: Vec<ToolPin>) {
        let new = only_of(&self.settings, new);
        let sorted = self.sort_out(move |source| {
            let known = source.pinned.get_or_insert_default();
            known.retain(|pin| !new.iter().any(|new| new.tool == pin.tool));
            known.extend(new);
        });
        if let Err(error) = sorted.await {
            // What is offered stands under what was accepted before.
            self.offer(Arc::default(), |_| {});
            self.note_error(&error.to_string());
        }
    }

    /// Changes what the catalog is made of, and makes it anew: hundreds of schemas are compiled, away from the threads on which
    /// everything else runs. A caller that stops waiting stops nothing.
    async fn sort_out(
        self: &Arc<Self>,
        change: impl FnOnce(&mut Source) + Send + 'static,
    ) -> Result<(), RequestError> {
        let connection = Arc::clone(self);
        let sorting = spawn_blocking(move || {
            let mut source = connection.source.lock().unwrap_or_else(PoisonError::into_inner);
            change(&mut source);
            let pinned = source.pinned.as_deref();
            let catalog = Catalog::new(&source.listed, &connection.settings, pinned);
            connection.offer(Arc::new(catalog), |facts| {
                facts.list_problem = list_problem(&source, &facts.catalog);
                facts.listings = source.listings;
                facts.is_pinned = source.pinned.is_some();
            });
        });
        sorting.await.map_err(|error| {
            RequestError::Unreadable(format!("its tools could not be sorted out: {error}"))
        })
    }

    /// Offers the tools of another catalog.
    fn offer(&self, catalog: Arc<Catalog>, note: impl FnOnce(&mut Facts)) {
        let mut facts = self.facts();
        let before = mem::replace(&mut facts.catalog, catalog);
        note(&mut facts);
        drop(facts);
        // Not under the lock: it may be large.
        drop(before);
        self.revision.send_modify(|revision| *revision += 1);
    }

    /// The tool of that name, if it is still offered as it was.
    pub(crate) fn is_offered(&self, tool: &ListedTool) -> bool {
        let catalog = Arc::clone(&self.facts().catalog);
        catalog.offered(&tool.pin.tool).is_some_and(|now| now.pin.digest == tool.pin.digest)
    }

    /// How often what is offered has changed.
    pub(crate) fn revision(&self) -> u64 {
        *self.revision.borrow()
    }

    /// Waits until it has changed since.
    pub(crate) async fn changed_since(&self, seen: u64) -> u64 {
        let mut revision = self.revision.subscribe();
        match revision.wait_for(|now| *now != seen).await {
            Ok(now) => *now,
            Err(_) => seen,
        }
    }

    /// Waits until calls go through: through starts and short waits, not through long ones.
    pub(crate) async fn ready(&self) -> Result<Link, RequestError> {
        self.ready_by(Instant::now() + self.wait_limit()).await
    }

    /// How long a call waits for its turn and for the server, before anything is sent.
    fn wait_limit(&self) -> Duration {
        self.settings.start_limit.saturating_mul(2).saturating_add(READY_SLACK)
    }

    /// How long a call may take in all.
    pub(crate) fn call_time_limit(&self) -> Duration {
        let waiting = self.wait_limit().saturating_add(CALL_SLACK);
        waiting.saturating_add(self.settings.call_total_limit)
    }

    async fn ready_by(&self, deadline: Instant) -> Result<Link, RequestError> {
        let mut phase = self.phase.subscribe();
        let not_sent = |reason: String| Err(RequestError::NotSent(reason));
        let decided = timeout_at(deadline, phase.wait_for(Phase::is_decided)).await;
        let Ok(Ok(decided)) = decided else {
            return not_sent("the server is still starting; nothing was sent".to_owned());
        };
        match &*decided {
            Phase::Ready(link) => Ok(link.clone()),
            Phase::Waiting { reason, wait } => not_sent(format!(
                "the server does not run and is started again in {} s at most; nothing was sent ({reason})",
                wait.as_secs().max(1)
            )),
            Phase::LoginNeeded { reason } => not_sent(format!("{reason}; nothing was sent")),
            Phase::Starting | Phase::Stopped => {
                not_sent("the server was stopped; nothing was sent".to_owned())
            }
        }
    }

    /// Sends a request as soon as the server can take one more, where it is still right when the server is there: what was
    /// accepted may not be what the server has then.
    pub(crate) async fn call_if(
        &self,
        message: ClientRequest,
        (origin, progress): (CallOrigin, &CallProgress),
        is_right: impl Fn() -> bool,
    ) -> Result<Value, RequestError> {
        let deadline = Instant::now() + self.wait_limit();
        let Ok(Ok(_turn)) = timeout_at(deadline, self.calls.acquire()).await else {
            return Err(RequestError::NotSent(format!(
                "{CALLS_AT_ONCE_MAX} other calls of the server have not ended; nothing was sent"
            )));
        };
        let link = self.ready_by(deadline).await?;
        if !is_right() {
            return Err(RequestError::Changed);
        }
        let limits = RequestLimits {
            idle: self.settings.call_idle_limit,
            total: self.settings.call_total_limit,
        };
        let _running = link.calls.begin(origin, limits.total);
        request(&link, message, (limits, progress)).await
    }

    /// Sends a request as soon as the server can take one more.
    pub(crate) async fn call(
        &self,
        message: ClientRequest,
        caller: (CallOrigin, &CallProgress),
    ) -> Result<Value, RequestError> {
        self.call_if(message, caller, || true).await
    }

    /// Notes that the server asked for something that it does not get.
    pub(crate) fn decline(&self, reason: &str) {
        self.counts.decline(&self.settings.name, reason, self.clock.monotonic());
    }

    /// Waits until the task of the connection has said that it is over.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as this does.
        let mut phase = self.phase.subscribe();
        drop(phase.wait_for(|phase| matches!(phase, Phase::Stopped)).await);
    }

    pub(crate) fn status(&self) -> McpStatus {
        let login_needed = self.remote.as_ref().and_then(|remote| remote.login.reason());
        let state = match self.phase.borrow().state() {
            // The session stands; what goes through it is refused.
            McpState::Ready if login_needed.is_some() => McpState::LoginNeeded,
            state => state,
        };
        if state == McpState::LoginNeeded {
            self.note_broken();
        }
        let address = match &self.settings.reach {
            McpReach::Process(_) => None,
            McpReach::Http(endpoint) => Some(shown_address(&endpoint.url)),
        };
        let facts = self.facts().clone();
        let info = facts.info.as_deref();
        let about = info.and_then(|info| info.server_info.as_ref());
        let line = |text: &str| shortened(&visible_line(text), ERROR_CHARS_MAX);
        McpStatus {
            server: self.settings.name.clone(),
            state,
            pid: facts.pid,
            address,
            login_needed,
            server_name: about.map(|about| line(&about.name)),
            server_version: about.map(|about| line(&about.version)),
            protocol_version: info.map(|info| line(info.protocol_version.as_str())),
            lifecycle: facts.lifecycle,
            instructions: info
                .and_then(|info| info.instructions.as_deref())
                .map(|text| shortened(&visible(text), INSTRUCTIONS_CHARS_MAX)),
            tools: facts.catalog.offered.len(),
            dropped: facts.catalog.dropped.clone(),
            starts: self.counts.starts(),
            listings: facts.listings,
            list_problem: facts.list_problem,
            skipped: self.counts.skipped(),
            declined: self.counts.declined(),
            broken_since: facts.broken_since,
            last_error: facts.last_error,
            stderr_tail: self.stderr.to_text(),
        }
    }
}

/// What is wrong with the list, and with what the settings say about it.
fn list_problem(source: &Source, catalog: &Catalog) -> Option<String> {
    let both = [source.list_problem.as_deref(), catalog.unknown_names.as_deref()];
    let both: Vec<&str> = both.into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join("; "))
}

/// The pins of this server: a keeper may hand in all that it has.
fn only_of(settings: &McpServerSettings, pinned: Vec<ToolPin>) -> Vec<ToolPin> {
    pinned.into_iter().filter(|pin| pin.server == settings.name).collect()
}

impl Phase {
    /// Whether a call need not wait for the next one.
    fn is_decided(&self) -> bool {
        match self {
            Self::Starting => false,
            Self::Waiting { wait, .. } => *wait > CALL_SITS_THROUGH,
            Self::Ready(_) | Self::LoginNeeded { .. } | Self::Stopped => true,
        }
    }

    fn state(&self) -> McpState {
        match self {
            Self::Starting => McpState::Starting,
            Self::Ready(_) => McpState::Ready,
            Self::Waiting { .. } => McpState::Waiting,
            Self::LoginNeeded { .. } => McpState::LoginNeeded,
            Self::Stopped => McpState::Stopped,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{
        sync::{Arc, PoisonError},
        time::Duration,
    };

    use abide_domain::{Clock, Timestamp};
    use abide_tools::CallProgress;
    use futures_util::FutureExt as _;
    use rmcp::model::ListResourcesRequest;
    use serde_json::json;

    use super::{Connection, ConnectionParts, Phase};
    use crate::{
        elicitation::DeclineElicitations, limits::CALLS_AT_ONCE_MAX, listing::Listing,
        plain_launcher::PlainLauncher, request::RequestError, running_calls::tests::origin,
        settings::McpServerSettings,
    };

    #[derive(Debug)]
    struct StillClock;

    impl Clock for StillClock {
        fn now(&self) -> Timestamp {
            "2026-11-28T09:30:00Z".parse().unwrap()
        }

        fn monotonic(&self) -> Duration {
            Duration::ZERO
        }
    }

    pub(crate) fn connection() -> Arc<Connection> {
        Arc::new(Connection::new(ConnectionParts {
            settings: McpServerSettings::new("s", "x"),
            launcher: Arc::new(PlainLauncher::new([])),
            remote: None,
            clock: Arc::new(StillClock),
            elicitations: Arc::new(DeclineElicitations),
            pinned: None,
        }))
    }

    #[tokio::test]
    async fn everyone_is_answered_while_tools_are_sorted_out_and_giving_up_stops_nothing() {
        let connection = connection();
        let items = vec![json!({"name": "a", "inputSchema": {}})];
        let long_work = connection.source.lock().unwrap_or_else(PoisonError::into_inner);
        let listing = Listing { items, problem: None };
        assert_eq!(connection.take_listing(listing).now_or_never(), None);
        assert_eq!(connection.accept(Vec::new()).now_or_never(), None);
        assert_eq!((connection.status().listings, connection.revision()), (0, 0));
        drop(long_work);
        while connection.revision() < 2 {
            connection.changed_since(connection.revision()).await;
        }
        let status = connection.status();
        assert_eq!((status.listings, status.tools), (1, 0));
        assert_eq!(connection.facts().catalog.waiting.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_gets_no_turn_ends_by_itself_before_its_time_is_up() {
        let connection = connection();
        connection.enter(Phase::Stopped);
        let turns = u32::try_from(CALLS_AT_ONCE_MAX).unwrap();
        let all_turns = connection.calls.acquire_many(turns).await.unwrap();
        let (request, progress) = (ListResourcesRequest::default(), CallProgress::default());
        let call = connection.call(request.into(), (origin(1), &progress));
        let called = tokio::time::timeout(connection.call_time_limit(), call).await.unwrap();
        let Err(RequestError::NotSent(reason)) = called else { panic!("{called:?}") };
        assert!(reason.starts_with("8 other calls"), "{reason}");
        drop(all_turns);
    }
}
