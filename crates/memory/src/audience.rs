//! Who may be told what (decision 54): from where something was said and who would hear it now, yes or no.
//!
//! Pure. It is asked once, before anything is ranked, by whoever reads memory for somebody; what it does not know is private.
//! It must never depend on what a text is about beyond whether somebody marked it private or speaks of a person in it.
//!
//! Reading order: here [`Origin`] (where something was said), [`Listener`] (who would hear it), [`GroupMembers`]; then
//! `private_words` (which words are of a person, and which of the project and the world).

use std::collections::{HashMap, HashSet};

use abide_domain::{
    Sharing,
    envelope::{Channel, TELEGRAM_SESSION},
};
use serde::{Deserialize, Serialize};

mod private_words;

pub use private_words::{Wording, is_about_oneself, is_shared_matter};

/// Most groups whose members are kept, and most members of one: who is beyond is taken for no member.
const GROUPS_MAX: usize = 4_096;
const MEMBERS_MAX: usize = 4_096;
/// Signs that rooms begin with on IRC, and named spaces.
const ROOM_SIGNS: [char; 4] = ['#', '&', '+', '!'];

/// Where something was said, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin<'a> {
    /// The channel.
    pub channel: Channel,
    /// The session: it names the room or the chat.
    pub session: &'a str,
    /// Who spoke to the agent.
    pub sender: &'a str,
}

impl<'a> Origin<'a> {
    /// The group that heard it; none where it was said to the agent alone.
    pub fn group(&self) -> Option<&'a str> {
        let session = self.session;
        let is_group = match self.place() {
            Channel::Irc => session.strip_prefix("irc:").is_some_and(|place| {
                let room = place.find(ROOM_SIGNS);
                room.is_some_and(|at| {
                    at == 0 || place.get(..at).is_some_and(|network| network.ends_with('/'))
                })
            }),
            Channel::Telegram => {
                session.strip_prefix(TELEGRAM_SESSION).is_some_and(|chat| chat.starts_with('-'))
            }
            // What is said in a named space has it as its session; nobody outside may name one.
            Channel::System | Channel::Direct => session.starts_with('#'),
            Channel::Api | Channel::Manual => false,
        };
        is_group.then_some(session)
    }

    /// The person who spoke, as far as the keeper knows: a name, or a private chat of Telegram, where people choose their
    /// names themselves and change them.
    pub fn person(&self) -> &'a str {
        let chat = self.session.strip_prefix(TELEGRAM_SESSION);
        let chat = chat.filter(|_| self.place() == Channel::Telegram);
        let is_private = chat.is_some_and(|chat| chat.bytes().all(|b| b.is_ascii_digit()));
        if is_private { self.session } else { self.sender }
    }

    /// Where it is heard: what the clock brings up in a chat of Telegram is heard in that chat.
    fn place(&self) -> Channel {
        match self.channel {
            Channel::System if self.session.starts_with(TELEGRAM_SESSION) => Channel::Telegram,
            channel => channel,
        }
    }

    /// Whether a person hears it, who may have asked for it: the keeper and other agents speak among themselves elsewhere.
    pub fn is_among_people(&self) -> bool {
        self.place() != Channel::System
    }

    /// Whether a person spoke, and not the keeper or another agent.
    pub fn is_of_person(&self) -> bool {
        self.channel != Channel::System
    }
}

/// Who has spoken in which group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupMembers(HashMap<Box<str>, HashSet<Box<str>>>);

impl GroupMembers {
    /// Notes who speaks where.
    pub fn note(&mut self, origin: &Origin<'_>) {
        let Some(group) = origin.group().filter(|_| origin.is_of_person()) else { return };
        let is_known = self.0.contains_key(group);
        if !is_known && self.0.len() >= GROUPS_MAX {
            return;
        }
        let members = self.0.entry(group.into()).or_default();
        if members.len() < MEMBERS_MAX && !members.contains(origin.person()) {
            members.insert(origin.person().into());
        }
    }

    /// Whether somebody has spoken in a group.
    pub fn has(&self, group: &str, person: &str) -> bool {
        self.0.get(group).is_some_and(|members| members.contains(person))
    }

    /// The groups that somebody has spoken in.
    pub fn of<'s>(&'s self, person: &'s str) -> impl Iterator<Item = &'s str> {
        let is_theirs = move |members: &HashSet<Box<str>>| members.contains(person);
        self.0.iter().filter(move |(_, members)| is_theirs(members)).map(|(group, _)| &**group)
    }
}

/// Who hears what is told now.
#[derive(Clone, Copy, Debug)]
pub struct Listener<'a>(Option<(Sharing, Origin<'a>)>);

impl<'a> Listener<'a> {
    /// The keeper's owner, who may see everything.
    pub const OWNER: Self = Self(None);

    /// Whoever hears an answer to what was said there.
    pub const fn of(sharing: Sharing, origin: Origin<'a>) -> Self {
        Self(Some((sharing, origin)))
    }

    /// Whether everything may be told, whatever it is.
    pub const fn hears_all(&self) -> bool {
        matches!(self.0, None | Some((Sharing::Agent, _)))
    }

    /// Where the answer is heard; none for the owner.
    pub fn origin(&self) -> Option<Origin<'a>> {
        self.0.map(|(_, origin)| origin)
    }

    /// Whether everybody who hears the answer may be told what was said there.
    pub fn hears(&self, said: &Origin<'_>, members: &GroupMembers) -> bool {
        let Some((sharing, here)) = self.0 else { return true };
        let is_same_place = said.session == here.session && said.place() == here.place();
        let is_same_person = said.person() == here.person();
        match (sharing, said.group(), here.group()) {
            (Sharing::Agent, ..) => true,
            (Sharing::Channel, group, _) => is_same_place && (group.is_some() || is_same_person),
            (Sharing::Person, Some(group), Some(here)) => group == here,
            (Sharing::Person, Some(group), None) => members.has(group, here.person()),
            // What somebody told in private is not for a group, not even where they ask for it there.
            (Sharing::Person, None, Some(_)) => false,
            (Sharing::Person, None, None) => {
                is_same_person && said.is_among_people() == here.is_among_people()
            }
        }
    }

    /// Whether matters of the project and the world that nobody marked private are told beyond where they were said.
    pub const fn hears_shared_matters(&self) -> bool {
        !matches!(self.0, Some((Sharing::Channel, _)))
    }
}

#[cfg(test)]
mod tests;
