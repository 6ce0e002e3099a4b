//! One call of an agent's own order of passages: asked, ranked in the process of modules, answered.

use std::{process::Stdio, time::Duration};

use abide_modules::{
    ModuleClient, ModuleKind, PassageFeatures, PassageRole, RankRequest, RankedPassage,
    limits::PASSAGES_MAX,
};
use tokio::process::{ChildStdin, ChildStdout, Command};

use super::plan::{EvolutionBench, EvolutionPlan};
use crate::{
    agent::{BENCH_AGENT, MODULES},
    echo::EchoChild,
    error::BenchError,
    report::{Bar, BarSubject, Row},
    system::Stopwatch,
    times::RoundTimes,
};

/// Longer than any call takes.
const DEADLINE: Duration = Duration::from_secs(20);
/// The passages that the search shows a mind at most, and the most that a module ranks.
const COUNTS: [usize; 2] = [20, PASSAGES_MAX];
/// Calls before the clock starts.
const WARM: u32 = 50;

type Client = ModuleClient<ChildStdout, ChildStdin>;

pub(super) fn measure(bench: &EvolutionBench<'_>) -> Result<Vec<Row>, BenchError> {
    let mut command = Command::new(&bench.plan.child);
    command.args([BENCH_AGENT, MODULES]).env_clear().kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let [few, most] = COUNTS;
    let plan = bench.plan.clone();
    // From a task of the runtime, as a lane asks.
    let measuring = bench.runtime.spawn(async move {
        let mut child = command.spawn().map_err(BenchError::io("start modules"))?;
        let pipes = child.stdout.take().zip(child.stdin.take());
        let (output, input) =
            pipes.ok_or_else(|| BenchError::Wrong("a child has no pipes".into()))?;
        let mut client = ModuleClient::new(output, input);
        let base = ModuleKind::Memory.base_code();
        let loaded = client.load(ModuleKind::Memory, base, DEADLINE).await;
        loaded.map_err(BenchError::of("load the base module"))?;
        let few = calls(&plan, &mut client, ("module_call_few", few)).await?;
        let most = calls(&plan, &mut client, ("module_call", most)).await?;
        Ok(vec![most, few])
    });
    bench.runtime.block_on(measuring).map_err(BenchError::of("measure a module"))?
}

/// Calls with so many passages, beside the same bytes through bare pipes.
async fn calls(
    plan: &EvolutionPlan,
    client: &mut Client,
    (id, passages): (&'static str, usize),
) -> Result<Row, BenchError> {
    let request = request(passages);
    let asked = serde_json::to_vec(&request).map_err(BenchError::of("write a request"))?.len();
    let answered = 8 * passages;
    let mut echo = EchoChild::start(&plan.child, asked, answered)?;
    slice(client, &request, WARM).await?;
    echo.exchange(WARM)?;
    let (mut ours, mut raw) = (RoundTimes::default(), RoundTimes::default());
    for _ in 0..plan.rounds {
        raw.push(echo.exchange(plan.calls)?);
        ours.push(slice(client, &request, plan.calls).await?);
    }
    Ok(Row::new(id, format!("the base module orders {passages} passages, p50"), "us", &ours.p50s())
        .beside("the same bytes through bare pipes", &ours.p50s(), &raw.p50s())
        .held_to(Bar::at_most(BarSubject::Value, 150.0))
        .note(format!("{asked} bytes there and some {answered} back; {}", ours.note("us"))))
}

/// So many calls, each in microseconds.
async fn slice(
    client: &mut Client,
    request: &RankRequest,
    count: u32,
) -> Result<Vec<f64>, BenchError> {
    let mut times = Vec::new();
    for _ in 0..count {
        let asked = request.clone();
        let watch = Stopwatch::start();
        let reply = client.rank(asked, DEADLINE).await;
        times.push(watch.micros());
        let reply = reply.map_err(BenchError::of("ask a module"))?;
        if reply.value.len() != request.passages.len() {
            return Err(BenchError::Wrong("a module left passages out".into()));
        }
    }
    Ok(times)
}

fn request(passages: usize) -> RankRequest {
    let passage = |place: u32| {
        let share = f64::from(place * 37 % 100) / 100.0;
        RankedPassage {
            id: u64::from(place) + 1,
            text: "Mara said that the boat is in the harbour of Ulm until the ice is gone. "
                .repeat(3),
            speaker: "Mara".to_owned(),
            role: PassageRole::Person,
            at: 1_700_000_000.0 + f64::from(place) * 3600.0,
            features: PassageFeatures {
                score: share * 7.3,
                strength: share / 3.0,
                words: 3.0,
                words_share: share,
                own: share * 1.1,
                covered: 1.0 - share,
                meaning: 0.5 + share / 7.0,
                shortness: 0.7,
                age_days: 12.5 + share,
                length: 219.0,
                rank: f64::from(place),
                ..PassageFeatures::default()
            },
        }
    };
    let passages = u32::try_from(passages).unwrap_or(u32::MAX);
    RankRequest {
        question: "Where is the boat?".to_owned(),
        asker: Some("Jonas".to_owned()),
        now: 1_700_500_000.5,
        passages: (0..passages).map(passage).collect(),
    }
}
