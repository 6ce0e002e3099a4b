//! The built-in agent: a process with a mind, a private state and a write-ahead log.
//!
//! It thinks with the same code as the keeper's own minds, so that a turn is answered alike wherever it is asked. Its
//! private state (memories, tools, conversation, counters) is written ahead through the keeper and given back after a
//! crash; no turn's answer depends on it. It proposes no change of itself.
//!
//! ```
//! use std::sync::Arc;
//!
//! use abide_agent::{MODEL_VARIABLE, RunError, serve};
//! use abide_sdk::SystemClock;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), RunError> {
//! // The keeper gives the agent its name, its run and its model in the environment.
//! let environment = |name: &str| match name {
//!     "ABIDE_AGENT" => Some("felix".to_owned()),
//!     MODEL_VARIABLE => Some(r#"{"dialect": "reflex"}"#.to_owned()),
//!     _ => None,
//! };
//! // A keeper would speak here; this input ends at once, and the agent with it.
//! serve(&environment, Arc::new(SystemClock::new()), tokio::io::empty(), tokio::io::sink()).await
//! # }
//! ```
//!
//! Reading order: [`run`] and [`serve`]; `model_variable` (which model it thinks with); `turn_worker` (one turn);
//! `operation` and `operation_plan` (what it logs), [`CheckpointState`] (what that makes of its state); [`limits`].

pub mod limits;

mod model_variable;
mod turn_worker;

mod checkpoint_state;
mod operation;
mod operation_plan;

mod start;

pub use checkpoint_state::CheckpointState;
pub use model_variable::{Environment, MODEL_VARIABLE, ModelVariableError};
pub use start::{RunError, run, serve};
