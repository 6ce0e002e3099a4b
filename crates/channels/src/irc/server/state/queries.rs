//! Questions about who is here: WHO with WHOX, WHOIS, USERHOST, ISON, and what the server is.

use super::{
    ServerState,
    members::{AGENT_HOST, Channel, ClientId, Member, Profile},
    welcome::VERSION,
};
use crate::irc::{
    limits::ANSWERS_MAX,
    line::IrcMessage,
    name::{Folded, cut},
};

/// Nicks that USERHOST and ISON look at.
const NICKS_MAX: usize = 20;
/// Bytes of channel names on one line of WHOIS.
const CHANNELS_BYTES_MAX: usize = 350;

impl ServerState {
    pub(super) fn on_who(&mut self, id: ClientId, message: &IrcMessage) {
        let mask = message.param(0);
        let members = self.matching(mask);
        let channel = if mask.starts_with('#') { mask } else { "*" };
        let channel = self.channels.get(&Folded::new(channel)).map_or("*", |channel| &channel.name);
        let channel = channel.to_owned();
        for member in members {
            let Some(profile) = self.profile(&member).cloned() else { continue };
            let flags = flags(&profile, &member, channel != "*");
            if let Some(fields) = message.param(1).strip_prefix('%') {
                let answer = self.whox(fields, &channel, &profile, &flags);
                self.send_whox(id, answer);
                continue;
            }
            let server = self.settings.name.clone();
            let end = format!("0 {}", profile.real_name);
            self.reply(
                id,
                "352",
                [&channel, &profile.user, profile.host, &server, &profile.nick, &flags, &end],
            );
        }
        let mask = if mask.is_empty() { "*" } else { cut(mask, 64) }.to_owned();
        self.reply(id, "315", [&mask, "End of /WHO list."]);
    }

    /// Members of a channel, or the one with this nick, or everybody for `*`.
    fn matching(&self, mask: &str) -> Vec<Member> {
        if mask.starts_with('#') {
            let channel = self.channels.get(&Folded::new(mask));
            return channel.into_iter().flat_map(Channel::members).collect();
        }
        if !mask.is_empty() && mask != "*" && mask != "0" {
            return self.member(mask).into_iter().collect();
        }
        let clients = self.clients.iter().filter(|(_, client)| client.registration.is_none());
        let mut ids: Vec<_> = clients.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        let agents = self.agents.keys().cloned().map(Member::Agent);
        agents.chain(ids.into_iter().map(Member::Client)).take(ANSWERS_MAX).collect()
    }

    /// The fields that were asked for, in their fixed order, whatever the order of the question.
    fn whox(&self, fields: &str, channel: &str, profile: &Profile, flags: &str) -> Vec<String> {
        let (letters, token) = fields.split_once(',').unwrap_or((fields, ""));
        let wanted = "tcuihsnfdlaor".chars().filter(|letter| letters.contains(*letter));
        let shown = wanted.map(|letter| match letter {
            't' => cut(token, 3),
            'c' => channel,
            'u' => &profile.user,
            'i' => "255.255.255.255",
            'h' => profile.host,
            's' => &self.settings.name,
            'n' => &profile.nick,
            'f' => flags,
            'a' => profile.account.as_deref().unwrap_or("0"),
            'o' => "n/a",
            'r' => &profile.real_name,
            _ => "0",
        });
        shown.map(str::to_owned).collect()
    }

    fn send_whox(&mut self, id: ClientId, answer: Vec<String>) {
        let Some(client) = self.clients.get(&id) else { return };
        let mut line = IrcMessage::new("354", [&client.profile.nick]).from(&self.settings.name);
        line.params.extend(answer);
        self.send_plain(id, line);
    }

    pub(super) fn on_whois(&mut self, id: ClientId, message: &IrcMessage) {
        // `WHOIS nick nick` asks the server that the second one is on: there is only this one.
        let nick = message.params.last().map_or("", String::as_str).to_owned();
        if nick.is_empty() {
            return self.reply(id, "431", ["No nickname given"]);
        }
        let found =
            self.member(&nick).and_then(|member| Some((self.profile(&member)?.clone(), member)));
        let Some((profile, member)) = found else {
            let nick = cut(&nick, 64);
            self.reply(id, "401", [nick, "No such nick"]);
            return self.reply(id, "318", [nick, "End of /WHOIS list."]);
        };
        let nick = profile.nick.clone();
        self.reply(id, "311", [&nick, &profile.user, profile.host, "*", &profile.real_name]);
        for names in self.channels_of(id, &member) {
            self.reply(id, "319", [&nick, &names]);
        }
        let name = self.settings.name.clone();
        self.reply(id, "312", [&nick, &name, "Abide"]);
        if let Some(away) = &profile.away {
            self.reply(id, "301", [&nick, away]);
        }
        match &member {
            Member::Agent(agent) => {
                self.reply(id, "335", [&nick, &format!("is the agent {agent}")]);
            }
            Member::Client(other) => self.whois_client(id, *other, &profile),
        }
        self.reply(id, "318", [&nick, "End of /WHOIS list."]);
    }

    fn whois_client(&mut self, id: ClientId, other: ClientId, profile: &Profile) {
        let Some(client) = self.clients.get(&other) else { return };
        let idle = self.now.monotonic.saturating_sub(client.spoke_at).as_secs().to_string();
        let signed_on = (client.signed_on_at.as_micros() / 1_000_000).to_string();
        let is_secure = client.is_secure;
        if let Some(account) = &profile.account {
            self.reply(id, "330", [&profile.nick, account, "is logged in as"]);
        }
        if is_secure {
            self.reply(id, "671", [&profile.nick, "is using a secure connection"]);
        }
        self.reply(id, "317", [&profile.nick, &idle, &signed_on, "seconds idle, signon time"]);
    }

    fn channels_of(&self, asker: ClientId, member: &Member) -> Vec<String> {
        let names = match member {
            Member::Client(id) => self.clients.get(id).map(|client| &client.channels),
            Member::Agent(id) => self.agents.get(id).map(|agent| &agent.channels),
        };
        let mut lines = vec![String::new()];
        for name in names.into_iter().flatten() {
            let Some(channel) = self.channels.get(name) else { continue };
            let is_seen = channel.people.contains(&asker) || matches!(member, Member::Agent(_));
            let Some(line) = lines.last_mut().filter(|_| is_seen) else { continue };
            if line.len().saturating_add(channel.name.len()) > CHANNELS_BYTES_MAX {
                lines.push(channel.name.clone());
                continue;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&channel.name);
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    pub(super) fn on_whowas(&mut self, id: ClientId, message: &IrcMessage) {
        let nick = cut(message.param(0), 64).to_owned();
        self.reply(id, "406", [&nick, "There was no such nickname"]);
        self.reply(id, "369", [&nick, "End of WHOWAS"]);
    }

    pub(super) fn on_userhost(&mut self, id: ClientId, message: &IrcMessage) {
        let hosts = message.params.iter().take(5).filter_map(|nick| {
            let profile = self.profile(&self.member(nick)?)?;
            let sign = if profile.away.is_some() { '-' } else { '+' };
            Some(format!("{}={sign}{}@{}", profile.nick, profile.user, profile.host))
        });
        let hosts = hosts.collect::<Vec<_>>().join(" ");
        self.reply(id, "302", [&hosts]);
    }

    pub(super) fn on_ison(&mut self, id: ClientId, message: &IrcMessage) {
        let words = message.params.iter().flat_map(|param| param.split_whitespace());
        let here = words
            .take(NICKS_MAX)
            .filter_map(|nick| Some(self.profile(&self.member(nick)?)?.nick.clone()));
        let here = here.collect::<Vec<_>>().join(" ");
        self.reply(id, "303", [&here]);
    }

    pub(super) fn on_version(&mut self, id: ClientId) {
        let name = self.settings.name.clone();
        self.reply(id, "351", [VERSION, &name, "each agent is a nick"]);
    }

    pub(super) fn on_time(&mut self, id: ClientId) {
        let (name, now) = (self.settings.name.clone(), self.now.wall.to_string());
        self.reply(id, "391", [&name, &now]);
    }
}

/// Here or gone, and a plus for agents in a channel.
fn flags(profile: &Profile, member: &Member, is_in_channel: bool) -> String {
    let mut flags = if profile.away.is_some() { "G" } else { "H" }.to_owned();
    let is_agent = profile.host == AGENT_HOST && matches!(member, Member::Agent(_));
    if is_agent && is_in_channel {
        flags.push('+');
    }
    flags
}
