//! Messages on their way out, with the tags that each client asked for, and what is held back for a label.

use std::mem;

use abide_domain::Timestamp;
use bytes::Bytes;

use super::{caps::Caps, effect::Effect, members::ClientId};
use crate::irc::line::{IrcMessage, Tag};

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
    pub(super) fn write(&self, caps: Caps) -> Bytes {
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
pub(super) struct OutgoingBuffer {
    pub(super) effects: Vec<Effect>,
    pub(super) labeled: Option<LabeledReplies>,
}

/// Answers to a command with a label.
#[derive(Debug)]
pub(super) struct LabeledReplies {
    pub(super) id: ClientId,
    pub(super) label: String,
    pub(super) answers: Vec<Outgoing>,
}

impl OutgoingBuffer {
    pub(super) fn take(&mut self) -> Vec<Effect> {
        mem::take(&mut self.effects)
    }

    /// Holds back what goes to this client, until [`ServerState::release`].
    pub(super) fn hold(&mut self, id: ClientId, label: String) {
        self.labeled = Some(LabeledReplies { id, label, answers: Vec::new() });
    }

    /// Holds nothing back for a client that is about to be gone.
    pub(super) fn forget(&mut self, id: ClientId) {
        self.labeled.take_if(|labeled| labeled.id == id);
    }

    /// Takes the label away: the answer comes later and carries it then.
    pub(super) fn defer(&mut self) -> Option<String> {
        self.labeled.take().map(|labeled| labeled.label)
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
