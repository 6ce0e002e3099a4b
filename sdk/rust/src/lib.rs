//! Agents for Abide in Rust.
//!
//! An agent is a process that may die at any time and loses nothing. The keeper (`abide up`) starts it, watches it, asks it
//! one turn at a time, and gives it its state back after a crash. `README.md` shows its life and says what holds.
//!
//! ```no_run
//! use abide_sdk::{Agent, AgentFailed};
//!
//! fn main() -> Result<(), AgentFailed> {
//!     Agent::new("echo").run(|turn, _keeper| async move { Ok(format!("I heard: {}", turn.message())) })
//! }
//! ```
//!
//! Reading order: [`Agent`], the [`Turn`] that its handler gets and the [`Answer`] or [`TurnError`] that it gives, the
//! [`Keeper`] beside it, the [`State`] that outlives a crash. Inside, `session` is the one task that does all of it, `link`
//! the I/O thread that breathes beside it, `outbox` what lies between them, `journal` and `keeping` the two ways in which
//! state is kept, [`limits`] every bound.
//!
//! It starts no task of its own in the author's runtime and never writes to stdout.

pub mod limits;

mod agent;
mod turn;

mod failed;
mod keeper;
mod state;

mod session;

mod clock;
mod journal;
mod keeping;
mod link;
mod measure;
mod open_turn;
mod outbox;
mod sender;
mod transport;

pub use abide_domain as domain;
pub use abide_wire as wire;
pub use abide_wire::{Hypothesis, Raw, WalEntry as Entry, error_code};

pub use agent::{Agent, AgentError};
pub use clock::SystemClock;
pub use failed::TurnError;
pub use journal::WalError;
pub use keeper::Keeper;
pub use keeping::CheckpointError;
pub use sender::SendError;
pub use state::{State, StateError, Stateless, pack, pack_bytes, unpack, unpack_bytes};
pub use transport::{Address, AddressError};
pub use turn::{Answer, Turn};
