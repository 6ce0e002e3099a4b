//! `kill -9` in the middle of a tool that takes 300 ms: how soon the keeper serves again, how soon the cut epoch has
//! ended by itself, and how often the tool ran.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    canned::{Canned, CannedCall},
    plan::EpochBench,
    start::with_model,
};
use crate::{
    child::{ChildKeeper, HomePlan, bare_start},
    error::BenchError,
    ledger::events,
    report::{Bar, BarSubject, Row},
    spread::float_of,
    system::Stopwatch,
};

/// How long the tool takes.
const TOOL_MS: u64 = 300;
/// How long after the tool's effect the keeper is killed.
const INTO: Duration = Duration::from_millis(100);
/// How often is looked.
const LOOK: Duration = Duration::from_millis(2);
/// Looks before it is given up: far more than any bar allows.
const LOOKS_MAX: u32 = 5_000;

/// What one kill saw.
struct KillResult {
    serving_ms: f64,
    ended_ms: f64,
    runs: f64,
    is_told: bool,
}

pub(super) fn measure(bench: &EpochBench<'_>, binary: &Path) -> Result<Vec<Row>, BenchError> {
    let arguments = json!({"line": "one real execution", "sleep_ms": TOOL_MS});
    let canned = Canned::start(&CannedCall { tool: "probe.append", arguments }, events::ANSWER)?;
    let (mut kills, mut bare) = (Vec::new(), Vec::new());
    for round in 0..bench.plan.rounds {
        bare.push(bench.runtime.block_on(bare_start())?);
        let home = bench.scratch.join(format!("kill-{round}"));
        kills.push(bench.runtime.block_on(kill(binary, &home, &canned))?);
    }
    canned.stop();
    let of = |figure: fn(&KillResult) -> f64| kills.iter().map(figure).collect::<Vec<_>>();
    let (serving, ended) = (of(|kill| kill.serving_ms), of(|kill| kill.ended_ms));
    let told = kills.iter().filter(|kill| kill.is_told).count();
    let all = kills.len();
    Ok(vec![
        Row::new("kill_serving", "kill -9 in a tool, serving again", "ms", &serving)
            .beside("start and end of `true`", &serving, &bare)
            .held_to(Bar::at_most(BarSubject::Worst, 300.0))
            .note("from the kill to 200 from /ready of a keeper that is started at once"),
        Row::new("kill_ended", "kill -9 in a tool, the cut epoch ended by itself", "ms", &ended)
            .held_to(Bar::at_most(BarSubject::Worst, 1_000.0))
            .note(format!("the lost outcome was told as unknown in {told} of {all}")),
        Row::new("kill_runs", "kill -9 in a tool, real executions of it", "runs", &of(|k| k.runs))
            .held_to(Bar::at_most(BarSubject::Worst, 1.0)),
    ])
}

async fn kill(binary: &Path, home: &Path, canned: &Canned) -> Result<KillResult, BenchError> {
    let probe = home.join("probe.txt");
    let config = format!("{}[test]\nprobe_file = '{}'\n", with_model(canned), probe.display());
    let plan = HomePlan { binary, home, config: &config };
    plan.make()?;
    let keeper = plan.start().await?;
    let accepted = keeper.stimulate(events::QUESTION, "/start-epoch").await?;
    let id = accepted.get("epoch_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    wait_for_effect(&probe).await?;
    tokio::time::sleep(INTO).await;
    let watch = Stopwatch::start();
    keeper.kill().await?;
    let keeper = plan.start().await?;
    let serving_ms = watch.millis();
    let epoch = wait_for_end(&keeper, &id).await?;
    let ended_ms = watch.millis();
    // A second execution that is under way would still come.
    tokio::time::sleep(Duration::from_millis(TOOL_MS)).await;
    keeper.kill().await?;
    let outcome = epoch.pointer("/turns/0/tool_calls/0/outcome").and_then(Value::as_str);
    Ok(KillResult {
        serving_ms,
        ended_ms,
        runs: float_of(lines(&probe)),
        is_told: outcome == Some("unknown"),
    })
}

fn lines(probe: &PathBuf) -> usize {
    fs::read_to_string(probe).unwrap_or_default().lines().count()
}

async fn wait_for_effect(probe: &PathBuf) -> Result<(), BenchError> {
    for _ in 0..LOOKS_MAX {
        if lines(probe) > 0 {
            return Ok(());
        }
        tokio::time::sleep(LOOK).await;
    }
    Err(BenchError::Wrong("the tool never ran".into()))
}

async fn wait_for_end(keeper: &ChildKeeper, id: &str) -> Result<Value, BenchError> {
    for _ in 0..LOOKS_MAX {
        let epoch = keeper.get(&format!("/epochs/{id}")).await?;
        match epoch.get("state").and_then(Value::as_str) {
            Some("committed") => return Ok(epoch),
            Some("aborted") => {
                return Err(BenchError::Wrong(format!("the cut epoch was aborted: {epoch}")));
            }
            _ => tokio::time::sleep(LOOK).await,
        }
    }
    Err(BenchError::Wrong(format!("epoch {id} never ended")))
}
