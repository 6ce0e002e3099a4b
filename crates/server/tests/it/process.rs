//! Real processes that are killed and started again.

mod crash_rows;
mod restart;
