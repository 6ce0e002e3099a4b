//! The engine through its public interface: whole keepers on a disk in memory, in paused time, with scripted minds.
//!
//! A module a promise. Those named after a public bug report hold it with its whole kind.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "clippy allows them in tests but not in the functions that tests share"
)]

mod accepting;
mod attempts;
mod bc_08_crashes;
mod bc_13_deadlines;
mod bc_15_approvals;
mod bc_22_breaker;
mod bc_23_overflow;
mod bc_35_changed_setup;
mod bc_36_ethereal;
mod bc_39_own_results;
mod budget;
mod cancelling;
mod clock;
mod context;
mod disk_full;
mod host;
mod many_tools;
mod order;
mod paging;
mod people;
mod rebuilding;
mod resetting;
mod say;
mod schedule;
mod sleep;
mod snapshots;
mod spawn;
mod stdout;
mod tool_policy;
mod tool_progress;
mod voices;
mod wake;
