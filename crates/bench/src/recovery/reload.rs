//! How soon an agent's process acknowledges code that it is to load between two turns.

use super::{
    plan::RecoveryBench,
    supervisor::{BenchSupervisor, SupervisorPlan},
};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
    spread::quantile_of,
    system::Stopwatch,
};

/// Bytes of the code: the most that a proposal may have.
const CODE_BYTES: usize = 1 << 20;
/// Loads of a round.
const LOADS: u32 = 20;

pub(super) fn measure(bench: &RecoveryBench<'_>) -> Result<Row, BenchError> {
    let design = SupervisorPlan::of_one(&bench.plan.binary);
    let folder = bench.scratch.join("reload");
    let (copied, loaded) = bench.runtime.block_on(async {
        let supervisor = BenchSupervisor::open(&folder, design)?;
        // The first one waits for the start of the process.
        supervisor.reload(0, &code(0)).await?;
        let (mut copied, mut loaded) = (Vec::new(), Vec::new());
        for round in 0..bench.plan.rounds {
            let mut of_round = Vec::new();
            let mut of_copies = Vec::new();
            for load in 1..=LOADS {
                let code = code(round * LOADS + load);
                let watch = Stopwatch::start();
                std::hint::black_box(code.clone());
                of_copies.push(watch.millis());
                let watch = Stopwatch::start();
                supervisor.reload(0, &code).await?;
                of_round.push(watch.millis());
            }
            loaded.push(quantile_of(&of_round, 0.99));
            copied.push(quantile_of(&of_copies, 0.99));
        }
        supervisor.close().await?;
        Ok::<_, BenchError>((copied, loaded))
    })?;
    Ok(Row::new(
        "hot_reload",
        format!("code of {CODE_BYTES} bytes, from hot_reload to its acknowledgement, p99"),
        "ms",
        &loaded,
    )
    .beside("one copy of the same bytes in memory", &loaded, &copied)
    .held_to(Bar::at_most(BarSubject::Worst, 100.0))
    .note(format!("{LOADS} loads a round; the agent keeps a copy of it")))
}

/// Code of which no two are the same.
fn code(number: u32) -> String {
    let mut code = format!("{number:010} ");
    code.push_str(&"x".repeat(CODE_BYTES - code.len()));
    code
}
