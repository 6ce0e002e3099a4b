//! The HTTP client against real sockets: what it sends, what it bounds, where it refuses to go.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails; the exemption for tests misses what stands beside them"
)]

mod client;
mod server;
