//! Each with a real child process.

mod bounds;
mod commands;
mod link;
mod ranking;
mod tools;
