//! The swappable station of the walk: a mind turns one [`TurnRequest`] into a voice and forgets everything.
//!
//! A mind never runs a tool and never touches the ledger. That it may be asked the same turn again after a crash is
//! part of its contract.

use std::fmt;

use abide_domain::turn::{MindError, Thought, TurnRequest};
use futures_util::future::BoxFuture;

mod model;
mod reflex;
mod scripted;

pub use model::ModelMind;
pub use reflex::ReflexMind;
pub use scripted::{ScriptedAnswer, ScriptedMind};

/// A piece of an answer as it grows. Not durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The new text.
    pub text: String,
    /// Whether it is reasoning, which people only see when they ask for it.
    pub thought: bool,
}

/// Where a mind sends the pieces of a growing answer.
pub type DeltaSink<'a> = &'a (dyn Fn(Delta) + Send + Sync);

/// The role of a mind.
pub trait Mind: Send + Sync + fmt::Debug {
    /// A short name for people and logs, such as `reflex` or `model gpt-x`.
    fn name(&self) -> String;

    /// Answers one turn. The engine bounds the time; dropping the future cancels the asking.
    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Thought, MindError>>;
}
