//! MARKREAD: up to where an account has read each channel and query, for all of its connections.

use abide_domain::Timestamp;

use super::{
    ServerState, caps::Caps, effect::Effect, members::ClientId, outgoing::in_milliseconds,
};
use crate::irc::{
    line::IrcMessage,
    name::{cut, is_channel, is_nick},
    server::interfaces::ReadMarker,
};

impl ServerState {
    /// Takes markers that were set before a restart.
    pub(crate) fn restore_read_markers(&mut self, markers: &[ReadMarker]) {
        for marker in markers {
            self.read_markers.advance(marker);
        }
    }

    pub(super) fn on_markread(&mut self, id: ClientId, message: &IrcMessage) {
        let target = cut(message.param(0), 64).to_owned();
        if target.is_empty() {
            return self.fail(id, ["MARKREAD", "NEED_MORE_PARAMS", "Missing parameters"]);
        }
        if !is_channel(&target) && !is_nick(&target) {
            let text = "This is neither a channel nor a nick";
            return self.fail(id, ["MARKREAD", "INVALID_PARAMS", &target, text]);
        }
        let account = self.clients.get(&id).and_then(|client| client.profile.account.clone());
        let Some(moment) = message.params.get(1) else {
            return self.send_read_marker(id, &target);
        };
        let at = moment.strip_prefix("timestamp=").and_then(|at| at.parse::<Timestamp>().ok());
        let (Some(at), Some(account)) = (at, account) else {
            let text = "Use timestamp=2026-11-27T22:10:03.123Z, as somebody with an account";
            return self.fail(id, ["MARKREAD", "INVALID_PARAMS", &target, text]);
        };
        // A marker ahead of all that can have been said would hide what is said later.
        let at = at.min(self.now.wall);
        let marker = ReadMarker { account, target: target.to_ascii_lowercase(), at };
        if !self.read_markers.advance(&marker) {
            return self.send_read_marker(id, &target);
        }
        let of_account = |(_, client): &(&ClientId, &super::Client)| {
            client.registration.is_none()
                && client.profile.account.as_ref() == Some(&marker.account)
        };
        let sessions = self.clients.iter().filter(of_account).map(|(id, _)| *id);
        let mut sessions: Vec<_> = sessions.collect();
        sessions.sort_unstable();
        for session in sessions {
            self.send_read_marker(session, &target);
        }
        self.buffer.effects.push(Effect::ReadMarked { marker });
    }

    /// Says up to where a client's account has read; only to one that asked for it.
    pub(super) fn send_read_marker(&mut self, id: ClientId, target: &str) {
        let Some(client) = self.clients.get(&id) else { return };
        if !client.caps.has(Caps::READ_MARKER) {
            return;
        }
        let account = client.profile.account.as_deref();
        let at = account
            .and_then(|account| self.read_markers.find(account, &target.to_ascii_lowercase()));
        let moment =
            at.map_or_else(|| "*".to_owned(), |at| format!("timestamp={}", in_milliseconds(at)));
        let line = IrcMessage::new("MARKREAD", [target, &moment]).from(&self.settings.name);
        self.send_plain(id, line);
    }
}
