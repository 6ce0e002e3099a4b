//! Counts who is on the server.

use super::{ServerState, members::Member};

/// How the world stands, for status and figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Connections that are in.
    pub clients: usize,
    /// Connections that are on their way in.
    pub arriving: usize,
    /// Agents that are shown.
    pub agents: usize,
    /// Channels, by name.
    pub channels: Vec<ChannelCensus>,
}

/// How a channel stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelCensus {
    /// Its name as first written.
    pub name: String,
    /// Nicks of the people in it.
    pub people: Vec<String>,
    /// Nicks of the agents in it.
    pub agents: Vec<String>,
}

impl ServerState {
    /// Counts who is here.
    pub(crate) fn census(&self) -> Census {
        let arriving = self.clients.values().filter(|client| client.registration.is_some()).count();
        let nick = |member: Member| self.profile(&member).map(|profile| profile.nick.clone());
        let channels = self.channels.values().map(|channel| ChannelCensus {
            name: channel.name.clone(),
            people: channel.people.iter().filter_map(|id| nick(Member::Client(*id))).collect(),
            agents: channel
                .agents
                .iter()
                .filter_map(|id| nick(Member::Agent(id.clone())))
                .collect(),
        });
        Census {
            clients: self.clients.len().saturating_sub(arriving),
            arriving,
            agents: self.agents.len(),
            channels: channels.collect(),
        }
    }
}
