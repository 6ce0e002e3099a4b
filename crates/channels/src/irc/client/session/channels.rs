//! Channels: joined when the server is ready, joined again when we were thrown out, tried again when we were refused.

use std::time::Duration;

use super::Session;
use crate::irc::{client::event::SessionAction, line::IrcMessage, name::is_channel};

/// Pause before a channel is tried again.
const REJOIN_AFTER: Duration = Duration::from_mins(1);
/// Most channels, with those that invitations led to.
const WANTED_MAX: usize = 64;

impl Session {
    pub(super) fn join_all(&mut self) {
        if !self.is_online() {
            return;
        }
        let missing = self.wanted.iter().filter(|name| !self.joined.contains_key(*name));
        for name in missing.cloned().collect::<Vec<_>>() {
            self.join(&name);
        }
    }

    fn join(&mut self, name: &str) {
        // Asked again where no answer comes.
        let again = self.now.monotonic.saturating_add(REJOIN_AFTER);
        self.rejoin.insert(name.to_owned(), again);
        self.enqueue(IrcMessage::new("JOIN", [name]), None);
    }

    pub(super) fn try_rejoin(&mut self) {
        let now = self.now.monotonic;
        let due = self.rejoin.iter().filter(|(_, at)| **at <= now);
        for name in due.map(|(name, _)| name.clone()).collect::<Vec<_>>() {
            self.join(&name);
        }
    }

    pub(super) fn on_join(&mut self, message: &IrcMessage) {
        if !self.is_me(message.nick()) {
            return;
        }
        self.source.clone_from(&message.source);
        let name = message.param(0);
        let folded = name.to_ascii_lowercase();
        self.rejoin.remove(&folded);
        if self.wanted.contains(&folded) {
            self.joined.insert(folded, name.to_owned());
            self.actions.push(SessionAction::StateChanged);
        }
    }

    pub(super) fn on_left(&mut self, message: &IrcMessage, name: &str, who: &str) {
        if !self.is_me(who) {
            return;
        }
        let folded = name.to_ascii_lowercase();
        tracing::info!(
            event = "irc_channel_left", network = %self.config.network, agent = %self.config.agent,
            channel = name, command = message.command, "left an IRC channel"
        );
        self.joined.remove(&folded);
        self.actions.push(SessionAction::StateChanged);
        if self.wanted.contains(&folded) {
            let again = self.now.monotonic.saturating_add(REJOIN_AFTER);
            self.rejoin.insert(folded, again);
        }
    }

    pub(super) fn on_join_refused(&mut self, message: &IrcMessage) {
        let folded = message.param(1).to_ascii_lowercase();
        if self.rejoin.contains_key(&folded) {
            let again = self.now.monotonic.saturating_add(REJOIN_AFTER);
            self.rejoin.insert(folded, again);
        }
    }

    pub(super) fn on_invite(&mut self, message: &IrcMessage) {
        let name = message.param(1).to_ascii_lowercase();
        let is_wanted = self.wanted.contains(&name);
        let may = self.config.follows_invitations && self.wanted.len() < WANTED_MAX;
        if !self.is_me(message.param(0)) || !is_channel(&name) || !(is_wanted || may) {
            return;
        }
        self.wanted.insert(name.clone());
        if !self.joined.contains_key(&name) {
            self.join(&name);
        }
    }
}
