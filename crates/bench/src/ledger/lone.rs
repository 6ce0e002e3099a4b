//! One writer that waits for each append: what group commit, stamping and two changes of thread cost beside a bare sync.

use abide_domain::EntityName;
use abide_ledger::{Draft, Ledger};

use super::{events, log::Log, plan::LedgerBench};
use crate::{
    error::BenchError,
    raw::RawLog,
    report::{Bar, BarSubject, Row},
    spread::median,
    system::Stopwatch,
};

/// Appends of one slice.
const SLICE: usize = 100;
/// What the ledger itself fills its file ahead with.
pub(super) const PAD_BYTES: usize = 256 * 1024;

pub(super) fn measure(bench: &LedgerBench<'_>) -> Result<Vec<Row>, BenchError> {
    let log = Log::open(&bench.scratch.join("lone"))?;
    let draft = events::lone(&agent()?);
    let line = log.bytes_of(bench.runtime, vec![draft.clone()])?;
    let mut growing = RawLog::create(&bench.scratch.join("growing"), 0)?;
    let mut filled = RawLog::create(&bench.scratch.join("filled"), PAD_BYTES)?;
    let (mut raw, mut prefilled, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.plan.rounds {
        raw.push(growing.p50_us(&line, SLICE)?);
        ours.push(slice(bench, &log.ledger, &draft)?);
        prefilled.push(filled.p50_us(&line, SLICE)?);
    }
    log.close(bench.runtime)?;
    let bytes = line.len();
    Ok(vec![
        Row::new("lone_append", "lone durable append, p50 of a slice", "us", &ours)
            .beside("write + fdatasync of the same bytes, growing file", &ours, &raw)
            .held_to(Bar::at_most(BarSubject::Ratio, 1.5).reaching(1.2))
            .note(format!("{bytes} bytes, {SLICE} appends a slice, from a task of the runtime")),
        Row::new("lone_append_filled", "the same append", "us", &ours).beside(
            "write + fdatasync of the same bytes, file filled ahead with newlines",
            &ours,
            &prefilled,
        ),
    ])
}

/// The agent whose events are written.
pub(super) fn agent() -> Result<EntityName, BenchError> {
    "@felix".parse().map_err(BenchError::of("name an agent"))
}

/// The median of a slice of appends, each by a task that waits for it, in microseconds.
fn slice(bench: &LedgerBench<'_>, ledger: &Ledger, draft: &Draft) -> Result<f64, BenchError> {
    let (ledger, draft) = (ledger.clone(), draft.clone());
    let appending = async move {
        let mut times = Vec::with_capacity(SLICE);
        for _ in 0..SLICE {
            let drafts = vec![draft.clone()];
            let watch = Stopwatch::start();
            ledger.append(drafts).await.map_err(BenchError::of("append to a ledger"))?;
            times.push(watch.micros());
        }
        Ok(median(&times))
    };
    let task = bench.runtime.spawn(appending);
    bench.runtime.block_on(task).map_err(BenchError::of("run a slice"))?
}
