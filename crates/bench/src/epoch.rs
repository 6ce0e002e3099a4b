//! `abide bench epoch`: whole epochs (two model calls, one tool) against a canned model on loopback HTTP.
//!
//! Reading order: `plan`, `canned` (the model), `note` (the tool), `counted` (the disk, with its syncs counted), `keeper` (a keeper
//! of these), `floor` (the same bytes without Abide); then the questions `pace` and `growth`, and those that only the
//! real binary can answer: `start`, `kill`; and `server_tool`, for which a server of tools is started.

use crate::{
    error::BenchError,
    ledger::events,
    machine::Machine,
    report::{BenchReport, Row},
    scratch::Scratch,
    system::runtime,
};

mod canned;
mod counted;
mod floor;
mod growth;
mod keeper;
mod kill;
mod note;
mod pace;
mod plan;
mod server_tool;
mod start;

use canned::{Canned, CannedCall};
use plan::EpochBench;
pub use plan::EpochPlan;

/// Runs all measurements of epochs; `tell` hears which is next. Blocks for a minute or more.
pub fn epoch(plan: &EpochPlan, tell: &dyn Fn(&str)) -> Result<BenchReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let runtime = runtime()?;
    let bench = EpochBench { plan, scratch: &scratch, runtime: &runtime };
    let mut rows = in_process(&bench, tell)?;
    if let Some(child) = &plan.child {
        tell("a tool of a server");
        rows.push(server_tool::measure(&bench, child)?);
    }
    if let Some(binary) = &plan.binary {
        tell("starting the binary");
        rows.extend(start::measure(&bench, binary)?);
        tell("killing the binary");
        rows.extend(kill::measure(&bench, binary)?);
    }
    Ok(BenchReport {
        bench: "epoch",
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        rounds: plan.rounds,
        machine: machine.ended(),
        rows,
    })
}

fn in_process(bench: &EpochBench<'_>, tell: &dyn Fn(&str)) -> Result<Vec<Row>, BenchError> {
    let call = CannedCall { tool: events::TOOL, arguments: events::arguments() };
    let canned = Canned::start(&call, events::ANSWER)?;
    tell("one conversation");
    let mut rows = pace::one(bench, &canned)?;
    tell("eight conversations");
    rows.extend(pace::eight(bench, &canned)?);
    tell("a long conversation");
    rows.extend(growth::measure(bench, &canned)?);
    canned.stop();
    Ok(rows)
}
