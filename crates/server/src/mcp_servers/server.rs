//! One server beside the keeper: its client, and what of it waits for a person.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use abide_domain::{Clock, Timestamp};
use abide_mcp::{
    AccessTokens, ConfiguredToken, DeclineElicitations, ElicitationHandler, McpClient,
    McpClientParts, McpSettingsError, McpStatus, ToolPin, WaitingTool,
};
use abide_tools::Registry;
use tokio::sync::Semaphore;

use super::{
    logins::tokens_for,
    questions::McpQuestions,
    server_settings::{read_headers, server_settings},
};
use crate::{
    agents::{SandboxedServer, SandboxedServers},
    config::{Environment, McpSection, QuestionPolicy},
    home::Home,
};

/// What each server is made with.
#[derive(Debug)]
pub(super) struct ServerParts {
    pub(super) home: Home,
    pub(super) environment: Environment,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) launcher: SandboxedServers,
    pub(super) questions: McpQuestions,
}

/// A server.
#[derive(Debug)]
pub(super) struct Server {
    /// What it was started by.
    pub(super) section: McpSection,
    pub(super) client: McpClient,
    launcher: SandboxedServer,
    /// Since when something waits for a person.
    waiting_since: Mutex<Option<Timestamp>>,
    /// Who changes what was accepted has it to the end.
    pub(super) turn: Semaphore,
    /// The newest change of what it offers that was looked at.
    seen: AtomicU64,
}

/// A server as people see it.
#[derive(Clone, Debug)]
pub(crate) struct McpServerState {
    pub(crate) status: McpStatus,
    /// The names of the tools that agents may be offered.
    pub(crate) tools: Vec<String>,
    pub(crate) waiting: Arc<[WaitingTool]>,
    /// Since when something waits.
    pub(crate) waiting_since: Option<Timestamp>,
    /// What it kept in its folder when that was measured last, and what it may keep there, in bytes.
    pub(crate) disk: Option<(u64, u64)>,
}

impl Server {
    /// Begins to start it.
    pub(super) fn start(
        section: &McpSection,
        parts: &ServerParts,
        pinned: Option<Vec<ToolPin>>,
    ) -> Result<Self, McpSettingsError> {
        let ServerParts { home, environment, clock, launcher, questions } = parts;
        let launcher = launcher.launcher_of(section);
        let client_parts = McpClientParts {
            tokens: access_tokens(section, home, environment, clock),
            headers: request_headers(section, environment),
            elicitations: match section.questions {
                QuestionPolicy::Ask => Arc::new(questions.clone()) as Arc<dyn ElicitationHandler>,
                QuestionPolicy::Refuse => Arc::new(DeclineElicitations),
            },
            pinned,
            ..McpClientParts::new(Arc::new(launcher.clone()), Arc::clone(clock))
        };
        let client = McpClient::start(server_settings(section), client_parts)?;
        Ok(Self {
            section: section.clone(),
            client,
            launcher,
            waiting_since: Mutex::default(),
            turn: Semaphore::new(1),
            seen: AtomicU64::new(0),
        })
    }

    /// Waits until what it offers has changed since the last time that this ended. One waits at a time.
    pub(super) async fn changed(&self) {
        let seen = self.client.changed_since(self.seen.load(Ordering::Relaxed)).await;
        self.seen.store(seen, Ordering::Relaxed);
    }

    /// Whether it has listed its tools, perhaps none, and nothing of that is on record. One that has none is offered for its
    /// resources.
    pub(super) fn is_unrecorded(&self) -> bool {
        !self.client.is_pinned() && self.client.has_listed()
    }

    /// What waits for a person, and since when: since the first look at it.
    pub(super) fn note_waiting(&self, now: Timestamp) -> (Arc<[WaitingTool]>, Option<Timestamp>) {
        let waiting = self.client.waiting();
        let mut since = self.waiting_since.lock().unwrap_or_else(PoisonError::into_inner);
        *since = (!waiting.is_empty()).then(|| since.unwrap_or(now));
        (waiting, *since)
    }

    /// What holds now. Its tools are those that agents are offered, not those that it has.
    pub(super) fn state(&self, registry: &Registry, now: Timestamp) -> McpServerState {
        let space = format!("mcp.{}.", self.section.name);
        let names = registry.specs().map(|spec| &spec.name);
        let tools = names.filter(|name| name.starts_with(&space)).cloned().collect();
        let (waiting, waiting_since) = self.note_waiting(now);
        McpServerState {
            status: self.client.status(),
            tools,
            waiting,
            waiting_since,
            disk: self.launcher.disk(),
        }
    }
}

/// What lets requests to a remote server in.
pub(crate) fn access_tokens(
    section: &McpSection,
    home: &Home,
    environment: &Environment,
    clock: &Arc<dyn Clock>,
) -> Arc<dyn AccessTokens> {
    let configured = Some(&section.token_env).filter(|name| !name.is_empty());
    match configured.and_then(|name| environment.get(name)) {
        Some(token) => Arc::new(ConfiguredToken::new(abide_http::Secret::new(token))),
        None => tokens_for(section, home, clock),
    }
}

/// Headers that go along with requests to a remote server.
pub(crate) fn request_headers(
    section: &McpSection,
    environment: &Environment,
) -> Vec<(String, abide_http::Secret)> {
    let named = read_headers(section).unwrap_or_default();
    let value = |(header, name): (String, String)| {
        Some((header, abide_http::Secret::new(environment.get(&name)?)))
    };
    named.into_iter().filter_map(value).collect()
}
