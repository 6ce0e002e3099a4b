//! Who and what is on the server: clients, agents, channels, and the profile that each member shows.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    net::IpAddr,
    time::Duration,
};

use abide_domain::{AgentId, Peer, Timestamp};
use abide_http::Secret;

use super::caps::Caps;
use crate::irc::{
    clock_reading::ClockReading,
    line::{IrcMessage, Tag},
    name::Folded,
};

/// Where people come from, as others see it. Addresses are not shown.
pub(super) const PEOPLE_HOST: &str = "people.abide";
/// Where guests without an account come from.
pub(super) const GUEST_HOST: &str = "guest.abide";
/// Where agents come from.
pub(super) const AGENT_HOST: &str = "agents.abide";

/// The user name of every agent.
pub(super) const AGENT_USER: &str = "agent";

/// One connection. Numbers are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClientId(pub(crate) u64);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What others see of a member.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    /// Empty until it has one.
    pub(super) nick: String,
    pub(super) user: String,
    pub(super) host: &'static str,
    pub(super) real_name: String,
    pub(super) account: Option<String>,
    pub(super) away: Option<String>,
}

impl Profile {
    pub(super) fn source(&self) -> String {
        format!("{}!{}@{}", self.nick, self.user, self.host)
    }

    pub(super) fn nick_or_star(&self) -> &str {
        if self.nick.is_empty() { "*" } else { &self.nick }
    }
}

/// A connection and the person behind it.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) profile: Profile,
    pub(super) peer: Peer,
    pub(super) is_secure: bool,
    pub(super) caps: Caps,
    /// What it has said to get in; gone when it is in.
    pub(super) registration: Option<Registration>,
    pub(super) channels: BTreeSet<Folded>,
    pub(super) opened_at: Duration,
    pub(super) heard_at: Duration,
    /// When it last said something to somebody, for idle times.
    pub(super) spoke_at: Duration,
    pub(super) signed_on_at: Timestamp,
    pub(super) is_pinged: bool,
    /// Since when it owes an answer, because its account asks for its nick on another connection.
    pub(super) challenged_at: Option<Duration>,
    /// The nick that it gets if the connection of its account that holds it does not answer.
    pub(super) wanted: Option<String>,
    /// The nicks that it wants to know of when they come and go, as it wrote them.
    pub(super) monitored: BTreeMap<Folded, String>,
    /// A message of several lines that it is sending.
    pub(super) multiline: Option<PendingBatch>,
}

/// A message of several lines whose end has not come.
#[derive(Debug)]
pub(super) struct PendingBatch {
    /// What its lines are marked with.
    pub(super) reference: String,
    pub(super) target: String,
    /// `PRIVMSG` or `NOTICE`; empty before the first line.
    pub(super) command: String,
    pub(super) lines: Vec<BatchLine>,
    pub(super) bytes: usize,
    pub(super) client_tags: Vec<Tag>,
    pub(super) label: Option<String>,
    /// The code of why it cannot be sent; its lines are passed over.
    pub(super) failure: Option<&'static str>,
}

/// A line of a message of several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BatchLine {
    pub(super) text: String,
    /// It goes on where the line before it ended.
    pub(super) is_continued: bool,
}

impl Client {
    pub(super) fn new(address: IpAddr, is_secure: bool, now: ClockReading) -> Self {
        Self {
            profile: Profile { host: GUEST_HOST, ..Profile::default() },
            peer: Peer::of(address),
            is_secure,
            caps: Caps::default(),
            registration: Some(Registration::default()),
            channels: BTreeSet::new(),
            opened_at: now.monotonic,
            heard_at: now.monotonic,
            spoke_at: now.monotonic,
            signed_on_at: now.wall,
            is_pinged: false,
            challenged_at: None,
            wanted: None,
            monitored: BTreeMap::new(),
            multiline: None,
        }
    }
}

/// What a client has said to get in.
#[derive(Debug, Default)]
pub(super) struct Registration {
    pub(super) nick: Option<String>,
    pub(super) user: Option<String>,
    pub(super) password: Option<Secret>,
    /// A capability negotiation is open: it ends with `CAP END`.
    pub(super) negotiates: bool,
    pub(super) sasl: SaslExchange,
    /// The admission is asked.
    pub(super) is_asked: bool,
    /// What the client said meanwhile, without waiting for the answer.
    pub(super) held: Vec<IrcMessage>,
    pub(super) wrong: u8,
    /// When a refusal is answered; the admission counts as asked until then.
    pub(super) refused_until: Option<Duration>,
}

/// How far a SASL exchange is.
#[derive(Debug, Default)]
pub(super) enum SaslExchange {
    #[default]
    Off,
    /// Its answer is awaited; pieces so far.
    Awaited(String),
    /// The admission is asked.
    Asked,
}

/// An agent, present without a connection.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) profile: Profile,
    pub(super) channels: BTreeSet<Folded>,
}

/// A member of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Client(ClientId),
    Agent(AgentId),
}

/// What a channel is about.
#[derive(Clone, Debug)]
pub(super) struct Topic {
    pub(super) text: String,
    pub(super) by: String,
    pub(super) at: Timestamp,
}

/// A channel.
#[derive(Debug)]
pub(super) struct Channel {
    /// As it was first written.
    pub(super) name: String,
    pub(super) created_at: Timestamp,
    pub(super) topic: Option<Topic>,
    pub(super) people: BTreeSet<ClientId>,
    pub(super) agents: BTreeSet<AgentId>,
}

impl Channel {
    pub(super) fn new(name: &str, created_at: Timestamp) -> Self {
        Self {
            name: name.to_owned(),
            created_at,
            topic: None,
            people: BTreeSet::new(),
            agents: BTreeSet::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.people.is_empty() && self.agents.is_empty()
    }

    pub(super) fn members(&self) -> impl Iterator<Item = Member> {
        let people = self.people.iter().copied().map(Member::Client);
        people.chain(self.agents.iter().cloned().map(Member::Agent))
    }

    pub(super) fn count(&self) -> usize {
        self.people.len().saturating_add(self.agents.len())
    }
}
