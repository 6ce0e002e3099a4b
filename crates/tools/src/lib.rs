//! The tools of a mind: what they are, which may run, and the built-in ones, one file each.
//!
//! A tool never writes to the ledger and never decides whether it may run: it gets a [`Call`] and returns an [`Output`]
//! with the events to stage; the engine records intent and outcome, asks for permission and commits.
//!
//! ```
//! use abide_tools::{Permission, Registry, ToolPolicy};
//! use serde_json::json;
//!
//! let registry = Registry::builtin(None)?;
//! registry.validate("memory.recall", &json!({"query": "the demo"}))?;
//! let policy = ToolPolicy::new(&["memory.*"], &["memory.forget_fact"], &[])?;
//! assert_eq!(policy.decide("memory.forget_fact"), Permission::Ask);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`Tool`] with [`Call`] and [`Output`], [`CallProgress`] (what a call says while it runs), [`MemoryLookup`] (what the memory tools may look up), [`Commands`]
//! (the command language), [`KeptValues`] (what tools keep for an agent), [`Registry`] (names and arguments) with [`SharedRegistry`] and [`AgentTools`] (which one holds now, and for whom), [`OwnParts`] (what an agent made for itself) with [`InnerCalls`] (what its tools may ask for), [`ToolPolicy`] (allow, ask, deny), [`judge_call`] (all that decides about a call), [`choose_tools`] (which of many a prompt shows, and `tools.find`), then the tools: `memory`,
//! `stdout`, `clock`, `deck` (with [`AgentDecks`], what it sees), `probe`.

mod progress;
mod tool;
mod tool_error;

mod choose;
mod commands;
mod inner;
mod judge;
mod kept;
mod lookup;
mod own_parts;
mod policy;
mod registry;
mod schema_bounds;
mod shared_registry;

mod clock;
mod deck;
mod decks;
mod evolve;
mod memory;
mod probe;
mod stdout;

pub use choose::{
    ALL_SHOWN_MAX, FIND_BYTES_MAX, FIND_MATCHES_DEFAULT, FIND_MATCHES_MAX, FIND_NAMES_MAX,
    FIND_TOOL_NAME, FindTools, FoundTools, LIKELY_BYTES_MAX, LIKELY_MAX, LIKELY_MIN,
    LINES_BYTES_MAX, QUERY_BYTES_MAX, SHOWN_BYTES_MAX, SHOWN_MAX, ToolChoice, ToolIndex,
    ToolLimits, ToolMeanings, ToolQuery, ToolSearch, USED_TOOLS_MAX, UsedTool, choose_tools,
    find_tools, names_found,
};
pub use clock::Now;
pub use commands::{CommandReply, Commands, parse_commands};
pub use deck::{CardSource, deck_tool_names, deck_tools};
pub use decks::{AgentDecks, DeckLineError, deck_event, deck_line};
pub use evolve::ProposeEvolution;
pub use inner::{InnerCalls, NoInnerCalls};
pub use judge::judge_call;
pub use kept::KeptValues;
pub use lookup::{EdgeKey, MemoryLookup, MemoryQuestion};
pub use memory::{
    CloseNode, FACT_TAG_CHARS_MAX, FACT_TAGS_MAX, ForgetFact, LinkNodes, QueryMemory, Recall,
    RecordNode, RememberFact, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SearchFacts,
};
pub use own_parts::{OwnCommand, OwnParts, WrittenCommand};
pub use policy::{
    FOREIGN_PREFIX, OwnToolLists, PROPOSE_TOOL_NAME, Permission, ToolPolicy, ToolPolicyError,
    pattern_means,
};
pub use probe::{Append, Blob, Fail, PROBE_BLOB_BYTES_MAX, PROBE_SLEEP_MS_MAX};
pub use progress::{CallProgress, CallStep, CallUpdate, OutputPiece, OutputStream};
pub use registry::{ArgumentProblem, ArgumentsError, Registry, RegistryError, UnknownToolError};
pub use schema_bounds::compile_schema;
pub use shared_registry::{AgentTools, SharedRegistry};
pub use stdout::{Stdout, TOOL_PARTS};
pub use tool::{Call, DelicatePart, Output, Tool, ToolState};
pub use tool_error::{ToolError, ToolErrorKind, parse_arguments};
