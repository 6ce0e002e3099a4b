//! How lines go out: each client gets the tags that it asked for, and answers to a labelled command carry its label.

use bytes::Bytes;

use super::{
    ServerState,
    caps::Caps,
    effect::Effect,
    members::ClientId,
    outgoing::{LabeledReplies, Outgoing},
};
use crate::irc::line::{IrcMessage, Tag};

impl ServerState {
    /// A message of now, without id and account.
    pub(super) fn outgoing(&self, message: IrcMessage) -> Outgoing {
        let at = self.now.wall;
        Outgoing { message, at, msgid: None, account: None, client_tags: Vec::new() }
    }

    /// Sends a message to one client.
    pub(super) fn send(&mut self, to: ClientId, outgoing: Outgoing) {
        if let Some(labeled) = self.buffer.labeled.as_mut().filter(|labeled| labeled.id == to) {
            labeled.answers.push(outgoing);
            return;
        }
        let Some(client) = self.clients.get(&to) else { return };
        let line = outgoing.write(client.caps);
        self.buffer.effects.push(Effect::Send { to, line });
    }

    /// Sends a message of now to one client.
    pub(super) fn send_plain(&mut self, to: ClientId, message: IrcMessage) {
        let outgoing = self.outgoing(message);
        self.send(to, outgoing);
    }

    /// Sends a message to many, written once for each set of tags.
    pub(super) fn send_to_all(
        &mut self,
        ids: impl IntoIterator<Item = ClientId>,
        outgoing: &Outgoing,
    ) {
        let mut written: Vec<(Caps, Bytes)> = Vec::new();
        for to in ids {
            if self.buffer.labeled.as_ref().is_some_and(|labeled| labeled.id == to) {
                self.send(to, outgoing.clone());
                continue;
            }
            let Some(client) = self.clients.get(&to) else { continue };
            let caps = client.caps.written();
            let known = written.iter().find(|(known, _)| *known == caps);
            let line = if let Some((_, line)) = known {
                line.clone()
            } else {
                let line = outgoing.write(caps);
                written.push((caps, line.clone()));
                line
            };
            self.buffer.effects.push(Effect::Send { to, line });
        }
    }

    /// Answers a client with a numeric.
    pub(super) fn reply<const N: usize>(&mut self, to: ClientId, numeric: &str, params: [&str; N]) {
        let Some(client) = self.clients.get(&to) else { return };
        let nick = client.profile.nick_or_star().to_owned();
        let mut message = IrcMessage::new(numeric, params).from(&self.settings.name);
        message.params.insert(0, nick);
        self.send_plain(to, message);
    }

    /// Tells a client something in the server's own words.
    pub(super) fn notice(&mut self, to: ClientId, text: &str) {
        let Some(client) = self.clients.get(&to) else { return };
        let nick = client.profile.nick_or_star().to_owned();
        self.send_plain(to, IrcMessage::new("NOTICE", [&nick, text]).from(&self.settings.name));
    }

    /// Fails a command in the way of IRCv3 standard replies.
    pub(super) fn fail<const N: usize>(&mut self, to: ClientId, params: [&str; N]) {
        self.send_plain(to, IrcMessage::new("FAIL", params).from(&self.settings.name));
    }

    /// Sends what was held back, marked with its label: one line carries it, several are a batch, none is an ACK.
    pub(super) fn release(&mut self) {
        let Some(labeled) = self.buffer.labeled.take() else { return };
        let LabeledReplies { id, label, mut answers } = labeled;
        let tag = Tag::new("label", label);
        match answers.as_mut_slice() {
            [] => {
                let mut ack = IrcMessage::new("ACK", []).from(&self.settings.name);
                ack.tags.push(tag);
                self.send_plain(id, ack);
            }
            [only] => {
                only.message.tags.push(tag);
                let only = only.clone();
                self.send(id, only);
            }
            _ => self.send_batch(id, &["labeled-response"], Some(tag), answers),
        }
    }

    /// Sends lines as one batch; `label` marks its beginning.
    pub(super) fn send_batch(
        &mut self,
        to: ClientId,
        kind: &[&str],
        label: Option<Tag>,
        lines: Vec<Outgoing>,
    ) {
        self.batches = self.batches.wrapping_add(1);
        let name = format!("b{}", self.batches);
        let mut begin = IrcMessage::new("BATCH", [&format!("+{name}")]).from(&self.settings.name);
        begin.params.extend(kind.iter().map(|param| (*param).to_owned()));
        begin.tags.extend(label);
        self.send_plain(to, begin);
        for mut line in lines {
            line.message.tags.push(Tag::new("batch", &name));
            self.send(to, line);
        }
        self.send_plain(
            to,
            IrcMessage::new("BATCH", [&format!("-{name}")]).from(&self.settings.name),
        );
    }
}
