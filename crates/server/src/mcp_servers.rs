//! Servers of the Model Context Protocol beside a keeper: they are started, their tools are offered to agents as far as a person
//! accepted them, and what was accepted stands in the ledger.
//!
//! The first list of a server is taken as it is: whoever configured the server wanted it. From then on a tool that is new or
//! describes itself in another way waits for a person. What was accepted is offered from the start on, so that an agent has the same
//! tools before and after a restart; a call waits until its server is there.
//!
//! Reading order: `server_settings` (from the configuration), `records` and `accepted` (from and to the ledger), `logins`,
//! `question_table` and `questions` (what servers ask of people), this file.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{Clock, EntityName, Timestamp};
use abide_ledger::Ledger;
use abide_mcp::{
    AccessTokens, ConfiguredToken, DeclineElicitations, ElicitationHandler, McpClient,
    McpClientParts, McpSettingsError, McpStatus, ServerLauncher, WaitingTool,
};
use abide_tools::{Registry, SharedRegistry};
use futures_util::future::{join, join_all, select_all};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

mod accepted;
mod logins;
mod question_table;
mod questions;
mod records;
mod server_settings;

pub(crate) use accepted::{AcceptedTools, read_accepted};
pub(crate) use logins::login_store;
use logins::tokens_for;
pub(crate) use question_table::{McpQuestion, QuestionKey};
pub(crate) use questions::{AnswerError, McpQuestions, PersonsAnswer, read_left_open};
pub(crate) use records::McpRecordsError;
use records::RECORD_AGAIN;
pub(crate) use server_settings::{read_headers, server_settings};

use crate::{
    config::{Environment, McpSection, QuestionPolicy},
    home::Home,
};

/// The servers of a keeper. A cheap clone.
#[derive(Clone, Debug)]
pub(crate) struct McpServers {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    servers: Vec<Server>,
    ledger: Ledger,
    clock: Arc<dyn Clock>,
    /// The tools without those of servers.
    base: Registry,
    tools: Arc<SharedRegistry>,
    /// Held while what is offered is put together.
    offering: Mutex<()>,
    questions: McpQuestions,
}

#[derive(Debug)]
struct Server {
    name: String,
    client: McpClient,
    /// Since when something waits for a person.
    waiting_since: Mutex<Option<Timestamp>>,
    /// Who changes what was accepted has it to the end.
    turn: Semaphore,
}

/// What servers are made of.
pub(crate) struct McpServersParts<'a> {
    pub(crate) sections: &'a [McpSection],
    pub(crate) home: &'a Home,
    pub(crate) environment: &'a Environment,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) launcher: Arc<dyn ServerLauncher>,
    pub(crate) ledger: Ledger,
    /// What was accepted before.
    pub(crate) accepted: AcceptedTools,
    /// What servers asked of people under a keeper before this one, and nobody ended.
    pub(crate) left_open: Vec<QuestionKey>,
    /// How long a person has to answer what a server asks.
    pub(crate) answer_limit: Duration,
    /// The tools that there are without servers.
    pub(crate) base: Registry,
    /// Where all tools go.
    pub(crate) tools: Arc<SharedRegistry>,
}

/// Says why an order for a server cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum McpOrderError {
    /// There is no such server.
    #[error("there is no server {0:?} among the [[mcp]] of the configuration")]
    Unknown(String),
    /// What the person saw is not what the server says now.
    #[error(
        "{tool:?} of the server changed again since it was shown, or is gone; look at it again"
    )]
    Changed {
        /// The tool.
        tool: String,
    },
    /// It could not be written down.
    #[error("what was accepted cannot be recorded: {0}")]
    NotRecorded(String),
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
}

impl McpServers {
    /// Begins to start all servers, and offers what was accepted of them. Within a runtime.
    pub(crate) fn start(parts: McpServersParts<'_>) -> Result<Self, McpSettingsError> {
        let McpServersParts { sections, home, environment, clock, launcher, ledger, .. } = parts;
        let (mut accepted, base, tools) = (parts.accepted, parts.base, parts.tools);
        let asking = (parts.answer_limit, parts.left_open);
        let questions = McpQuestions::new(ledger.clone(), Arc::clone(&clock), asking);
        let mut servers = Vec::new();
        for section in sections {
            let parts = McpClientParts {
                tokens: access_tokens(section, home, environment, &clock),
                headers: request_headers(section, environment),
                elicitations: match section.questions {
                    QuestionPolicy::Ask => {
                        Arc::new(questions.clone()) as Arc<dyn ElicitationHandler>
                    }
                    QuestionPolicy::Refuse => Arc::new(DeclineElicitations),
                },
                pinned: accepted.remove(&section.name),
                ..McpClientParts::new(Arc::clone(&launcher), Arc::clone(&clock))
            };
            let client = McpClient::start(server_settings(section), parts)?;
            let (name, waiting_since) = (section.name.clone(), Mutex::default());
            let turn = Semaphore::new(1);
            servers.push(Server { name, client, waiting_since, turn });
        }
        let servers = Self {
            inner: Arc::new(Inner {
                servers,
                ledger,
                clock,
                base,
                tools,
                offering: Mutex::new(()),
                questions,
            }),
        };
        // Nothing runs yet that this could hold up.
        servers.inner.offer_now();
        Ok(servers)
    }

    /// Follows what the servers offer and ask until it is told to stop; then all of them are ended.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let ended = CancellationToken::new();
        let follow = async {
            self.follow(stop).await;
            ended.cancel();
        };
        join(follow, self.inner.questions.record_withdrawn(&ended)).await;
    }

    /// What servers ask of people.
    pub(crate) fn questions(&self) -> &McpQuestions {
        &self.inner.questions
    }

    async fn follow(&self, stop: CancellationToken) {
        let inner = &self.inner;
        let mut revisions = vec![0; inner.servers.len()];
        loop {
            let changes = inner.servers.iter().zip(&revisions);
            let changes: Vec<_> = changes
                .map(|(server, revision)| Box::pin(server.client.changed_since(*revision)))
                .collect();
            if changes.is_empty() {
                return stop.cancelled().await;
            }
            let is_unrecorded = inner.servers.iter().any(Server::is_unrecorded);
            let changed = tokio::select! {
                () = stop.cancelled() => break,
                (revision, index, _) = select_all(changes) => Some((revision, index)),
                () = tokio::time::sleep(RECORD_AGAIN), if is_unrecorded => None,
            };
            if let Some((revision, index)) = changed
                && let Some(seen) = revisions.get_mut(index)
            {
                *seen = revision;
            }
            for server in &inner.servers {
                let _turn = server.turn.acquire().await;
                inner.take_first(server).await;
            }
            Inner::offer(inner).await;
        }
        join_all(inner.servers.iter().map(|server| server.client.stop())).await;
    }

    /// All servers, in the order of the configuration.
    pub(crate) fn all(&self) -> Vec<McpServerState> {
        let registry = self.inner.tools.current();
        let now = self.inner.clock.now();
        self.inner.servers.iter().map(|server| server.state(&registry, now)).collect()
    }

    /// Takes in what a person accepted: tools by the server's own names, with the digests of what was shown.
    pub(crate) async fn accept(
        &self,
        server: &str,
        tools: &[(String, String)],
        by: &EntityName,
    ) -> Result<(), McpOrderError> {
        let inner = &self.inner;
        let found = inner.servers.iter().find(|known| known.name == server);
        let server = found.ok_or_else(|| McpOrderError::Unknown(server.to_owned()))?;
        let _turn = server.turn.acquire().await;
        inner.take_first(server).await;
        let offered = server.client.offered_pins();
        let mut new = Vec::new();
        for (tool, digest) in tools {
            let pin = offered.iter().find(|pin| pin.tool == *tool && pin.digest == *digest);
            let changed = || McpOrderError::Changed { tool: tool.clone() };
            new.push(pin.cloned().ok_or_else(changed)?);
        }
        accepted::record(&inner.ledger, &new, by)
            .await
            .map_err(|error| McpOrderError::NotRecorded(error.to_string()))?;
        server.client.accept(new).await;
        Inner::offer(inner).await;
        Ok(())
    }
}

impl Inner {
    /// The first list of a server is accepted as it is. Whoever calls has the server's turn.
    async fn take_first(&self, server: &Server) {
        if !server.is_unrecorded() {
            return;
        }
        let offered = server.client.offered_pins();
        match accepted::record(&self.ledger, &offered, &EntityName::keeper()).await {
            Ok(()) => server.client.accept(offered).await,
            Err(error) => tracing::warn!(
                server = server.name,
                event = "tools_not_recorded",
                %error,
                "which tools a server had when it was first seen could not be recorded; they are not offered, and it is tried again"
            ),
        }
    }

    /// Offers what all servers have now, away from the threads on which everything else runs: many schemas are compiled.
    async fn offer(inner: &Arc<Self>) {
        let inner = Arc::clone(inner);
        let offering = tokio::task::spawn_blocking(move || inner.offer_now()).await;
        if let Err(error) = offering {
            tracing::error!(event = "tools_not_offered", %error, "the tools of servers could not be put together");
        }
    }

    fn offer_now(&self) {
        // What is put together later is newer.
        let _offering = self.offering.lock().unwrap_or_else(PoisonError::into_inner);
        let mut registry = self.base.clone();
        let recorded = self.servers.iter().filter(|server| server.client.is_pinned());
        for tool in recorded.flat_map(|server| server.client.tools()) {
            let name = tool.spec().name.clone();
            if let Err(error) = registry.add(tool) {
                tracing::warn!(tool = name, event = "tool_left_out", %error, "a tool of a server cannot be offered");
            }
        }
        self.tools.replace(registry);
        self.servers.iter().for_each(|server| drop(server.note_waiting(self.clock.now())));
    }
}

impl Server {
    /// Whether it has listed its tools, perhaps none, and nothing of that is on record. One that has none is offered for its
    /// resources.
    fn is_unrecorded(&self) -> bool {
        !self.client.is_pinned() && self.client.has_listed()
    }

    /// What waits for a person, and since when: since the first look at it.
    fn note_waiting(&self, now: Timestamp) -> (Arc<[WaitingTool]>, Option<Timestamp>) {
        let waiting = self.client.waiting();
        let mut since = self.waiting_since.lock().unwrap_or_else(PoisonError::into_inner);
        *since = (!waiting.is_empty()).then(|| since.unwrap_or(now));
        (waiting, *since)
    }

    /// What holds now. Its tools are those that agents are offered, not those that it has.
    fn state(&self, registry: &Registry, now: Timestamp) -> McpServerState {
        let space = format!("mcp.{}.", self.name);
        let names = registry.specs().map(|spec| &spec.name);
        let tools = names.filter(|name| name.starts_with(&space)).cloned().collect();
        let (waiting, waiting_since) = self.note_waiting(now);
        McpServerState { status: self.client.status(), tools, waiting, waiting_since }
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
