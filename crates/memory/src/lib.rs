//! What an agent remembers: projections of the ledger that can be deleted and folded again.
//!
//! Nothing here is the truth, and nothing here reads a clock or the ledger: the engine hands each durable event in, in
//! order, as an [`Applied`]. It stands behind the ledger and before the mind on the walk: events come in, the parts of
//! the next prompt go out. No projection can show one agent what another one remembers: each is made for one entity
//! and skips the rest.
//!
//! Reading order: [`Applied`] (what goes in), `staging` (the one rule of when `memory.*` events count), [`Knowledge`]
//! and its [`KnowledgeHandle`] (facts in SQLite with full text), [`ShortTerm`] (the exchanges since the last reset and
//! the [`Window`] of them that fits a prompt), [`Identity`] and its [`IdentityFile`], [`estimate_tokens`].

mod applied;
mod identity;
mod knowledge;
mod short_term;
mod staging;
mod tokens;

pub use applied::Applied;
pub use identity::{
    FileError, Identity, IdentityFile, IdentityRule, IdentityVersion, Reconciled, UnfitEdit,
    UnfitIdentity, VersionRef, check_identity, profile_identity,
};
pub use knowledge::{
    Fact, FactsPage, Found, Knowledge, KnowledgeError, KnowledgeHandle, Opened, PAGE_FACTS_MAX,
    QUERY_CHARS_MAX, QUERY_TERMS_MAX, SCHEMA_VERSION, SEARCH_FACTS_MAX, SOURCES_MAX, normalise,
    sqlite_version,
};
pub use short_term::{
    EXCHANGE_OVERHEAD_TOKENS, EXCHANGES_KEPT_MAX, HistoryScope, SESSIONS_MAX, ShortTerm,
    TOKENS_KEPT_MAX, Window,
};
pub use tokens::estimate_tokens;
