//! Incoming messages, with no more trust than the network can vouch for.

use super::Session;
use crate::irc::{
    client::event::SessionAction,
    line::IrcMessage,
    name::is_same,
    spoken::{Addressee, RELAY_TAG, Speaker, SpokenLine, Target, parse_spoken},
};

impl Session {
    pub(super) fn on_message(&mut self, message: &IrcMessage) {
        if self.is_me(message.nick()) {
            return self.on_echo(message);
        }
        // Servers and services speak without a user; they are nobody's prompt.
        if !self.is_online() || !message.source.as_deref().is_some_and(|s| s.contains('!')) {
            return;
        }
        let Some((kind, text)) = parse_spoken(&message.command, message.param(1)) else { return };
        let agent = self.config.agent.clone();
        let target = match self.joined.get(&message.param(0).to_ascii_lowercase()) {
            Some(name) => Target::Channel(name.clone()),
            None if self.is_me(message.param(0)) => Target::Agent(agent.clone()),
            // A channel that we left, or one that is shown with a prefix of ranks.
            None => return,
        };
        let (speaker, relay) = self.speaker(message);
        let said = SpokenLine {
            speaker,
            nick: message.nick().to_owned(),
            target,
            partner: None,
            agents: vec![Addressee { agent, nick: self.nick.clone() }],
            text,
            kind,
            is_whole: false,
            relay,
            msgid: message.tag("msgid").unwrap_or_default().to_owned(),
            at: message.tag("time").and_then(|at| at.parse().ok()).unwrap_or(self.now.wall),
        };
        self.actions.push(SessionAction::Deliver(Box::new(said)));
    }

    /// Who speaks, and the relay that it is, where it is one.
    fn speaker(&self, message: &IrcMessage) -> (Speaker, Option<String>) {
        let account = message.tag("account").filter(|_| self.caps.contains("account-tag"));
        let nick = message.nick();
        let relay = message.tag(RELAY_TAG).or_else(|| message.tag("bot").map(|_| "bot"));
        let relay = relay.map(|name| if name.is_empty() { "relay" } else { name }.to_owned());
        for sibling in &self.config.siblings {
            if account.is_some() && account == sibling.account.as_deref() {
                return (Speaker::Agent(sibling.agent.clone()), relay);
            }
            if is_same(nick, &sibling.nick) {
                let relay = relay.or_else(|| Some(format!("{nick}, by nick alone")));
                return (Speaker::Person(None), relay);
            }
        }
        let network = &self.config.network;
        let account = account.map(|account| format!("{account}@{network}"));
        (Speaker::Person(account), relay)
    }
}
