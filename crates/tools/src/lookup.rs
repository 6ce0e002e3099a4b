//! What the memory tools may look up: what the one agent that calls remembers.
//!
//! A role, so that tools cannot change memory (they stage events) and tests need no database. "Nothing there" and "could
//! not look" stay apart.

use std::fmt;

use abide_domain::{
    EpochId, FactId, Timestamp,
    graph::{EdgeKind, NodeId, NodeKind},
};
use abide_memory::{GraphQuery, KnowledgeHandle, Lead, Lookup, QueryResult, RecalledPassage};
use futures_util::future::{BoxFuture, ready};

/// What one agent remembers, to be looked up. An `Err` means that one could not look, and why.
pub trait MemoryLookup: Send + Sync + fmt::Debug {
    /// Looks for facts in force, best first.
    fn facts<'a>(&'a self, asked: MemoryQuestion<'a>, limit: usize) -> BoxFuture<'a, Lookup>;

    /// Looks for what was said, best first.
    fn recall<'a>(
        &'a self,
        asked: MemoryQuestion<'a>,
        limit: usize,
    ) -> BoxFuture<'a, Lookup<RecalledPassage>>;

    /// Asks one of the eight queries.
    fn ask<'a>(
        &'a self,
        query: &'a GraphQuery,
        asked: MemoryQuestion<'a>,
    ) -> BoxFuture<'a, QueryResult>;

    /// Says whether a fact can be forgotten or superseded in an epoch: it is in force, or that epoch staged it.
    fn is_fact(&self, fact_id: FactId, epoch: EpochId) -> Result<bool, String>;

    /// The type of the node of that id as an epoch would leave it: the one in force, or what that epoch staged.
    fn node_kind(&self, id: &NodeId, epoch: EpochId) -> Result<Option<NodeKind>, String>;

    /// Whether an edge is there as an epoch would leave it.
    fn has_edge(&self, edge: EdgeOf<'_>, epoch: EpochId) -> Result<bool, String>;
}

/// A question's words, who asks, and when.
#[derive(Clone, Copy, Debug)]
pub struct MemoryQuestion<'a> {
    /// The words; of one of the eight queries its own words count.
    pub words: &'a str,
    /// Who asks: "I" and "my" are theirs.
    pub asker: &'a str,
    /// The present.
    pub now: Timestamp,
}

/// An edge by what makes it one.
#[derive(Clone, Copy, Debug)]
pub struct EdgeOf<'a> {
    /// Where it begins.
    pub from: &'a NodeId,
    /// Its type.
    pub edge: EdgeKind,
    /// Where it leads.
    pub to: &'a NodeId,
}

impl<'a> MemoryQuestion<'a> {
    /// What a question is asked with, by words alone.
    pub const fn lead(&self) -> Lead<'a> {
        Lead { now: self.now, said: self.words, asker: Some(self.asker), meaning: None }
    }
}

/// By words alone; with an embedder it is the engine's to ask.
impl MemoryLookup for KnowledgeHandle {
    fn facts<'a>(&'a self, asked: MemoryQuestion<'a>, limit: usize) -> BoxFuture<'a, Lookup> {
        Box::pin(ready(self.search_facts(asked.words, &asked.lead(), limit)))
    }

    fn recall<'a>(
        &'a self,
        asked: MemoryQuestion<'a>,
        limit: usize,
    ) -> BoxFuture<'a, Lookup<RecalledPassage>> {
        Box::pin(ready(Self::recall(self, asked.words, &asked.lead(), limit)))
    }

    fn ask<'a>(
        &'a self,
        query: &'a GraphQuery,
        asked: MemoryQuestion<'a>,
    ) -> BoxFuture<'a, QueryResult> {
        Box::pin(ready(Self::ask(self, query, &asked.lead())))
    }

    fn is_fact(&self, fact_id: FactId, epoch: EpochId) -> Result<bool, String> {
        self.is_known(fact_id, Some(epoch)).map_err(|error| error.to_string())
    }

    fn node_kind(&self, id: &NodeId, epoch: EpochId) -> Result<Option<NodeKind>, String> {
        self.known_node(id, Some(epoch)).map_err(|error| error.to_string())
    }

    fn has_edge(&self, edge: EdgeOf<'_>, epoch: EpochId) -> Result<bool, String> {
        let EdgeOf { from, edge, to } = edge;
        self.is_edge_known(from, edge, to, Some(epoch)).map_err(|error| error.to_string())
    }
}
