//! The test kit's own tests: a fake that lies would make every other test lie.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy's exemption for tests does not reach the functions beside them"
)]

mod answers;
mod checks;
mod client;
mod clocks;
mod embeddings;
mod faults;
mod rules;
mod sim;
