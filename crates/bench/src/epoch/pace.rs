//! How many epochs a second, and how long each: one conversation, then eight. Each round has a keeper of its own, so that
//! all rounds see conversations of the same length, and then the raw loop with what that keeper moved.

use std::path::Path;

use super::{
    canned::Canned,
    floor::{EpochLoad, RawLoop},
    keeper::{BenchKeeper, KeeperPlan},
    plan::EpochBench,
};
use crate::{
    error::BenchError,
    machine::cpu_ms,
    report::{Bar, BarSubject, Row},
    spread::{Spread, float, float_of, quantile_of},
    system::Stopwatch,
};

/// Epochs of the only conversation in a round; rivals were measured with up to 200.
const ONE: usize = 100;
/// Agents that converse at once.
const AGENTS: usize = 8;
/// Epochs of each in a round.
const EACH: usize = 25;
/// Epochs before the clock starts, of each: connections are made in them.
const WARM: usize = 3;
/// `context.tokens_max` as it is by default.
pub(super) const TOKENS_MAX: u64 = 32_000;

/// What one round saw.
struct RoundResult {
    rate: f64,
    p50: f64,
    p99: f64,
    cpu: f64,
    syncs: f64,
    bytes: f64,
    load: EpochLoad,
}

/// What all rounds saw, and the raw loop beside each.
#[derive(Default)]
struct Rounds {
    slices: Vec<RoundResult>,
    floor_rates: Vec<f64>,
    floor_p50s: Vec<f64>,
}

impl Rounds {
    fn of(&self, figure: impl Fn(&RoundResult) -> f64) -> Vec<f64> {
        self.slices.iter().map(figure).collect()
    }
}

const FLOOR: &str = "2 raw exchanges and 4 write + fdatasync of the same bytes, one thread";

/// One conversation.
pub(super) fn one(bench: &EpochBench<'_>, canned: &Canned) -> Result<Vec<Row>, BenchError> {
    let rounds = run(bench, canned, (1, ONE))?;
    let (rates, p50s) = (rounds.of(|slice| slice.rate), rounds.of(|slice| slice.p50));
    Ok(vec![
        Row::new(
            "epochs_1",
            "one conversation, 2 model calls and 1 world tool",
            "epochs/s",
            &rates,
        )
        .beside(FLOOR, &rates, &rounds.floor_rates)
        .held_to(Bar::at_least(BarSubject::Value, 300.0).reaching(600.0))
        .note(format!("{ONE} epochs a round after {WARM}; every acknowledgement after its sync")),
        Row::new("epoch_p50_1", "the same, p50 of an epoch", "ms", &p50s).beside(
            FLOOR,
            &p50s,
            &rounds.floor_p50s,
        ),
        Row::new("epoch_p99_1", "the same, p99", "ms", &rounds.of(|slice| slice.p99)),
        Row::new("epoch_cpu_1", "the same, processor time", "ms/epoch", &rounds.of(|s| s.cpu))
            .note("of this process without the canned model's thread"),
        Row::new("epoch_syncs_1", "the same, syncs", "syncs/epoch", &rounds.of(|s| s.syncs))
            .held_to(Bar::at_most(BarSubject::Value, 5.5))
            .note("all syncs of the ledger's storage, side files too"),
        Row::new("epoch_bytes", "the ledger's bytes", "bytes/epoch", &rounds.of(|s| s.bytes))
            .held_to(Bar::at_most(BarSubject::Value, 4_096.0).reaching(3_072.0))
            .note(words()),
    ])
}

/// Eight conversations: a lane has one open epoch, so these are eight agents.
pub(super) fn eight(bench: &EpochBench<'_>, canned: &Canned) -> Result<Vec<Row>, BenchError> {
    let rounds = run(bench, canned, (AGENTS, EACH))?;
    let rates = rounds.of(|slice| slice.rate);
    Ok(vec![
        Row::new("epochs_8", "eight conversations of eight agents", "epochs/s", &rates)
            .beside(FLOOR, &rates, &rounds.floor_rates)
            .held_to(Bar::at_least(BarSubject::Value, 1_000.0).reaching(1_400.0))
            .note(format!("{EACH} epochs of each a round after {WARM}")),
        Row::new("epoch_p50_8", "the same, p50 of an epoch", "ms", &rounds.of(|s| s.p50)),
        Row::new("epoch_p99_8", "the same, p99", "ms", &rounds.of(|s| s.p99)),
        Row::new("epoch_cpu_8", "the same, processor time", "ms/epoch", &rounds.of(|s| s.cpu)),
        Row::new("epoch_syncs_8", "the same, syncs", "syncs/epoch", &rounds.of(|s| s.syncs)),
    ])
}

fn words() -> String {
    use crate::ledger::events::{ANSWER, QUESTION, RESULT, arguments};
    let words = QUESTION.len() + ANSWER.len() + arguments().to_string().len() + RESULT.len();
    format!("with {words} bytes of words, arguments and result in each")
}

fn run(
    bench: &EpochBench<'_>,
    canned: &Canned,
    crowd: (usize, usize),
) -> Result<Rounds, BenchError> {
    let mut rounds = Rounds::default();
    let mut floor = RawLoop::open(&bench.scratch.join(format!("floor-{}", crowd.0)), canned)?;
    for round in 0..bench.plan.rounds {
        let folder = bench.scratch.join(format!("pace-{}-{round}", crowd.0));
        let slice = bench.runtime.block_on(slice(&folder, canned, crowd))?;
        let watch = Stopwatch::start();
        let times = floor.epochs(slice.load, ONE)?;
        rounds.floor_rates.push(float_of(times.len()) / watch.seconds());
        rounds.floor_p50s.push(Spread::of(&times).median);
        rounds.slices.push(slice);
    }
    Ok(rounds)
}

/// One keeper, warmed up and measured.
async fn slice(
    folder: &Path,
    canned: &Canned,
    crowd: (usize, usize),
) -> Result<RoundResult, BenchError> {
    let (agents, each) = crowd;
    let keeper =
        BenchKeeper::open(folder, KeeperPlan { agents, tokens_max: TOKENS_MAX }, canned).await?;
    keeper.epochs_of_all(WARM).await?;
    let (seq, syncs, runs) = (keeper.seq(), keeper.syncs(), keeper.tool_runs());
    let (requests, asked) = (canned.requests(), canned.request_bytes());
    let cpu = cpu_ms() - canned.cpu_ms();
    let watch = Stopwatch::start();
    let times = keeper.epochs_of_all(each).await?;
    let seconds = watch.seconds();
    let cpu = cpu_ms() - canned.cpu_ms() - cpu;
    let count = float_of(agents * each);
    let syncs = keeper.syncs() - syncs;
    let (requests, asked) = (canned.requests() - requests, canned.request_bytes() - asked);
    let runs = keeper.tool_runs() - runs;
    let bytes = keeper.bytes_after(seq)?;
    keeper.close().await?;
    let epochs = (agents * each) as u64;
    if runs != epochs || requests != 2 * epochs {
        let message = format!("{epochs} epochs took {requests} model calls and {runs} tool runs");
        return Err(BenchError::Wrong(message));
    }
    Ok(RoundResult {
        rate: count / seconds,
        p50: Spread::of(&times).median,
        p99: quantile_of(&times, 0.99),
        cpu: cpu / count,
        syncs: float(syncs) / count,
        bytes: float(bytes) / count,
        load: EpochLoad {
            request_bytes: usize::try_from(asked / requests.max(1)).unwrap_or_default(),
            ledger_bytes: usize::try_from(bytes / epochs.max(1)).unwrap_or_default(),
        },
    })
}
