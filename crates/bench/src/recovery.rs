//! `abide bench recovery`: agents as processes that are killed, restored, asked, put to rest and woken.
//!
//! A supervisor with a ledger on the disk runs in this process; agents, their shims and what they are compared with are
//! real processes of the binary. What comes back is checked after every kill: a fast restore of something else is an error.
//!
//! Reading order: `plan`, `supervisor` (the processes), `asking` (a turn without an engine), `bare` (a parent and a child without
//! Abide); then the questions `deaths`, `checkpoints`, `frames`, `reload` and `sleepers`.

use crate::{
    error::BenchError, machine::Machine, report::BenchReport, scratch::Scratch, system::runtime,
};

mod asking;
mod bare;
mod checkpoints;
mod deaths;
mod frames;
mod plan;
mod reload;
mod sleepers;
mod supervisor;

use plan::RecoveryBench;
pub use plan::{Deaths, RecoveryPlan};

/// Runs all measurements of recovery; `tell` hears which is next. Blocks for minutes.
pub fn recovery(plan: &RecoveryPlan, tell: &dyn Fn(&str)) -> Result<BenchReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let runtime = runtime()?;
    let bench = RecoveryBench { plan, scratch: &scratch, runtime: &runtime };
    // First, while this process has held nothing large whose room could hide what they take.
    tell("agents at rest");
    let sleepers = sleepers::measure(&bench)?;
    tell("a small state, killed");
    let mut rows = deaths::small(&bench)?;
    tell("a large state, killed");
    rows.extend(deaths::large(&bench)?);
    tell("checkpoints");
    rows.extend(checkpoints::measure(&bench)?);
    tell("frames");
    rows.extend(frames::measure(&bench)?);
    tell("code that is loaded");
    rows.push(reload::measure(&bench)?);
    rows.extend(sleepers);
    Ok(BenchReport {
        bench: "recovery",
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        rounds: plan.rounds,
        machine: machine.ended(),
        rows,
    })
}
