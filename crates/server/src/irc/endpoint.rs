//! An endpoint: the built-in server, or an agent's connection to an external network.
//!
//! What the bridge says goes through here, so that it need not know which of the two it is.

use std::sync::Arc;

use abide_channels::irc::{
    Addressee, SpokenKind, client,
    relay::{Relay, RelayConfig},
    server::{ServerHandle, SpeakError, Speech},
};
use abide_domain::{AgentId, EntityName, evidence::WATCHDOG};

use super::names::KEEPER;
use crate::config::{NetworkPerson, NetworkSection};

/// Lines of one message; the server accepts no more at once.
pub(super) const LINES_MAX: usize = 40;

/// To whom something is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReplyTarget {
    /// Everybody in a room.
    Room(String),
    /// One person, in private.
    Person {
        /// The account; none of a guest.
        account: Option<String>,
        /// The nick that the person used.
        nick: String,
    },
}

/// What became of something that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SayOutcome {
    /// It was said to so many.
    Said(usize),
    /// It was not said, for certain, and may be said later.
    NotSaid,
    /// Nobody can know whether it was said.
    MaybeSaid,
    /// It cannot be said there, however often it is tried.
    Refused,
}

/// Where lines come from and go to.
#[derive(Debug)]
pub(super) struct IrcEndpoint {
    /// The external network; none for the built-in server.
    pub(super) network: Option<Arc<str>>,
    /// Decides what is done about what is said there.
    pub(super) relay: Relay,
    /// The one agent that is there; none where all are.
    agent: Option<AgentId>,
    handle: EndpointHandle,
}

#[derive(Debug)]
enum EndpointHandle {
    /// The built-in server, where every agent has a nick.
    Server(ServerHandle),
    /// An external network, where one agent has a nick, and the people who may speak to it.
    Network(client::ClientHandle, Vec<NetworkPerson>),
}

impl IrcEndpoint {
    /// The built-in server.
    pub(super) fn server(handle: ServerHandle, watchdog: AgentId) -> Self {
        let relay = Relay::new(RelayConfig::new(watchdog));
        Self { network: None, relay, agent: None, handle: EndpointHandle::Server(handle) }
    }

    /// The connection of an agent to an external network.
    pub(super) fn network(
        network: &NetworkSection,
        handle: client::ClientHandle,
        watchdog: AgentId,
    ) -> Self {
        Self {
            network: Some(network.name.as_str().into()),
            relay: Relay::new(RelayConfig::new(watchdog)),
            agent: Some(network.agent.clone()),
            handle: EndpointHandle::Network(handle, network.people()),
        }
    }

    /// Whether an agent is spoken to here, on a network.
    pub(super) fn is_of(&self, network: Option<&str>, agent: &AgentId) -> bool {
        self.network.as_deref() == network && self.agent.as_ref().is_none_or(|own| own == agent)
    }

    /// The person behind an account, if it may speak to agents here.
    pub(super) fn person(&self, account: &str) -> Option<EntityName> {
        match &self.handle {
            EndpointHandle::Server(_) => EntityName::sender(account).ok(),
            EndpointHandle::Network(_, people) => {
                // Accounts of an external network come as `account@network`.
                let account = account.rsplit_once('@').map_or(account, |(account, _)| account);
                let known = people.iter().find(|known| known.account == account.to_lowercase());
                known.map(|known| known.person.clone())
            }
        }
    }

    /// Whether somebody would hear what is said there now.
    pub(super) async fn is_heard(&self, from: &str, to: &ReplyTarget) -> bool {
        match &self.handle {
            EndpointHandle::Server(handle) => {
                handle.hearers(from, &server_target(to)).await.is_ok_and(|count| count > 0)
            }
            EndpointHandle::Network(handle, _) => match (handle.state(), to) {
                (client::ClientState::Online { channels, .. }, ReplyTarget::Room(room)) => {
                    channels.iter().any(|joined| joined.eq_ignore_ascii_case(room))
                }
                (client::ClientState::Online { .. }, ReplyTarget::Person { .. }) => true,
                _ => false,
            },
        }
    }

    /// Says something if somebody is there to read it.
    pub(super) async fn say(
        &self,
        from: &str,
        to: &ReplyTarget,
        text: &str,
        kind: SpokenKind,
    ) -> SayOutcome {
        match &self.handle {
            EndpointHandle::Server(handle) => say_on_server(handle, from, to, (text, kind)).await,
            EndpointHandle::Network(handle, _) => {
                let target = match to {
                    ReplyTarget::Room(room) => room,
                    ReplyTarget::Person { nick, .. } => nick,
                };
                match handle.say(target, text, kind).await {
                    Ok(_) => SayOutcome::Said(1),
                    Err(error) => {
                        tracing::debug!(channel = "irc", event = "line_not_sent", %error, target, "a line was not sent to an external network");
                        outcome_of(&error)
                    }
                }
            }
        }
    }
}

/// What a failure on an external network says of the words.
const fn outcome_of(error: &client::SayError) -> SayOutcome {
    use client::SayError;
    match error {
        SayError::NotConnected | SayError::NotJoined(_) | SayError::Full | SayError::Closed => {
            SayOutcome::NotSaid
        }
        SayError::Empty | SayError::Refused(_) => SayOutcome::Refused,
        SayError::Broken => SayOutcome::MaybeSaid,
    }
}

/// The nick under which the keeper answers: its own where it is present, else that of an agent.
pub(super) fn reply_nick(agents: &[Addressee]) -> Option<String> {
    let own = agents.iter().find(|agent| agent.agent.as_str() == KEEPER);
    let other = || agents.iter().find(|agent| agent.agent.as_str() != WATCHDOG);
    own.or_else(other).or_else(|| agents.first()).map(|agent| agent.nick.clone())
}

async fn say_on_server(
    handle: &ServerHandle,
    from: &str,
    to: &ReplyTarget,
    (text, kind): (&str, SpokenKind),
) -> SayOutcome {
    let target = server_target(to);
    if !handle.hearers(from, &target).await.is_ok_and(|count| count > 0) {
        return SayOutcome::NotSaid;
    }
    let speech = Speech { from: from.to_owned(), target, text: text.to_owned(), kind };
    match handle.say(speech).await {
        Ok(delivery) if delivery.people > 0 => SayOutcome::Said(delivery.people),
        // That somebody has left is no error.
        Ok(_) | Err(SpeakError::NoSuchTarget(_) | SpeakError::Closed) => SayOutcome::NotSaid,
        Err(error) => {
            tracing::warn!(channel = "irc", event = "line_not_sent", %error, from, "a line was not sent on irc");
            match error {
                SpeakError::NoSuchAgent(_) => SayOutcome::NotSaid,
                _ => SayOutcome::Refused,
            }
        }
    }
}

/// Where the built-in server takes it.
fn server_target(to: &ReplyTarget) -> String {
    match to {
        ReplyTarget::Room(room) => room.clone(),
        ReplyTarget::Person { account: Some(account), .. } => format!("@{account}"),
        ReplyTarget::Person { account: None, nick } => nick.clone(),
    }
}

/// Whether people are in a room.
pub(super) async fn has_people(handle: &ServerHandle, room: &str) -> bool {
    let census = handle.census().await.unwrap_or_default();
    let found = census.channels.iter().find(|found| found.name.eq_ignore_ascii_case(room));
    found.is_some_and(|found| !found.people.is_empty())
}
