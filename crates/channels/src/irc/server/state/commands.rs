//! Which command goes where. Before a client is in, it may say only what gets it in; an early `JOIN` is answered and
//! forgiven, for irssi sends one.

use super::{ServerState, caps::Caps, members::ClientId};
use crate::irc::{
    line::{IrcMessage, LineError},
    name::cut,
};

/// Longest label that is answered, in bytes (IRCv3 labeled-response).
const LABEL_BYTES_MAX: usize = 64;
/// Longest unknown command that is repeated in an answer, in bytes.
const UNKNOWN_BYTES_MAX: usize = 32;

impl ServerState {
    pub(super) fn on_line(&mut self, id: ClientId, line: Result<IrcMessage, LineError>) {
        let now = self.now.monotonic;
        let Some(client) = self.clients.get_mut(&id) else { return };
        client.heard_at = now;
        client.is_pinged = false;
        client.challenged_at = None;
        let message = match line {
            Ok(message) => message,
            Err(LineError::TooLong) => return self.reply(id, "417", ["The line is too long"]),
            Err(LineError::Empty | LineError::NoCommand) => return,
        };
        let Some(message) = self.hold_line(id, message) else { return };
        let caps = self.clients.get(&id).map(|client| client.caps).unwrap_or_default();
        let label = message.tag("label").filter(|_| caps.has(Caps::LABELED_RESPONSE));
        if let Some(label) = label.filter(|label| label.len() <= LABEL_BYTES_MAX) {
            self.buffer.hold(id, label.to_owned());
        }
        if self.clients.get(&id).is_some_and(|client| client.registration.is_some()) {
            self.entry_command(id, &message);
        } else if !self.take_batch_line(id, &message) {
            self.command(id, &message);
        }
        self.release();
    }

    fn entry_command(&mut self, id: ClientId, message: &IrcMessage) {
        match message.command.as_str() {
            "CAP" => self.on_cap(id, message),
            "PASS" => self.on_pass(id, message),
            "NICK" => self.on_nick(id, message),
            "USER" => self.on_user(id, message),
            "AUTHENTICATE" => self.on_authenticate(id, message),
            "PING" => self.on_ping(id, message),
            "PONG" => {}
            "QUIT" => self.on_quit(id, message),
            _ => self.reply(id, "451", ["You have not registered"]),
        }
    }

    fn command(&mut self, id: ClientId, message: &IrcMessage) {
        match message.command.as_str() {
            "CAP" => self.on_cap(id, message),
            "PASS" => self.on_pass(id, message),
            "NICK" => self.on_nick(id, message),
            "USER" => self.on_user(id, message),
            "AUTHENTICATE" => self.on_authenticate(id, message),
            "PING" => self.on_ping(id, message),
            "PONG" => {}
            "QUIT" => self.on_quit(id, message),
            "JOIN" => self.on_join(id, message),
            "PART" => self.on_part(id, message),
            "PRIVMSG" | "NOTICE" | "TAGMSG" => self.on_message(id, message),
            "TOPIC" => self.on_topic(id, message),
            "NAMES" => self.on_names(id, message),
            "LIST" => self.on_list(id, message),
            "INVITE" => self.on_invite(id, message),
            "KICK" => self.on_kick(id, message),
            "MODE" => self.on_mode(id, message),
            "AWAY" => self.on_away(id, message),
            "WHO" => self.on_who(id, message),
            "WHOIS" => self.on_whois(id, message),
            "WHOWAS" => self.on_whowas(id, message),
            "USERHOST" => self.on_userhost(id, message),
            "ISON" => self.on_ison(id, message),
            "CHATHISTORY" => self.on_chathistory(id, message),
            "BATCH" => self.on_batch(id, message),
            "MONITOR" => self.on_monitor(id, message),
            "SETNAME" => self.on_setname(id, message),
            "MARKREAD" => self.on_markread(id, message),
            "MOTD" => self.on_motd(id),
            "LUSERS" => self.send_counts(id),
            "VERSION" => self.on_version(id),
            "TIME" => self.on_time(id),
            other => {
                let command = cut(other, UNKNOWN_BYTES_MAX).to_owned();
                self.reply(id, "421", [&command, "Unknown command"]);
            }
        }
    }

    fn on_ping(&mut self, id: ClientId, message: &IrcMessage) {
        if message.params.is_empty() {
            return self.reply(id, "409", ["No origin given"]);
        }
        let pong = IrcMessage::new("PONG", [&self.settings.name, message.param(0)])
            .from(&self.settings.name);
        self.send_plain(id, pong);
    }

    fn on_quit(&mut self, id: ClientId, message: &IrcMessage) {
        let reason = cut(message.param(0), crate::irc::limits::REASON_BYTES_MAX);
        self.drop_client(id, &format!("Quit: {reason}"));
    }
}
