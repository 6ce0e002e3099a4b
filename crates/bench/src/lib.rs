//! `abide bench`: what Abide costs beside raw loops that run in the same process at the same time.
//!
//! A figure without its reference measures the neighbours of the machine. So every measurement alternates slices of
//! ours and of a raw loop over the same bytes, and reports the ratio of each round, with median and spread. Nothing here
//! holds a result of its own; what is printed was measured a moment ago.
//!
//! Reading order: [`BenchReport`] with its rows and bars, `spread`, `machine`; then [`ledger()`] (the log against raw writes
//! and SQLite), [`query()`] (texts and conditions against ripgrep, jq and SQLite), [`wire()`] (frames against the codecs of other languages), [`epoch()`] (whole epochs against a canned
//! model, in this process and in the real binary), [`memory()`] (what is found, how fast), [`tool_choice()`] (whether the tool that a step needs is shown) [`recovery()`] (agents that are killed, with the child that they are:
//! [`bench_agent`]) and [`evolution()`] (what changes of agents cost while they are tried).
//!
//! ```
//! # fn main() -> Result<(), abide_bench::BenchError> {
//! use abide_bench::{LedgerPlan, ledger};
//!
//! // A short run: usual plans have more rounds. The second argument hears what is measured next.
//! let plan = LedgerPlan { rounds: 1, epochs: 60, ..LedgerPlan::new(std::env::temp_dir()) };
//! let report = ledger(&plan, &|_next| {})?;
//! let append = report.rows.iter().find(|row| row.id == "lone_append");
//! assert!(append.is_some_and(|row| row.reference.is_some()));
//! # Ok(())
//! # }
//! ```

mod error;
mod report;
mod spread;

mod machine;
mod scratch;
mod system;
mod times;

mod raw;

mod agent;
mod child;
mod echo;
mod epoch;
mod evolution;
mod ledger;
mod memory;
mod query;
mod recovery;
mod tool_server;
mod tools_choice;
mod wire;

pub use agent::{BENCH_AGENT, bench_agent};
pub use epoch::{EpochPlan, epoch};
pub use error::BenchError;
pub use evolution::{EvolutionPlan, evolution};
pub use ledger::{LedgerPlan, ledger};
pub use machine::Machine;
pub use memory::{
    AblatedScores, Absence, FoundOrder, FoundOrders, Locomo, Measures, MemoryPlan, MemoryReport,
    OwnScores, PromptPart, RankingSearchPlan, RankingSearchReport, RecallScore, TRUTH_LIVES,
    TruthCount, TruthCounts, TruthHalf, TruthKind, TruthMeasure, TruthPlan, TruthReport,
    TruthScores, memory, ranking_search, truth,
};
pub use query::{QueryPlan, query};
pub use recovery::{Deaths, RecoveryPlan, recovery};
pub use report::{Bar, BarRule, BarSubject, BarVerdict, BenchReport, Reference, Row};
pub use spread::Spread;
pub use tools_choice::{
    ToolChoicePlan, ToolChoiceReport, ToolChoiceScore, ToolSystem, ToolTaskSet, tool_choice,
};
pub use wire::{WirePlan, wire};
