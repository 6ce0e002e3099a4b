//! `abide bench evolution`: what it costs that agents change, while their changes are tried and watched.
//!
//! Keepers are the real binary, without a model; what is compared runs in turn in the same minutes. What must be true besides, no
//! stall and no wrong answer, is an error where it is not.
//!
//! Reading order: `plan`; `call` (one call of a module); `life` (a home whose agents have a past to be tried on), then `mirror`
//! and `shadows`.

use crate::{
    error::BenchError, machine::Machine, report::BenchReport, scratch::Scratch, system::runtime,
};

mod call;
mod life;
mod mirror;
mod plan;
mod shadows;

use plan::EvolutionBench;
pub use plan::EvolutionPlan;

/// Runs all measurements of changes; `tell` hears which is next. Blocks for minutes.
pub fn evolution(plan: &EvolutionPlan, tell: &dyn Fn(&str)) -> Result<BenchReport, BenchError> {
    let scratch = Scratch::within(&plan.folder)?;
    let machine = Machine::look(scratch.path())?;
    let runtime = runtime()?;
    let bench = EvolutionBench { plan, scratch: &scratch, runtime: &runtime };
    tell("calls of a module");
    let mut rows = call::measure(&bench)?;
    if let Some(binary) = &plan.binary {
        tell("live requests that are given to a change as well");
        rows.extend(runtime.block_on(mirror::measure(&bench, binary))?);
        tell("ten changes that are tried at once");
        rows.extend(runtime.block_on(shadows::measure(&bench, binary))?);
    }
    Ok(BenchReport {
        bench: "evolution",
        version: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        rounds: plan.rounds,
        machine: machine.ended(),
        rows,
    })
}
