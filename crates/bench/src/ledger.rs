//! `abide bench ledger`: the log against raw loops over the same bytes, and against SQLite, slice by slice.
//!
//! Reading order: `plan`, `log` (an open ledger of its own), `events` (what is written), `harness` (a bare writer of the same lines), then a file a question: `lone`, `many`,
//! `replay`, `reading`.

use crate::{
    error::BenchError, machine::Machine, report::BenchReport, scratch::Scratch, system::runtime,
};

pub(crate) mod events;
mod harness;
pub(crate) mod log;
mod lone;
mod many;
mod plan;
mod reading;
mod replay;

use plan::LedgerBench;
pub use plan::LedgerPlan;

/// Runs all measurements of the ledger; `tell` hears which is next. Blocks for seconds to minutes.
pub fn ledger(plan: &LedgerPlan, tell: &dyn Fn(&str)) -> Result<BenchReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let runtime = runtime()?;
    let bench = LedgerBench { plan, scratch: &scratch, runtime: &runtime };
    let mut rows = Vec::new();
    tell("one writer");
    rows.extend(lone::measure(&bench)?);
    tell("many writers");
    rows.extend(many::measure(&bench)?);
    tell("reading back");
    rows.extend(replay::measure(&bench)?);
    Ok(BenchReport {
        bench: "ledger",
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        rounds: plan.rounds,
        machine: machine.ended(),
        rows,
    })
}
