//! The status of IRC, for `/health`: the server, and each agent's connection to an external network.

use std::sync::Arc;

use abide_channels::irc::client::{self, ClientState};
use abide_domain::AgentId;
use serde::Serialize;
use utoipa::ToSchema;

/// The status of IRC while the keeper runs.
#[derive(Debug)]
pub(crate) struct IrcStatus {
    /// The server: its address, `off`, or why it is down.
    pub(super) server: String,
    /// Agents on external networks.
    pub(super) networks: Vec<(Arc<str>, AgentId, client::ClientHandle)>,
}

/// IRC.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IrcView {
    /// The address of the built-in server, `off`, or `down: ` and why.
    server: String,
    /// Agents on external networks.
    networks: Vec<SeatView>,
}

/// An agent on an external network.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeatView {
    /// The network.
    name: String,
    /// The agent.
    agent: String,
    /// `online`, `connecting`, `down` or `stopped`.
    state: &'static str,
    /// Why it is down, or the nick that it has.
    detail: Option<String>,
}

impl IrcStatus {
    /// The status now.
    pub(crate) fn view(&self) -> IrcView {
        let seat = |(name, agent, handle): &(Arc<str>, AgentId, client::ClientHandle)| {
            let (state, detail) = match handle.state() {
                ClientState::New | ClientState::Connecting => ("connecting", None),
                ClientState::Waiting { reason } => ("down", Some(reason)),
                ClientState::Online { nick, .. } => ("online", Some(nick)),
                ClientState::Stopped => ("stopped", None),
            };
            SeatView { name: name.to_string(), agent: agent.to_string(), state, detail }
        };
        IrcView { server: self.server.clone(), networks: self.networks.iter().map(seat).collect() }
    }
}
