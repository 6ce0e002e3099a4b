//! The memory of the agent that calls, as the memory tools may look it up.
//!
//! A trait, so that tools cannot change memory (they stage events) and tests need no database. "Nothing found" and
//! "could not look" are different results.

use std::{fmt, sync::Arc};

use abide_domain::{
    EpochId, FactId, Timestamp,
    graph::{EdgeKind, NodeId, NodeKind},
};
use abide_memory::{
    FactRight, ForgetError, ForgetPlan, ForgetRequest, GraphQuery, KnowledgeHandle, Lead, Listener,
    Lookup, QueryResult, RecalledPassage,
};
use futures_util::future::{BoxFuture, ready};

/// Looks up what one agent remembers. An `Err` says why the look-up failed.
pub trait MemoryLookup: Send + Sync + fmt::Debug {
    /// Searches the facts in force, best first.
    fn facts<'a>(&'a self, question: MemoryQuestion<'a>, limit: usize) -> BoxFuture<'a, Lookup>;

    /// Searches what was said, best first.
    fn recall<'a>(
        &'a self,
        question: MemoryQuestion<'a>,
        limit: usize,
    ) -> BoxFuture<'a, Lookup<RecalledPassage>>;

    /// Runs one of the eight queries.
    fn ask<'a>(
        &'a self,
        query: &'a GraphQuery,
        question: MemoryQuestion<'a>,
    ) -> BoxFuture<'a, QueryResult>;

    /// Whether whoever asks may have a fact forgotten or replaced in an epoch.
    fn right_over(
        &self,
        fact_id: FactId,
        epoch: EpochId,
        question: MemoryQuestion<'_>,
    ) -> Result<FactRight, String>;

    /// Everything that a request to forget takes back.
    fn plan_forgetting(&self, request: ForgetRequest<'_>) -> Result<ForgetPlan, ForgetError>;

    /// The identity in force and the number that its next version gets, where the asker may change it.
    fn identity(&self) -> Option<(u64, Arc<str>)> {
        None
    }

    /// The type of the node of that id as an epoch would leave it: the one in force, or what that epoch staged.
    fn node_kind(&self, id: &NodeId, epoch: EpochId) -> Result<Option<NodeKind>, String>;

    /// Whether an edge is there as an epoch would leave it.
    fn has_edge(&self, edge: EdgeKey<'_>, epoch: EpochId) -> Result<bool, String>;
}

/// A question's words, who asks, and when.
#[derive(Clone, Copy, Debug)]
pub struct MemoryQuestion<'a> {
    /// The words; one of the eight queries brings its own.
    pub words: &'a str,
    /// Who asks: "I" and "my" refer to them.
    pub asker: &'a str,
    /// Who hears the answer.
    pub listener: Listener<'a>,
    /// The present.
    pub now: Timestamp,
}

/// What identifies an edge.
#[derive(Clone, Copy, Debug)]
pub struct EdgeKey<'a> {
    /// Where it begins.
    pub from: &'a NodeId,
    /// Its type.
    pub edge: EdgeKind,
    /// Where it leads.
    pub to: &'a NodeId,
}

impl<'a> MemoryQuestion<'a> {
    /// The question as memory takes it, by words alone.
    pub const fn lead(&self) -> Lead<'a> {
        let Self { words: said, asker, listener, now } = *self;
        Lead { now, said, asker: Some(asker), listener, meaning: None, order: None }
    }
}

/// By words alone; the engine's own implementation adds an embedder.
impl MemoryLookup for KnowledgeHandle {
    fn facts<'a>(&'a self, question: MemoryQuestion<'a>, limit: usize) -> BoxFuture<'a, Lookup> {
        Box::pin(ready(self.search_facts(question.words, &question.lead(), limit)))
    }

    fn recall<'a>(
        &'a self,
        question: MemoryQuestion<'a>,
        limit: usize,
    ) -> BoxFuture<'a, Lookup<RecalledPassage>> {
        Box::pin(ready(Self::recall(self, question.words, &question.lead(), limit)))
    }

    fn ask<'a>(
        &'a self,
        query: &'a GraphQuery,
        question: MemoryQuestion<'a>,
    ) -> BoxFuture<'a, QueryResult> {
        Box::pin(ready(Self::ask(self, query, &question.lead())))
    }

    fn right_over(
        &self,
        fact_id: FactId,
        epoch: EpochId,
        question: MemoryQuestion<'_>,
    ) -> Result<FactRight, String> {
        Self::right_over(self, fact_id, epoch, &question.lead()).map_err(|error| error.to_string())
    }

    fn plan_forgetting(&self, request: ForgetRequest<'_>) -> Result<ForgetPlan, ForgetError> {
        Self::plan_forgetting(self, request)
    }

    fn node_kind(&self, id: &NodeId, epoch: EpochId) -> Result<Option<NodeKind>, String> {
        self.known_node(id, Some(epoch)).map_err(|error| error.to_string())
    }

    fn has_edge(&self, edge: EdgeKey<'_>, epoch: EpochId) -> Result<bool, String> {
        let EdgeKey { from, edge, to } = edge;
        self.is_edge_known(from, edge, to, Some(epoch)).map_err(|error| error.to_string())
    }
}
