//! The nick: another one while the wanted one is taken, and the wanted one again as soon as it is free.

use std::time::Duration;

use super::{Phase, Session, last_param};
use crate::irc::{
    client::event::SessionAction,
    line::IrcMessage,
    name::{cut, is_same},
};

/// Nicks that are tried in one registration.
const TRIES_MAX: u32 = 20;
/// How often the wanted nick is tried for.
const REGAIN_EVERY: Duration = Duration::from_mins(1);
/// Attempts in which services are asked for help.
const SERVICES_TRIES: u32 = 2;
/// The shortest limit that servers have for nicks, for one that says no more than that a nick is too long.
const NICK_BYTES_OLD: usize = 9;

impl Session {
    /// The wanted nick as far as the server lets it be.
    fn wanted_nick(&self) -> &str {
        cut(&self.config.nick, self.nick_bytes_max)
    }

    pub(super) fn is_me(&self, nick: &str) -> bool {
        is_same(nick, &self.nick)
    }

    pub(super) fn on_nick_refused(&mut self, message: &IrcMessage) {
        if !matches!(self.phase, Phase::Registering(_)) {
            // An attempt to get the wanted nick back; the next one is planned already. Or a channel's 437.
            return;
        }
        self.nicks_refused = self.nicks_refused.saturating_add(1);
        if self.nicks_refused > TRIES_MAX {
            let reason = format!("no nick was accepted: {}", last_param(message));
            return self.give_up_for_long(&reason);
        }
        if message.command == "432" && self.nick.len() > NICK_BYTES_OLD {
            self.nick_bytes_max = NICK_BYTES_OLD;
        }
        self.nick = self.next_nick();
        let nick = self.nick.clone();
        self.send(&IrcMessage::new("NICK", [&nick]));
    }

    /// The configured alternates in their order, then the wanted nick with a number.
    fn next_nick(&self) -> String {
        let max = self.nick_bytes_max;
        let tried = usize::try_from(self.nicks_refused).unwrap_or_default().saturating_sub(1);
        if let Some(alternate) = self.config.alternates.get(tried) {
            return cut(alternate, max).to_owned();
        }
        let number = tried.saturating_sub(self.config.alternates.len());
        let tail = if number == 0 { "_".to_owned() } else { format!("_{number}") };
        format!("{}{tail}", cut(&self.config.nick, max.saturating_sub(tail.len())))
    }

    /// Plans to get the wanted nick where we have another one.
    pub(super) fn plan_regain(&mut self) {
        if !self.is_online() || self.is_me(self.wanted_nick()) {
            self.regain = None;
        } else if self.regain.is_none() {
            self.regain = Some((self.now.monotonic, 0));
        }
    }

    pub(super) fn try_regain(&mut self) {
        let Some((at, tries)) = self.regain.filter(|(at, _)| *at <= self.now.monotonic) else {
            return;
        };
        let next = at.max(self.now.monotonic).saturating_add(REGAIN_EVERY);
        self.regain = Some((next, tries.saturating_add(1)));
        let nick = self.wanted_nick().to_owned();
        if self.is_identified && tries < SERVICES_TRIES {
            // Which of the two words a network's services know differs; both are harmless where they do not.
            let word = if tries == 0 { "REGAIN" } else { "GHOST" };
            self.send(&IrcMessage::new("PRIVMSG", ["NickServ", &format!("{word} {nick}")]));
        }
        self.send(&IrcMessage::new("NICK", [&nick]));
    }

    pub(super) fn on_nick(&mut self, message: &IrcMessage) {
        if self.is_me(message.nick()) {
            message.param(0).clone_into(&mut self.nick);
            self.source = None;
            self.plan_regain();
            self.actions.push(SessionAction::StateChanged);
        } else {
            self.on_nick_freed(message.nick());
        }
    }

    pub(super) fn on_quit(&mut self, message: &IrcMessage) {
        self.on_nick_freed(message.nick());
    }

    /// Somebody left a nick: where it is the wanted one, it is free now.
    fn on_nick_freed(&mut self, nick: &str) {
        if self.regain.is_some() && is_same(nick, self.wanted_nick()) {
            let nick = self.wanted_nick().to_owned();
            self.send(&IrcMessage::new("NICK", [&nick]));
        }
    }
}
