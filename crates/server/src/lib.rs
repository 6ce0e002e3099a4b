//! The keeper: composition root, HTTP, SSE and command line of Abide.
//!
//! Reading order: `cli` (what a person types), `config` and `home` (what the keeper is started with), `hardening` (what it takes from itself first), `auth` (who may
//! use it), `app` (the composition root: build, start, serve, drain), `listener` (connections and their limits), `agents`
//! (which mind each agent gets, its process, its files), `api` (the routes, one file a group), `system` (clock and
//! randomness), `watch` (the watchdog's roles), `self_watch` (what of the keeper itself stands still), `telegram` and `irc` (channels), `presence` (how the command line finds
//! the running keeper), `weights` (the embedders' weights), `cards` (the cards of decks), `media` (music), `trace` (logs, never payloads).
//!
//! The binary `abide` is one call of this library, so that tests run the same program:
//!
//! ```
//! use std::process::ExitCode;
//!
//! let exit = abide_server::run(["abide", "--version"].map(Into::into).into_iter());
//! assert_eq!(exit, ExitCode::SUCCESS);
//! ```
//!
//! Nothing below this crate knows of its HTTP interface or of the command line.

mod agents;
mod answer;
mod api;
mod app;
mod auth;
mod cards;
mod cli;
mod config;
mod evolution;
mod hardening;
mod home;
mod irc;
mod listener;
mod local_socket;
mod mcp_servers;
mod media;
mod presence;
mod self_watch;
mod system;
mod telegram;
mod trace;
mod watch;
mod weights;

pub use cli::run;

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
