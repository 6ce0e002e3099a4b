//! The IRC parts through their public interface: over real sockets, with real clients against our server and our client
//! against real servers.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy allows them in tests but not in the functions that tests share"
)]

mod clients;
mod irc_server;
mod networks;
mod notify;
mod plain;
mod programs;
mod server;
mod telegram;
mod wait;
mod websocket;
