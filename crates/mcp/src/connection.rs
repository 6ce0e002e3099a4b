//! What the handle of a client, its tools and its task share: where the connection stands, what the server offers, what was accepted.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::{Clock, text::shortened, visible, visible_line};
use rmcp::model::{ClientRequest, ServerPeerInfo};
use serde_json::Value;
use tokio::{
    sync::{Notify, Semaphore, watch},
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{
    catalog::{Catalog, ListedTool},
    elicitation::ElicitationHandler,
    launch::ServerLauncher,
    limits::{CALLS_AT_ONCE_MAX, ERROR_CHARS_MAX, INSTRUCTIONS_CHARS_MAX},
    listing::Listing,
    pin::ToolPin,
    request::{RequestError, RequestLimits, request},
    session::Link,
    settings::McpServerSettings,
    status::{Counts, McpLifecycle, McpState, McpStatus},
    stderr_tail::StderrTail,
};

/// The longest wait for a restart that a call sits through; before a longer one it fails at once.
const CALL_SITS_THROUGH: Duration = Duration::from_secs(5);
/// What a call waits beyond the two starts that a server may need.
const READY_SLACK: Duration = Duration::from_secs(5);

/// Where the connection stands, for those who wait for it.
#[derive(Clone, Debug)]
pub(crate) enum Phase {
    Starting,
    Ready(Link),
    Waiting { reason: String, wait: Duration },
    Stopped,
}

/// Everything about the connection to one server.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) settings: McpServerSettings,
    pub(crate) launcher: Arc<dyn ServerLauncher>,
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
    facts: Mutex<Facts>,
}

/// What is known about the server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) catalog: Catalog,
    /// What the server listed last.
    listed: Vec<Value>,
    pinned: Vec<ToolPin>,
    pub(crate) lifecycle: Option<McpLifecycle>,
    pub(crate) has_resources: bool,
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
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) elicitations: Arc<dyn ElicitationHandler>,
    pub(crate) pinned: Vec<ToolPin>,
}

impl Connection {
    pub(crate) fn new(parts: ConnectionParts) -> Self {
        let pinned = only_of(&parts.settings, parts.pinned);
        Self {
            settings: parts.settings,
            launcher: parts.launcher,
            clock: parts.clock,
            elicitations: parts.elicitations,
            counts: Arc::default(),
            stderr: StderrTail::default(),
            list_changed: Arc::default(),
            stop: CancellationToken::new(),
            phase: watch::Sender::new(Phase::Starting),
            revision: watch::Sender::new(0),
            calls: Semaphore::new(CALLS_AT_ONCE_MAX),
            facts: Mutex::new(Facts { pinned, ..Facts::default() }),
        }
    }

    pub(crate) fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
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
    pub(crate) fn take_listing(&self, listing: Listing) {
        let mut facts = self.facts();
        facts.catalog = Catalog::new(&listing.items, &self.settings, &facts.pinned);
        facts.listed = listing.items;
        facts.list_problem = listing.problem;
        facts.listings += 1;
        drop(facts);
        self.revision.send_modify(|revision| *revision += 1);
    }

    /// Takes in what a person accepted, in place of what was accepted before.
    pub(crate) fn accept(&self, pinned: Vec<ToolPin>) {
        let pinned = only_of(&self.settings, pinned);
        let mut facts = self.facts();
        facts.catalog = Catalog::new(&facts.listed, &self.settings, &pinned);
        facts.pinned = pinned;
        drop(facts);
        self.revision.send_modify(|revision| *revision += 1);
    }

    /// The tool of that name, if it is still offered as it was.
    pub(crate) fn is_offered(&self, tool: &ListedTool) -> bool {
        let facts = self.facts();
        facts.catalog.offered(&tool.pin.tool).is_some_and(|now| now.pin.digest == tool.pin.digest)
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
        let deadline = Instant::now() + self.settings.start_limit.saturating_mul(2) + READY_SLACK;
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
            Phase::Starting | Phase::Stopped => {
                not_sent("the server was stopped; nothing was sent".to_owned())
            }
        }
    }

    /// Sends a request as soon as the server can take one more.
    pub(crate) async fn call(&self, message: ClientRequest) -> Result<Value, RequestError> {
        let stopped = |_| RequestError::NotSent("the server was stopped".to_owned());
        let _turn = self.calls.acquire().await.map_err(stopped)?;
        let link = self.ready().await?;
        let limits = RequestLimits {
            idle: self.settings.call_idle_limit,
            total: self.settings.call_total_limit,
        };
        request(&link, message, limits).await
    }

    /// Waits until the task of the connection has said that it is over.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as this does.
        let mut phase = self.phase.subscribe();
        drop(phase.wait_for(|phase| matches!(phase, Phase::Stopped)).await);
    }

    /// A link for a request that has limits of its own.
    pub(crate) async fn link(&self) -> Result<Link, RequestError> {
        self.ready().await
    }

    pub(crate) fn status(&self) -> McpStatus {
        let state = self.phase.borrow().state();
        let facts = self.facts().clone();
        let info = facts.info.as_deref();
        let about = info.and_then(|info| info.server_info.as_ref());
        let line = |text: &str| shortened(&visible_line(text), ERROR_CHARS_MAX);
        McpStatus {
            server: self.settings.name.clone(),
            state,
            pid: facts.pid,
            server_name: about.map(|about| line(&about.name)),
            server_version: about.map(|about| line(&about.version)),
            protocol_version: info.map(|info| line(info.protocol_version.as_str())),
            lifecycle: facts.lifecycle,
            instructions: info
                .and_then(|info| info.instructions.as_deref())
                .map(|text| shortened(&visible(text), INSTRUCTIONS_CHARS_MAX)),
            tools: facts.catalog.offered.len(),
            dropped: facts.catalog.dropped,
            blocked: facts.catalog.blocked,
            starts: self.counts.starts(),
            listings: facts.listings,
            list_problem: facts.list_problem,
            skipped: self.counts.skipped(),
            declined: self.counts.declined(),
            last_error: facts.last_error,
            stderr_tail: self.stderr.to_text(),
        }
    }
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
            Self::Ready(_) | Self::Stopped => true,
        }
    }

    fn state(&self) -> McpState {
        match self {
            Self::Starting => McpState::Starting,
            Self::Ready(_) => McpState::Ready,
            Self::Waiting { .. } => McpState::Waiting,
            Self::Stopped => McpState::Stopped,
        }
    }
}
