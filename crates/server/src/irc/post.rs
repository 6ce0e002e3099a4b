//! A post: one place from which the house listens and speaks, the server's own network or an agent's seat on one outside.
//!
//! What the bridge says goes through here, so that it need not know which of the two it is.

use std::sync::Arc;

use abide_channels::irc::{
    Addressee, SpokenKind, client,
    relay::{Relay, RelayConfig},
    server::{ServerHandle, SpeakError, Speech},
};
use abide_domain::{AgentId, EntityName, evidence::WATCHDOG};

use super::KEEPER;
use crate::config::{NetworkPerson, NetworkSection};

/// Lines of one utterance; the server takes no more in one go.
pub(super) const LINES_MAX: usize = 40;

/// To whom something is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum To {
    /// Everybody in a room.
    Room(String),
    /// One person, wherever it is.
    Person {
        /// Its account; none of a guest.
        account: Option<String>,
        /// The nick that it spoke under.
        nick: String,
    },
}

/// A post.
#[derive(Debug)]
pub(super) struct Post {
    /// The network; none is the house's own.
    pub(super) network: Option<Arc<str>>,
    /// What is to be done about what is said there.
    pub(super) relay: Relay,
    /// The one agent that is there; none where all are.
    agent: Option<AgentId>,
    mouth: SeatSpeaker,
}

#[derive(Debug)]
enum SeatSpeaker {
    /// The house's server, where every agent has a nick.
    Server(ServerHandle),
    /// A network outside, where one agent has one, and those who may speak to it.
    Outside(client::ClientHandle, Vec<NetworkPerson>),
}

impl Post {
    /// The post on the house's own server.
    pub(super) fn server(handle: ServerHandle, watchdog: AgentId) -> Self {
        let relay = Relay::new(RelayConfig::new(watchdog));
        Self { network: None, relay, agent: None, mouth: SeatSpeaker::Server(handle) }
    }

    /// The seat of an agent on a network outside.
    pub(super) fn outside(
        network: &NetworkSection,
        handle: client::ClientHandle,
        watchdog: AgentId,
    ) -> Self {
        Self {
            network: Some(network.name.as_str().into()),
            relay: Relay::new(RelayConfig::new(watchdog)),
            agent: Some(network.agent.clone()),
            mouth: SeatSpeaker::Outside(handle, network.people()),
        }
    }

    /// Whether this is the post on a network where an agent is spoken to.
    pub(super) fn is_of(&self, network: Option<&str>, agent: &AgentId) -> bool {
        self.network.as_deref() == network && self.agent.as_ref().is_none_or(|own| own == agent)
    }

    /// The person behind an account, if it is one that the house listens to here.
    pub(super) fn person(&self, account: &str) -> Option<EntityName> {
        match &self.mouth {
            SeatSpeaker::Server(_) => EntityName::sender(account).ok(),
            SeatSpeaker::Outside(_, people) => {
                // Accounts of a network outside come as `account@network`.
                let account = account.rsplit_once('@').map_or(account, |(account, _)| account);
                let known = people.iter().find(|known| known.account == account.to_lowercase());
                known.map(|known| known.person.clone())
            }
        }
    }

    /// Says something where somebody is there to hear it, and gives how many that are. Zero: nothing was said.
    pub(super) async fn say(&self, from: &str, to: &To, text: &str, kind: SpokenKind) -> usize {
        match &self.mouth {
            SeatSpeaker::Server(handle) => say_here(handle, from, to, (text, kind)).await,
            SeatSpeaker::Outside(handle, _) => {
                let target = match to {
                    To::Room(room) => room,
                    To::Person { nick, .. } => nick,
                };
                match handle.say(target, text, kind).await {
                    Ok(_) => 1,
                    Err(error) => {
                        tracing::debug!(%error, target, "not said on a network outside");
                        0
                    }
                }
            }
        }
    }
}

/// The nick by which the house itself answers: its own where it is there, else that of an agent that is.
pub(super) fn voice(agents: &[Addressee]) -> Option<String> {
    let own = agents.iter().find(|agent| agent.agent.as_str() == KEEPER);
    let other = || agents.iter().find(|agent| agent.agent.as_str() != WATCHDOG);
    own.or_else(other).or_else(|| agents.first()).map(|agent| agent.nick.clone())
}

async fn say_here(
    handle: &ServerHandle,
    from: &str,
    to: &To,
    (text, kind): (&str, SpokenKind),
) -> usize {
    let target = match to {
        To::Room(room) if !is_inhabited(handle, room).await => return 0,
        To::Room(room) => room.clone(),
        To::Person { account: Some(account), .. } => format!("@{account}"),
        To::Person { account: None, nick } => nick.clone(),
    };
    let speech = Speech { from: from.to_owned(), target, text: text.to_owned(), kind };
    match handle.say(speech).await {
        Ok(delivery) => delivery.people,
        // Somebody who has left is no mistake.
        Err(SpeakError::NoSuchTarget(_) | SpeakError::Closed) => 0,
        Err(error) => {
            tracing::warn!(%error, from, "not said on irc");
            0
        }
    }
}

/// Whether people are in a room.
pub(super) async fn is_inhabited(handle: &ServerHandle, room: &str) -> bool {
    let census = handle.census().await.unwrap_or_default();
    let found = census.channels.iter().find(|found| found.name.eq_ignore_ascii_case(room));
    found.is_some_and(|found| !found.people.is_empty())
}
