//! Channels: joining and leaving, topics, names, lists, invitations. Nobody is thrown out and nobody is an operator.

use abide_domain::Timestamp;

use super::{
    ServerState,
    caps::Caps,
    effect::Effect,
    members::{Channel, ClientId, Member, Profile, Topic},
};
use crate::irc::{
    limits::{
        ANSWERS_MAX, CHANNELS_MAX, CHANNELS_PER_CLIENT_MAX, REASON_BYTES_MAX, TARGETS_MAX,
        TOPIC_BYTES_MAX, TOPICS_KEPT_MAX,
    },
    line::IrcMessage,
    name::{Folded, cut, is_channel, is_same},
    server::interfaces::TopicChange,
};

/// Bytes of names on one line of NAMES, so that the line stays below its limit with any prefix.
const NAMES_BYTES_MAX: usize = 350;

impl ServerState {
    pub(super) fn on_join(&mut self, id: ClientId, message: &IrcMessage) {
        match message.param(0) {
            "" => self.reply(id, "461", ["JOIN", "Not enough parameters"]),
            "0" => {
                let joined = self.clients.get(&id).map(|client| client.channels.clone());
                for name in joined.into_iter().flatten() {
                    self.leave(&Member::Client(id), &name, "Left all channels");
                }
            }
            names => {
                for name in names.split(',').take(CHANNELS_PER_CLIENT_MAX) {
                    self.join_one(id, name);
                }
            }
        }
    }

    fn join_one(&mut self, id: ClientId, name: &str) {
        let folded = Folded::new(name);
        let Some(client) = self.clients.get(&id) else { return };
        if !is_channel(name) {
            return self.reply(id, "403", [cut(name, 64), "This is not a valid channel name"]);
        }
        if client.channels.contains(&folded) {
            return;
        }
        if client.channels.len() >= CHANNELS_PER_CLIENT_MAX {
            return self.reply(id, "405", [name, "You have joined too many channels"]);
        }
        if !self.open_channel(name) {
            return self.reply(id, "437", [name, "The server has too many channels"]);
        }
        self.enter(&Member::Client(id), &folded);
        let Some(channel) = self.channels.get(&folded) else { return };
        let name = channel.name.clone();
        if channel.topic.is_some() {
            self.send_topic(id, &folded);
        }
        self.send_read_marker(id, &name);
        self.send_names(id, &name);
    }

    /// Makes a channel where there is none; where there are too many, one without people gives way.
    pub(super) fn open_channel(&mut self, name: &str) -> bool {
        let folded = Folded::new(name);
        if self.channels.contains_key(&folded) {
            return true;
        }
        if self.channels.len() >= CHANNELS_MAX {
            let home = Folded::new(super::HOME_CHANNEL);
            let is_empty =
                |(name, channel): &(&Folded, &Channel)| channel.people.is_empty() && **name != home;
            let Some((quiet, channel)) = self.channels.iter().find(is_empty) else { return false };
            let quiet = quiet.clone();
            for agent in channel.agents.clone() {
                self.leave(&Member::Agent(agent), &quiet, "");
            }
        }
        let mut channel = Channel::new(name, self.now.wall);
        channel.topic = self.topics.get(&folded).cloned();
        self.channels.insert(folded, channel);
        true
    }

    /// Puts a member into a channel that is there and tells those in it.
    pub(super) fn enter(&mut self, member: &Member, folded: &Folded) {
        let Some(profile) = self.profile(member).cloned() else { return };
        let Some(channel) = self.channels.get_mut(folded) else { return };
        let name = channel.name.clone();
        match member {
            Member::Client(id) => {
                channel.people.insert(*id);
                if let Some(client) = self.clients.get_mut(id) {
                    client.channels.insert(folded.clone());
                }
            }
            Member::Agent(id) => {
                channel.agents.insert(id.clone());
                if let Some(agent) = self.agents.get_mut(id) {
                    agent.channels.insert(folded.clone());
                }
            }
        }
        let everybody: Vec<_> = channel.people.iter().copied().collect();
        let short = IrcMessage::new("JOIN", [&name]).from(profile.source());
        let account = profile.account.as_deref().unwrap_or("*");
        let long =
            IrcMessage::new("JOIN", [&name, account, &profile.real_name]).from(profile.source());
        let is_long = |id: &ClientId| {
            self.clients.get(id).is_some_and(|client| client.caps.has(Caps::EXTENDED_JOIN))
        };
        let (longs, shorts): (Vec<_>, Vec<_>) = everybody.into_iter().partition(is_long);
        for (ids, line) in [(longs, long), (shorts, short)] {
            let mut outgoing = self.outgoing(line);
            outgoing.account.clone_from(&profile.account);
            self.send_to_all(ids, &outgoing);
        }
        if let (Member::Agent(_), Some(_)) = (member, self.channels.get(folded)) {
            self.send_voice(&profile.nick, folded);
        }
    }

    /// Agents have a voice, so that clients show who is one.
    fn send_voice(&mut self, nick: &str, folded: &Folded) {
        let Some(channel) = self.channels.get(folded) else { return };
        let (name, people) = (channel.name.clone(), channel.people.clone());
        let mode = IrcMessage::new("MODE", [&name, "+v", nick]).from(&self.settings.name);
        self.send_to_all(people, &self.outgoing(mode));
    }

    pub(super) fn on_part(&mut self, id: ClientId, message: &IrcMessage) {
        let reason = cut(message.param(1), REASON_BYTES_MAX);
        if message.param(0).is_empty() {
            return self.reply(id, "461", ["PART", "Not enough parameters"]);
        }
        for name in message.param(0).split(',').take(CHANNELS_PER_CLIENT_MAX) {
            if self.joined(id, name).is_some() {
                self.leave(&Member::Client(id), &Folded::new(name), reason);
            } else {
                self.reply(id, "442", [cut(name, 64), "You are not in that channel"]);
            }
        }
    }

    /// Takes a member out of a channel and tells it and those in it.
    pub(super) fn leave(&mut self, member: &Member, folded: &Folded, reason: &str) {
        let Some(source) = self.profile(member).map(Profile::source) else { return };
        let Some(channel) = self.channels.get_mut(folded) else { return };
        let everybody = channel.people.clone();
        let mut part = IrcMessage::new("PART", [&channel.name]).from(source);
        match member {
            Member::Client(id) => {
                channel.people.remove(id);
                if let Some(client) = self.clients.get_mut(id) {
                    client.channels.remove(folded);
                }
            }
            Member::Agent(id) => {
                channel.agents.remove(id);
                if let Some(agent) = self.agents.get_mut(id) {
                    agent.channels.remove(folded);
                }
            }
        }
        if !reason.is_empty() {
            part.params.push(reason.to_owned());
        }
        self.send_to_all(everybody, &self.outgoing(part));
        self.remove_empty_channels();
    }

    pub(super) fn on_topic(&mut self, id: ClientId, message: &IrcMessage) {
        let name = message.param(0);
        let Some(channel) = self.joined(id, name) else {
            return self.reply(id, "442", [cut(name, 64), "You are not in that channel"]);
        };
        let (folded, name) = (Folded::new(name), channel.name.clone());
        let Some(text) = message.params.get(1) else {
            if channel.topic.is_none() {
                return self.reply(id, "331", [&name, "No topic is set"]);
            }
            return self.send_topic(id, &folded);
        };
        let Some(client) = self.clients.get(&id) else { return };
        if client.profile.account.is_none() {
            return self.reply(id, "482", [&name, "Guests cannot set the topic"]);
        }
        let (source, nick) = (client.profile.source(), client.profile.nick.clone());
        let account = client.profile.account.clone().unwrap_or_default();
        self.set_topic(&folded, text, nick.clone(), source);
        let topic = cut(text, TOPIC_BYTES_MAX).to_owned();
        let topic = TopicChange { channel: name, topic, nick, account };
        self.buffer.effects.push(Effect::TopicSet { topic });
    }

    /// Gives a channel the topic that it had before a restart.
    pub(crate) fn restore_topic(&mut self, name: &str, text: String, by: String, at: Timestamp) {
        let (folded, topic) = (Folded::new(name), Topic { text, by, at });
        if let Some(channel) = self.channels.get_mut(&folded) {
            channel.topic.get_or_insert_with(|| topic.clone());
        }
        self.keep_topic(folded, Some(topic));
    }

    /// Keeps a topic for when its channel is made again; of too many the oldest is forgotten.
    fn keep_topic(&mut self, folded: Folded, topic: Option<Topic>) {
        match topic {
            Some(topic) => drop(self.topics.insert(folded, topic)),
            None => drop(self.topics.remove(&folded)),
        }
        if self.topics.len() > TOPICS_KEPT_MAX {
            let oldest = self.topics.iter().min_by_key(|(_, topic)| topic.at);
            if let Some(oldest) = oldest.map(|(folded, _)| folded.clone()) {
                self.topics.remove(&oldest);
            }
        }
    }

    /// Sets a topic and tells those in the channel.
    pub(super) fn set_topic(&mut self, folded: &Folded, text: &str, by: String, source: String) {
        let Some(channel) = self.channels.get_mut(folded) else { return };
        let text = cut(text, TOPIC_BYTES_MAX).to_owned();
        let line = IrcMessage::new("TOPIC", [&channel.name, &text]).from(source);
        let topic = Topic { text, by, at: self.now.wall };
        channel.topic = Some(topic).filter(|topic| !topic.text.is_empty());
        let (people, kept) = (channel.people.clone(), channel.topic.clone());
        self.send_to_all(people, &self.outgoing(line));
        self.keep_topic(folded.clone(), kept);
    }

    fn send_topic(&mut self, id: ClientId, folded: &Folded) {
        let Some(channel) = self.channels.get(folded) else { return };
        let Some(topic) = channel.topic.clone() else { return };
        let name = channel.name.clone();
        let seconds = (topic.at.as_micros() / 1_000_000).to_string();
        self.reply(id, "332", [&name, &topic.text]);
        self.reply(id, "333", [&name, &topic.by, &seconds]);
    }

    pub(super) fn on_names(&mut self, id: ClientId, message: &IrcMessage) {
        for name in message.param(0).split(',').take(TARGETS_MAX) {
            self.send_names(id, name);
        }
    }

    fn send_names(&mut self, id: ClientId, name: &str) {
        let is_long =
            self.clients.get(&id).is_some_and(|client| client.caps.has(Caps::USERHOST_IN_NAMES));
        let channel = self.channels.get(&Folded::new(name));
        let profiles: Vec<_> = channel
            .into_iter()
            .flat_map(Channel::members)
            .filter_map(|member| {
                let profile = self.profile(&member)?;
                let prefix = if matches!(member, Member::Agent(_)) { "+" } else { "" };
                let shown = if is_long { profile.source() } else { profile.nick.clone() };
                Some(format!("{prefix}{shown}"))
            })
            .collect();
        let name = channel.map_or_else(|| cut(name, 64), |channel| &channel.name).to_owned();
        let mut line = String::new();
        for profile in profiles {
            if line.len().saturating_add(profile.len()) > NAMES_BYTES_MAX {
                self.reply(id, "353", ["=", &name, &std::mem::take(&mut line)]);
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&profile);
        }
        if !line.is_empty() {
            self.reply(id, "353", ["=", &name, &line]);
        }
        let name = if name.is_empty() { "*" } else { &name };
        self.reply(id, "366", [name, "End of /NAMES list."]);
    }

    pub(super) fn on_list(&mut self, id: ClientId, message: &IrcMessage) {
        let wanted: Vec<_> = message.param(0).split(',').filter(|name| !name.is_empty()).collect();
        let wanted: Vec<_> = wanted.into_iter().map(Folded::new).collect();
        let shown = self.channels.iter().filter(|(name, channel)| {
            !channel.is_empty() && (wanted.is_empty() || wanted.contains(name))
        });
        let shown = shown.take(ANSWERS_MAX).map(|(_, channel)| {
            let topic = channel.topic.as_ref().map_or(String::new(), |topic| topic.text.clone());
            (channel.name.clone(), channel.count().to_string(), topic)
        });
        let shown: Vec<_> = shown.collect();
        self.reply(id, "321", ["Channel", "Users  Name"]);
        for (name, count, topic) in shown {
            self.reply(id, "322", [&name, &count, &topic]);
        }
        self.reply(id, "323", ["End of /LIST"]);
    }

    pub(super) fn on_invite(&mut self, id: ClientId, message: &IrcMessage) {
        let (nick, name) = (message.param(0), message.param(1));
        if name.is_empty() {
            return self.reply(id, "461", ["INVITE", "Not enough parameters"]);
        }
        let Some(channel) = self.joined(id, name) else {
            return self.reply(id, "442", [cut(name, 64), "You are not in that channel"]);
        };
        let (folded, name) = (Folded::new(name), channel.name.clone());
        let Some(member) = self.member(nick) else {
            return self.reply(id, "401", [cut(nick, 64), "No such nick"]);
        };
        let Some(profile) = self.profile(&member) else { return };
        let nick = profile.nick.clone();
        let is_in = match &member {
            Member::Client(other) => channel.people.contains(other),
            Member::Agent(agent) => channel.agents.contains(agent),
        };
        if is_in {
            return self.reply(id, "443", [&nick, &name, "is already in the channel"]);
        }
        let Some(inviter) = self.clients.get(&id).map(|client| client.profile.clone()) else {
            return;
        };
        if inviter.account.is_none() {
            return self.reply(id, "482", [&name, "Guests cannot invite"]);
        }
        self.reply(id, "341", [&nick, &name]);
        match member {
            Member::Client(other) => {
                let invite = IrcMessage::new("INVITE", [&nick, &name]).from(inviter.source());
                self.send_plain(other, invite);
            }
            Member::Agent(agent) => {
                self.enter(&Member::Agent(agent.clone()), &folded);
                self.buffer.effects.push(Effect::AgentInvited { agent, channel: name });
            }
        }
    }

    pub(super) fn on_kick(&mut self, id: ClientId, message: &IrcMessage) {
        let name = cut(message.param(0), 64);
        let Some(channel) = self.joined(id, name) else {
            return self.reply(id, "442", [name, "You are not in that channel"]);
        };
        let (folded, name) = (Folded::new(name), channel.name.clone());
        let agent = match self.member(message.param(1)) {
            Some(Member::Agent(agent)) if channel.agents.contains(&agent) => agent,
            _ => return self.reply(id, "482", [&name, "People cannot be kicked on this server"]),
        };
        let Some(kicker) = self.clients.get(&id).map(|client| client.profile.clone()) else {
            return;
        };
        if is_same(&name, super::HOME_CHANNEL) || kicker.account.is_none() {
            return self.reply(
                id,
                "482",
                [&name, "Only people with an account can kick an agent, and never from the home channel"],
            );
        }
        let nick =
            self.agents.get(&agent).map(|agent| agent.profile.nick.clone()).unwrap_or_default();
        let reason = cut(message.param(2), REASON_BYTES_MAX);
        let kick = IrcMessage::new("KICK", [&name, &nick, reason]).from(kicker.source());
        let everybody = self.channels.get_mut(&folded).map(|channel| {
            channel.agents.remove(&agent);
            channel.people.clone()
        });
        if let Some(agent) = self.agents.get_mut(&agent) {
            agent.channels.remove(&folded);
        }
        self.send_to_all(everybody.unwrap_or_default(), &self.outgoing(kick));
        self.remove_empty_channels();
        self.buffer.effects.push(Effect::AgentDismissed { agent, channel: name });
    }
}
