//! How many connections there may be: of all, of an address, of an account, and of those that have not logged in, which
//! have a number of their own, so that silent ones hold no place of others.

use abide_domain::Peer;

use super::{
    ServerState,
    members::{Client, ClientId},
};

impl ServerState {
    /// Where too many have not logged in, one of them gives way: of the address that has most of them the one that has
    /// said nothing, else the oldest. The newcomer stays.
    pub(super) fn make_room(&mut self, newcomer: ClientId) {
        let waiting = || self.clients.iter().filter(|(_, client)| client.registration.is_some());
        if waiting().count() <= self.settings.unregistered_max {
            return;
        }
        let of_peer = |peer: Peer| waiting().filter(|(_, other)| other.peer == peer).count();
        let others = waiting().filter(|(id, _)| **id != newcomer);
        let victim = others.min_by_key(|(id, client)| {
            let has_spoken = client.heard_at != client.opened_at;
            (std::cmp::Reverse(of_peer(client.peer)), has_spoken, client.opened_at, **id)
        });
        if let Some((id, _)) = victim {
            let id = *id;
            self.drop_client(id, "Too many connections have not logged in");
        }
    }

    /// Why a client that has logged in cannot come in; none where it can.
    pub(super) fn is_full_for(&self, id: ClientId) -> Option<&'static str> {
        let client = self.clients.get(&id)?;
        let inside = || self.clients.values().filter(|client| client.registration.is_none());
        let count = |is_meant: &dyn Fn(&Client) -> bool| inside().filter(|c| is_meant(c)).count();
        let account = client.profile.account.as_ref();
        if inside().count() >= self.settings.clients_max {
            Some("The server is full")
        } else if count(&|other| other.peer == client.peer) >= self.settings.clients_per_address_max
        {
            Some("Too many connections from your address")
        } else if account.is_some()
            && count(&|other| other.profile.account.as_ref() == account)
                >= self.settings.clients_per_account_max
        {
            Some("Too many connections of your account")
        } else {
            None
        }
    }
}
