//! People talk: to channels, to agents, to each other. What agents can hear goes to the sink as well.

use super::{
    ServerState,
    caps::Caps,
    effect::Effect,
    members::{ClientId, Member},
    outgoing::Outgoing,
};
use crate::irc::{
    limits::{AWAY_BYTES_MAX, TARGETS_MAX},
    line::{IrcMessage, Tag},
    name::{Folded, cut},
    spoken::{Addressee, RELAY_TAG, Speaker, SpokenKind, SpokenLine, Target, parse_spoken},
};

/// Most bytes of client-only tags that are passed on with a message (half of what a line may carry, as IRCv3 has it).
const CLIENT_TAGS_BYTES_MAX: usize = 4_094;

impl ServerState {
    pub(super) fn on_message(&mut self, id: ClientId, message: &IrcMessage) {
        let is_notice = message.command == "NOTICE";
        let is_tags = message.command == "TAGMSG";
        if message.param(0).is_empty() {
            if !is_notice {
                self.reply(id, "411", [&format!("No recipient given ({})", message.command)]);
            }
            return;
        }
        if message.param(1).is_empty() && !is_tags {
            if !is_notice {
                self.reply(id, "412", ["No text to send"]);
            }
            return;
        }
        let now = self.now.monotonic;
        if let Some(client) = self.clients.get_mut(&id) {
            client.spoke_at = now;
        }
        for (index, target) in message.param(0).split(',').enumerate() {
            if index >= TARGETS_MAX {
                return self.reply(id, "407", [cut(target, 64), "Too many targets"]);
            }
            if target.starts_with('#') {
                self.talk_in_channel(id, target, message);
            } else {
                self.talk_to_nick(id, target, message);
            }
        }
    }

    /// The line as others get it.
    fn outgoing_message(
        &self,
        id: ClientId,
        target: &str,
        message: &IrcMessage,
    ) -> Option<Outgoing> {
        let profile = &self.clients.get(&id)?.profile;
        let mut line = IrcMessage::new(&message.command, [target]).from(profile.source());
        if message.command != "TAGMSG" {
            line.params.push(message.param(1).to_owned());
        }
        let mut outgoing = self.outgoing(line);
        outgoing.msgid = Some(self.new_msgid());
        outgoing.account.clone_from(&profile.account);
        outgoing.client_tags = client_tags(message);
        Some(outgoing)
    }

    fn talk_in_channel(&mut self, id: ClientId, name: &str, message: &IrcMessage) {
        let is_known = self.channels.contains_key(&Folded::new(name));
        let Some(channel) = self.joined(id, name) else {
            if message.command == "NOTICE" {
                return;
            }
            let (numeric, text) = if is_known {
                ("404", "Join the channel before you speak in it")
            } else {
                ("403", "No such channel")
            };
            return self.reply(id, numeric, [cut(name, 64), text]);
        };
        let name = channel.name.clone();
        let others: Vec<_> = channel.people.iter().copied().filter(|other| *other != id).collect();
        let agents = self.addressees(&channel.agents);
        let Some(outgoing) = self.outgoing_message(id, &name, message) else { return };
        self.deliver(id, others, &outgoing);
        self.report(id, Target::Channel(name), agents, &outgoing);
    }

    fn talk_to_nick(&mut self, id: ClientId, nick: &str, message: &IrcMessage) {
        let Some(member) = self.member(nick) else {
            if message.command != "NOTICE" {
                self.reply(id, "401", [cut(nick, 64), "No such nick"]);
            }
            return;
        };
        let Some(profile) = self.profile(&member) else { return };
        let (nick, away) = (profile.nick.clone(), profile.away.clone());
        let Some(outgoing) = self.outgoing_message(id, &nick, message) else { return };
        let mut people = Vec::new();
        if let Member::Client(other) = &member {
            people.push(*other);
        }
        self.deliver(id, people, &outgoing);
        if let (Some(away), "PRIVMSG") = (away, message.command.as_str()) {
            self.reply(id, "301", [&nick, &away]);
        }
        if let Member::Agent(agent) = member {
            let agents = vec![Addressee { agent: agent.clone(), nick }];
            self.report(id, Target::Agent(agent), agents, &outgoing);
        }
    }

    /// Sends a line to others, to the other connections of its sender's account, and back to its sender, where those asked for it.
    fn deliver(&mut self, sender: ClientId, mut others: Vec<ClientId>, outgoing: &Outgoing) {
        let caps = self.clients.get(&sender).map(|client| client.caps).unwrap_or_default();
        let is_tags = outgoing.message.command == "TAGMSG";
        if is_tags {
            let reads = |id: &ClientId| {
                self.clients.get(id).is_some_and(|client| client.caps.has(Caps::MESSAGE_TAGS))
            };
            others.retain(reads);
        }
        let copies = self.own_copies(sender, &others);
        self.send_to_all(others, outgoing);
        for (to, source) in copies {
            let reads_tags =
                self.clients.get(&to).is_some_and(|client| client.caps.has(Caps::MESSAGE_TAGS));
            if !is_tags || reads_tags {
                let mut copy = outgoing.clone();
                copy.message.source = Some(source);
                self.send(to, copy);
            }
        }
        if caps.has(Caps::ECHO_MESSAGE) && (!is_tags || caps.has(Caps::MESSAGE_TAGS)) {
            self.send(sender, outgoing.clone());
        }
    }

    pub(super) fn addressees<'a>(
        &self,
        agents: impl IntoIterator<Item = &'a abide_domain::AgentId>,
    ) -> Vec<Addressee> {
        let agents = agents.into_iter().filter_map(|agent| {
            let nick = self.agents.get(agent)?.profile.nick.clone();
            Some(Addressee { agent: agent.clone(), nick })
        });
        agents.collect()
    }

    /// Hands what a client said to the sink.
    fn report(
        &mut self,
        id: ClientId,
        target: Target,
        agents: Vec<Addressee>,
        outgoing: &Outgoing,
    ) {
        let message = &outgoing.message;
        if message.command == "TAGMSG" {
            return;
        }
        let Some(spoken) = parse_spoken(&message.command, message.param(1)) else { return };
        self.report_spoken(id, Heard { target, agents }, outgoing, spoken);
    }

    /// Hands words to the sink.
    pub(super) fn report_spoken(
        &mut self,
        id: ClientId,
        heard: Heard,
        outgoing: &Outgoing,
        (kind, text): (SpokenKind, String),
    ) {
        let Some(client) = self.clients.get(&id) else { return };
        let relay = outgoing.client_tags.iter().find(|tag| tag.key == RELAY_TAG);
        let line = SpokenLine {
            speaker: Speaker::Person(client.profile.account.clone()),
            nick: client.profile.nick.clone(),
            target: heard.target,
            partner: None,
            agents: heard.agents,
            text,
            kind,
            is_whole: client.caps.has(Caps::MULTILINE),
            relay: relay.map(|tag| tag.value.clone()),
            msgid: outgoing.msgid.clone().unwrap_or_default(),
            at: outgoing.at,
        };
        let by = Some((id, outgoing.message.param(0).to_owned()));
        self.buffer.effects.push(Effect::Report { by, line: Box::new(line) });
    }

    pub(super) fn on_away(&mut self, id: ClientId, message: &IrcMessage) {
        let away = cut(message.param(0), AWAY_BYTES_MAX).to_owned();
        let Some(client) = self.clients.get_mut(&id) else { return };
        let is_away = !away.is_empty();
        client.profile.away = Some(away).filter(|_| is_away);
        if is_away {
            self.reply(id, "306", ["You are marked as away"]);
        } else {
            self.reply(id, "305", ["You are no longer marked as away"]);
        }
        self.send_away(&Member::Client(id));
    }

    /// Tells those who asked for it that a member went away or came back.
    pub(super) fn send_away(&mut self, member: &Member) {
        let Some(profile) = self.profile(member) else { return };
        let mut line = IrcMessage::new("AWAY", []).from(profile.source());
        line.params.extend(profile.away.clone());
        let mut ids = self.channel_peers(member);
        ids.retain(|id| {
            self.clients.get(id).is_some_and(|client| client.caps.has(Caps::AWAY_NOTIFY))
        });
        let outgoing = self.outgoing(line);
        self.send_to_all(ids, &outgoing);
    }
}

/// Where something was said, and which agents heard it.
pub(super) struct Heard {
    pub(super) target: Target,
    pub(super) agents: Vec<Addressee>,
}

/// The client-only tags of a message, as far as they are passed on.
pub(super) fn client_tags(message: &IrcMessage) -> Vec<Tag> {
    let mut bytes: usize = 0;
    let tags = message.tags.iter().filter(|tag| tag.key.starts_with('+'));
    let fits = |tag: &&Tag| {
        bytes = bytes.saturating_add(tag.key.len()).saturating_add(tag.value.len());
        bytes <= CLIENT_TAGS_BYTES_MAX
    };
    tags.take_while(fits).cloned().collect()
}
