//! `abide bench ledger --query`: the logs of stdout and the segments of the ledger, asked for what stands in them.
//!
//! The logs are made here from a seed, in the sizes of the specification. Beside each question the same is asked of what
//! people would use instead on the same data: `ripgrep`, `jq`, SQLite with an index. Every answer is compared with
//! theirs; one that differs ends the run.
//!
//! Reading order: `logs` (what is asked), `rivals` (who else is asked), then a file a question: `last`, `text`,
//! `condition`, `segments`, `week`.

use std::path::PathBuf;

use crate::{
    error::BenchError, machine::Machine, report::BenchReport, report::Row, scratch::Scratch,
    system::runtime,
};

mod condition;
mod last;
mod logs;
mod rivals;
mod segments;
mod text;
mod week;

use self::{logs::Logs, rivals::EntryTable};

/// Entities that the entries are spread over.
const ENTITIES: u64 = 8;
/// Most events in the ledger that is searched; the logs may hold more.
const LEDGER_EVENTS_MAX: u64 = 2_000_000;

/// How `abide bench ledger --query` is run.
#[derive(Clone, Debug)]
pub struct QueryPlan {
    /// A scratch folder is made in it, or in the nearest folder above it that exists.
    pub folder: PathBuf,
    /// Slices of each kind.
    pub rounds: u32,
    /// Entries in all logs together. Ten million take 4 GB of disk while it runs.
    pub entries: u64,
    /// Whether a week of 800 entities is made and asked too.
    pub week: bool,
}

impl QueryPlan {
    /// The usual plan, on the disk of a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, rounds: 7, entries: 1_000_000, week: false }
    }
}

/// Runs all measurements of queries; `tell` hears which is next. Blocks for minutes.
pub fn query(plan: &QueryPlan, tell: &dyn Fn(&str)) -> Result<BenchReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let mut rows = of_sizes(plan, &scratch, tell)?;
    tell("a text in the ledger");
    let runtime = runtime()?;
    let events = plan.entries.min(LEDGER_EVENTS_MAX);
    rows.extend(segments::measure(plan.rounds, events, &scratch, &runtime)?);
    if plan.week {
        tell("a week of 800 entities");
        rows.extend(week::measure(plan.rounds, &scratch)?);
    }
    Ok(BenchReport {
        bench: "query",
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        rounds: plan.rounds,
        machine: machine.ended(),
        rows,
    })
}

fn of_sizes(
    plan: &QueryPlan,
    scratch: &Scratch,
    tell: &dyn Fn(&str),
) -> Result<Vec<Row>, BenchError> {
    let mut rows = Vec::new();
    for (size, ids) in last::SIZES {
        let entries = (plan.entries / size / ENTITIES).max(1) * ENTITIES;
        tell(&format!("the last ten of {entries} entries"));
        let logs = Logs::write(scratch.join(format!("of-{size}")), ENTITIES, entries)?;
        rows.extend(last::measure(plan.rounds, &logs, ids)?);
        if size == 1 {
            rows.extend(of_all(plan, scratch, &logs, tell)?);
        }
        // What is done makes room for what follows.
        logs.remove()?;
    }
    Ok(rows)
}

fn of_all(
    plan: &QueryPlan,
    scratch: &Scratch,
    logs: &Logs,
    tell: &dyn Fn(&str),
) -> Result<Vec<Row>, BenchError> {
    tell("a text in all logs");
    let mut rows = text::measure(plan.rounds, logs)?;
    tell("conditions");
    let table = EntryTable::of(scratch.join("rival.db"), logs)?;
    rows.extend(condition::measure(plan.rounds, logs, &table)?);
    table.remove()?;
    Ok(rows)
}
