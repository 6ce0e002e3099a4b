//! Telegram from outside: the real binary, a fake Bot API server, messages in and answers out, over deaths and faults.

mod approvals;
mod by_clock;
mod deaths;
mod faults;
mod questions;
mod scene;
mod talk;
