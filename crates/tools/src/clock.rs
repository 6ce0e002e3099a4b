//! `clock.*`: the time, as the keeper has it.

mod now;

pub use now::Now;
