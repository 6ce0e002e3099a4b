//! The server's world, pure: clients, channels, nicks and agents, moved by inputs, answering with effects.
//!
//! It opens no socket, reads no clock, waits for nobody. Whoever holds it hands in bytes that became messages and the
//! answers of door and house, and carries out the effects in their order.
//!
//! Reading order: this file, who is in it (`people`), how a client gets in (`entry`), what it may ask (`commands` and the
//! files that it names), what the house does (`house`), how lines go out (`out`).

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::IpAddr,
    sync::Arc,
    time::Duration,
};

use abide_domain::{AgentId, IdSource, Timestamp};
use abide_http::Secret;
use bytes::Bytes;

use super::roles::{HistoryError, HistoryQuery, PastLine};
use crate::irc::{
    limits::{DROP_AFTER, PING_AFTER, REGISTRATION_MAX},
    line::{IrcMessage, LineError},
    name::{Folded, cut},
    said::SpokenLine,
};

mod channels;
mod commands;
mod entry;
mod house;
mod modes;
mod out;
mod past;
mod people;
mod queries;
mod talk;
mod welcome;

pub use house::{Census, ChannelCensus, Speech};
pub(crate) use people::ClientId;

use out::Out;
use people::{Agent, Channel, Client, Member};

/// The channel that everybody is in.
pub const HOME_CHANNEL: &str = "#abide";

/// What the world is made from.
#[derive(Clone, Debug)]
pub(crate) struct Laws {
    pub(crate) name: String,
    pub(crate) network: String,
    pub(crate) motd: Vec<String>,
    pub(crate) is_auth_required: bool,
    pub(crate) clients_max: usize,
    pub(crate) clients_per_address_max: usize,
}

/// Now, on both clocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) wall: Timestamp,
    pub(crate) monotonic: Duration,
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
    Past { id: ClientId, asked: Asked, found: Result<Vec<PastLine>, HistoryError> },
    /// The house did not take what was said.
    Refused { id: ClientId, target: String, reason: String },
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
    Look { id: ClientId, asked: Asked },
    /// Tell the house.
    Said { by: Option<(ClientId, String)>, said: Box<SpokenLine> },
    /// Tell the house that an agent was invited.
    Invited { agent: AgentId, channel: String },
    /// A person sent an agent out of a channel.
    Dismissed { agent: AgentId, channel: String },
}

/// A question about the past, with what its answer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) query: HistoryQuery,
    /// The target as the client named it.
    target: String,
    subcommand: String,
    label: Option<String>,
}

/// Whom a nick belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Holder {
    Client(ClientId),
    Agent(AgentId),
}

/// The world.
#[derive(Debug)]
pub(crate) struct World {
    laws: Laws,
    ids: Arc<dyn IdSource>,
    now: Moment,
    started_at: Timestamp,
    clients: HashMap<ClientId, Client>,
    agents: BTreeMap<AgentId, Agent>,
    nicks: HashMap<Folded, Holder>,
    channels: BTreeMap<Folded, Channel>,
    out: Out,
    batches: u64,
}

impl World {
    /// A world with the home channel and nobody in it.
    pub(crate) fn new(laws: Laws, ids: Arc<dyn IdSource>, now: Moment) -> Self {
        let mut world = Self {
            laws,
            ids,
            now,
            started_at: now.wall,
            clients: HashMap::new(),
            agents: BTreeMap::new(),
            nicks: HashMap::new(),
            channels: BTreeMap::new(),
            out: Out::default(),
            batches: 0,
        };
        let home = Channel::new(HOME_CHANNEL, now.wall);
        world.channels.insert(Folded::new(HOME_CHANNEL), home);
        world
    }

    /// Takes one input and says what is to be done.
    pub(crate) fn step(&mut self, now: Moment, input: Input) -> Vec<Effect> {
        self.now = now;
        match input {
            Input::Opened { id, address, is_secure } => self.open(id, address, is_secure),
            Input::Line { id, line } => self.line(id, line),
            Input::Admitted { id, account } => self.admitted(id, account),
            Input::Past { id, asked, found } => self.past(id, asked, found),
            Input::Refused { id, target, reason } => self.refused(id, &target, &reason),
            Input::Closed { id, reason } => self.remove(id, &reason),
            Input::Overflowed { id } => self.drop_client(id, "Send queue exceeded"),
            Input::Tick => self.tick(),
            Input::Stop => self.stop(),
        }
        self.out.take()
    }

    fn open(&mut self, id: ClientId, address: IpAddr, is_secure: bool) {
        let client = Client::new(address, is_secure, self.now);
        let of_address = self.clients.values().filter(|client| client.address == address).count();
        let is_full = self.clients.len() >= self.laws.clients_max;
        self.clients.insert(id, client);
        if is_full {
            self.drop_client(id, "The server is full");
        } else if of_address >= self.laws.clients_per_address_max {
            self.drop_client(id, "Too many connections from your address");
        }
    }

    /// Tells a client why, closes its connection and removes it.
    fn drop_client(&mut self, id: ClientId, reason: &str) {
        self.out.forget(id);
        let Some(client) = self.clients.get(&id) else { return };
        let text = format!("Closing link: {} ({reason})", client.face.nick_or_star());
        self.send_plain(id, IrcMessage::new("ERROR", [&text]));
        self.out.effects.push(Effect::Close { id });
        self.remove(id, reason);
    }

    /// Removes a client whose connection is gone. Those who saw it read why.
    fn remove(&mut self, id: ClientId, reason: &str) {
        let witnesses = self.witnesses(&Member::Client(id));
        let Some(client) = self.clients.remove(&id) else { return };
        for channel in &client.channels {
            if let Some(channel) = self.channels.get_mut(channel) {
                channel.people.remove(&id);
            }
        }
        self.sweep_channels();
        if client.entry.is_none() {
            self.nicks.remove(&Folded::new(&client.face.nick));
            let quit = IrcMessage::new("QUIT", [reason]).from(client.face.source());
            self.fan(witnesses, &self.outgoing(quit));
        }
    }

    fn tick(&mut self) {
        let now = self.now.monotonic;
        let mut late = Vec::new();
        let mut silent = Vec::new();
        for (id, client) in &mut self.clients {
            let silence = now.saturating_sub(client.heard_at);
            if client.entry.is_some() && now.saturating_sub(client.opened_at) > REGISTRATION_MAX {
                late.push((*id, "Registration timed out".to_owned()));
            } else if silence > DROP_AFTER {
                late.push((*id, format!("Ping timeout: {} seconds", silence.as_secs())));
            } else if silence > PING_AFTER && !client.is_pinged && client.entry.is_none() {
                client.is_pinged = true;
                silent.push(*id);
            }
        }
        late.sort_unstable();
        silent.sort_unstable();
        for id in silent {
            let ping = IrcMessage::new("PING", [&self.laws.name]);
            self.send_plain(id, ping);
        }
        for (id, reason) in late {
            self.drop_client(id, &reason);
        }
    }

    fn stop(&mut self) {
        let mut ids: Vec<_> = self.clients.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let error = IrcMessage::new("ERROR", ["Closing link: the server stops"]);
            self.send_plain(id, error);
            self.out.effects.push(Effect::Close { id });
        }
        self.clients.clear();
    }

    fn refused(&mut self, id: ClientId, target: &str, reason: &str) {
        let text = format!("{target} did not take that: {}", cut(reason, 300));
        self.notice(id, &text);
    }

    /// Forgets channels that nobody is in; the home channel stays.
    fn sweep_channels(&mut self) {
        let home = Folded::new(HOME_CHANNEL);
        self.channels.retain(|name, channel| *name == home || !channel.is_deserted());
    }

    /// Clients that share a channel with a member, without the member itself.
    fn witnesses(&self, member: &Member) -> BTreeSet<ClientId> {
        let names = match member {
            Member::Client(id) => self.clients.get(id).map(|client| &client.channels),
            Member::Agent(id) => self.agents.get(id).map(|agent| &agent.channels),
        };
        let channels = names.into_iter().flatten().filter_map(|name| self.channels.get(name));
        let mut ids: BTreeSet<_> =
            channels.flat_map(|channel| channel.people.iter().copied()).collect();
        if let Member::Client(id) = member {
            ids.remove(id);
        }
        ids
    }

    fn new_msgid(&self) -> String {
        self.ids.uuid(self.now.wall).simple().to_string()
    }
}

#[cfg(test)]
mod tests;
