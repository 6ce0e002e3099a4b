//! Log-ins that fail: counted by address and by account, answered later the more there are, reported once a burst.
//!
//! What is right is let in at once, whatever failed before: somebody who guesses locks nobody out.

use std::time::Duration;

use super::{
    ServerState,
    effect::{CountedBy, Effect},
    members::ClientId,
};
use crate::irc::{
    limits::{COUNTED_ACCOUNT_BYTES_MAX, REFUSED_WAITING_MAX},
    name::cut,
};

impl ServerState {
    pub(super) fn remember_asked(&mut self, id: ClientId, account: &str) {
        let Some(client) = self.clients.get(&id) else { return };
        let account = cut(account, COUNTED_ACCOUNT_BYTES_MAX).to_lowercase();
        self.brakes.asked.insert(id, (client.peer, account));
    }

    pub(super) fn forget_failures(&mut self, id: ClientId) {
        if let Some((peer, account)) = self.brakes.asked.remove(&id) {
            self.brakes.by_address.succeeded(&peer);
            self.brakes.by_account.succeeded(&account);
        }
    }

    /// Counts a failed log-in, and answers it now or later.
    pub(super) fn refuse_login(&mut self, id: ClientId) {
        let now = self.now.monotonic;
        let Some((peer, account)) = self.brakes.asked.remove(&id) else { return };
        let by_address = self.brakes.by_address.failed(&peer, now);
        let by_account = self.brakes.by_account.failed(&account, now);
        for (braked, by) in [(by_address, CountedBy::Address), (by_account, CountedBy::Account)] {
            if braked.begins {
                self.buffer.effects.push(Effect::LoginRefused { peer, by });
            }
        }
        let wait = by_address.wait.max(by_account.wait);
        if wait == Duration::ZERO {
            return self.tell_refused(id);
        }
        let is_waiting =
            |registration: &super::members::Registration| registration.refused_until.is_some();
        let of_peer = self.clients.values().filter(|client| client.peer == peer);
        let waiting = of_peer.filter(|client| client.registration.as_ref().is_some_and(is_waiting));
        if waiting.count() >= REFUSED_WAITING_MAX {
            return self.drop_client(id, "Too many failed log-ins");
        }
        if let Some(registration) = self.registration(id) {
            registration.refused_until = Some(now.saturating_add(wait));
        }
    }

    /// Answers the refusals whose time has come.
    pub(super) fn answer_refused(&mut self) {
        let now = self.now.monotonic;
        let is_due = |id: &ClientId| {
            let registration = self.clients.get(id).and_then(|client| client.registration.as_ref());
            registration.and_then(|r| r.refused_until).is_some_and(|until| until <= now)
        };
        let mut due: Vec<_> = self.clients.keys().copied().filter(is_due).collect();
        due.sort_unstable();
        for id in due {
            self.tell_refused(id);
        }
    }
}
