//! The servers that run now, and the tools that agents are offered of them.

use std::sync::{Arc, Mutex, PoisonError};

use abide_domain::EntityName;
use abide_ledger::Ledger;
use abide_tools::{Registry, SharedRegistry};
use tokio::sync::mpsc;

use super::{
    accepted,
    changes::ReloadOrder,
    server::{Server, ServerParts},
};

/// The servers that run, and what they are offered through.
#[derive(Debug)]
pub(super) struct RunningServers {
    /// In the order of the configuration.
    pub(super) servers: Mutex<Vec<Arc<Server>>>,
    /// What each of them is made with.
    pub(super) parts: ServerParts,
    pub(super) ledger: Ledger,
    /// The tools without those of servers.
    pub(super) base: Registry,
    pub(super) tools: Arc<SharedRegistry>,
    /// Held while what is offered is put together.
    pub(super) offering: Mutex<()>,
    pub(super) reloads: mpsc::Sender<ReloadOrder>,
}

impl RunningServers {
    /// The servers that there are now, in the order of the configuration.
    pub(super) fn current(&self) -> Vec<Arc<Server>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts others in their place.
    pub(super) fn replace(&self, servers: Vec<Arc<Server>>) {
        *self.servers.lock().unwrap_or_else(PoisonError::into_inner) = servers;
    }

    /// The first list of a server is accepted as it is. Whoever calls has the server's turn.
    pub(super) async fn take_first(&self, server: &Server) {
        if !server.is_unrecorded() {
            return;
        }
        let offered = server.client.offered_pins();
        match accepted::record(&self.ledger, &offered, &EntityName::keeper()).await {
            Ok(()) => server.client.accept(offered).await,
            Err(error) => tracing::warn!(
                server = server.section.name,
                event = "tools_not_recorded",
                %error,
                "which tools a server had when it was first seen could not be recorded; they are not offered, and it is tried again"
            ),
        }
    }

    /// Offers what all servers have now, away from the threads on which everything else runs: many schemas are compiled.
    pub(super) async fn offer(inner: &Arc<Self>) {
        let inner = Arc::clone(inner);
        let offering = tokio::task::spawn_blocking(move || inner.offer_now()).await;
        if let Err(error) = offering {
            tracing::error!(event = "tools_not_offered", %error, "the tools of servers could not be put together");
        }
    }

    pub(super) fn offer_now(&self) {
        // What is put together later is newer.
        let _offering = self.offering.lock().unwrap_or_else(PoisonError::into_inner);
        let mut registry = self.base.clone();
        let servers = self.current();
        let recorded = servers.iter().filter(|server| server.client.is_pinned());
        for tool in recorded.flat_map(|server| server.client.tools()) {
            let name = tool.spec().name.clone();
            if let Err(error) = registry.add(tool) {
                tracing::warn!(tool = name, event = "tool_left_out", %error, "a tool of a server cannot be offered");
            }
        }
        self.tools.replace(registry);
        for server in &servers {
            drop(server.note_waiting(self.parts.clock.now()));
        }
    }
}
