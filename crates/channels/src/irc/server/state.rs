//! The state of the server, pure: clients, channels, nicks and agents, changed by inputs, answering with effects.
//!
//! It opens no socket, reads no clock, waits for nobody. Whoever holds it hands in bytes that became messages and the
//! answers of admission and sink, and carries out the effects in their order.
//!
//! Reading order: this file, who is in it (`members`), what comes and goes (`effect`), how a client registers (`login`,
//! `refusals`, `room`, `sessions`), what it
//! may ask (`commands` and the files that it names), what agents do (`agents`), how lines go out (`send`).

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::IpAddr,
    sync::Arc,
};

use abide_domain::{AgentId, IdSource, Timestamp};

use crate::irc::{
    clock_reading::ClockReading,
    limits::{DROP_AFTER, PING_AFTER, REGISTRATION_MAX},
    line::IrcMessage,
    name::{Folded, cut},
};

mod agents;
mod caps;
mod census;
mod channels;
mod commands;
mod effect;
mod history;
mod login;
mod login_brakes;
mod markread;
mod members;
mod messages;
mod modes;
mod monitor;
mod multiline;
mod outgoing;
mod queries;
mod read_markers;
mod refusals;
mod room;
mod send;
mod sessions;
mod welcome;

pub use census::{Census, ChannelCensus};
pub(crate) use effect::{Effect, HistoryRequest, Input, ServerSettings, TargetsRequest};
pub(crate) use members::ClientId;

use login_brakes::LoginBrakes;
use members::{Agent, Channel, Client, Member, Profile, Topic};
use outgoing::OutgoingBuffer;
use read_markers::ReadMarkers;

/// The channel that everybody is in.
pub const HOME_CHANNEL: &str = "#abide";

/// Everybody and everything on the server.
#[derive(Debug)]
pub(crate) struct ServerState {
    settings: ServerSettings,
    ids: Arc<dyn IdSource>,
    now: ClockReading,
    started_at: Timestamp,
    clients: HashMap<ClientId, Client>,
    agents: BTreeMap<AgentId, Agent>,
    nicks: HashMap<Folded, Member>,
    channels: BTreeMap<Folded, Channel>,
    buffer: OutgoingBuffer,
    batches: u64,
    brakes: LoginBrakes,
    /// Topics, also of channels that nobody is in.
    topics: BTreeMap<Folded, Topic>,
    read_markers: ReadMarkers,
}

impl ServerState {
    /// A state with the home channel and nobody in it.
    pub(crate) fn new(settings: ServerSettings, ids: Arc<dyn IdSource>, now: ClockReading) -> Self {
        let mut state = Self {
            settings,
            ids,
            now,
            started_at: now.wall,
            clients: HashMap::new(),
            agents: BTreeMap::new(),
            nicks: HashMap::new(),
            channels: BTreeMap::new(),
            buffer: OutgoingBuffer::default(),
            batches: 0,
            brakes: LoginBrakes::default(),
            topics: BTreeMap::new(),
            read_markers: ReadMarkers::default(),
        };
        let home = Channel::new(HOME_CHANNEL, now.wall);
        state.channels.insert(Folded::new(HOME_CHANNEL), home);
        state
    }

    /// Takes one input and says what is to be done.
    pub(crate) fn step(&mut self, now: ClockReading, input: Input) -> Vec<Effect> {
        self.now = now;
        match input {
            Input::Opened { id, address, is_secure } => self.on_open(id, address, is_secure),
            Input::Line { id, line } => self.on_line(id, line),
            Input::Admitted { id, account } => self.on_admitted(id, account),
            Input::History { id, request, found } => self.on_history(id, request, found),
            Input::Targets { id, request, found } => self.on_targets(id, request, found),
            Input::LineRefused { id, target, reason } => self.on_line_refused(id, &target, &reason),
            Input::Closed { id, reason } => self.remove(id, &reason),
            Input::Overflowed { id } => self.drop_client(id, "Send queue exceeded"),
            Input::Tick => self.tick(),
            Input::Stop => self.stop(),
        }
        self.buffer.take()
    }

    fn on_open(&mut self, id: ClientId, address: IpAddr, is_secure: bool) {
        self.clients.insert(id, Client::new(address, is_secure, self.now));
        self.make_room(id);
    }

    /// Tells a client why, closes its connection and removes it.
    fn drop_client(&mut self, id: ClientId, reason: &str) {
        self.buffer.forget(id);
        let Some(client) = self.clients.get(&id) else { return };
        let text = format!("Closing link: {} ({reason})", client.profile.nick_or_star());
        self.send_plain(id, IrcMessage::new("ERROR", [&text]));
        self.buffer.effects.push(Effect::Close { id });
        self.remove(id, reason);
    }

    /// Removes a client whose connection is gone. Those who saw it read why.
    fn remove(&mut self, id: ClientId, reason: &str) {
        let channel_peers = self.channel_peers(&Member::Client(id));
        let Some(client) = self.clients.remove(&id) else { return };
        for channel in &client.channels {
            if let Some(channel) = self.channels.get_mut(channel) {
                channel.people.remove(&id);
            }
        }
        self.remove_empty_channels();
        if client.registration.is_none() {
            self.nicks.remove(&Folded::new(&client.profile.nick));
            self.announce_gone(&client.profile.nick);
            let quit = IrcMessage::new("QUIT", [reason]).from(client.profile.source());
            self.send_to_all(channel_peers, &self.outgoing(quit));
        }
    }

    fn tick(&mut self) {
        let now = self.now.monotonic;
        let mut late = Vec::new();
        let mut silent = Vec::new();
        for (id, client) in &mut self.clients {
            let silence = now.saturating_sub(client.heard_at);
            if client.registration.is_some()
                && now.saturating_sub(client.opened_at) > REGISTRATION_MAX
            {
                late.push((*id, "Registration timed out".to_owned()));
            } else if client.is_ghost(now) {
                late.push((
                    *id,
                    "Another connection of your account took this nickname".to_owned(),
                ));
            } else if silence > DROP_AFTER {
                late.push((*id, format!("Ping timeout: {} seconds", silence.as_secs())));
            } else if silence > PING_AFTER && !client.is_pinged && client.registration.is_none() {
                client.is_pinged = true;
                silent.push(*id);
            }
        }
        late.sort_unstable();
        silent.sort_unstable();
        for id in silent {
            let ping = IrcMessage::new("PING", [&self.settings.name]);
            self.send_plain(id, ping);
        }
        for (id, reason) in late {
            self.drop_client(id, &reason);
        }
        self.answer_refused();
        self.give_wanted_nicks();
    }

    fn stop(&mut self) {
        let mut ids: Vec<_> = self.clients.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let error = IrcMessage::new("ERROR", ["Closing link: the server is stopping"]);
            self.send_plain(id, error);
            self.buffer.effects.push(Effect::Close { id });
        }
        self.clients.clear();
    }

    fn on_line_refused(&mut self, id: ClientId, target: &str, reason: &str) {
        let text = format!("{target} did not accept that: {}", cut(reason, 300));
        self.notice(id, &text);
    }

    /// Forgets channels that nobody is in; the home channel stays.
    fn remove_empty_channels(&mut self) {
        let home = Folded::new(HOME_CHANNEL);
        self.channels.retain(|name, channel| *name == home || !channel.is_empty());
    }

    /// Clients that share a channel with a member, without the member itself.
    fn channel_peers(&self, member: &Member) -> BTreeSet<ClientId> {
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

    /// The face of a member that is there.
    fn profile(&self, member: &Member) -> Option<&Profile> {
        match member {
            Member::Client(id) => self.clients.get(id).map(|client| &client.profile),
            Member::Agent(id) => self.agents.get(id).map(|agent| &agent.profile),
        }
    }

    /// Who holds a nick.
    fn member(&self, nick: &str) -> Option<Member> {
        self.nicks.get(&Folded::new(nick)).cloned()
    }

    /// The channel of this name, where the client is in it.
    fn joined(&self, id: ClientId, name: &str) -> Option<&Channel> {
        self.channels.get(&Folded::new(name)).filter(|channel| channel.people.contains(&id))
    }

    fn new_msgid(&self) -> String {
        self.ids.uuid(self.now.wall).simple().to_string()
    }
}

#[cfg(test)]
mod tests;
