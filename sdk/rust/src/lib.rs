//! Agents for Abide in Rust.
//!
//! An agent is a process that may die at any time and loses nothing. The keeper (`abide up`) starts it, watches it, asks it
//! one turn at a time, and gives it its state back after a crash. `README.md` shows its life and its guarantees.
//!
//! ```
//! use abide_sdk::{Agent, AgentError, Keeper, Stateless, Turn, TurnError};
//!
//! async fn answer(turn: Turn, _keeper: Keeper<Stateless>) -> Result<String, TurnError> {
//!     Ok(format!("I heard: {}", turn.message()))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), AgentError> {
//! // A process that `abide up` starts calls `Agent::new("echo").run(answer)`, which serves over stdin and stdout.
//! // Here the input is empty: the agent says hello and ends with its link.
//! Agent::new("echo").serve_over(tokio::io::empty(), tokio::io::sink(), answer).await
//! # }
//! ```
//!
//! Reading order: [`Agent`], the [`Turn`] that its handler gets and the [`Answer`] or [`TurnError`] that it gives, the
//! [`Keeper`] beside it, the [`State`] that outlives a crash. Inside, `session` is the one task that does all of it, `link`
//! the I/O thread that sends heartbeats beside it, `outbox` the queue between them, `shared_state` what handlers share with
//! the session, `wal_queue` and `checkpoint_sender` the two ways in which state is stored, [`limits`] every limit.
//!
//! It starts no task of its own in the author's runtime and never writes to stdout.

pub mod limits;

mod agent;
mod turn;

mod keeper;
mod state;
mod turn_error;

mod session;

mod checkpoint;
mod checkpoint_sender;
mod clock;
mod link;
mod once_keys;
mod open_turn;
mod outbox;
mod restore;
mod sender;
mod sequenced_state;
mod setup;
mod shared_state;
mod transport;
mod turn_metrics;
mod wal_queue;

pub use abide_domain as domain;
pub use abide_wire as wire;
pub use abide_wire::{Hypothesis, Raw, WalEntry as Entry, error_code};

pub use agent::{Agent, AgentError};
pub use checkpoint::CheckpointError;
pub use clock::SystemClock;
pub use keeper::Keeper;
pub use sender::SendError;
pub use state::{State, StateError, Stateless, pack, pack_bytes, unpack, unpack_bytes};
pub use transport::{Address, AddressError};
pub use turn::{Answer, Turn};
pub use turn_error::TurnError;
pub use wal_queue::WalError;
