//! The ledger through its public interface, on a disk that fails on demand and on a real one.

mod appends;
mod bc_03_torn_last_record;
mod crashes;
mod damage;
mod disk;
mod feeds;
mod folders;
mod format;
mod queries;
mod segments;
mod world;
