//! Sleep through the engine's public interface: what distils is scripted, the disk is in memory, time is paused.
//!
//! `night` is what the tests share; the rest are the tests, one file a promise.

mod night;

mod bc_06_nothing_is_deleted;
mod bc_11_once_a_schedule;
mod bc_27_cut_anywhere;
mod bc_28_no_output;
mod identity;
mod triggers;
mod waking;
