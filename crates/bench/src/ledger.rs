//! `abide bench ledger`: the log against raw loops over the same bytes, and against SQLite, slice by slice.
//!
//! Reading order: `log` (an open ledger of its own), `events` (what is written), `harness` (a bare writer of the same lines), then a file a question: `lone`, `many`,
//! `replay`, `reading`.

use std::path::PathBuf;

use tokio::runtime::Runtime;

use crate::{
    error::BenchError, machine::Machine, report::BenchReport, scratch::Scratch, system::runtime,
};

pub(crate) mod events;
mod harness;
pub(crate) mod log;
mod lone;
mod many;
mod reading;
mod replay;

/// How `abide bench ledger` is run.
#[derive(Clone, Debug)]
pub struct LedgerPlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// Slices of each kind.
    pub rounds: u32,
    /// Epochs of ten events in the log that is read back.
    pub epochs: u32,
}

impl LedgerPlan {
    /// The usual plan, on the disk of a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, rounds: 15, epochs: 20_000 }
    }
}

/// What all questions share.
struct Bench<'a> {
    plan: &'a LedgerPlan,
    scratch: &'a Scratch,
    runtime: &'a Runtime,
}

/// Runs all measurements of the ledger; `tell` hears which is next. Blocks for seconds to minutes.
pub fn ledger(plan: &LedgerPlan, tell: &dyn Fn(&str)) -> Result<BenchReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let runtime = runtime()?;
    let bench = Bench { plan, scratch: &scratch, runtime: &runtime };
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
