//! The client against real processes and over real TCP: servers with chosen faults that keep a line per execution.
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
mod fake_http;
mod lists;
mod login;
mod pins;
mod progress;
mod real_servers;
mod remote_calls;
mod resources;
mod start;
mod stop;
