//! What an agent remembers: projections of the ledger that can be deleted and folded again.
//!
//! Nothing here is the truth, and nothing here reads a clock or the ledger: the engine hands each durable event in, in
//! order, as an [`Applied`]. It stands behind the ledger and before the mind on the walk: events come in, the parts of
//! the next prompt go out. No projection can show one agent what another one remembers: each is made for one entity
//! and skips the rest.
//!
//! Reading order: [`Applied`] (what goes in), `staging` (the one rule of when `memory.*` events count), [`Knowledge`]
//! and its [`KnowledgeHandle`] (facts, graph and all that was said, in SQLite), [`Index`] (search by scores, in memory) and
//! [`Embedder`] (who makes its vectors), [`GraphQuery`] (the eight queries), `seed` (a graph as a file), [`explore`] and
//! [`render`] (the Dreamer and what it gives), [`ShortTerm`] (the exchanges since the last reset and the [`Window`] of them
//! that fits a prompt), [`Identity`] and its [`IdentityFile`], [`Dreams`], [`Distiller`] (what sleep asks),
//! [`stdout`] (what entities wrote to themselves), [`estimate_tokens`].

mod applied;
mod distill;
mod dreamer;
mod dreams;
mod embedder;
mod graph;
mod identity;
mod knowledge;
mod open_epoch;
mod search;
mod seed;
mod short_term;
mod staging;
pub mod stdout;
mod tokens;

pub use applied::Applied;
pub use distill::{
    DREAM_CHARS_MAX, DREAM_TITLE_CHARS_MAX, DistillOutcome, Distilled, Distiller, FACTS_A_PART_MAX,
    FactCategory, FoundDream, FoundFact, Material, Passage, RuleDistiller, Sifted, is_supported,
    own_words, sift,
};
pub use dreamer::{
    BESIDE_STIMULUS_TOKENS_MIN, CONTEXT_TOKENS_MAX, ContextObject, Cue, DEPTH_MAX, ExplorationPace,
    Explorer, ExplorerDecision, ExplorerStep, KEYWORDS_MAX, Progress, QUERIES_MAX, Queries,
    RENDERER_VERSION, ReferenceLookup, RenderInput, STEPS_MAX, explore, lens_of, query_of, render,
    tone_of,
};
pub use dreams::{Dream, DreamFileError, DreamFiles, Dreams};
pub use embedder::{
    EMBEDDED_AT_ONCE, EmbedMissingError, Embedder, EmbedderError, EmbeddingStep, VectorModel,
    embed_missing, embed_next,
};
pub use graph::{
    GraphQuery, GraphQueryError, ItemBody, Lead, Meaning, QUERY_ITEMS_MAX, QUERY_KEYWORDS_MAX,
    QUERY_TEXT_CHARS_MAX, QueryItem, QueryResult, QueryStatus,
};
pub use identity::{
    FileError, IDENTITY_CHANGE_MAX, Identity, IdentityEditError, IdentityError, IdentityFile,
    IdentityRule, IdentityVersion, Proposal, Reconciled, Revision, RevisionError, VersionRef,
    changed_share, check_identity, identity_diff, profile_identity, revise,
};
pub use knowledge::{
    EdgeFilter, EdgeState, EmbeddingState, ExchangeStamps, Fact, FactsPage, GraphPage, Knowledge,
    KnowledgeError, KnowledgeHandle, Lookup, MissingVector, NodeFilter, NodeState, NodeVersion,
    Opened, PAGE_FACTS_MAX, Recalled, ReferencedItem, SCHEMA_VERSION, SEARCH_FACTS_MAX,
    SOURCES_MAX, ToldFact, VECTORS_BATCH_MAX, VectorCursor, VectorKey, normalise, sqlite_version,
};
pub use search::{
    Document, HITS_MAX, Hit, Index, QUERY_WORDS_MAX, QueryKind, STRENGTH_MIN, SearchQuery,
    TEXT_CHARS_MAX, VectorKind, words,
};
pub use seed::{
    GRAPH_LINES_MAX, GRAPH_PROBLEMS_MAX, GraphChange, GraphLine, GraphLineError, GraphLookup,
    GraphNews, GraphValueError, SeedError, check_edge_ends, check_graph, check_node, read_change,
    read_graph, write_change,
};
pub use short_term::{
    EXCHANGE_OVERHEAD_TOKENS, EXCHANGES_KEPT_MAX, HistoryScope, SESSIONS_MAX, ShortTerm,
    TOKENS_KEPT_MAX, Window,
};
pub use tokens::estimate_tokens;
