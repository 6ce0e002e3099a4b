//! What reaches the state from outside, and what is to be done about it.

use std::net::IpAddr;

use abide_domain::{AgentId, Peer};
use abide_http::Secret;
use bytes::Bytes;

use super::members::ClientId;
use crate::irc::{
    line::{IrcMessage, LineError},
    server::interfaces::{
        HistoryError, HistoryLine, HistoryQuery, HistoryTarget, ReadMarker, TargetsQuery,
        TopicChange,
    },
    spoken::SpokenLine,
};

/// The part of the configuration that the state needs.
#[derive(Clone, Debug)]
pub(crate) struct ServerSettings {
    pub(crate) name: String,
    pub(crate) network: String,
    pub(crate) motd: Vec<String>,
    pub(crate) is_auth_required: bool,
    pub(crate) clients_max: usize,
    pub(crate) clients_per_address_max: usize,
    pub(crate) clients_per_account_max: usize,
    pub(crate) unregistered_max: usize,
}

/// What reaches the state from the network and from lookups.
#[derive(Debug)]
pub(crate) enum Input {
    /// A connection was made.
    Opened { id: ClientId, address: IpAddr, is_secure: bool },
    /// It sent a line.
    Line { id: ClientId, line: Result<IrcMessage, LineError> },
    /// The admission answered.
    Admitted { id: ClientId, account: Option<String> },
    /// The history was looked up.
    History { id: ClientId, request: HistoryRequest, found: Result<Vec<HistoryLine>, HistoryError> },
    /// The places where something was said were looked up.
    Targets {
        id: ClientId,
        request: TargetsRequest,
        found: Result<Vec<HistoryTarget>, HistoryError>,
    },
    /// The sink refused a line.
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
    /// Ask for admission, answer with `Admitted`.
    Admit { id: ClientId, account: String, password: Secret },
    /// Report that log-ins fail: once a burst.
    LoginRefused { peer: Peer, by: CountedBy },
    /// Look up the history, answer with `History`.
    LoadHistory { id: ClientId, request: HistoryRequest },
    /// Look up the places where something was said, answer with `Targets`.
    LoadTargets { id: ClientId, request: TargetsRequest },
    /// A person set a topic.
    TopicSet { topic: TopicChange },
    /// A person has read up to a moment.
    ReadMarked { marker: ReadMarker },
    /// Hand a line to the sink.
    Report { by: Option<(ClientId, String)>, line: Box<SpokenLine> },
    /// Report that an agent was invited.
    AgentInvited { agent: AgentId, channel: String },
    /// A person sent an agent out of a channel.
    AgentDismissed { agent: AgentId, channel: String },
}

/// What the failures of a burst have in common. An account's name is not reported: it may be a password in the wrong place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedBy {
    Address,
    Account,
}

impl CountedBy {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Account => "account",
        }
    }
}

/// A request for places, with what its answer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TargetsRequest {
    pub(crate) query: TargetsQuery,
    pub(super) label: Option<String>,
}

/// A request for history, with what its answer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HistoryRequest {
    pub(crate) query: HistoryQuery,
    /// The target as the client named it.
    pub(super) target: String,
    pub(super) subcommand: String,
    pub(super) label: Option<String>,
}
