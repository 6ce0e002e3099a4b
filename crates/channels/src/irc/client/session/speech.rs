//! Speaking: no faster than networks allow, and with proof of it where the server gives one.
//!
//! With echo-message a line counts as said when it comes back; labels tell which one it was. Without, it counts as
//! written. What waits when the connection breaks is not said later: whoever asked is told and decides.

use std::time::Duration;

use super::{AwaitedEcho, QueuedLine, Session, last_param};
use crate::irc::{
    client::event::{SayError, SendCertainty, SessionAction},
    limits::SPEECH_LINES_MAX,
    line::{IrcMessage, Tag},
    name::{is_nick, is_same},
    relay::{LineBudget, reply_lines},
    spoken::SpokenKind,
};

/// Lines that may wait to be sent.
const QUEUE_MAX: usize = 200;
/// Utterances that may wait for their echo.
const AWAITED_MAX: usize = 200;
/// How long an echo is waited for.
const ECHO_MAX: Duration = Duration::from_secs(30);
/// Bytes that user and host of our own source may have before the server has shown them.
const UNSEEN_SOURCE_BYTES: usize = 80;

impl Session {
    pub(super) fn say(&mut self, ticket: u64, target: &str, text: &str, kind: SpokenKind) {
        if let Err(error) = self.try_say(ticket, target, text, kind) {
            self.actions.push(SessionAction::Settle { ticket, outcome: Err(error) });
        }
    }

    fn try_say(
        &mut self,
        ticket: u64,
        target: &str,
        text: &str,
        kind: SpokenKind,
    ) -> Result<(), SayError> {
        if !self.is_online() {
            return Err(SayError::NotConnected);
        }
        let target = match self.joined.get(&target.to_ascii_lowercase()) {
            Some(name) => name.clone(),
            None if is_nick(target) => target.to_owned(),
            None => return Err(SayError::NotJoined(target.to_owned())),
        };
        let unseen = || format!("{}{}", self.nick, "x".repeat(UNSEEN_SOURCE_BYTES));
        let source = self.source.clone().unwrap_or_else(unseen);
        let budget = LineBudget::new(&source, &target);
        let lines = reply_lines(text, budget, usize::MAX, "");
        let room = QUEUE_MAX.saturating_sub(self.queue.len());
        if lines.is_empty() {
            return Err(SayError::Empty);
        }
        if lines.len() > room.min(SPEECH_LINES_MAX) || self.awaited.len() >= AWAITED_MAX {
            return Err(SayError::Full);
        }
        let command = if kind == SpokenKind::Notice { "NOTICE" } else { "PRIVMSG" };
        let end = lines.len().saturating_sub(1);
        for (index, line) in lines.into_iter().enumerate() {
            let line =
                if kind == SpokenKind::Action { format!("\u{1}ACTION {line}\u{1}") } else { line };
            let ticket = (index == end).then_some(ticket);
            self.enqueue(IrcMessage::new(command, [&target, &line]), ticket);
        }
        Ok(())
    }

    pub(super) fn enqueue(&mut self, message: IrcMessage, ticket: Option<u64>) {
        if self.queue.len() < QUEUE_MAX {
            self.queue.push_back(QueuedLine { message, ticket });
        }
    }

    /// Sends what the flood control lets go.
    pub(super) fn drain(&mut self) {
        self.token_at = None;
        if !self.is_online() {
            return;
        }
        let now = self.now.monotonic;
        while !self.queue.is_empty() {
            if let Err(wait) = self.bucket.take(now) {
                self.token_at = Some(now.saturating_add(wait));
                return;
            }
            let Some(QueuedLine { mut message, ticket }) = self.queue.pop_front() else { return };
            if let Some(ticket) = ticket {
                self.await_echo(ticket, &mut message);
            }
            self.send(&message);
            if let Some(ticket) = ticket.filter(|_| !self.has_echo()) {
                self.actions
                    .push(SessionAction::Settle { ticket, outcome: Ok(SendCertainty::Written) });
            }
        }
    }

    fn has_echo(&self) -> bool {
        self.caps.contains("echo-message")
    }

    fn await_echo(&mut self, ticket: u64, message: &mut IrcMessage) {
        if !self.has_echo() {
            return;
        }
        if self.caps.contains("labeled-response") {
            message.tags.push(Tag::new("label", format!("t{ticket}")));
        }
        let until = self.now.monotonic.saturating_add(ECHO_MAX);
        let (target, text) = (message.param(0).to_owned(), message.param(1).to_owned());
        self.awaited.push_back(AwaitedEcho { ticket, target, text, until });
    }

    /// Takes the echo of a line of ours.
    pub(super) fn on_echo(&mut self, message: &IrcMessage) {
        let is_match = |awaited: &AwaitedEcho| match ticket_of_label(message) {
            Some(ticket) => ticket == awaited.ticket,
            None => is_same(&awaited.target, message.param(0)) && awaited.text == message.param(1),
        };
        let Some(index) = self.awaited.iter().position(is_match) else { return };
        let Some(awaited) = self.awaited.remove(index) else { return };
        let outcome = Ok(SendCertainty::Confirmed(message.tag("msgid").map(str::to_owned)));
        self.actions.push(SessionAction::Settle { ticket: awaited.ticket, outcome });
    }

    /// Takes a refusal, which carries the label or at least the target of what was refused.
    pub(super) fn on_speech_refused(&mut self, message: &IrcMessage) {
        let is_match = |awaited: &AwaitedEcho| match ticket_of_label(message) {
            Some(ticket) => ticket == awaited.ticket,
            None => is_same(&awaited.target, message.param(1)),
        };
        let Some(index) = self.awaited.iter().position(is_match) else { return };
        let Some(awaited) = self.awaited.remove(index) else { return };
        let outcome = Err(SayError::Refused(last_param(message).to_owned()));
        self.actions.push(SessionAction::Settle { ticket: awaited.ticket, outcome });
    }

    /// An ACK or a batch for a label: the server took the line, and will not echo it.
    pub(super) fn on_ack(&mut self, message: &IrcMessage) {
        let Some(ticket) = ticket_of_label(message).filter(|_| message.command == "ACK") else {
            return;
        };
        let Some(index) = self.awaited.iter().position(|awaited| awaited.ticket == ticket) else {
            return;
        };
        self.awaited.remove(index);
        self.actions
            .push(SessionAction::Settle { ticket, outcome: Ok(SendCertainty::Confirmed(None)) });
    }

    /// An echo that does not come makes the line no more than written.
    pub(super) fn expire_awaited(&mut self) {
        while let Some(awaited) =
            self.awaited.pop_front_if(|awaited| awaited.until <= self.now.monotonic)
        {
            let outcome = Ok(SendCertainty::Written);
            self.actions.push(SessionAction::Settle { ticket: awaited.ticket, outcome });
        }
    }
}

/// The ticket in a label of ours.
fn ticket_of_label(message: &IrcMessage) -> Option<u64> {
    message.tag("label")?.strip_prefix('t')?.parse().ok()
}
