//! Agents: they come, go, speak and move between channels.

use std::collections::BTreeSet;

use abide_domain::{AgentId, visible_line};

use super::{
    HOME_CHANNEL, ServerState,
    effect::Effect,
    members::{AGENT_HOST, AGENT_USER, Agent, Client, ClientId, Member, Profile},
};
use crate::irc::{
    limits::{AGENTS_MAX, AWAY_BYTES_MAX, NICK_BYTES_MAX, REAL_NAME_BYTES_MAX, SPEECH_LINES_MAX},
    line::IrcMessage,
    name::{Folded, cut, is_channel, is_nick, is_same},
    relay::{LineBudget, reply_lines},
    server::{AgentPresence, SpeakError, SpeakOutcome, Speech},
    spoken::{Speaker, SpokenKind, SpokenLine, Target},
};

/// Who hears what an agent says.
struct Listeners {
    /// Connections, under the name by which a line reaches them: the channel's, or each one's nick.
    by_name: Vec<(String, Vec<ClientId>)>,
    /// Where it was said.
    said_to: Target,
    /// The account of a single person.
    partner: Option<String>,
}

impl ServerState {
    /// Makes the agents those of the list: new ones come, missing ones go, changed ones change.
    pub(crate) fn set_agents(
        &mut self,
        now: crate::irc::clock_reading::ClockReading,
        agents: Vec<AgentPresence>,
    ) -> Vec<Effect> {
        self.now = now;
        let wanted: BTreeSet<_> = agents.iter().map(|agent| agent.id.clone()).collect();
        let gone: Vec<_> = self.agents.keys().filter(|id| !wanted.contains(*id)).cloned().collect();
        for id in gone {
            self.remove_agent(&id, "The agent was removed");
        }
        for presence in agents.into_iter().take(AGENTS_MAX) {
            if self.agents.contains_key(&presence.id) {
                self.change_agent(presence);
            } else {
                self.add_agent(presence);
            }
        }
        self.buffer.take()
    }

    fn add_agent(&mut self, presence: AgentPresence) {
        let nick = self.free_nick(&presence);
        let profile = Profile {
            nick: nick.clone(),
            user: AGENT_USER.to_owned(),
            host: AGENT_HOST,
            real_name: cut(&visible_line(&presence.description), REAL_NAME_BYTES_MAX).to_owned(),
            account: None,
            away: presence.away.map(|away| cut(&visible_line(&away), AWAY_BYTES_MAX).to_owned()),
        };
        self.nicks.insert(Folded::new(&nick), Member::Agent(presence.id.clone()));
        self.agents.insert(presence.id.clone(), Agent { profile, channels: BTreeSet::new() });
        self.announce_here(&Member::Agent(presence.id.clone()));
        self.enter(&Member::Agent(presence.id), &Folded::new(HOME_CHANNEL));
    }

    fn change_agent(&mut self, presence: AgentPresence) {
        let member = Member::Agent(presence.id.clone());
        let away = presence
            .away
            .as_deref()
            .map(|away| cut(&visible_line(away), AWAY_BYTES_MAX).to_owned());
        let Some(agent) = self.agents.get_mut(&presence.id) else { return };
        cut(&visible_line(&presence.description), REAL_NAME_BYTES_MAX)
            .clone_into(&mut agent.profile.real_name);
        let is_moved = agent.profile.away != away;
        agent.profile.away = away;
        if is_moved {
            self.send_away(&member);
        }
        let nick = self.free_nick(&presence);
        let Some(agent) = self.agents.get_mut(&presence.id) else { return };
        if agent.profile.nick == nick {
            return;
        }
        let source = agent.profile.source();
        let old = std::mem::replace(&mut agent.profile.nick, nick.clone());
        self.nicks.remove(&Folded::new(&old));
        self.nicks.insert(Folded::new(&nick), Member::Agent(presence.id));
        let renamed = self.outgoing(IrcMessage::new("NICK", [&nick]).from(source));
        let ids = self.channel_peers(&member);
        self.send_to_all(ids, &renamed);
        self.announce_gone(&old);
        self.announce_here(&member);
    }

    /// The nick that an agent gets: its own, even where a person has it, but never another agent's.
    fn free_nick(&mut self, presence: &AgentPresence) -> String {
        let wanted = cut(&presence.nick, NICK_BYTES_MAX);
        let wanted = if is_nick(wanted) { wanted } else { "agent" };
        for number in 0..=AGENTS_MAX {
            let nick = numbered(wanted, number);
            match self.nicks.get(&Folded::new(&nick)) {
                None => return nick,
                Some(Member::Agent(id)) if *id == presence.id => return nick,
                Some(Member::Agent(_)) => {}
                Some(Member::Client(id)) => {
                    let id = *id;
                    self.move_from_nick(id, &nick);
                    return nick;
                }
            }
        }
        wanted.to_owned()
    }

    /// A person on an agent's nick gets another one, and is told.
    fn move_from_nick(&mut self, id: ClientId, nick: &str) {
        let numbers = 1..=self.nicks.len().saturating_add(1);
        let mut free = numbers.map(|number| numbered(&format!("{nick}_"), number));
        let is_free = |nick: &String| !self.nicks.contains_key(&Folded::new(nick));
        if let Some(other) = free.find(is_free) {
            self.notice(id, &format!("{nick} is an agent now; your nick is {other}"));
            self.rename(id, &other);
        }
    }

    fn remove_agent(&mut self, id: &AgentId, reason: &str) {
        let member = Member::Agent(id.clone());
        let ids = self.channel_peers(&member);
        let Some(agent) = self.agents.remove(id) else { return };
        self.nicks.remove(&Folded::new(&agent.profile.nick));
        self.announce_gone(&agent.profile.nick);
        for name in &agent.channels {
            if let Some(channel) = self.channels.get_mut(name) {
                channel.agents.remove(id);
            }
        }
        self.remove_empty_channels();
        let quit = IrcMessage::new("QUIT", [reason]).from(agent.profile.source());
        self.send_to_all(ids, &self.outgoing(quit));
    }

    /// Lets an agent speak, a line at a time.
    pub(crate) fn say(
        &mut self,
        now: crate::irc::clock_reading::ClockReading,
        speech: &Speech,
    ) -> (Result<SpeakOutcome, SpeakError>, Vec<Effect>) {
        self.now = now;
        let delivery = self.speak(speech);
        (delivery, self.buffer.take())
    }

    fn speak(&mut self, speech: &Speech) -> Result<SpeakOutcome, SpeakError> {
        let agent = self.agent_by_nick(&speech.from)?;
        let source =
            self.agents.get(&agent).map(|agent| agent.profile.source()).unwrap_or_default();
        let Listeners { by_name, said_to, partner } = self.listeners(&agent, &speech.target)?;
        let command = if speech.kind == SpokenKind::Notice { "NOTICE" } else { "PRIVMSG" };
        let longest = by_name.iter().map(|(name, _)| name.as_str()).max_by_key(|name| name.len());
        let budget = LineBudget::new(&source, longest.unwrap_or_default());
        let lines = reply_lines(&speech.text, budget, usize::MAX, "");
        if lines.is_empty() {
            return Err(SpeakError::Empty);
        }
        if lines.len() > SPEECH_LINES_MAX {
            return Err(SpeakError::TooLong);
        }
        let agents = match &said_to {
            Target::Channel(name) => {
                let channel = self.channels.get(&Folded::new(name));
                self.addressees(channel.into_iter().flat_map(|channel| &channel.agents))
            }
            Target::Agent(agent) => self.addressees([agent]),
        };
        let people = by_name.iter().map(|(_, people)| people.len()).sum();
        let mut delivery = SpeakOutcome { msgids: Vec::new(), people };
        for line in lines {
            let text = match speech.kind {
                SpokenKind::Action => format!("\u{1}ACTION {line}\u{1}"),
                SpokenKind::Speech | SpokenKind::Notice => line.clone(),
            };
            let msgid = self.new_msgid();
            for (name, people) in &by_name {
                let message = IrcMessage::new(command, [name.as_str(), &text]).from(&source);
                let mut outgoing = self.outgoing(message);
                outgoing.msgid = Some(msgid.clone());
                self.send_to_all(people.iter().copied(), &outgoing);
            }
            let line = SpokenLine {
                speaker: Speaker::Agent(agent.clone()),
                nick: speech.from.clone(),
                target: said_to.clone(),
                partner: partner.clone(),
                agents: agents.clone(),
                text: line,
                kind: speech.kind,
                is_whole: true,
                relay: None,
                msgid: msgid.clone(),
                at: self.now.wall,
            };
            self.buffer.effects.push(Effect::Report { by: None, line: Box::new(line) });
            delivery.msgids.push(msgid);
        }
        Ok(delivery)
    }

    /// How many connections hear an agent there.
    pub(crate) fn hearers(&self, from: &str, target: &str) -> usize {
        let agent = self.agent_by_nick(from);
        let listeners = agent.and_then(|agent| self.listeners(&agent, target));
        listeners
            .map_or(0, |listeners| listeners.by_name.iter().map(|(_, people)| people.len()).sum())
    }

    /// Who hears an agent.
    fn listeners(&self, agent: &AgentId, target: &str) -> Result<Listeners, SpeakError> {
        let no_such = || SpeakError::NoSuchTarget(target.to_owned());
        if target.starts_with('#') {
            let channel = self.channels.get(&Folded::new(target));
            let channel = channel.filter(|channel| channel.agents.contains(agent));
            let channel = channel.ok_or_else(no_such)?;
            let people = channel.people.iter().copied().collect();
            let by_name = vec![(channel.name.clone(), people)];
            let said_to = Target::Channel(channel.name.clone());
            return Ok(Listeners { by_name, said_to, partner: None });
        }
        let said_to = Target::Agent(agent.clone());
        if let Some(account) = target.strip_prefix('@') {
            let is_meant = |client: &Client| {
                client.registration.is_none() && client.profile.account.as_deref() == Some(account)
            };
            let all = self.clients.iter().filter(|(_, client)| is_meant(client));
            let mut by_name: Vec<_> =
                all.map(|(id, client)| (client.profile.nick.clone(), vec![*id])).collect();
            by_name.sort_unstable();
            if by_name.is_empty() {
                return Err(no_such());
            }
            return Ok(Listeners { by_name, said_to, partner: Some(account.to_owned()) });
        }
        let Some(Member::Client(id)) = self.member(target) else { return Err(no_such()) };
        let profile = self.profile(&Member::Client(id)).cloned().unwrap_or_default();
        let by_name = vec![(profile.nick, vec![id])];
        Ok(Listeners { by_name, said_to, partner: profile.account })
    }

    fn agent_by_nick(&self, nick: &str) -> Result<AgentId, SpeakError> {
        match self.member(nick) {
            Some(Member::Agent(id)) => Ok(id),
            _ => Err(SpeakError::NoSuchAgent(nick.to_owned())),
        }
    }

    /// Puts an agent into a channel, which is made where there is none.
    pub(crate) fn agent_joins(
        &mut self,
        now: crate::irc::clock_reading::ClockReading,
        nick: &str,
        channel: &str,
    ) -> (Result<(), SpeakError>, Vec<Effect>) {
        self.now = now;
        let done = self.agent_by_nick(nick).and_then(|agent| {
            if !is_channel(channel) || !self.open_channel(channel) {
                return Err(SpeakError::NoSuchTarget(channel.to_owned()));
            }
            let folded = Folded::new(channel);
            let is_in = self.agents.get(&agent).is_some_and(|a| a.channels.contains(&folded));
            if !is_in {
                self.enter(&Member::Agent(agent), &folded);
            }
            Ok(())
        });
        (done, self.buffer.take())
    }

    /// Takes an agent out of a channel; it never leaves the home channel.
    pub(crate) fn agent_parts(
        &mut self,
        now: crate::irc::clock_reading::ClockReading,
        nick: &str,
        channel: &str,
    ) -> (Result<(), SpeakError>, Vec<Effect>) {
        self.now = now;
        let done = self.agent_by_nick(nick).and_then(|agent| {
            let folded = Folded::new(channel);
            let is_in = self.agents.get(&agent).is_some_and(|a| a.channels.contains(&folded));
            if !is_in || is_same(channel, HOME_CHANNEL) {
                return Err(SpeakError::NoSuchTarget(channel.to_owned()));
            }
            self.leave(&Member::Agent(agent), &folded, "");
            Ok(())
        });
        (done, self.buffer.take())
    }

    /// Sets a channel's topic in the server's name.
    pub(crate) fn topic(
        &mut self,
        now: crate::irc::clock_reading::ClockReading,
        channel: &str,
        text: &str,
    ) -> (Result<(), SpeakError>, Vec<Effect>) {
        self.now = now;
        let folded = Folded::new(channel);
        if !self.channels.contains_key(&folded) {
            return (Err(SpeakError::NoSuchTarget(channel.to_owned())), Vec::new());
        }
        let name = self.settings.name.clone();
        self.set_topic(&folded, &visible_line(text), name.clone(), name);
        (Ok(()), self.buffer.take())
    }
}

/// A nick with a number behind it that still fits; number 0 is the nick itself.
fn numbered(nick: &str, number: usize) -> String {
    if number == 0 {
        return nick.to_owned();
    }
    let tail = number.to_string();
    format!("{}{tail}", cut(nick, NICK_BYTES_MAX.saturating_sub(tail.len())))
}
