//! The watchdog in a world of its own: simulated agents with a ground truth, a ledger in memory, faults on demand.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests: a panic is a failed test"
)]

mod attention;
mod commands;
mod faults;
mod histories;
mod ladder;
mod latency;
mod outages;
mod policies;
mod reports;
mod spec;
mod week;
mod world;
