//! Servers of the Model Context Protocol beside a keeper: they are started, their tools are offered to agents as far as a person
//! accepted them, and what was accepted stands in the ledger.
//!
//! The first list of a server is taken as it is: whoever configured the server wanted it. From then on a tool that is new or
//! describes itself in another way waits for a person. What was accepted is offered from the start on, so that an agent has the same
//! tools before and after a restart; a call waits until its server is there.
//!
//! Reading order: `server_settings` (from the configuration), `records` and `accepted` (from and to the ledger), `logins`,
//! `question_table` and `questions` (what servers ask of people), `server` (one of them), `changes` (what another configuration makes
//! of them), `running` (all of them), `task` (what follows them while the keeper runs), this file.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_domain::{Clock, EntityName};
use abide_ledger::Ledger;
use abide_mcp::McpSettingsError;
use abide_tools::{Registry, SharedRegistry};
use tokio::sync::{mpsc, oneshot};

mod accepted;
mod changes;
mod logins;
mod question_table;
mod questions;
mod records;
mod running;
mod server;
mod server_settings;
mod task;

pub(crate) use accepted::{AcceptedTools, read_accepted};
pub(crate) use changes::{McpChanges, McpReloadError};
pub(crate) use logins::login_store;
pub(crate) use question_table::{McpQuestion, QuestionKey};
pub(crate) use questions::{AnswerError, McpQuestions, PersonsAnswer, read_left_open};
pub(crate) use records::McpRecordsError;
use running::RunningServers;
pub(crate) use server::{McpServerState, access_tokens, request_headers};
use server::{Server, ServerParts};
pub(crate) use server_settings::{read_headers, server_settings};
pub(crate) use task::McpServersTask;

use crate::{
    agents::SandboxedServers,
    config::{Config, Environment, McpSection},
    home::Home,
};

/// Reloads that wait for one that runs.
const RELOADS_WAITING_MAX: usize = 4;

/// The servers of a keeper. A cheap clone.
#[derive(Clone, Debug)]
pub(crate) struct McpServers {
    inner: Arc<RunningServers>,
}

/// What servers are made of.
pub(crate) struct McpServersParts<'a> {
    pub(crate) sections: &'a [McpSection],
    pub(crate) home: &'a Home,
    pub(crate) environment: &'a Environment,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) launcher: SandboxedServers,
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

impl McpServers {
    /// Begins to start all servers, and offers what was accepted of them; what follows them is to be run. Within a runtime.
    pub(crate) fn start(
        parts: McpServersParts<'_>,
    ) -> Result<(Self, McpServersTask), McpSettingsError> {
        let McpServersParts { sections, home, environment, clock, launcher, ledger, .. } = parts;
        let (mut accepted, base, tools) = (parts.accepted, parts.base, parts.tools);
        let asking = (parts.answer_limit, parts.left_open);
        let questions = McpQuestions::new(ledger.clone(), Arc::clone(&clock), asking);
        let (home, environment) = (home.clone(), environment.clone());
        let parts = ServerParts { home, environment, clock, launcher, questions };
        let mut servers = Vec::new();
        for section in sections {
            let pinned = accepted.remove(&section.name);
            servers.push(Arc::new(Server::start(section, &parts, pinned)?));
        }
        let (reloads, orders) = mpsc::channel(RELOADS_WAITING_MAX);
        let (servers, offering) = (Mutex::new(servers), Mutex::new(()));
        let inner = RunningServers { servers, parts, ledger, base, tools, offering, reloads };
        let servers = Self { inner: Arc::new(inner) };
        // Nothing runs yet that this could hold up.
        servers.inner.offer_now();
        let task = McpServersTask::new(Arc::clone(&servers.inner), orders);
        Ok((servers, task))
    }

    /// Has `[[mcp]]` of the file read again, and says what became of the servers; with it the configuration as it was read. Whoever
    /// stops waiting stops nothing.
    pub(crate) async fn reload(&self) -> Result<(McpChanges, Config), McpReloadError> {
        let (answer, answered) = oneshot::channel();
        self.inner.reloads.try_send(answer).map_err(|_| McpReloadError::Busy)?;
        answered.await.map_err(|_| McpReloadError::Stopping)?
    }

    /// Where the configuration is read from: its file, and the keeper's variables.
    pub(crate) fn sources(&self) -> (PathBuf, &Environment) {
        let ServerParts { home, environment, .. } = &self.inner.parts;
        (home.config_file(), environment)
    }

    /// What servers ask of people.
    pub(crate) fn questions(&self) -> &McpQuestions {
        &self.inner.parts.questions
    }

    /// All servers, in the order of the configuration.
    pub(crate) fn all(&self) -> Vec<McpServerState> {
        let registry = self.inner.tools.current();
        let now = self.inner.parts.clock.now();
        self.inner.current().iter().map(|server| server.state(&registry, now)).collect()
    }

    /// Takes in what a person accepted: tools by the server's own names, with the digests of what was shown.
    pub(crate) async fn accept(
        &self,
        server: &str,
        tools: &[(String, String)],
        by: &EntityName,
    ) -> Result<(), McpOrderError> {
        let inner = &self.inner;
        let found = inner.current().into_iter().find(|known| known.section.name == server);
        let server = found.ok_or_else(|| McpOrderError::Unknown(server.to_owned()))?;
        let _turn = server.turn.acquire().await;
        inner.take_first(&server).await;
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
        RunningServers::offer(inner).await;
        Ok(())
    }
}
