//! The private state of an agent through its public interface, on a disk that fails on demand.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "clippy allows them in tests but not in the functions that tests share"
)]

mod acp;
mod checkpoint_crashes;
mod checkpoint_damage;
mod checkpoint_kept;
mod checkpoint_restore;
mod keeper;
mod process;
mod sandbox;
mod wal_appends;
mod wal_damage;
mod wal_life;
mod wal_lives;
mod wal_world;
