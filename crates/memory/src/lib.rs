//! What an agent remembers: projections of the ledger that can be deleted and folded again.
//!
//! Nothing here is the truth, and nothing here reads a clock or the ledger: the engine hands each durable event in, in
//! order, as a [`DurableEvent`]. Events come in, the parts of the next prompt go out. No projection can show one agent what
//! another one remembers: each is made for one entity and skips the rest.
//!
//! Reading order: [`DurableEvent`] (what goes in), `staging` (the one rule of when `memory.*` events count), [`Knowledge`]
//! and its [`KnowledgeHandle`] (facts, graph and all that was said, in SQLite), [`Index`] (search by scores, in memory) and
//! [`Embedder`] (who makes its vectors), [`GraphQuery`] (the eight queries), `seed` (a graph as a file), [`explore`] and
//! [`render`] (the Dreamer and what it gives), [`ShortTerm`] (the exchanges since the last reset and the [`Window`] of them
//! that fits a prompt), [`Identity`] and its [`IdentityFile`], [`Dreams`], [`Distiller`] (what sleep asks),
//! [`stdout`] (what entities wrote to themselves), [`estimate_tokens`].
//!
//! ```
//! use abide_domain::{EntityName, Timestamp, event::{Event, FactRemembered}};
//! use abide_memory::{DurableEvent, Knowledge, KnowledgeHandle, Lead};
//!
//! let agent: EntityName = "@felix".parse()?;
//! let memory = KnowledgeHandle::new(Knowledge::in_memory(&agent)?)?;
//! let event = Event::from(FactRemembered {
//!     fact_id: "00000000-0000-0000-0000-000000000001".parse()?,
//!     content: "the staging server is called heron".into(),
//!     category: "project".into(),
//!     tags: Vec::new(),
//!     confidence: 0.9,
//!     told_by: None,
//!     untrusted: false,
//!     sources: Vec::new(),
//!     supersedes: None,
//!     valid_from: None,
//! });
//! let at = Timestamp::from_micros(0);
//! let (entity, author, event) = (&agent, &agent, &event);
//! memory.apply(&[DurableEvent { seq: 1, at, entity, author, epoch: None, event }])?;
//! let found = memory.search_facts("what is the staging server called?", &Lead::at(at), 5);
//! assert_eq!(found.facts()[0].content, "the staging server is called heron");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod applied;
mod attribution;
mod audience;
mod distill;
mod dreamer;
mod dreams;
mod embedder;
mod forget;
mod graph;
mod identity;
mod knowledge;
mod open_epoch;
mod reply_sources;
mod search;
mod seed;
mod short_term;
mod staging;
pub mod stdout;
mod timeline;
mod tokens;
mod wishes;

pub use applied::DurableEvent;
pub use attribution::{Attributed, attribute, foreign_author};
pub use audience::{GroupMembers, Listener, Origin, Wording, is_about_oneself, is_shared_matter};
pub use distill::{
    DREAM_CHARS_MAX, DREAM_TITLE_CHARS_MAX, DistillAnswer, DistillInput, DistillOutcome, Distiller,
    FACTS_A_PART_MAX, FactCategory, FactDoubt, FactReconciliation, FoundDream, FoundFact,
    MeaningDoubt, Passage, RuleDistiller, SaidWords, TakenBack, check_meaning, held_by, is_said_in,
    is_supported, own_words, reconcile_facts, said_in,
};
pub use dreamer::{
    CONTEXT_TOKENS_MAX, ContextObject, DEPTH_MAX, ExplorationPace, ExplorationProgress, Explorer,
    ExplorerDecision, ExplorerStep, KEYWORDS_MAX, MemoryQueries, QUERIES_MAX, RENDERER_VERSION,
    ReferenceLookup, RenderInput, STEPS_MAX, StimulusCues, explore, lens_of, query_of, render,
    tone_of,
};
pub use dreams::{Dream, DreamFileError, DreamFiles, Dreams};
pub use embedder::{
    EMBEDDED_AT_ONCE, EmbedMissingError, Embedder, EmbedderError, EmbeddingStep, VectorModel,
    embed_missing, embed_next,
};
pub use forget::{
    ForgetAuthority, ForgetError, ForgetPlan, ForgetRequest, ForgetTarget, matter::Matter,
};
pub use graph::{
    GraphQuery, GraphQueryError, ItemBody, Lead, PassageOrder, QUERY_ITEMS_MAX, QUERY_KEYWORDS_MAX,
    QUERY_TEXT_CHARS_MAX, QueryItem, QueryResult, QueryStatus, QuestionVector,
};
pub use identity::{
    IDENTITY_CHANGE_MAX, Identity, IdentityEditError, IdentityError, IdentityFile,
    IdentityFileError, IdentityFileOutcome, IdentityFileWriters, IdentityProposal, IdentityRule,
    IdentityVersion, IdentityVersionRef, Revision, RevisionError, changed_share, check_identity,
    identity_diff, needs_person, profile_identity, revise,
};
pub use knowledge::{
    EdgeFilter, EdgeState, EmbeddingState, ExchangeStamps, Fact, FactRight, FactsPage, GraphPage,
    Knowledge, KnowledgeError, KnowledgeHandle, Lookup, MissingVector, NodeFilter, NodeState,
    NodeVersion, OpenedKnowledge, OriginalFact, PAGE_FACTS_MAX, RankablePassage, RecalledPassage,
    ReferencedItem, SCHEMA_VERSION, SEARCH_FACTS_MAX, SOURCES_MAX, VECTORS_BATCH_MAX, VectorCursor,
    VectorKey, knowledge_damage, normalise, sqlite_version,
};
pub use reply_sources::reply_sources;
pub use search::{
    Document, HITS_MAX, Hit, Index, QUERY_WORDS_MAX, QueryKind, STRENGTH_MIN, SearchFeatures,
    SearchQuery, SpeakerRole, TEXT_CHARS_MAX, VectorKind, passages, words,
};
pub use seed::{
    GRAPH_LINES_MAX, GRAPH_PROBLEMS_MAX, GraphChange, GraphLine, GraphLineError, GraphLookup,
    GraphValueError, SeedChanges, SeedError, check_edge_ends, check_graph, check_node, read_change,
    read_graph, write_change,
};
pub use short_term::{
    EXCHANGE_OVERHEAD_TOKENS, EXCHANGES_KEPT_MAX, HistoryScope, SESSIONS_MAX, ShortTerm,
    TOKENS_KEPT_MAX, Window,
};
pub use timeline::{
    Relation, STATEMENTS_MAX, Standing, Statement, compare, is_bare_correction, judge, sets_a_rule,
};
pub use tokens::estimate_tokens;
pub use wishes::{Wish, Wishes};
