//! What it costs the answers that every tenth request is also given to a change, after it was answered.
//!
//! Two keepers with the same past answer in turn. Both have code of their own in force; in one of them a change of it, which is quicker
//! and so stays, is watched at its first stage.

use std::path::Path;

use super::{
    life::{self, SAME, SAME_SLOWER},
    plan::EvolutionBench,
};
use crate::{
    child::ChildKeeper,
    error::BenchError,
    report::{Bar, BarSubject, Row},
    times::RoundTimes,
};

const AGENT: &str = "agent-0";
/// Questions of the past: enough for a person to decide.
const PAST: usize = 40;
/// Questions of a round to each keeper, in blocks in turn.
const EACH: usize = 400;
const BLOCK: usize = 20;
/// More live requests than are asked: the stage must last.
const STAGE_PAIRS: u32 = 1_000;

pub(super) async fn measure(
    bench: &EvolutionBench<'_>,
    binary: &Path,
) -> Result<Vec<Row>, BenchError> {
    let (watched, alone) = (bench.scratch.join("watched"), bench.scratch.join("alone"));
    prepare(binary, &watched).await?;
    life::copy(&watched, &alone)?;
    let config = life::config(1, STAGE_PAIRS);
    let watched = life::start(binary, &watched, &config).await?;
    let alone = life::start(binary, &alone, &config).await?;
    let change = life::propose(&watched, AGENT, SAME).await?;
    life::put_in_force(&watched, &change).await?;
    let (mut ours, mut without) = (RoundTimes::default(), RoundTimes::default());
    slice(&watched, &alone, EACH / 4).await?;
    for _ in 0..bench.plan.rounds {
        let (of_watched, of_alone) = slice(&watched, &alone, EACH).await?;
        ours.push(of_watched);
        without.push(of_alone);
    }
    let state = life::state_of(&watched, &change).await?;
    if state != "watching" {
        return Err(BenchError::Wrong(format!("the change was no longer watched but {state}")));
    }
    watched.kill().await?;
    alone.kill().await?;
    let reference = "the same past without a change that is watched";
    Ok(vec![
        Row::new(
            "mirror_p99",
            "an epoch over HTTP while a tenth of the requests is given to a change too, p99",
            "ms",
            &ours.p99s(),
        )
        .beside(reference, &ours.p99s(), &without.p99s())
        .held_to(Bar::at_most(BarSubject::Ratio, 1.05))
        .note(format!("{EACH} epochs of each a round, in turn; {}", ours.note("ms"))),
        Row::new("mirror_p50", "the same, p50", "ms", &ours.p50s()).beside(
            reference,
            &ours.p50s(),
            &without.p50s(),
        ),
    ])
}

/// A home whose agent has a past and code of its own that was kept.
async fn prepare(binary: &Path, home: &Path) -> Result<(), BenchError> {
    let keeper = life::start(binary, home, &life::config(1, 1)).await?;
    life::tell(&keeper, AGENT).await?;
    for number in 0..PAST {
        life::ask(&keeper, AGENT, number).await?;
    }
    let change = life::propose(&keeper, AGENT, SAME_SLOWER).await?;
    life::put_in_force(&keeper, &change).await?;
    // One live request at each stage keeps it; every tenth is one of the first.
    for number in 0..10 * PAST {
        if life::state_of(&keeper, &change).await? == "kept" {
            return keeper.kill().await;
        }
        life::ask(&keeper, AGENT, number).await?;
    }
    Err(BenchError::Wrong("code that changes nothing was never kept".into()))
}

async fn slice(
    watched: &ChildKeeper,
    alone: &ChildKeeper,
    each: usize,
) -> Result<(Vec<f64>, Vec<f64>), BenchError> {
    let (mut ours, mut without) = (Vec::new(), Vec::new());
    for block in 0..each / BLOCK {
        for (keeper, times) in [(watched, &mut ours), (alone, &mut without)] {
            for number in 0..BLOCK {
                times.push(life::ask(keeper, AGENT, block + number).await?);
            }
        }
    }
    Ok((ours, without))
}
