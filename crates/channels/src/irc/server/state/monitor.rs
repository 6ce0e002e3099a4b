//! MONITOR: who wants to know when somebody comes or goes, and is told. SETNAME: somebody is called otherwise.

use super::{
    ServerState,
    caps::Caps,
    members::{ClientId, Member},
};
use crate::irc::{
    limits::{MONITORED_MAX, REAL_NAME_BYTES_MAX},
    line::IrcMessage,
    name::{Folded, cut, is_nick},
};

/// Bytes of names on one line of an answer.
const NAMES_BYTES_MAX: usize = 350;

impl ServerState {
    pub(super) fn on_monitor(&mut self, id: ClientId, message: &IrcMessage) {
        match message.param(0) {
            "+" => self.watch_nicks(id, message.param(1)),
            "-" => {
                let Some(client) = self.clients.get_mut(&id) else { return };
                for nick in message.param(1).split(',') {
                    client.monitored.remove(&Folded::new(nick));
                }
            }
            "C" | "c" => {
                if let Some(client) = self.clients.get_mut(&id) {
                    client.monitored.clear();
                }
            }
            "L" | "l" => {
                let nicks = self.monitored(id);
                self.send_names_in(id, "732", &nicks);
                self.reply(id, "733", ["End of MONITOR list"]);
            }
            "S" | "s" => {
                let nicks = self.monitored(id);
                self.send_presence(id, &nicks);
            }
            _ => self.reply(id, "461", ["MONITOR", "Use +, -, C, L or S"]),
        }
    }

    fn watch_nicks(&mut self, id: ClientId, nicks: &str) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        let mut added = Vec::new();
        let mut nicks = nicks.split(',').filter(|nick| is_nick(nick));
        for nick in nicks.by_ref() {
            let folded = Folded::new(nick);
            let is_known = client.monitored.contains_key(&folded);
            if !is_known && client.monitored.len() >= MONITORED_MAX {
                let mut left = vec![nick];
                left.extend(nicks);
                let left = cut(&left.join(","), NAMES_BYTES_MAX).to_owned();
                let most = MONITORED_MAX.to_string();
                self.send_presence(id, &added);
                return self.reply(id, "734", [&most, &left, "Your monitor list is full"]);
            }
            client.monitored.insert(folded, nick.to_owned());
            added.push(nick.to_owned());
        }
        self.send_presence(id, &added);
    }

    fn monitored(&self, id: ClientId) -> Vec<String> {
        let monitored = self.clients.get(&id).map(|client| &client.monitored);
        monitored.into_iter().flat_map(|nicks| nicks.values().cloned()).collect()
    }

    /// Says of each nick whether it is here.
    fn send_presence(&mut self, id: ClientId, nicks: &[String]) {
        let (mut here, mut gone) = (Vec::new(), Vec::new());
        for nick in nicks {
            match self.member(nick).and_then(|member| self.profile(&member)) {
                Some(profile) => here.push(profile.source()),
                None => gone.push(nick.clone()),
            }
        }
        self.send_names_in(id, "730", &here);
        self.send_names_in(id, "731", &gone);
    }

    fn send_names_in(&mut self, id: ClientId, numeric: &str, names: &[String]) {
        let mut line = String::new();
        for name in names {
            if !line.is_empty() && line.len().saturating_add(name.len()) > NAMES_BYTES_MAX {
                self.reply(id, numeric, [&std::mem::take(&mut line)]);
            }
            if !line.is_empty() {
                line.push(',');
            }
            line.push_str(name);
        }
        if !line.is_empty() {
            self.reply(id, numeric, [&line]);
        }
    }

    /// Tells those who watch it that a nick is here.
    pub(super) fn announce_here(&mut self, member: &Member) {
        let Some(profile) = self.profile(member) else { return };
        let (folded, source) = (Folded::new(&profile.nick), profile.source());
        self.announce(&folded, "730", &source);
    }

    /// Tells those who watch it that a nick is gone.
    pub(super) fn announce_gone(&mut self, nick: &str) {
        self.announce(&Folded::new(nick), "731", nick);
    }

    fn announce(&mut self, folded: &Folded, numeric: &str, shown: &str) {
        let watches = self.clients.iter().filter(|(_, c)| c.monitored.contains_key(folded));
        let mut ids: Vec<_> = watches.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        for id in ids {
            self.reply(id, numeric, [shown]);
        }
    }

    pub(super) fn on_setname(&mut self, id: ClientId, message: &IrcMessage) {
        let name = message.param(0).trim().to_owned();
        if name.is_empty() || name.len() > REAL_NAME_BYTES_MAX {
            let text = format!("A real name has 1 to {REAL_NAME_BYTES_MAX} bytes");
            return self.fail(id, ["SETNAME", "INVALID_REALNAME", &text]);
        }
        let mut ids = self.channel_peers(&Member::Client(id));
        ids.insert(id);
        ids.retain(|id| self.clients.get(id).is_some_and(|c| c.caps.has(Caps::SETNAME)));
        let Some(client) = self.clients.get_mut(&id) else { return };
        client.profile.real_name.clone_from(&name);
        let line = IrcMessage::new("SETNAME", [&name]).from(client.profile.source());
        self.send_to_all(ids, &self.outgoing(line));
    }
}
