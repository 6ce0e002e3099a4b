//! The whole program from outside: the real binary, real sockets, real files.
//!
//! `house` starts and ends keepers, `client` speaks HTTP to them; the rest are the tests, one file a subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails; clippy's own exception does not reach helpers"
)]

mod client;
mod home;

mod access;
mod agents;
mod alertmanager;
mod approvals;
mod cards;
mod command_line;
mod connections;
mod dates;
mod decks;
mod doctor;
mod document;
mod epochs;
mod events;
mod evidence;
mod evolution;
mod evolution_own;
mod evolution_search;
mod evolutions;
mod evolve_cases;
mod hands;
mod input;
mod irc;
mod ledger;
mod manual_loop;
mod mcp;
mod mcp_questions;
mod mcp_reload;
mod media;
mod memory;
mod minds;
mod models;
mod mutations;
mod notify;
mod process;
mod providers;
mod safety;
mod sandbox;
mod shown;
mod sleep;
mod spawn;
mod stdout;
mod telegram;
mod tool_policy;
mod watchdog;
mod web;
mod web_fixtures;
mod weights;
