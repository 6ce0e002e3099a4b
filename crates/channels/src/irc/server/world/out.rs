//! How lines go out: each client gets the tags that it asked for, and answers to a labelled command carry its label.

use std::mem;

use abide_domain::Timestamp;
use bytes::Bytes;

use super::{Effect, World, people::ClientId};
use crate::irc::line::{IrcMessage, Tag};

/// What a client asked for beyond the old protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Caps(u16);

impl Caps {
    pub(super) const SASL: Self = Self(1);
    pub(super) const SERVER_TIME: Self = Self(1 << 1);
    pub(super) const MESSAGE_TAGS: Self = Self(1 << 2);
    pub(super) const ECHO_MESSAGE: Self = Self(1 << 3);
    pub(super) const LABELED_RESPONSE: Self = Self(1 << 4);
    pub(super) const BATCH: Self = Self(1 << 5);
    pub(super) const MULTI_PREFIX: Self = Self(1 << 6);
    pub(super) const ACCOUNT_TAG: Self = Self(1 << 7);
    pub(super) const EXTENDED_JOIN: Self = Self(1 << 8);
    pub(super) const USERHOST_IN_NAMES: Self = Self(1 << 9);
    pub(super) const AWAY_NOTIFY: Self = Self(1 << 10);
    pub(super) const CAP_NOTIFY: Self = Self(1 << 11);
    pub(super) const CHATHISTORY: Self = Self(1 << 12);

    /// Every capability under its name.
    pub(super) const TABLE: [(&'static str, Self); 13] = [
        ("sasl", Self::SASL),
        ("server-time", Self::SERVER_TIME),
        ("message-tags", Self::MESSAGE_TAGS),
        ("echo-message", Self::ECHO_MESSAGE),
        ("labeled-response", Self::LABELED_RESPONSE),
        ("batch", Self::BATCH),
        ("multi-prefix", Self::MULTI_PREFIX),
        ("account-tag", Self::ACCOUNT_TAG),
        ("extended-join", Self::EXTENDED_JOIN),
        ("userhost-in-names", Self::USERHOST_IN_NAMES),
        ("away-notify", Self::AWAY_NOTIFY),
        ("cap-notify", Self::CAP_NOTIFY),
        ("draft/chathistory", Self::CHATHISTORY),
    ];
    /// Those that change how a line that goes to many is written.
    const WRITTEN: Self = Self(Self::SERVER_TIME.0 | Self::MESSAGE_TAGS.0 | Self::ACCOUNT_TAG.0);

    pub(super) const fn has(self, caps: Self) -> bool {
        self.0 & caps.0 == caps.0
    }

    pub(super) const fn with(self, caps: Self) -> Self {
        Self(self.0 | caps.0)
    }

    pub(super) const fn without(self, caps: Self) -> Self {
        Self(self.0 & !caps.0)
    }

    const fn written(self) -> Self {
        Self(self.0 & Self::WRITTEN.0)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::TABLE.iter().find(|(known, _)| *known == name).map(|(_, caps)| *caps)
    }
}

/// A message before it is written for one client or another.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) message: IrcMessage,
    pub(super) at: Timestamp,
    pub(super) msgid: Option<String>,
    pub(super) account: Option<String>,
    /// Tags that begin with `+`, as their sender set them.
    pub(super) client_tags: Vec<Tag>,
}

impl Outgoing {
    /// Writes it with the tags that a client with these capabilities reads.
    fn write(&self, caps: Caps) -> Bytes {
        let mut message = self.message.clone();
        if caps.has(Caps::SERVER_TIME) {
            message.tags.push(Tag::new("time", in_milliseconds(self.at)));
        }
        if caps.has(Caps::MESSAGE_TAGS) {
            message.tags.extend(self.msgid.iter().map(|msgid| Tag::new("msgid", msgid)));
        }
        if caps.has(Caps::ACCOUNT_TAG) {
            message.tags.extend(self.account.iter().map(|account| Tag::new("account", account)));
        }
        if caps.has(Caps::MESSAGE_TAGS) {
            message.tags.extend(self.client_tags.iter().cloned());
        }
        Bytes::from(message.encode())
    }
}

/// `2026-11-27T22:10:03.123Z`, as the server-time specification writes it.
pub(super) fn in_milliseconds(at: Timestamp) -> String {
    let text = at.to_string();
    let end = text.len().saturating_sub("456Z".len());
    format!("{}Z", text.get(..end).unwrap_or_default())
}

/// Effects so far, and what is held back for a label.
#[derive(Debug, Default)]
pub(super) struct Out {
    pub(super) effects: Vec<Effect>,
    held: Option<Held>,
}

/// Answers to a command with a label.
#[derive(Debug)]
struct Held {
    id: ClientId,
    label: String,
    answers: Vec<Outgoing>,
}

impl Out {
    pub(super) fn take(&mut self) -> Vec<Effect> {
        mem::take(&mut self.effects)
    }

    /// Holds back what goes to this client, until [`World::release`].
    pub(super) fn hold(&mut self, id: ClientId, label: String) {
        self.held = Some(Held { id, label, answers: Vec::new() });
    }

    /// Holds nothing back for a client that is about to be gone.
    pub(super) fn forget(&mut self, id: ClientId) {
        self.held.take_if(|held| held.id == id);
    }

    /// Takes the label away: the answer comes later and carries it then.
    pub(super) fn defer(&mut self) -> Option<String> {
        self.held.take().map(|held| held.label)
    }
}

impl World {
    /// A message of now, without id and account.
    pub(super) fn outgoing(&self, message: IrcMessage) -> Outgoing {
        let at = self.now.wall;
        Outgoing { message, at, msgid: None, account: None, client_tags: Vec::new() }
    }

    /// Sends a message to one client.
    pub(super) fn send(&mut self, to: ClientId, outgoing: Outgoing) {
        if let Some(held) = self.out.held.as_mut().filter(|held| held.id == to) {
            held.answers.push(outgoing);
            return;
        }
        let Some(client) = self.clients.get(&to) else { return };
        let line = outgoing.write(client.caps);
        self.out.effects.push(Effect::Send { to, line });
    }

    /// Sends a message of now to one client.
    pub(super) fn send_plain(&mut self, to: ClientId, message: IrcMessage) {
        let outgoing = self.outgoing(message);
        self.send(to, outgoing);
    }

    /// Sends a message to many, written once for each set of tags.
    pub(super) fn fan(&mut self, ids: impl IntoIterator<Item = ClientId>, outgoing: &Outgoing) {
        let mut written: Vec<(Caps, Bytes)> = Vec::new();
        for to in ids {
            if self.out.held.as_ref().is_some_and(|held| held.id == to) {
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
            self.out.effects.push(Effect::Send { to, line });
        }
    }

    /// Answers a client with a numeric.
    pub(super) fn reply<const N: usize>(&mut self, to: ClientId, numeric: &str, params: [&str; N]) {
        let Some(client) = self.clients.get(&to) else { return };
        let nick = client.face.nick_or_star().to_owned();
        let mut message = IrcMessage::new(numeric, params).from(&self.laws.name);
        message.params.insert(0, nick);
        self.send_plain(to, message);
    }

    /// Tells a client something in the server's own words.
    pub(super) fn notice(&mut self, to: ClientId, text: &str) {
        let Some(client) = self.clients.get(&to) else { return };
        let nick = client.face.nick_or_star().to_owned();
        self.send_plain(to, IrcMessage::new("NOTICE", [&nick, text]).from(&self.laws.name));
    }

    /// Fails a command in the way of IRCv3 standard replies.
    pub(super) fn fail<const N: usize>(&mut self, to: ClientId, params: [&str; N]) {
        self.send_plain(to, IrcMessage::new("FAIL", params).from(&self.laws.name));
    }

    /// Sends what was held back, marked with its label: one line carries it, several are a batch, none is an ACK.
    pub(super) fn release(&mut self) {
        let Some(held) = self.out.held.take() else { return };
        let Held { id, label, mut answers } = held;
        let tag = Tag::new("label", label);
        match answers.as_mut_slice() {
            [] => {
                let mut ack = IrcMessage::new("ACK", []).from(&self.laws.name);
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
        let mut begin = IrcMessage::new("BATCH", [&format!("+{name}")]).from(&self.laws.name);
        begin.params.extend(kind.iter().map(|param| (*param).to_owned()));
        begin.tags.extend(label);
        self.send_plain(to, begin);
        for mut line in lines {
            line.message.tags.push(Tag::new("batch", &name));
            self.send(to, line);
        }
        self.send_plain(to, IrcMessage::new("BATCH", [&format!("-{name}")]).from(&self.laws.name));
    }
}

#[cfg(test)]
mod tests {
    use super::in_milliseconds;

    #[test]
    fn times_are_written_to_the_millisecond() {
        let at = "2026-11-27T22:10:03.123456Z".parse().unwrap();
        assert_eq!(in_milliseconds(at), "2026-11-27T22:10:03.123Z");
    }
}
