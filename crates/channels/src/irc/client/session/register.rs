//! Registration: capabilities, the account, the nick, in the order in which servers take them.

use std::collections::BTreeSet;

use base64::{Engine as _, prelude::BASE64_STANDARD};

use super::{Phase, Registration, Session, last_param};
use crate::irc::{client::event::SessionAction, line::IrcMessage};

/// What is asked for where the server has it.
const WANTED: [&str; 7] = [
    "server-time",
    "message-tags",
    "account-tag",
    "echo-message",
    "labeled-response",
    "batch",
    "sasl",
];
/// Bytes of one piece of a SASL answer.
const SASL_PIECE_BYTES: usize = 400;
/// Most capabilities that are remembered of a server's list.
const OFFERED_MAX: usize = 200;

impl Session {
    pub(super) fn on_connected(&mut self) {
        if !matches!(self.phase, Phase::Dialing) {
            return;
        }
        let since = self.now.monotonic;
        let registration = Registration { since, offered: BTreeSet::new(), is_negotiating: true };
        self.phase = Phase::Registering(registration);
        self.heard_at = since;
        self.send(&IrcMessage::new("CAP", ["LS", "302"]));
        if let Some(password) = self.config.server_password.clone() {
            self.send(&IrcMessage::new("PASS", [password.expose()]));
        }
        let (nick, real_name) = (self.nick.clone(), self.config.real_name.clone());
        self.send(&IrcMessage::new("NICK", [&nick]));
        let user: String = nick.chars().filter(char::is_ascii_alphanumeric).take(9).collect();
        self.send(&IrcMessage::new("USER", [&user, "0", "*", &real_name]));
    }

    pub(super) fn on_cap(&mut self, message: &IrcMessage) {
        match message.param(1) {
            "LS" => self.on_offer(message),
            "ACK" => {
                let acked = last_param(message).split_whitespace().map(str::to_owned);
                self.caps.extend(acked.take(OFFERED_MAX));
                self.after_caps();
            }
            "NAK" => self.after_caps(),
            "DEL" => {
                for cap in last_param(message).split_whitespace() {
                    self.caps.remove(cap);
                }
            }
            _ => {}
        }
    }

    fn on_offer(&mut self, message: &IrcMessage) {
        let Phase::Registering(registration) = &mut self.phase else { return };
        for cap in last_param(message).split_whitespace() {
            let name = cap.split('=').next().unwrap_or_default();
            if registration.offered.len() < OFFERED_MAX {
                registration.offered.insert(name.to_owned());
            }
        }
        // A `*` says that more of the list follows.
        if message.params.len() > 3 && message.param(2) == "*" {
            return;
        }
        let has_sasl = self.config.sasl.is_some();
        let wanted = WANTED.iter().filter(|cap| registration.offered.contains(**cap));
        let wanted: Vec<_> = wanted.copied().filter(|cap| *cap != "sasl" || has_sasl).collect();
        if wanted.is_empty() {
            self.after_caps();
        } else {
            self.send(&IrcMessage::new("CAP", ["REQ", &wanted.join(" ")]));
        }
    }

    fn after_caps(&mut self) {
        let Phase::Registering(registration) = &self.phase else { return };
        if !registration.is_negotiating {
            return;
        }
        if self.config.sasl.is_none() {
            self.end_caps();
        } else if self.caps.contains("sasl") {
            self.send(&IrcMessage::new("AUTHENTICATE", ["PLAIN"]));
        } else {
            self.give_up_for_long(
                "the server does not offer SASL, which the configured account needs",
            );
        }
    }

    fn end_caps(&mut self) {
        if let Phase::Registering(registration) = &mut self.phase {
            registration.is_negotiating = false;
        }
        self.send(&IrcMessage::new("CAP", ["END"]));
    }

    pub(super) fn on_authenticate(&mut self, message: &IrcMessage) {
        let Some(sasl) = self.config.sasl.clone().filter(|_| message.param(0) == "+") else {
            return;
        };
        let account = &sasl.account;
        let answer = format!("{account}\0{account}\0{}", sasl.password.expose());
        let encoded = BASE64_STANDARD.encode(answer);
        for piece in encoded.as_bytes().chunks(SASL_PIECE_BYTES) {
            self.send(&IrcMessage::new("AUTHENTICATE", [&String::from_utf8_lossy(piece)]));
        }
        if encoded.len().is_multiple_of(SASL_PIECE_BYTES) {
            self.send(&IrcMessage::new("AUTHENTICATE", ["+"]));
        }
    }

    pub(super) fn on_sasl_done(&mut self) {
        self.is_identified = true;
        self.end_caps();
    }

    pub(super) fn on_sasl_failed(&mut self, message: &IrcMessage) {
        self.give_up_for_long(&format!("the account was not accepted: {}", last_param(message)));
    }

    pub(super) fn on_welcome(&mut self, message: &IrcMessage) {
        if !matches!(self.phase, Phase::Registering(_)) {
            return;
        }
        if self.config.sasl.is_some() && !self.is_identified {
            return self.give_up_for_long(
                "the server completed the registration without logging in to the account",
            );
        }
        self.phase = Phase::Online { since: self.now.monotonic };
        message.param(0).clone_into(&mut self.nick);
        self.plan_regain();
        self.actions.push(SessionAction::StateChanged);
    }

    pub(super) fn on_support(&mut self, message: &IrcMessage) {
        for token in &message.params {
            if let Some(bytes) = token.strip_prefix("NICKLEN=").and_then(|n| n.parse().ok()) {
                self.nick_bytes_max = bytes;
                self.plan_regain();
            }
        }
    }
}
