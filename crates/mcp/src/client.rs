//! The handle of a connection to one server. Its clones are cheap; with the last of them, or with `stop`, everything of the server ends.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use abide_domain::Clock;
use abide_tools::{Permission, Tool};
use tokio::task::JoinSet;

use crate::{
    connection::{Connection, ConnectionParts, Phase},
    elicitation::{DeclineElicitations, ElicitationHandler},
    launch::ServerLauncher,
    names::{LIST_RESOURCES, READ_RESOURCE},
    pin::{PinComparison, ToolPin, compare_pins},
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
    /// Answers what the server asks of people.
    pub elicitations: Arc<dyn ElicitationHandler>,
    /// What a person accepted of this server's tools; empty where nobody has looked at them yet. Pins of other servers do not count.
    pub pinned: Vec<ToolPin>,
}

impl McpClientParts {
    /// Parts without people and without pins.
    pub fn new(launcher: Arc<dyn ServerLauncher>, clock: Arc<dyn Clock>) -> Self {
        Self { launcher, clock, elicitations: Arc::new(DeclineElicitations), pinned: Vec::new() }
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
    /// The one task of the connection.
    task: Mutex<JoinSet<()>>,
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
        let McpClientParts { launcher, clock, elicitations, pinned } = parts;
        let parts = ConnectionParts { settings, launcher, clock, elicitations, pinned };
        let connection = Arc::new(Connection::new(parts));
        let mut task = JoinSet::new();
        task.spawn(service::run(Arc::clone(&connection)));
        Ok(Self { shared: Arc::new(Shared { connection, task: Mutex::new(task) }) })
    }

    /// The tools that may be offered now, in the order of their names: what was accepted and is not denied.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let connection = &self.shared.connection;
        let facts = connection.facts();
        let is_denied =
            |tool: &str| matches!(connection.settings.judge(tool), Some(Permission::Deny { .. }));
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for listed in facts.catalog.offered.iter().filter(|tool| !is_denied(&tool.pin.tool)) {
            tools.push(Arc::new(RemoteTool::new(Arc::clone(connection), Arc::clone(listed))));
        }
        if facts.has_resources && !is_denied(LIST_RESOURCES) {
            tools.push(Arc::new(ResourceTool::list(Arc::clone(connection))));
        }
        if facts.has_resources && !is_denied(READ_RESOURCE) {
            tools.push(Arc::new(ResourceTool::read(Arc::clone(connection))));
        }
        drop(facts);
        tools.sort_by(|a, b| a.spec().name.cmp(&b.spec().name));
        tools
    }

    /// What the server's usable tools say about themselves now, blocked ones too: what a person would accept.
    pub fn offered_pins(&self) -> Vec<ToolPin> {
        self.shared.connection.facts().catalog.pins.clone()
    }

    /// How the tools stand to what was accepted of this server.
    pub fn compare(&self, pinned: &[ToolPin]) -> Vec<PinComparison> {
        let server = &self.shared.connection.settings.name;
        let own: Vec<ToolPin> =
            pinned.iter().filter(|pin| pin.server == *server).cloned().collect();
        compare_pins(&own, &self.offered_pins())
    }

    /// Takes in what a person accepted, in place of what was accepted before.
    pub fn accept(&self, pinned: Vec<ToolPin>) {
        self.shared.connection.accept(pinned);
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

    /// Ends the server, for good. When it returns, no process of its tree is left that the launcher can reach.
    pub async fn stop(&self) {
        let connection = &self.shared.connection;
        connection.stop.cancel();
        let mut task = self.shared.take_task();
        if task.is_empty() {
            // Someone else is stopping it, or has.
            connection.stopped().await;
            return;
        }
        while task.join_next().await.is_some() {}
        connection.enter(Phase::Stopped);
    }
}

impl Shared {
    fn take_task(&self) -> JoinSet<()> {
        std::mem::take(&mut *self.task.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Tools may outlive this. The task, and with it the processes, end where the set of tasks is dropped.
        self.connection.stop.cancel();
        self.connection.enter(Phase::Stopped);
    }
}

/// Says why calls do not go through.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct McpNotReadyError {
    /// Why.
    pub message: String,
}
