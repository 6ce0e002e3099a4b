//! Where people are reached.
//!
//! Reading order: [`irc`], [`telegram`], then [`notify`].

pub mod irc;
pub mod notify;
pub mod telegram;
pub mod tls;
