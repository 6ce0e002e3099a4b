//! The public rules of the domain, held against the specification.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests: a panic is a failed test"
)]

mod envelope;
mod evidence;
