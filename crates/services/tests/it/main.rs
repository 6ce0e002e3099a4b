//! The tools of services against small servers on this machine, as the engine calls them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod call;
mod edhrec;
mod feed_rules;
mod fetch;
mod guard;
mod rss;
mod scryfall;
mod search;
mod server;
mod steam;
