//! What connections may take, and the clock that their times are read from.

use std::time::Duration;

use tokio::time::Instant;

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListenerLimits {
    /// Connections at most; event streams are connections too.
    pub(crate) connections: usize,
    /// Connections at most from one address.
    pub(crate) connections_per_peer: usize,
    /// Longest time for a request's header to arrive, and for an idle connection to stay.
    pub(crate) header_time: Duration,
    /// Longest time in which a client reads nothing of what waits for it.
    pub(crate) write_time: Duration,
}

/// The present, for the times of connections.
pub(super) fn now() -> Instant {
    Instant::now()
}
