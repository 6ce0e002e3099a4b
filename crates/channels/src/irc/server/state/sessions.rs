//! Several connections of one account: each has a nick of its own, and none throws another one out.
//!
//! A connection that asks for a nick of its own account gets another one, and the holder is asked whether it is still there.
//! Where it does not answer, such as after a broken network, it is closed and the nick goes to the one that asked. Two clients
//! that reconnect by themselves thus never take turns for ever.
//!
//! What one of them says the others see as well, where they asked for that.

use std::time::Duration;

use super::{
    ServerState,
    caps::Caps,
    members::{Client, ClientId, Member},
};
use crate::irc::{
    limits::{GHOST_ANSWER_MAX, NICK_BYTES_MAX},
    line::IrcMessage,
    name::{Folded, cut, is_nick_of},
};

/// Whether a client may have a nick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NickClaim {
    Free,
    /// Another connection of its account has it.
    Own(ClientId),
    Taken,
    /// It is not of the client's account.
    Foreign,
}

impl Client {
    /// Whether it was asked if it is still there, and has not answered.
    pub(super) fn is_ghost(&self, now: Duration) -> bool {
        let is_late = |at| now.saturating_sub(at) > GHOST_ANSWER_MAX;
        self.challenged_at.is_some_and(is_late)
    }
}

impl ServerState {
    pub(super) fn claim_nick(&self, id: ClientId, nick: &str) -> NickClaim {
        let own = self.clients.get(&id).and_then(|client| client.profile.account.as_deref());
        if own.is_some_and(|account| !is_nick_of(nick, account)) {
            return NickClaim::Foreign;
        }
        let holder = match self.nicks.get(&Folded::new(nick)) {
            None => return NickClaim::Free,
            Some(Member::Agent(_)) => return NickClaim::Taken,
            Some(Member::Client(holder)) if *holder == id => return NickClaim::Free,
            Some(Member::Client(holder)) => *holder,
        };
        let account = |id: &ClientId| self.clients.get(id)?.profile.account.clone();
        let is_own = account(&id).is_some_and(|own| account(&holder) == Some(own));
        if is_own { NickClaim::Own(holder) } else { NickClaim::Taken }
    }

    /// Asks the holder of a nick whether it is still there; without an answer the nick goes to the client.
    pub(super) fn challenge(&mut self, id: ClientId, holder: ClientId, nick: &str) {
        if let Some(client) = self.clients.get_mut(&id) {
            client.wanted = Some(nick.to_owned());
        }
        let now = self.now.monotonic;
        let Some(holder_client) = self.clients.get_mut(&holder) else { return };
        if holder_client.challenged_at.is_none() {
            holder_client.challenged_at = Some(now);
            let ping = IrcMessage::new("PING", [&self.settings.name]);
            self.send_plain(holder, ping);
        }
    }

    /// The other connections of a client's account that ask for what it says and are not reached anyway, each with itself as
    /// the source: a program knows its user's words by its own nick.
    pub(super) fn own_copies(&self, id: ClientId, reached: &[ClientId]) -> Vec<(ClientId, String)> {
        let account = self.clients.get(&id).and_then(|client| client.profile.account.as_ref());
        let Some(account) = account else { return Vec::new() };
        let is_wanted = |(other, client): &(&ClientId, &Client)| {
            let caps = client.caps;
            **other != id
                && client.registration.is_none()
                && client.profile.account.as_ref() == Some(account)
                && (caps.has(Caps::ECHO_MESSAGE) || caps.has(Caps::SELF_MESSAGE))
                && !reached.contains(other)
        };
        let copies = self.clients.iter().filter(is_wanted);
        let mut copies: Vec<_> =
            copies.map(|(other, client)| (*other, client.profile.source())).collect();
        copies.sort_unstable();
        copies
    }

    /// A nick for another connection of an account.
    pub(super) fn free_session_nick(&self, nick: &str) -> String {
        let numbers = 1..=self.nicks.len().saturating_add(1);
        let mut free = numbers.map(|number| {
            let tail = if number == 1 { "_".to_owned() } else { format!("_{number}") };
            format!("{}{tail}", cut(nick, NICK_BYTES_MAX.saturating_sub(tail.len())))
        });
        let is_free = |nick: &String| !self.nicks.contains_key(&Folded::new(nick));
        free.find(is_free).unwrap_or_else(|| nick.to_owned())
    }

    /// Gives nicks whose holder is gone to those that asked for them, and ends the wish where the holder has answered.
    pub(super) fn give_wanted_nicks(&mut self) {
        let wishes =
            self.clients.iter().filter_map(|(id, client)| Some((*id, client.wanted.clone()?)));
        let mut wishes: Vec<_> = wishes.collect();
        wishes.sort_unstable();
        for (id, nick) in wishes {
            let is_open = match self.nicks.get(&Folded::new(&nick)) {
                None => {
                    self.rename(id, &nick);
                    false
                }
                Some(Member::Client(holder)) => {
                    self.clients.get(holder).is_some_and(|holder| holder.challenged_at.is_some())
                }
                Some(Member::Agent(_)) => false,
            };
            if !is_open && let Some(client) = self.clients.get_mut(&id) {
                client.wanted = None;
            }
        }
    }
}
