//! Modes: asked for and answered, hardly ever changed. Channels are `+nt`, people may be `+i`, and that is all.

use super::{ServerState, members::ClientId};
use crate::irc::{
    line::IrcMessage,
    name::{Folded, cut, is_same},
};

impl ServerState {
    pub(super) fn on_mode(&mut self, id: ClientId, message: &IrcMessage) {
        let target = message.param(0);
        if target.is_empty() {
            self.reply(id, "461", ["MODE", "Not enough parameters"]);
        } else if target.starts_with('#') {
            self.channel_mode(id, message);
        } else {
            self.own_mode(id, message);
        }
    }

    fn channel_mode(&mut self, id: ClientId, message: &IrcMessage) {
        let Some(channel) = self.channels.get(&Folded::new(message.param(0))) else {
            return self.reply(id, "403", [cut(message.param(0), 64), "No such channel"]);
        };
        let name = channel.name.clone();
        let seconds = (channel.created_at.as_micros() / 1_000_000).to_string();
        // Lists may be looked at; all of them are empty.
        match message.param(1).trim_start_matches('+') {
            "" => {
                self.reply(id, "324", [&name, "+nt"]);
                self.reply(id, "329", [&name, &seconds]);
            }
            "b" if message.params.len() == 2 => {
                self.reply(id, "368", [&name, "End of channel ban list"]);
            }
            _ => self.reply(id, "482", [&name, "The modes of this channel are fixed"]),
        }
    }

    fn own_mode(&mut self, id: ClientId, message: &IrcMessage) {
        let Some(client) = self.clients.get(&id) else { return };
        let nick = client.profile.nick.clone();
        if !is_same(&nick, message.param(0)) {
            return self.reply(id, "502", ["You can change your own modes only"]);
        }
        match message.param(1) {
            "" => self.reply(id, "221", ["+"]),
            // Clients ask to be invisible; everybody here is as visible as their channels make them.
            "+i" | "-i" => {
                let mode = IrcMessage::new("MODE", [&nick, message.param(1)]).from(&nick);
                self.send_plain(id, mode);
            }
            _ => self.reply(id, "501", ["Unknown mode"]),
        }
    }
}
