//! The task that follows the servers: what they offer, what they ask of people, and what another configuration makes of them.
//!
//! A server whose section says the same as before is never touched. One that goes is first offered to nobody, then ended; a call that
//! runs then ends as unknown.

use std::{fmt::Display, sync::Arc};

use futures_util::future::{join, join_all, pending, select_all};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    accepted::{AcceptedTools, read_accepted},
    changes::{McpChanges, McpReloadError, ReloadOrder, Reloaded, compare, staying_and_going},
    records::RECORD_AGAIN,
    running::RunningServers,
    server::{Server, ServerParts},
};
use crate::config::{Config, McpSection, Sources};

/// Follows the servers of a keeper. It is run once.
#[derive(Debug)]
pub(crate) struct McpServersTask {
    inner: Arc<RunningServers>,
    orders: mpsc::Receiver<ReloadOrder>,
}

impl McpServersTask {
    pub(super) fn new(inner: Arc<RunningServers>, orders: mpsc::Receiver<ReloadOrder>) -> Self {
        Self { inner, orders }
    }

    /// Follows what the servers offer and ask until it is told to stop; then all of them are ended.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let ended = CancellationToken::new();
        let questions = self.inner.parts.questions.clone();
        let follow = async {
            self.follow(stop).await;
            ended.cancel();
        };
        join(follow, questions.record_withdrawn(&ended)).await;
    }

    async fn follow(mut self, stop: CancellationToken) {
        let inner = self.inner;
        loop {
            let servers = inner.current();
            let is_unrecorded = servers.iter().any(|server| server.is_unrecorded());
            let order = tokio::select! {
                () = stop.cancelled() => break,
                order = self.orders.recv() => order,
                () = any_change(&servers) => None,
                () = tokio::time::sleep(RECORD_AGAIN), if is_unrecorded => None,
            };
            if let Some(order) = order {
                let Some(reloaded) = stop.run_until_cancelled(reload(&inner)).await else { break };
                // Whoever asked may have gone.
                drop(order.send(reloaded));
            }
            for server in &inner.current() {
                let _turn = server.turn.acquire().await;
                inner.take_first(server).await;
            }
            RunningServers::offer(&inner).await;
        }
        join_all(inner.current().iter().map(|server| server.client.stop())).await;
    }
}

async fn any_change(servers: &[Arc<Server>]) {
    if servers.is_empty() {
        return pending().await;
    }
    select_all(servers.iter().map(|server| Box::pin(server.changed()))).await;
}

/// Reads the file, and makes the servers those that it names.
async fn reload(inner: &Arc<RunningServers>) -> Reloaded {
    let config = read_config(inner).await?;
    let wanted = &config.settings.mcp;
    let before = inner.current();
    let sections: Vec<_> = before.iter().map(|server| &server.section).collect();
    let mut changes = compare(&sections, wanted);
    let (staying, going) = staying_and_going(before.clone(), wanted);
    // What is being accepted of them is written down first, and is then among what was accepted.
    let turns = join_all(going.iter().map(|server| server.turn.acquire())).await;
    let ledger = inner.ledger.clone();
    let read = tokio::task::spawn_blocking(move || read_accepted(&ledger)).await;
    let not_read = |error: &dyn Display| McpReloadError::NotRead(error.to_string());
    let accepted = read.map_err(|error| not_read(&error))?.map_err(|error| not_read(&error))?;
    // Nobody is offered tools of what goes, and whoever was offered them before hears that they are gone.
    inner.replace(staying.clone());
    RunningServers::offer(inner).await;
    join_all(going.iter().map(|server| server.client.stop())).await;
    drop(turns);
    inner.replace(start_missing(inner, wanted, (staying, accepted), &mut changes));
    let McpChanges { added, changed, removed, not_started } = &changes;
    tracing::info!(
        event = "servers_reloaded",
        ?added,
        ?changed,
        ?removed,
        ?not_started,
        "the servers of [[mcp]] were read again"
    );
    Ok((changes, config))
}

/// All servers in the order of the configuration: those that stay, and those that are started now.
fn start_missing(
    inner: &RunningServers,
    wanted: &[McpSection],
    (staying, mut accepted): (Vec<Arc<Server>>, AcceptedTools),
    changes: &mut McpChanges,
) -> Vec<Arc<Server>> {
    let mut servers = Vec::new();
    for section in wanted {
        if let Some(server) = staying.iter().find(|server| server.section == *section) {
            servers.push(Arc::clone(server));
            continue;
        }
        let name = &section.name;
        match Server::start(section, &inner.parts, accepted.remove(name)) {
            Ok(server) => servers.push(Arc::new(server)),
            Err(error) => {
                tracing::warn!(server = name, event = "server_not_started", %error, "a server cannot be started as it is written");
                changes.added.retain(|added| added != name);
                changes.changed.retain(|changed| changed != name);
                changes.not_started.push((name.clone(), error.to_string()));
            }
        }
    }
    servers
}

async fn read_config(inner: &RunningServers) -> Result<Config, McpReloadError> {
    let ServerParts { home, environment, .. } = &inner.parts;
    let (file, environment) = (home.config_file(), environment.clone());
    let read = move || {
        let sources = Sources { file: &file, environment: &environment, flags: &[] };
        Config::load(sources)
    };
    let read = tokio::task::spawn_blocking(read).await;
    let read = read.map_err(|error| McpReloadError::Config(error.to_string()))?;
    read.map_err(|error| McpReloadError::Config(error.to_string()))
}
