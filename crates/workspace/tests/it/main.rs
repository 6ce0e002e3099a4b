//! The file tools over real files, as the engine uses them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod bench;
mod edit;
mod escapes;
mod killed;
mod list_search;
mod read;
mod remove_move;
mod shell;
mod shell_live;
mod shell_policy;
mod skills;
mod undo;
mod write;
