//! The keeper: composition root, HTTP, SSE and command line of Abide.
//!
//! Reading order: `cli` (what a person types), `config` and `home` (what the keeper is started with), `auth` (who may
//! come in), `app` (the composition root: every long task, what its failure means, the order of shutdown), `listener`
//! (connections and their limits), `minds` and `processes` (what thinks for an agent, and where), `api` (the routes,
//! one file a group), `system` (clock and randomness), `watch` (the watchdog's roles in this house), `telegram` and `irc` (channels), `presence` (how
//! the command line finds the running keeper), `weights` (the embedders' weights, and which one is used), `trace`
//! (logs, never payloads).
//!
//! Nothing below this crate knows of HTTP to the inside or of the command line.

mod answer;
mod api;
mod app;
mod auth;
mod cli;
mod config;
mod crew;
mod embedder;
mod home;
mod irc;
mod listener;
mod minds;
mod presence;
mod processes;
mod system;
mod telegram;
mod trace;
mod watch;
mod weights;

pub use cli::run;

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
