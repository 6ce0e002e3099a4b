//! Where people are reached.
//!
//! Reading order: [`irc`], then [`notify`].

pub mod irc;
pub mod notify;
