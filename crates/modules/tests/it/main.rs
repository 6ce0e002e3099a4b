//! Modules from outside: a real process of modules, asked by the keeper's client, and what it may not do.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy allows them in tests but not in the functions that tests share"
)]

mod process;
mod world;
