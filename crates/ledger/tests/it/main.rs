//! The ledger through its public interface, on a disk that fails on demand and on a real one.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy allows them in tests but not in the functions that tests share"
)]

mod appends;
mod bc_03_torn_last_record;
mod crashes;
mod damage;
mod disk;
mod erasing;
mod feeds;
mod folders;
mod format;
mod queries;
mod segments;
mod texts;
mod world;
