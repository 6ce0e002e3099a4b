//! The registry and the built-in tools, as the engine uses them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod bench;
mod graph;
mod memory;
mod policy;
mod probe;
mod registry;
