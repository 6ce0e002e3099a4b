//! Messages of several lines (IRCv3 multiline): what is pasted is one message, for agents and for programs that can show it.
//!
//! Whoever cannot gets the lines one by one.

use super::{
    ServerState,
    caps::Caps,
    members::{BatchLine, Client, ClientId, Member, PendingBatch},
    messages::{Heard, client_tags},
    outgoing::Outgoing,
};
use crate::irc::{
    limits::{MULTILINE_BYTES_MAX, MULTILINE_LINES_MAX},
    line::{IrcMessage, Tag},
    name::{Folded, cut},
    spoken::{SpokenKind, Target, parse_spoken},
};

/// The type of such a batch.
const MULTILINE: &str = "draft/multiline";
/// Marks a line that goes on where the one before it ended.
const CONCAT: &str = "draft/multiline-concat";
/// Longest reference of a batch, in bytes.
const REFERENCE_BYTES_MAX: usize = 64;

impl ServerState {
    /// `BATCH +ref draft/multiline target` and `BATCH -ref`.
    pub(super) fn on_batch(&mut self, id: ClientId, message: &IrcMessage) {
        let reference = message.param(0).to_owned();
        let Some(client) = self.clients.get(&id) else { return };
        if let Some(reference) = reference.strip_prefix('-') {
            let is_its = |batch: &PendingBatch| batch.reference == reference;
            let Some(mut batch) =
                self.clients.get_mut(&id).and_then(|c| c.multiline.take_if(|b| is_its(b)))
            else {
                return self.fail(id, ["BATCH", "INVALID_REFTAG", "No such batch is open"]);
            };
            return self.end_multiline(id, &mut batch);
        }
        let reference = reference.strip_prefix('+').unwrap_or_default().to_owned();
        let is_valid = !reference.is_empty() && reference.len() <= REFERENCE_BYTES_MAX;
        if !is_valid || !client.caps.has(Caps::MULTILINE) || client.multiline.is_some() {
            return self.fail(id, ["BATCH", "INVALID_REFTAG", "This batch cannot be opened"]);
        }
        if message.param(1) != MULTILINE {
            return self.fail(id, ["BATCH", "UNKNOWN_TYPE", "This server takes draft/multiline"]);
        }
        let label = self.buffer.defer();
        let batch = PendingBatch {
            reference,
            target: message.param(2).to_owned(),
            command: String::new(),
            lines: Vec::new(),
            bytes: 0,
            client_tags: client_tags(message),
            label,
            failure: None,
        };
        if let Some(client) = self.clients.get_mut(&id) {
            client.multiline = Some(batch);
        }
    }

    /// Takes a line of an open batch; false where it is none.
    pub(super) fn take_batch_line(&mut self, id: ClientId, message: &IrcMessage) -> bool {
        let Some(reference) = message.tag("batch") else { return false };
        let Some(client) = self.clients.get_mut(&id) else { return false };
        let batch = client.multiline.as_mut().filter(|batch| batch.reference == reference);
        let Some(batch) = batch else { return false };
        batch.take(message);
        true
    }

    fn end_multiline(&mut self, id: ClientId, batch: &mut PendingBatch) {
        if let Some(label) = batch.label.take() {
            self.buffer.hold(id, label);
        }
        let failure = batch.failure.or_else(|| batch.is_blank().then_some("MULTILINE_INVALID"));
        match failure {
            Some("MULTILINE_MAX_BYTES") => {
                let most = MULTILINE_BYTES_MAX.to_string();
                let text = "The message is too long";
                return self.fail(id, ["BATCH", "MULTILINE_MAX_BYTES", &most, text]);
            }
            Some("MULTILINE_MAX_LINES") => {
                let most = MULTILINE_LINES_MAX.to_string();
                let text = "The message has too many lines";
                return self.fail(id, ["BATCH", "MULTILINE_MAX_LINES", &most, text]);
            }
            Some(code) => {
                return self.fail(id, ["BATCH", code, "This is not a message of several lines"]);
            }
            None => {}
        }
        let now = self.now.monotonic;
        if let Some(client) = self.clients.get_mut(&id) {
            client.spoke_at = now;
        }
        if batch.target.starts_with('#') {
            self.multiline_in_channel(id, batch);
        } else {
            self.multiline_to_nick(id, batch);
        }
    }

    fn multiline_in_channel(&mut self, id: ClientId, batch: &PendingBatch) {
        let Some(channel) = self.joined(id, &batch.target) else {
            let target = cut(&batch.target, 64);
            return self.reply(id, "404", [target, "Join the channel before you speak in it"]);
        };
        let name = channel.name.clone();
        let others: Vec<_> = channel.people.iter().copied().filter(|other| *other != id).collect();
        let agents = self.addressees(&channel.agents);
        let Some(head) = self.multiline_head(id, &name, batch) else { return };
        self.deliver_multiline(id, others, &head, batch);
        let heard = Heard { target: Target::Channel(name), agents };
        self.report_multiline(id, heard, &head, batch);
    }

    fn multiline_to_nick(&mut self, id: ClientId, batch: &PendingBatch) {
        let Some(member) = self.member(&batch.target) else {
            return self.reply(id, "401", [cut(&batch.target, 64), "No such nick"]);
        };
        let Some(profile) = self.profile(&member) else { return };
        let (nick, away) = (profile.nick.clone(), profile.away.clone());
        let Some(head) = self.multiline_head(id, &nick, batch) else { return };
        let people = if let Member::Client(other) = &member { vec![*other] } else { Vec::new() };
        self.deliver_multiline(id, people, &head, batch);
        if let Some(away) = away.filter(|_| batch.command == "PRIVMSG") {
            self.reply(id, "301", [&nick, &away]);
        }
        if let Member::Agent(agent) = member {
            let agents = self.addressees([&agent]);
            let heard = Heard { target: Target::Agent(agent), agents };
            self.report_multiline(id, heard, &head, batch);
        }
    }

    /// A message without text: source, target, id and tags of all lines.
    fn multiline_head(&self, id: ClientId, target: &str, batch: &PendingBatch) -> Option<Outgoing> {
        let profile = &self.clients.get(&id)?.profile;
        let line = IrcMessage::new(&batch.command, [target]).from(profile.source());
        let mut head = self.outgoing(line);
        head.msgid = Some(self.new_msgid());
        head.account.clone_from(&profile.account);
        head.client_tags.clone_from(&batch.client_tags);
        Some(head)
    }

    fn deliver_multiline(
        &mut self,
        sender: ClientId,
        others: Vec<ClientId>,
        head: &Outgoing,
        batch: &PendingBatch,
    ) {
        for (to, source) in self.own_copies(sender, &others) {
            let mut copy = head.clone();
            copy.message.source = Some(source);
            self.deliver_lines(vec![to], &copy, batch);
        }
        self.deliver_lines(others, head, batch);
        let caps = self.clients.get(&sender).map(|client| client.caps).unwrap_or_default();
        if caps.has(Caps::ECHO_MESSAGE) {
            let label = self.buffer.defer().map(|label| Tag::new("label", label));
            self.send_multiline(sender, head, &batch.lines, label);
        }
    }

    /// Sends them as one message to who reads such, else one by one.
    fn deliver_lines(&mut self, to: Vec<ClientId>, head: &Outgoing, batch: &PendingBatch) {
        let (whole, by_line): (Vec<_>, Vec<_>) =
            to.into_iter().partition(|id| self.reads_multiline(*id));
        for id in whole {
            self.send_multiline(id, head, &batch.lines, None);
        }
        for line in one_by_one(head, &batch.lines) {
            self.send_to_all(by_line.iter().copied(), &line);
        }
    }

    pub(super) fn reads_multiline(&self, id: ClientId) -> bool {
        let reads = |client: &Client| {
            client.caps.has(Caps::MULTILINE.with(Caps::BATCH).with(Caps::MESSAGE_TAGS))
        };
        self.clients.get(&id).is_some_and(reads)
    }

    /// Sends a message of several lines as one batch; its id and its tags stand at its beginning.
    pub(super) fn send_multiline(
        &mut self,
        to: ClientId,
        head: &Outgoing,
        lines: &[BatchLine],
        label: Option<Tag>,
    ) {
        self.batches = self.batches.wrapping_add(1);
        let name = format!("b{}", self.batches);
        let (source, target) =
            (head.message.source.clone().unwrap_or_default(), head.message.param(0));
        let mut begin = head.clone();
        begin.message =
            IrcMessage::new("BATCH", [&format!("+{name}"), MULTILINE, target]).from(source);
        begin.message.tags.extend(head.message.tags.iter().cloned());
        begin.message.tags.extend(label);
        self.send(to, begin);
        for line in lines {
            let mut message = head.message.clone();
            message.tags = vec![Tag::new("batch", &name)];
            if line.is_continued {
                message.tags.push(Tag::new(CONCAT, ""));
            }
            message.params.push(line.text.clone());
            let outgoing = Outgoing {
                message,
                at: head.at,
                msgid: None,
                account: head.account.clone(),
                client_tags: Vec::new(),
            };
            self.send(to, outgoing);
        }
        self.send_plain(
            to,
            IrcMessage::new("BATCH", [&format!("-{name}")]).from(&self.settings.name),
        );
    }

    fn report_multiline(
        &mut self,
        id: ClientId,
        heard: Heard,
        head: &Outgoing,
        batch: &PendingBatch,
    ) {
        let mut text = String::new();
        for (index, line) in batch.lines.iter().enumerate() {
            if index > 0 && !line.is_continued {
                text.push('\n');
            }
            // Frames of control characters are for single lines; here they are no part of what was said.
            if let Some((SpokenKind::Speech | SpokenKind::Notice, plain)) =
                parse_spoken(&batch.command, &line.text)
            {
                text.push_str(&plain);
            }
        }
        let kind = if batch.command == "NOTICE" { SpokenKind::Notice } else { SpokenKind::Speech };
        self.report_spoken(id, heard, head, (kind, text));
    }
}

impl PendingBatch {
    fn is_blank(&self) -> bool {
        self.lines.iter().all(|line| line.text.trim().is_empty())
    }

    fn take(&mut self, message: &IrcMessage) {
        let is_speech = matches!(message.command.as_str(), "PRIVMSG" | "NOTICE");
        if self.command.is_empty() && is_speech {
            self.command.clone_from(&message.command);
        }
        let is_continued = message.tag(CONCAT).is_some();
        let text = message.param(1);
        let bytes = self.bytes.saturating_add(text.len());
        let bytes = bytes.saturating_add(usize::from(!is_continued && !self.lines.is_empty()));
        let target = Folded::new(message.param(0));
        let failure = if !is_speech || self.command != message.command {
            Some("MULTILINE_INVALID")
        } else if target != Folded::new(&self.target) {
            Some("MULTILINE_INVALID_TARGET")
        } else if bytes > MULTILINE_BYTES_MAX {
            Some("MULTILINE_MAX_BYTES")
        } else if self.lines.len() >= MULTILINE_LINES_MAX {
            Some("MULTILINE_MAX_LINES")
        } else {
            None
        };
        self.failure = self.failure.or(failure);
        if self.failure.is_some() {
            self.lines.clear();
            return;
        }
        self.bytes = bytes;
        self.lines.push(BatchLine { text: text.to_owned(), is_continued });
    }
}

/// The lines as single messages; the first carries the id and the sender's tags, which are thousands of bytes where the sender
/// wants it. Empty ones cannot be sent so and are left out.
pub(super) fn one_by_one(head: &Outgoing, lines: &[BatchLine]) -> Vec<Outgoing> {
    let mut messages = Vec::new();
    for line in lines.iter().filter(|line| !line.text.is_empty()) {
        let mut outgoing = head.clone();
        outgoing.message.params.push(line.text.clone());
        if !messages.is_empty() {
            outgoing.msgid = None;
            outgoing.client_tags.clear();
        }
        messages.push(outgoing);
    }
    messages
}
