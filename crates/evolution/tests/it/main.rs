//! Verdicts on simulated candidates, and the cases that other systems got wrong.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests: a panic is a failed test"
)]

mod canary;
mod cases;
mod reports;
mod search;
mod simulations;
mod world;
