//! Many agents at rest on one keeper: what each takes of its memory, and how soon one that is asked answers.
//!
//! Every one of them has lived before: its process was started, took a turn, made a checkpoint and was put to rest.

use std::time::Duration;

use super::{
    Bench,
    bare::BareChild,
    house::{Design, House},
    times::Times,
};
use crate::{
    agent::{self, TURN},
    error::BenchError,
    machine::number,
    report::Row,
    spread::{float, float_of},
    system::Stopwatch,
};

/// Agents that are started at once.
const CROWD: usize = 16;
/// Agents that are woken in a round, one after the other.
const WAKES: usize = 25;
/// How long the keeper is left alone before its memory is looked at.
const REST: Duration = Duration::from_millis(200);

/// Memory of this process in KiB, with nobody, with all before their first turn, and with all at rest.
#[derive(Debug, Default)]
struct Memory {
    nobody: f64,
    untouched: f64,
    at_rest: Vec<f64>,
}

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Row>, BenchError> {
    let agents = bench.plan.sleepers;
    let mut bare = BareChild::start(&bench.plan.binary)?;
    // What a first crowd leaves behind in the allocator and in the page tables belongs to no agent.
    bench.runtime.block_on(live(bench, "warm", CROWD.min(agents)))?;
    let mut memory = Memory { nobody: rss_kib()?, ..Memory::default() };
    let house = bench.runtime.block_on(async { open(bench, "sleepers", agents) })?;
    bench.runtime.block_on(async { tokio::time::sleep(REST).await });
    memory.untouched = rss_kib()?;
    bench.runtime.block_on(first_life(&house, agents))?;
    let (mut wakes, mut starts) = (Times::default(), Times::default());
    let mut lives = vec![1; agents];
    for round in 0..bench.plan.rounds as usize {
        memory.at_rest.push(rss_kib()?);
        let (mut woken, mut started) = (Vec::new(), Vec::new());
        let chosen: Vec<_> = (0..WAKES.min(agents)).map(|n| (round * WAKES + n) % agents).collect();
        for number in &chosen {
            bench.settle();
            started.push(bare.start_again()?);
            bench.settle();
            woken.push(bench.runtime.block_on(wake(&house, *number, &mut lives))?);
        }
        wakes.push(woken);
        starts.push(started);
        bench.runtime.block_on(all_rest(&house, chosen.into_iter()))?;
    }
    bench.runtime.block_on(house.close())?;
    Ok(rows(agents, &memory, &wakes, &starts))
}

fn rows(agents: usize, memory: &Memory, wakes: &Times, starts: &Times) -> Vec<Row> {
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

fn open(bench: &Bench<'_>, name: &str, agents: usize) -> Result<House, BenchError> {
    let (binary, rest_after) = (&bench.plan.binary, Some(bench.plan.rest_after));
    let design = Design { binary, agents, rest_after, listener: None };
    House::open(&bench.scratch.join(name), design)
}

/// A whole house from its beginning to its end.
async fn live(bench: &Bench<'_>, name: &str, agents: usize) -> Result<(), BenchError> {
    let house = open(bench, name, agents)?;
    first_life(&house, agents).await?;
    house.close().await
}

/// Has every agent take its first turn and put to rest.
async fn first_life(house: &House, agents: usize) -> Result<(), BenchError> {
    let numbers: Vec<_> = (0..agents).collect();
    let first = agent::standing(1, 0);
    for crowd in numbers.chunks(CROWD) {
        let turns = crowd.iter().map(|number| house.expect(*number, TURN, &first));
        futures_util::future::try_join_all(turns).await?;
    }
    all_rest(house, 0..agents).await
}

async fn all_rest(house: &House, numbers: impl Iterator<Item = usize>) -> Result<(), BenchError> {
    for number in numbers {
        house.rest(number).await?;
    }
    tokio::time::sleep(REST).await;
    Ok(())
}

/// Asks an agent at rest, in milliseconds to its answer.
async fn wake(house: &House, number: usize, lives: &mut [u64]) -> Result<f64, BenchError> {
    let lived = lives.get_mut(number).ok_or_else(|| BenchError::Wrong("nobody".into()))?;
    *lived += 1;
    let standing = agent::standing(*lived, 0);
    let watch = Stopwatch::start();
    house.expect(number, TURN, &standing).await?;
    Ok(watch.millis())
}

/// Resident memory of this process, in KiB, as its map of pages says it; the count that `status` shows lags behind.
fn rss_kib() -> Result<f64, BenchError> {
    let kib = number("/proc/self/smaps_rollup", "Rss");
    kib.map(float).ok_or_else(|| BenchError::Wrong("this process cannot see its memory".into()))
}
