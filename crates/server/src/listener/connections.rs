//! Which connections there are, and which of them makes room for a new one where they run out.
//!
//! One address never takes all of them: the last share is for addresses that have few. A connection makes room when it
//! waits for its own client: to read its answer, or to send a request that was admitted. The one that has waited longest
//! goes first; where none waits, the new one is refused.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::{Brake, Peer};

use tokio::time::Instant;

use super::{
    limits::{ListenerLimits, now},
    stream::StreamState,
};

/// The share of all connections that is kept for addresses that have few: one in so many.
const RESERVE_SHARE: usize = 8;
/// Connections of an address that has few.
const FEW: usize = 8;
/// What a client may take for itself, in any case, before its connection makes room.
const GRACE: Duration = Duration::from_secs(1);

/// All connections of the listener.
#[derive(Debug)]
pub(super) struct Connections {
    limits: ListenerLimits,
    open: Mutex<Open>,
    /// Wrong tokens and codes, by who sent them.
    brake: Mutex<Brake<Peer>>,
    since: Instant,
}

#[derive(Debug, Default)]
struct Open {
    last_id: u64,
    by_id: HashMap<u64, Arc<StreamState>>,
    by_peer: HashMap<Peer, usize>,
}

/// One connection's place; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Entered {
    connections: Arc<Connections>,
    id: u64,
    state: Arc<StreamState>,
}

impl Connections {
    pub(super) fn new(limits: ListenerLimits) -> Self {
        Self { limits, open: Mutex::default(), brake: Mutex::default(), since: now() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a wrong token or code, and says how long the next answers to such are refusals. A burst is logged once.
    pub(super) fn count_failure(&self, peer: Peer) -> Duration {
        let mut brake = self.brake.lock().unwrap_or_else(PoisonError::into_inner);
        let braked = brake.failed(&peer, now().saturating_duration_since(self.since));
        if braked.begins {
            tracing::warn!(
                event = "login_refused", channel = "http", address = %peer,
                "several tokens or codes were wrong; further ones are refused for a while"
            );
        }
        braked.wait
    }

    /// Takes a connection in, for which another one may have to end; none where there is no room.
    pub(super) fn enter(self: &Arc<Self>, peer: Peer) -> Option<Entered> {
        let mut open = self.open();
        let of_peer = open.by_peer.get(&peer).copied().unwrap_or(0);
        match room(&self.limits, open.by_id.len(), of_peer) {
            Room::Free => {}
            Room::OfPeer => open.make_room(|other| other == peer)?,
            Room::OfAll => open.make_room(|_| true)?,
        }
        open.last_id = open.last_id.wrapping_add(1);
        let id = open.last_id;
        let state = Arc::new(StreamState::new(peer));
        open.by_id.insert(id, Arc::clone(&state));
        *open.by_peer.entry(peer).or_default() += 1;
        Some(Entered { connections: Arc::clone(self), id, state })
    }
}

impl Open {
    /// Ends the connection that has waited longest for its client.
    fn make_room(&mut self, may_end: impl Fn(Peer) -> bool) -> Option<()> {
        let candidates = self.by_id.iter().filter(|(_, state)| may_end(state.peer()));
        let waiting = candidates.filter_map(|(id, state)| Some((waits(state)?, *id)));
        let (_, id) = waiting.max()?;
        if let Some(state) = self.by_id.get(&id) {
            state.end();
        }
        self.leave(id);
        Some(())
    }

    /// Gives a place back. It may have been taken from its holder before.
    fn leave(&mut self, id: u64) {
        let Some(state) = self.by_id.remove(&id) else { return };
        if let Some(count) = self.by_peer.get_mut(&state.peer()) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_peer.remove(&state.peer());
            }
        }
    }
}

/// Whose connections must make room for a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Free,
    OfPeer,
    OfAll,
}

/// Where a peer with so many of all connections finds room.
fn room(limits: &ListenerLimits, all: usize, of_peer: usize) -> Room {
    let reserve = limits.connections / RESERVE_SHARE;
    if of_peer >= limits.connections_per_peer {
        Room::OfPeer
    } else if all >= limits.connections {
        Room::OfAll
    } else if of_peer >= FEW && all >= limits.connections.saturating_sub(reserve) {
        Room::OfPeer
    } else {
        Room::Free
    }
}

/// How long a connection has waited for its client: first those whose answer is not read, then those without a request
/// that was admitted. None where it waits for the keeper, or not for long.
fn waits(state: &StreamState) -> Option<(bool, Duration)> {
    if let Some(blocked) = state.blocked_for() {
        return (blocked >= GRACE).then_some((true, blocked));
    }
    let quiet = state.quiet_for();
    (!state.is_admitted() && quiet >= GRACE).then_some((false, quiet))
}

impl Entered {
    pub(super) fn state(&self) -> &Arc<StreamState> {
        &self.state
    }

    pub(super) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.connections.open().leave(self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use tokio::time::advance;

    use super::{Connections, Entered, FEW, GRACE, Peer, Room, room};
    use crate::listener::ListenerLimits;

    const LIMITS: ListenerLimits = ListenerLimits {
        connections: 80,
        connections_per_peer: 60,
        header_time: Duration::from_secs(30),
        write_time: Duration::from_secs(30),
    };

    fn peer(last: u8) -> Peer {
        Peer::of([127, 0, 0, last].into())
    }

    fn fill(connections: &Arc<Connections>, from: Peer, count: usize) -> Vec<Entered> {
        (0..count).map(|_| connections.enter(from).unwrap()).collect()
    }

    #[test]
    fn one_address_never_takes_all() {
        assert_eq!(room(&LIMITS, 59, 59), Room::Free);
        assert_eq!(room(&LIMITS, 60, 60), Room::OfPeer);
        assert_eq!(room(&LIMITS, 70, FEW - 1), Room::Free, "the reserve is for those with few");
        assert_eq!(room(&LIMITS, 70, FEW), Room::OfPeer);
        assert_eq!(room(&LIMITS, 80, 0), Room::OfAll);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_longest_makes_room_and_an_admitted_request_does_not() {
        let connections = Arc::new(Connections::new(LIMITS));
        let mut held = fill(&connections, peer(1), 60);
        assert!(connections.enter(peer(1)).is_none(), "all are new");
        advance(GRACE).await;
        for entered in &held[1..] {
            entered.state().set_admitted(true);
        }
        let newcomer = connections.enter(peer(1)).unwrap();
        held[0].state().cut().await;
        assert!(connections.enter(peer(1)).is_none(), "the others wait for the keeper");
        held.push(newcomer);
        assert_eq!(connections.open().by_id.len(), 60);
        drop(held);
        assert!(connections.open().by_id.is_empty() && connections.open().by_peer.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_house_makes_room_for_a_new_address() {
        let connections = Arc::new(Connections::new(LIMITS));
        let held: Vec<_> = (1..=10).flat_map(|last| fill(&connections, peer(last), FEW)).collect();
        assert_eq!(held.len(), LIMITS.connections);
        assert!(connections.enter(peer(99)).is_none());
        advance(GRACE).await;
        held[7].state().touch();
        assert!(connections.enter(peer(99)).is_some());
    }
}
