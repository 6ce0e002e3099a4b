//! The handle of a connection to one server. Its clones are cheap; with the last of them, or with `stop`, everything of the server ends.

use std::{fmt, sync::Arc};

use abide_domain::Clock;
use abide_http::Secret;
use abide_tools::{Permission, Tool};
use http::{HeaderName, HeaderValue};
use tokio::task::JoinSet;

use crate::{
    access_tokens::{AccessTokens, NoAccessTokens},
    connection::{Connection, ConnectionParts, Phase},
    elicitation::{DeclineElicitations, ElicitationHandler},
    http_link::RemoteAccess,
    launch::ServerLauncher,
    names::{LIST_RESOURCES, READ_RESOURCE},
    pin::{ToolPin, WaitingTool},
    reach::McpReach,
    remote_tool::RemoteTool,
    resource_tools::ResourceTool,
    service,
    settings::{McpServerSettings, McpSettingsError},
    status::McpStatus,
};

/// What a client is made of beside its settings.
#[derive(Clone, Debug)]
pub struct McpClientParts {
    /// Starts the server's process.
    pub launcher: Arc<dyn ServerLauncher>,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// What lets requests to a remote server in: a token of the configuration, or those of a login.
    pub tokens: Arc<dyn AccessTokens>,
    /// Headers that go along to a remote server.
    pub headers: Vec<(String, Secret)>,
    /// Answers what the server asks of people.
    pub elicitations: Arc<dyn ElicitationHandler>,
    /// What a person accepted of this server's tools, which may be nothing; none where nobody has looked at them yet. Pins of other
    /// servers do not count.
    pub pinned: Option<Vec<ToolPin>>,
}

impl McpClientParts {
    /// Parts without people, without pins and without tokens.
    pub fn new(launcher: Arc<dyn ServerLauncher>, clock: Arc<dyn Clock>) -> Self {
        Self {
            launcher,
            clock,
            tokens: Arc::new(NoAccessTokens),
            headers: Vec::new(),
            elicitations: Arc::new(DeclineElicitations),
            pinned: None,
        }
    }

    fn remote(
        &self,
        settings: &McpServerSettings,
    ) -> Result<Option<RemoteAccess>, McpSettingsError> {
        let McpReach::Http(endpoint) = &settings.reach else { return Ok(None) };
        let mut headers = Vec::new();
        for (header, value) in &self.headers {
            let is_sendable = HeaderValue::from_str(value.expose()).is_ok();
            let Some(name) = HeaderName::try_from(header).ok().filter(|_| is_sendable) else {
                let (name, header) = (settings.name.clone(), header.clone());
                return Err(McpSettingsError::Header { name, header });
            };
            headers.push((name, value.clone()));
        }
        let (http, tokens) = (endpoint.http(&self.clock), Arc::clone(&self.tokens));
        Ok(Some(RemoteAccess { http, tokens, headers, login: Arc::default() }))
    }
}

/// A connection to one server.
#[derive(Clone, Debug)]
pub struct McpClient {
    shared: Arc<Shared>,
}

/// Tools hold the connection alone, so that a forgotten tool keeps no process alive.
struct Shared {
    connection: Arc<Connection>,
    /// The one task of the connection: it ends with this, or where `stop` was cancelled.
    task: JoinSet<()>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("server", &self.connection.settings.name)
            .finish_non_exhaustive()
    }
}

impl McpClient {
    /// Begins to start the server and returns at once. To be called within a Tokio runtime.
    pub fn start(
        settings: McpServerSettings,
        parts: McpClientParts,
    ) -> Result<Self, McpSettingsError> {
        settings.check()?;
        let remote = parts.remote(&settings)?;
        let McpClientParts { launcher, clock, elicitations, pinned, .. } = parts;
        let parts = ConnectionParts { settings, launcher, remote, clock, elicitations, pinned };
        let connection = Arc::new(Connection::new(parts));
        let mut task = JoinSet::new();
        task.spawn(service::run(Arc::clone(&connection)));
        Ok(Self { shared: Arc::new(Shared { connection, task }) })
    }

    /// The tools that may be offered now, in the order of their names: what was accepted and is not denied. Before the server has
    /// listed its tools: all that was accepted before.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let connection = &self.shared.connection;
        let (catalog, has_resources) = {
            let facts = connection.facts();
            (Arc::clone(&facts.catalog), facts.has_resources)
        };
        let is_denied =
            |tool: &str| matches!(connection.settings.judge(tool), Some(Permission::Deny { .. }));
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for listed in catalog.offered.iter().filter(|tool| !is_denied(&tool.pin.tool)) {
            tools.push(Arc::new(RemoteTool::new(Arc::clone(connection), Arc::clone(listed))));
        }
        if has_resources && !is_denied(LIST_RESOURCES) {
            tools.push(Arc::new(ResourceTool::list(Arc::clone(connection))));
        }
        if has_resources && !is_denied(READ_RESOURCE) {
            tools.push(Arc::new(ResourceTool::read(Arc::clone(connection))));
        }
        tools.sort_by(|a, b| a.spec().name.cmp(&b.spec().name));
        tools
    }

    /// What the server's usable tools say about themselves now, blocked ones too: what a person would accept.
    pub fn offered_pins(&self) -> Vec<ToolPin> {
        let catalog = Arc::clone(&self.shared.connection.facts().catalog);
        catalog.pins.clone()
    }

    /// Takes in what a person accepted, beside what was accepted before of other tools; any number may do so at once. Nothing: then
    /// each tool waits that was not accepted. It is taken in even where nobody waits for the end of this.
    pub async fn accept(&self, new: Vec<ToolPin>) {
        self.shared.connection.accept(new).await;
    }

    /// Whether the server has said which tools it has, in this life of the client.
    pub fn has_listed(&self) -> bool {
        self.shared.connection.facts().listings > 0
    }

    /// Whether anything of the server was accepted, or nothing on purpose. Where it was not, all that it has is offered.
    pub fn is_pinned(&self) -> bool {
        self.shared.connection.facts().is_pinned
    }

    /// The tools that wait for a person, in the order of their names.
    pub fn waiting(&self) -> Arc<[WaitingTool]> {
        Arc::clone(&self.shared.connection.facts().catalog.waiting)
    }

    /// Counts the changes of what is offered: 0 before the first list.
    pub fn revision(&self) -> u64 {
        self.shared.connection.revision()
    }

    /// Waits until what is offered has changed since that revision, and returns the new one.
    pub async fn changed_since(&self, revision: u64) -> u64 {
        self.shared.connection.changed_since(revision).await
    }

    /// Waits until calls go through; the error says why they do not. It waits for two starts at most.
    pub async fn ready(&self) -> Result<(), McpNotReadyError> {
        match self.shared.connection.ready().await {
            Ok(_) => Ok(()),
            Err(error) => Err(McpNotReadyError { message: error.to_string() }),
        }
    }

    /// What is known about the server right now.
    pub fn status(&self) -> McpStatus {
        self.shared.connection.status()
    }

    /// Ends the server, for good. When it returns, no process of its tree is left that the launcher can reach. Whoever stops waiting
    /// for it stops nothing, and any number may wait.
    pub async fn stop(&self) {
        let connection = &self.shared.connection;
        connection.stop.cancel();
        connection.stopped().await;
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Tools may outlive this. The processes end with the task.
        self.connection.stop.cancel();
        self.connection.enter(Phase::Stopped);
        self.task.abort_all();
    }
}

/// Says why calls do not go through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct McpNotReadyError {
    /// Why.
    pub message: String,
}
