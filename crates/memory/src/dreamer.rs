//! The Dreamer: from a stimulus and eight queries to what an agent's mind is to know at this moment (decisions 8 to 10).
//!
//! It sees the envelope and asks the eight queries, and nothing else: no file, no ledger, no handle of a store. It must
//! never speak to a person, never write, and never put down a thing without its source; "nothing is there" and "I could
//! not look" are different sentences. [`explore`] runs once when an epoch opens and gives
//! references; [`render`] makes the context object of them, now and at any later time, with the same bytes.
//!
//! Reading order: here the roles; `cue` (what a stimulus gives to go by), `leads` (what findings add to it), `plan`
//! (which question comes next), `explore` (the steps and their bounds); then `render` with its `sections`, `trim`
//! (what goes when it is too long), `words` and `dates` (how a thing is put on a line).

use std::fmt::Debug;

use abide_domain::event::{MemoryRef, UsageRecord};
use futures_util::future::BoxFuture;

mod cue;
mod dates;
mod explore;
mod leads;
mod plan;
mod render;
mod trim;
mod words;

pub use self::{
    cue::{KEYWORDS_MAX, StimulusCues, tone_of},
    explore::{ExplorationPace, ExplorationProgress, explore},
    plan::{lens_of, query_of},
    render::{ContextObject, RENDERER_VERSION, RenderInput, render},
    trim::CONTEXT_TOKENS_MAX,
};
use crate::{GraphQuery, KnowledgeError, QueryResult, ReferencedItem};

/// Most steps of one exploration: then it ends with what it has.
pub const STEPS_MAX: u32 = 12;
/// Most queries of one exploration.
pub const QUERIES_MAX: u32 = 14;
/// How often a lens looks again with a new lead, after its first look found nothing.
pub const DEPTH_MAX: usize = 2;

/// The eight queries over one agent's memory: all that a Dreamer may ask.
pub trait MemoryQueries: Send + Sync {
    /// Answers one query.
    fn ask(&self, query: &GraphQuery) -> QueryResult;
}

/// Gives what a reference names, as it was first recorded, whatever happened since.
pub trait ReferenceLookup {
    /// Looks one up; none where nothing of that name is there.
    fn resolve(&self, reference: MemoryRef) -> Result<Option<ReferencedItem>, KnowledgeError>;
}

/// Who says what to ask next, in place of the plan.
pub trait Explorer: Send + Sync + Debug {
    /// A short name for people: `model <name>`.
    fn name(&self) -> String;

    /// Decides the next step.
    fn decide<'a>(
        &'a self,
        progress: &'a ExplorationProgress<'a>,
    ) -> BoxFuture<'a, ExplorerDecision>;
}

/// What an [`Explorer`] decided.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplorerDecision {
    /// What it wants, or why it is stuck and the plan is to go on.
    pub step: Result<ExplorerStep, String>,
    /// The tokens that deciding cost, where a model was asked.
    pub usage: Option<UsageRecord>,
}

/// What an [`Explorer`] wants.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplorerStep {
    /// Ask one more query.
    Ask(GraphQuery),
    /// End the exploration with what it has.
    Crystallize,
}
