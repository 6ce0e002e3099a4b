//! The public projections of memory, held against naive models and broken files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod dreamer;
mod forgetting;
mod graph_queries;
mod identity;
mod knowledge;
mod knowledge_file;
mod knowledge_history;
mod knowledge_said;
mod knowledge_search;
mod search;
mod short_term;
mod staging;
mod stdout;
mod world;
