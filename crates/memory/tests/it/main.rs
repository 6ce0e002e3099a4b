//! The public projections of memory, held against naive models and broken files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod identity;
mod knowledge;
mod knowledge_file;
mod knowledge_search;
mod short_term;
mod staging;
mod world;
