//! Models from the outside: what is written to providers, what is read from them, what the driver does about failures,
//! how the reflex answers, and which vectors texts become.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::format_collect,
    reason = "a test that cannot go on fails; the exemption for tests misses what stands beside them"
)]

mod driver;
mod embed;
mod encode;
mod hand_back;
mod reflex;
mod request;
#[path = "../../../http/tests/it/server.rs"]
mod server;
mod streams;
