//! The tools of a mind: what they are, which may run, and the built-in ones, one file each.
//!
//! A tool never writes to the ledger and never decides whether it may run: it is handed a [`Call`] and gives back an
//! [`Output`] with the events to stage; intent, outcome, permission and commit are the engine's. Fourth station of the
//! walk, between the mind's voice and the commit.
//!
//! Reading order: [`Tool`] with [`Call`] and [`Output`], [`MemoryLookup`] (what the memory tools may look up), [`Commands`]
//! (the command language), [`Registry`] (names and arguments), [`ToolPolicy`] (allow, ask, deny), then the tools: `memory`,
//! `stdout`, `clock`, `probe`.

mod tool;

mod commands;
mod lookup;
mod policy;
mod registry;

mod clock;
mod memory;
mod probe;
mod stdout;

pub use clock::Now;
pub use commands::{CommandReply, Commands, commands_of};
pub use lookup::{EdgeOf, MemoryLookup, MemoryQuestion};
pub use memory::{
    CloseNode, FACT_TAG_CHARS_MAX, FACT_TAGS_MAX, ForgetFact, LinkNodes, QueryMemory, Recall,
    RecordNode, RememberFact, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SearchFacts,
};
pub use policy::{Permission, ToolPolicy, ToolPolicyError};
pub use probe::{Append, Blob, Fail, PROBE_BLOB_BYTES_MAX, PROBE_SLEEP_MS_MAX};
pub use registry::{ArgumentProblem, ArgumentsError, Registry, RegistryError, UnknownToolError};
pub use stdout::Stdout;
pub use tool::{Call, Output, Tool, ToolError};
