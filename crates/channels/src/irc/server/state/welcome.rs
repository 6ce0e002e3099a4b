//! What a client is told when it is in: who it is, what the server can do, and the words of the day.

use super::{ServerState, members::ClientId};
use crate::irc::limits::{
    AWAY_BYTES_MAX, CHANNEL_BYTES_MAX, CHANNELS_PER_CLIENT_MAX, HISTORY_LINES_MAX, MONITORED_MAX,
    NICK_BYTES_MAX, REAL_NAME_BYTES_MAX, TARGETS_MAX, TOPIC_BYTES_MAX,
};

/// The server's program and version.
pub(super) const VERSION: &str = concat!("abide-", env!("CARGO_PKG_VERSION"));

impl ServerState {
    pub(super) fn send_welcome(&mut self, id: ClientId) {
        let Some(client) = self.clients.get(&id) else { return };
        let source = client.profile.source();
        let name = self.settings.name.clone();
        let network = self.settings.network.clone();
        let started = self.started_at.to_string();
        self.reply(id, "001", [&format!("Welcome to {network}, {source}")]);
        self.reply(id, "002", [&format!("Your host is {name}, running {VERSION}")]);
        self.reply(id, "003", [&format!("This server was started at {started}")]);
        self.reply(id, "004", [&name, VERSION, "i", "nt"]);
        self.send_support(id);
        self.send_counts(id);
        self.on_motd(id);
    }

    fn send_support(&mut self, id: ClientId) {
        let limits = [
            format!("NICKLEN={NICK_BYTES_MAX}"),
            format!("CHANNELLEN={CHANNEL_BYTES_MAX}"),
            format!("TOPICLEN={TOPIC_BYTES_MAX}"),
            format!("AWAYLEN={AWAY_BYTES_MAX}"),
            format!("CHANLIMIT=#:{CHANNELS_PER_CLIENT_MAX}"),
            format!("MAXTARGETS={TARGETS_MAX}"),
            format!("CHATHISTORY={HISTORY_LINES_MAX}"),
            format!("MONITOR={MONITORED_MAX}"),
            format!("NAMELEN={REAL_NAME_BYTES_MAX}"),
            format!("NETWORK={}", self.settings.network.replace(' ', "_")),
        ];
        let [nick, channel, topic, away, channels, targets, history, monitor, name_length, network] =
            &limits;
        let end = "are supported by this server";
        self.reply(
            id,
            "005",
            [
                "CASEMAPPING=ascii",
                "CHANTYPES=#",
                "PREFIX=(ov)@+",
                "CHANMODES=b,k,l,imnst",
                "MODES=1",
                "UTF8ONLY",
                "WHOX",
                network,
                end,
            ],
        );
        self.reply(
            id,
            "005",
            [
                nick,
                channel,
                topic,
                away,
                channels,
                targets,
                history,
                monitor,
                name_length,
                "MSGREFTYPES=timestamp,msgid",
                end,
            ],
        );
    }

    pub(super) fn send_counts(&mut self, id: ClientId) {
        let people = self.clients.values().filter(|client| client.registration.is_none()).count();
        let (agents, channels) = (self.agents.len(), self.channels.len());
        let users = people.saturating_add(agents).to_string();
        self.reply(id, "251", [&format!("There are {people} people and {agents} agents here")]);
        self.reply(id, "254", [&channels.to_string(), "channels formed"]);
        self.reply(id, "255", [&format!("I have {users} clients and 0 servers")]);
        self.reply(id, "265", [&users, &users, "Current local users"]);
    }

    pub(super) fn on_motd(&mut self, id: ClientId) {
        let motd = self.settings.motd.clone();
        if motd.is_empty() {
            return self.reply(id, "422", ["There is no message of the day"]);
        }
        let name = self.settings.name.clone();
        self.reply(id, "375", [&format!("- {name} message of the day -")]);
        for line in motd {
            self.reply(id, "372", [&format!("- {line}")]);
        }
        self.reply(id, "376", ["End of /MOTD command."]);
    }
}
