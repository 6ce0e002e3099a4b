//! Where something was said: as a place that is answered, and as a conversation. Pure.

use abide_channels::irc::{Speaker, SpokenLine, Target, nick_for_agent};
use abide_domain::{AgentId, EntityName, envelope::Channel};

use super::{
    endpoint::ReplyTarget,
    names::{KEEPER, KEEPER_NICK},
};

/// The nick of an agent, or of the keeper.
pub(super) fn nick(agent: &AgentId) -> String {
    if agent.as_str() == KEEPER { KEEPER_NICK.to_owned() } else { nick_for_agent(agent) }
}

/// Where what was said is answered.
pub(super) fn reply_target(said: &SpokenLine) -> ReplyTarget {
    match &said.target {
        Target::Channel(room) => ReplyTarget::Room(room.clone()),
        Target::Agent(_) => {
            let account = Some(account(said)).filter(|account| !account.is_empty());
            ReplyTarget::Person { account, nick: said.nick.clone() }
        }
    }
}

/// The channel that something was said in.
pub(super) fn room(said: &SpokenLine) -> Option<String> {
    match &said.target {
        Target::Channel(room) => Some(room.clone()),
        Target::Agent(_) => None,
    }
}

/// The account of who said something; empty where there is none.
pub(super) fn account(said: &SpokenLine) -> String {
    match &said.speaker {
        Speaker::Person(account) => account.clone().unwrap_or_default(),
        Speaker::Agent(_) => String::new(),
    }
}

/// The conversation: a room has one for everybody in it, a private message one for the person.
pub(super) fn session(network: Option<&str>, said: &SpokenLine, person: &EntityName) -> String {
    let network = network.map(|network| format!("{network}/")).unwrap_or_default();
    let place = room(said).map(|room| room.to_lowercase());
    let place = place.unwrap_or_else(|| person.bare().to_owned());
    format!("{}:{network}{place}", Channel::Irc)
}
