//! The role of what answers a turn: a mind turns one [`TurnRequest`] into a voice and forgets everything.
//!
//! A mind never runs one of our tools and never writes an event of an epoch: one that has tools of its own reports and asks
//! over its [`MindHost`]. That it may be asked the same turn again after a crash is part of its contract.

use std::fmt;

use abide_domain::{
    event::EvidenceReported,
    turn::{MindError, Thought, TurnRequest, Usage},
};
use futures_util::future::BoxFuture;
use serde_json::Value;

mod priced;
mod reasoner;
mod scripted;

pub use priced::PricedMind;
pub use reasoner::ReasonerMind;
pub use scripted::{ScriptedAnswer, ScriptedMind};

/// A piece of an answer as it grows. Not durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MindDelta {
    /// The new text.
    pub text: String,
    /// Whether it is reasoning, which people only see when they ask for it.
    pub thought: bool,
}

/// What a mind that runs tools of its own wants a person to allow.
#[derive(Clone, Debug, PartialEq)]
pub struct PermissionRequest {
    /// The tool, as the mind names it.
    pub tool: String,
    /// What it is to do; data, not instruction.
    pub arguments: Value,
}

/// What a mind may do while it thinks, besides answering.
pub trait MindHost: Send + Sync {
    /// Shows a piece of the growing answer to clients that follow it. Not durable.
    fn delta(&self, delta: MindDelta);

    /// Records what the mind's own work produced. Evidence; without a run.
    fn report(&self, evidence: EvidenceReported) -> BoxFuture<'_, ()>;

    /// Asks a person, durably, and waits. The time does not count against the turn. An error holds the reason for the no.
    fn ask(&self, asked: PermissionRequest) -> BoxFuture<'_, Result<(), String>>;
}

/// What answers turns: a model, a process, an ACP agent, or rules.
pub trait Mind: Send + Sync + fmt::Debug {
    /// A short name for people and logs, such as `reflex` or `model gpt-x`.
    fn name(&self) -> String;

    /// Whether it reads and runs things of its own that nobody here sees: then no person vouches for what it says
    /// (decision 51).
    fn works_elsewhere(&self) -> bool {
        false
    }

    /// What so many tokens cost, for an attempt that was given up before anybody counted; none where no model is asked.
    fn price(&self, input_tokens: u64, output_tokens: u64) -> Option<Usage> {
        let _ = (input_tokens, output_tokens);
        None
    }

    /// Answers one turn. The engine bounds the time; dropping the future cancels the asking.
    fn think<'a>(
        &'a self,
        request: &'a TurnRequest,
        host: &'a dyn MindHost,
    ) -> BoxFuture<'a, Result<Thought, MindError>>;
}
