//! Many agents at rest on one keeper: what each takes of its memory, and how soon one that is asked answers.
//!
//! Every one of them has lived before: its process was started, took a turn, made a checkpoint and was put to rest.

use std::time::Duration;

use super::{
    bare::BareChild,
    plan::RecoveryBench,
    supervisor::{BenchSupervisor, SupervisorPlan},
};
use crate::{
    agent::{self, TURN},
    error::BenchError,
    machine::number,
    report::Row,
    spread::{float, float_of},
    system::Stopwatch,
    times::RoundTimes,
};

/// Agents that are started at once.
const CROWD: usize = 16;
/// Agents that are woken in a round, one after the other.
const WAKES: usize = 25;
/// How long the keeper is left alone before its memory is looked at.
const REST: Duration = Duration::from_millis(200);

/// Memory of this process in KiB, with nobody, with all before their first turn, and with all at rest.
#[derive(Debug, Default)]
struct MemoryUse {
    nobody: f64,
    untouched: f64,
    at_rest: Vec<f64>,
}

pub(super) fn measure(bench: &RecoveryBench<'_>) -> Result<Vec<Row>, BenchError> {
    let agents = bench.plan.sleepers;
    let mut bare = BareChild::start(&bench.plan.binary)?;
    // What a first crowd leaves behind in the allocator and in the page tables belongs to no agent.
    bench.runtime.block_on(live(bench, "warm", CROWD.min(agents)))?;
    let mut memory = MemoryUse { nobody: rss_kib()?, ..MemoryUse::default() };
    let supervisor = bench.runtime.block_on(async { open(bench, "sleepers", agents) })?;
    bench.runtime.block_on(async { tokio::time::sleep(REST).await });
    memory.untouched = rss_kib()?;
    bench.runtime.block_on(first_life(&supervisor, agents))?;
    let (mut wakes, mut starts) = (RoundTimes::default(), RoundTimes::default());
    let mut lives = vec![1; agents];
    for round in 0..bench.plan.rounds as usize {
        memory.at_rest.push(rss_kib()?);
        let (mut woken, mut started) = (Vec::new(), Vec::new());
        let chosen: Vec<_> = (0..WAKES.min(agents)).map(|n| (round * WAKES + n) % agents).collect();
        for number in &chosen {
            bench.settle();
            started.push(bare.start_again()?);
            bench.settle();
            woken.push(bench.runtime.block_on(wake(&supervisor, *number, &mut lives))?);
        }
        wakes.push(woken);
        starts.push(started);
        bench.runtime.block_on(all_rest(&supervisor, chosen.into_iter()))?;
    }
    bench.runtime.block_on(supervisor.close())?;
    Ok(rows(agents, &memory, &wakes, &starts))
}

fn rows(agents: usize, memory: &MemoryUse, wakes: &RoundTimes, starts: &RoundTimes) -> Vec<Row> {
    let each = |kib: f64| (kib - memory.nobody) / float_of(agents.max(1));
    let at_rest: Vec<_> = memory.at_rest.iter().map(|kib| each(*kib)).collect();
    let whole = memory.at_rest.last().copied().unwrap_or_default() / 1024.0;
    let reference = "a bare parent: fork and exec to the first word";
    vec![
        Row::new("rest_rss", "memory of the keeper for an agent at rest", "KiB", &at_rest).note(
            format!(
                "{agents} agents, each with a life behind it; this process with all of them: \
                 {whole:.1} MiB, {:.1} MiB without any; {:.2} KiB each before their first turn",
                memory.nobody / 1024.0,
                each(memory.untouched)
            ),
        ),
        Row::new("wake", "an agent at rest is asked, to its answer, p50", "ms", &wakes.p50s())
            .beside(reference, &wakes.p50s(), &starts.p50s())
            .note("process started, state taken back, the turn logged before it is answered"),
        Row::new("wake_p99", "the same, p99", "ms", &wakes.p99s())
            .beside(reference, &wakes.p99s(), &starts.p99s())
            .note(wakes.note("ms")),
    ]
}

fn open(
    bench: &RecoveryBench<'_>,
    name: &str,
    agents: usize,
) -> Result<BenchSupervisor, BenchError> {
    let (binary, rest_after) = (&bench.plan.binary, Some(bench.plan.rest_after));
    let design = SupervisorPlan { binary, agents, rest_after, listener: None, level: None };
    BenchSupervisor::open(&bench.scratch.join(name), design)
}

/// One supervisor from its start to its end.
async fn live(bench: &RecoveryBench<'_>, name: &str, agents: usize) -> Result<(), BenchError> {
    let supervisor = open(bench, name, agents)?;
    first_life(&supervisor, agents).await?;
    supervisor.close().await
}

/// Has every agent take its first turn and put to rest.
async fn first_life(supervisor: &BenchSupervisor, agents: usize) -> Result<(), BenchError> {
    let numbers: Vec<_> = (0..agents).collect();
    let first = agent::standing(1, 0);
    for crowd in numbers.chunks(CROWD) {
        let turns = crowd.iter().map(|number| supervisor.expect(*number, TURN, &first));
        futures_util::future::try_join_all(turns).await?;
    }
    all_rest(supervisor, 0..agents).await
}

async fn all_rest(
    supervisor: &BenchSupervisor,
    numbers: impl Iterator<Item = usize>,
) -> Result<(), BenchError> {
    for number in numbers {
        supervisor.rest(number).await?;
    }
    tokio::time::sleep(REST).await;
    Ok(())
}

/// Asks an agent at rest, in milliseconds to its answer.
async fn wake(
    supervisor: &BenchSupervisor,
    number: usize,
    lives: &mut [u64],
) -> Result<f64, BenchError> {
    let lived = lives.get_mut(number).ok_or_else(|| BenchError::Wrong("nobody".into()))?;
    *lived += 1;
    let standing = agent::standing(*lived, 0);
    let watch = Stopwatch::start();
    supervisor.expect(number, TURN, &standing).await?;
    Ok(watch.millis())
}

/// Resident memory of this process, in KiB, as its map of pages says it; the count that `status` shows lags behind.
fn rss_kib() -> Result<f64, BenchError> {
    let kib = number("/proc/self/smaps_rollup", "Rss");
    kib.map(float).ok_or_else(|| BenchError::Wrong("this process cannot see its memory".into()))
}
