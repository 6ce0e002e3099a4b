//! Ten changes of ten agents, tried at once, while another agent goes on answering.

use std::path::Path;

use serde_json::Value;

use super::{
    life::{self, SAME},
    plan::EvolutionBench,
};
use crate::{
    child::ChildKeeper,
    error::BenchError,
    report::{Bar, BarSubject, Row},
    spread::quantile_of,
};

/// Agents whose changes are tried; one more answers.
const TRIED: usize = 10;
/// Questions of the past of each.
const PAST: usize = 100;
/// Epochs that are timed before the trials begin, and at most beside them.
const BEFORE: usize = 200;
const BESIDE_MAX: usize = 20_000;
/// How often the memory of all processes is looked at, in epochs.
const LOOK_EVERY: usize = 20;
/// What all of it may take, in MiB.
const MEMORY_MAX: f64 = 24.0 * 1024.0;

pub(super) async fn measure(
    bench: &EvolutionBench<'_>,
    binary: &Path,
) -> Result<Vec<Row>, BenchError> {
    let home = bench.scratch.join("shadows");
    let keeper = life::start(binary, &home, &life::config(TRIED + 1, 30)).await?;
    for agent in 0..=TRIED {
        life::tell(&keeper, &name(agent)).await?;
    }
    for number in 0..PAST {
        for agent in 0..TRIED {
            life::ask(&keeper, &name(agent), number).await?;
        }
    }
    let other = name(TRIED);
    let mut before = Vec::new();
    for number in 0..BEFORE {
        before.push(life::ask(&keeper, &other, number).await?);
    }
    let mut changes = Vec::new();
    for agent in 0..TRIED {
        changes.push(life::propose(&keeper, &name(agent), SAME).await?);
    }
    let (mut beside, mut memory) = (Vec::new(), 0.0_f64);
    while is_any_tried(&keeper, &changes).await? {
        memory = memory.max(keeper.tree_rss_mib());
        for number in 0..LOOK_EVERY {
            beside.push(life::ask(&keeper, &other, number).await?);
        }
        if beside.len() > BESIDE_MAX {
            return Err(BenchError::Wrong("the trials never ended".into()));
        }
    }
    no_stall(&keeper).await?;
    keeper.kill().await?;
    let (beside_p99, before_p99) = (quantile_of(&beside, 0.99), quantile_of(&before, 0.99));
    let note = format!("{} epochs beside the trials; no stall was reported", beside.len());
    Ok(vec![
        Row::new(
            "shadows_memory",
            "the keeper and all its processes while ten changes are tried, at most",
            "MiB",
            &[memory],
        )
        .held_to(Bar::at_most(BarSubject::Worst, MEMORY_MAX)),
        Row::new("shadows_p99", "an epoch of another agent meanwhile, p99", "ms", &[beside_p99])
            .beside("the same before the trials began", &[beside_p99], &[before_p99])
            .note(note),
    ])
}

fn name(agent: usize) -> String {
    format!("agent-{agent}")
}

/// Whether the trial of one of these goes on.
async fn is_any_tried(keeper: &ChildKeeper, changes: &[String]) -> Result<bool, BenchError> {
    for change in changes {
        let state = life::state_of(keeper, change).await?;
        if matches!(state.as_str(), "proposed" | "validated" | "checkpointed" | "shadowing") {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Fails where the watchdog reported a stall: nothing stood still.
async fn no_stall(keeper: &ChildKeeper) -> Result<(), BenchError> {
    let lines = keeper.get("/ledger?kinds=watchdog.stall_opened&limit=1").await?;
    let found = lines.get("items").and_then(Value::as_array).map_or(0, Vec::len);
    if found == 0 {
        return Ok(());
    }
    Err(BenchError::Wrong(format!("a stall was reported where nothing stood still: {lines}")))
}
