//! What reaches the state from outside, and what is to be done about it.

use std::net::IpAddr;

use abide_domain::AgentId;
use abide_http::Secret;
use bytes::Bytes;

use super::members::ClientId;
use crate::irc::{
    line::{IrcMessage, LineError},
    server::interfaces::{HistoryError, HistoryLine, HistoryQuery},
    spoken::SpokenLine,
};

/// What the world is made from.
#[derive(Clone, Debug)]
pub(crate) struct ServerSettings {
    pub(crate) name: String,
    pub(crate) network: String,
    pub(crate) motd: Vec<String>,
    pub(crate) is_auth_required: bool,
    pub(crate) clients_max: usize,
    pub(crate) clients_per_address_max: usize,
}

/// What happens to the world from the network's side.
#[derive(Debug)]
pub(crate) enum Input {
    /// A connection was made.
    Opened { id: ClientId, address: IpAddr, is_secure: bool },
    /// It sent a line.
    Line { id: ClientId, line: Result<IrcMessage, LineError> },
    /// The door answered.
    Admitted { id: ClientId, account: Option<String> },
    /// The house looked up its past.
    History { id: ClientId, request: HistoryRequest, found: Result<Vec<HistoryLine>, HistoryError> },
    /// The house did not take what was said.
    LineRefused { id: ClientId, target: String, reason: String },
    /// A connection ended.
    Closed { id: ClientId, reason: String },
    /// A client does not read what it is sent.
    Overflowed { id: ClientId },
    /// Time passed.
    Tick,
    /// The server ends.
    Stop,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Send a line.
    Send { to: ClientId, line: Bytes },
    /// Close the connection when what was sent is written.
    Close { id: ClientId },
    /// Ask the door, answer with `Admitted`.
    Admit { id: ClientId, account: String, password: Secret },
    /// Ask the house, answer with `Past`.
    LoadHistory { id: ClientId, request: HistoryRequest },
    /// Tell the house.
    Report { by: Option<(ClientId, String)>, line: Box<SpokenLine> },
    /// Tell the house that an agent was invited.
    AgentInvited { agent: AgentId, channel: String },
    /// A person sent an agent out of a channel.
    AgentDismissed { agent: AgentId, channel: String },
}

/// A question about the past, with what its answer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HistoryRequest {
    pub(crate) query: HistoryQuery,
    /// The target as the client named it.
    pub(super) target: String,
    pub(super) subcommand: String,
    pub(super) label: Option<String>,
}
