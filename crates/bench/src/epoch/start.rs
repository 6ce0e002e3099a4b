//! The real binary at rest: how soon it is ready, what it holds, how often it wakes while nothing happens, and what a
//! conversation over HTTP takes.

use std::{path::Path, time::Duration};

use super::{
    canned::{Canned, CannedCall},
    plan::EpochBench,
};
use crate::{
    child::{ChildKeeper, HomePlan, bare_start},
    error::BenchError,
    ledger::events,
    report::{Bar, BarSubject, Row},
    spread::{float, float_of, median},
    system::Stopwatch,
};

/// How long a keeper rests before its memory is looked at.
const REST: Duration = Duration::from_secs(2);
/// How long its wake-ups are counted.
const WATCH: Duration = Duration::from_secs(5);
/// Keepers that are watched at rest.
const RESTS_MAX: u32 = 3;
/// Epochs of a slice of the conversation over HTTP.
const EPOCHS: usize = 20;
/// Such slices.
const SLICES: usize = 5;

/// A keeper without a model.
const REFLEX: &str = r#"
[keeper]
listen = "127.0.0.1:0"
[model]
provider = "reflex"
[irc]
listen = "off"
"#;

pub(super) fn measure(bench: &EpochBench<'_>, binary: &Path) -> Result<Vec<Row>, BenchError> {
    let mut rows = bench.runtime.block_on(starts(bench, binary))?;
    rows.push(bench.runtime.block_on(conversation(bench, binary))?);
    Ok(rows)
}

async fn starts(bench: &EpochBench<'_>, binary: &Path) -> Result<Vec<Row>, BenchError> {
    let (mut bare, mut fresh, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..bench.plan.rounds {
        let home = bench.scratch.join(format!("start-{round}"));
        let plan = HomePlan { binary, home: &home, config: REFLEX };
        plan.make()?;
        bare.push(bare_start().await?);
        for times in [&mut fresh, &mut again] {
            let keeper = plan.start().await?;
            times.push(keeper.ready_ms);
            keeper.kill().await?;
        }
    }
    let reference = "start and end of `true`";
    let mut rows = vec![
        Row::new("start_ready", "start of an empty home to ready", "ms", &fresh)
            .beside(reference, &fresh, &bare)
            .held_to(Bar::at_most(BarSubject::Value, 50.0))
            .note("from the start of the process to 200 from /ready"),
        Row::new("restart_ready", "restart after kill -9 to ready", "ms", &again)
            .beside(reference, &again, &bare)
            .held_to(Bar::at_most(BarSubject::Value, 50.0)),
    ];
    rows.extend(rest(bench, binary).await?);
    Ok(rows)
}

async fn rest(bench: &EpochBench<'_>, binary: &Path) -> Result<Vec<Row>, BenchError> {
    let (mut rss, mut wakes) = (Vec::new(), Vec::new());
    for round in 0..bench.plan.rounds.min(RESTS_MAX) {
        let home = bench.scratch.join(format!("rest-{round}"));
        let plan = HomePlan { binary, home: &home, config: REFLEX };
        plan.make()?;
        let keeper = plan.start().await?;
        tokio::time::sleep(REST).await;
        rss.push(keeper.rss_mib());
        let before = keeper.switches();
        tokio::time::sleep(WATCH).await;
        wakes.push(float(keeper.switches() - before) / WATCH.as_secs_f64());
        keeper.kill().await?;
        if before == 0 {
            return Err(BenchError::Wrong("switches of the binary cannot be counted".into()));
        }
    }
    Ok(vec![
        Row::new("idle_rss", "resident memory at rest", "MiB", &rss)
            .held_to(Bar::at_most(BarSubject::Value, 30.0))
            .note(format!("{} s after ready, no model, one agent", REST.as_secs())),
        Row::new("idle_wakes", "wake-ups at rest, all threads", "1/s", &wakes)
            .note(format!("switches counted over {} s", WATCH.as_secs())),
    ])
}

/// One conversation with the real binary over HTTP.
async fn conversation(bench: &EpochBench<'_>, binary: &Path) -> Result<Row, BenchError> {
    let call = CannedCall { tool: "clock.now", arguments: serde_json::json!({}) };
    let canned = Canned::start(&call, events::ANSWER)?;
    let home = bench.scratch.join("conversation");
    let config = with_model(&canned);
    let plan = HomePlan { binary, home: &home, config: &config };
    plan.make()?;
    let keeper = plan.start().await?;
    let (mut rates, mut p50s) = (Vec::new(), Vec::new());
    for _ in 0..SLICES {
        let times = converse(&keeper).await?;
        rates.push(1e3 * float_of(EPOCHS) / times.iter().sum::<f64>());
        p50s.push(median(&times));
    }
    let rss = keeper.rss_mib();
    keeper.kill().await?;
    canned.stop();
    let (count, p50) = (SLICES * EPOCHS, median(&p50s));
    Ok(Row::new("epochs_http", "one conversation over HTTP with the binary", "epochs/s", &rates)
        .note(format!(
            "POST /start-epoch?wait=1, {count} epochs, 2 model calls and 1 read tool; p50 {p50:.2} ms; \
             {rss:.1} MiB after"
        )))
}

/// The times of some epochs, in milliseconds.
async fn converse(keeper: &ChildKeeper) -> Result<Vec<f64>, BenchError> {
    let mut times = Vec::with_capacity(EPOCHS);
    for _ in 0..EPOCHS {
        let watch = Stopwatch::start();
        let epoch = keeper.stimulate(events::QUESTION, "/start-epoch?wait=1").await?;
        times.push(watch.millis());
        if epoch.get("state").and_then(serde_json::Value::as_str) != Some("committed") {
            return Err(BenchError::Wrong(format!("an epoch was not committed: {epoch}")));
        }
    }
    Ok(times)
}

/// The configuration of a keeper that asks the canned model.
pub(super) fn with_model(canned: &Canned) -> String {
    format!(
        "[keeper]\nlisten = \"127.0.0.1:0\"\n[model]\nprovider = \"openai\"\nbase_url = \"{}\"\n\
         name = \"canned\"\n[irc]\nlisten = \"off\"\n",
        canned.base_url()
    )
}
