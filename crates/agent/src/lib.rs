//! The built-in agent: a process with a mind, a memory and a log.
//!
//! It thinks with the same code as the keeper's own minds, so that a turn is answered alike wherever it is asked. What it
//! keeps for itself, memories, tools, what was said, what it counted, is written ahead through the keeper and given back
//! after a crash; no turn's answer depends on it. It proposes no change of itself.
//!
//! Reading order: [`run`] and [`serve`]; `choice` (what the keeper tells it to think with); `work` (one turn); `operation`
//! (what it logs) and [`Notebook`] (what that makes of its state); [`limits`].

pub mod limits;

mod choice;
mod work;

mod notebook;
mod operation;

mod start;

pub use choice::{ChoiceError, Environment, MODEL_VARIABLE};
pub use notebook::Notebook;
pub use start::{RunError, run, serve};
