//! The client against real processes: servers with chosen faults, each with a file that gets a line per execution.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod bench;
mod calls;
mod elicitation;
mod lists;
mod pins;
mod real_servers;
mod resources;
mod start;
mod stop;
