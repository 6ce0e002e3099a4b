//! Knowledge: everything that one agent remembers for long, in `agents/<id>/knowledge.db`: facts, the graph, and what
//! was said.
//!
//! A projection: deletable, rebuilt from sequence 0, never fatal when broken ([`Knowledge::open`]). One writer owns the
//! connection that writes; it must never see another agent's memories (each database is made for one entity), and what an
//! open epoch staged is in force only from its commit on, also across a restart in mid-epoch: staged events have a table
//! of their own. Nothing is overwritten: what holds no longer is closed, and says since and until when it held. It is
//! written by the ledger's feed and read by the context and the tools.
//!
//! Reading order: `items` (what is given out), `schema` (tables), `columns` (values in them), `rows_digest` (whether somebody else changed them),
//! `store` (the writer), `open`
//! (new, found or rebuilt), `apply` (one transaction a batch) with `transaction`, `fact_rows`, `forget_rows`, `node_rows` and `exchange_rows`
//! (which `parts` cuts into passages), `query` (facts: list, get, dump), `vectors` and `embedding`, `change` and `indexes`
//! (the one search, in memory), `provenance` (who may be told what), `ask` (the eight queries), `handle` (shared use) and `recall` (what a handle gives).

mod apply;
mod ask;
mod change;
mod columns;
mod embedding;
mod error;
mod exchange_rows;
mod fact_rows;
mod forget_rows;
mod handle;
mod indexes;
mod items;
mod node_rows;
mod open;
mod parts;
mod passage_rows;
mod provenance;
mod query;
mod recall;
mod rows_digest;
mod schema;
mod store;
mod transaction;
mod vectors;

pub use error::KnowledgeError;
pub use fact_rows::normalise;
pub use handle::KnowledgeHandle;
pub use items::{
    EdgeState, ExchangeStamps, Fact, FactRight, FactsPage, GraphPage, Lookup, NodeState,
    NodeVersion, OriginalFact, PAGE_FACTS_MAX, RankablePassage, RecalledPassage, ReferencedItem,
    SEARCH_FACTS_MAX, SOURCES_MAX,
};
pub use open::{OpenedKnowledge, knowledge_damage};
pub use recall::{EdgeFilter, NodeFilter};
pub use schema::{SCHEMA_VERSION, sqlite_version};
pub use store::Knowledge;
pub use vectors::{EmbeddingState, MissingVector, VECTORS_BATCH_MAX, VectorCursor, VectorKey};
