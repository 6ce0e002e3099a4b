//! Real processes that are killed and started again.
//!
//! `scene` and `past` are what the tests share; the rest are the tests, one file a promise.

pub(crate) mod past;
pub(crate) mod scene;
mod snapshots;

mod configuration;
mod crash_rows;
mod crowd;
mod disk_limit;
mod door;
mod ethereal;
mod facts;
mod first_minutes;
mod held_memory;
mod notes;
mod one_keeper;
mod overuse;
mod own_results;
mod rebuild;
mod recovery;
mod restart;
mod storm;
mod streams;
mod torn;
mod waiting;
mod woken;
