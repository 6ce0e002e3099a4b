//! Following the log from its beginning, and finding one epoch in it. No bar: what they are is for the reader.

use abide_ledger::Ledger;

use super::{log::WrittenLog, plan::LedgerBench};
use crate::{
    error::BenchError,
    report::Row,
    spread::{float, quantile_of},
    system::Stopwatch,
};

/// Events that a feed hands over at once.
const FEED_BATCH: usize = 512;
/// Epochs that are looked up in a slice.
const LOOKUPS: usize = 50;

pub(super) fn measure(
    bench: &LedgerBench<'_>,
    written: &WrittenLog,
) -> Result<Vec<Row>, BenchError> {
    let ledger = &written.log.ledger;
    let (mut fed, mut found, mut slow) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..bench.plan.rounds {
        fed.push(follow(bench, ledger)?);
        let times = look_up(written, usize::try_from(round).unwrap_or_default())?;
        found.push(quantile_of(&times, 0.5));
        slow.push(quantile_of(&times, 0.99));
    }
    let events = ledger.head().seq;
    Ok(vec![
        Row::new("feed", "a feed from the first event to the newest", "events/s", &fed),
        Row::new("query_epoch", "all events of one epoch, p50", "us", &found)
            .note(format!("anywhere in {events} events, page-cached")),
        Row::new("query_epoch_p99", "all events of one epoch, p99", "us", &slow),
    ])
}

fn follow(bench: &LedgerBench<'_>, ledger: &Ledger) -> Result<f64, BenchError> {
    let head = ledger.head().seq;
    let mut feed = ledger.feed(0);
    let following = async move {
        let watch = Stopwatch::start();
        let mut seen = 0;
        while seen < head {
            let records = feed.next_batch(FEED_BATCH).await;
            let records = records.map_err(BenchError::of("follow a ledger"))?;
            seen = records.last().map_or(seen, abide_ledger::Record::seq);
        }
        Ok(float(seen) / watch.seconds())
    };
    let task = bench.runtime.spawn(following);
    bench.runtime.block_on(task).map_err(BenchError::of("run a slice"))?
}

/// Times of some look-ups, spread over the log, others in each round.
fn look_up(written: &WrittenLog, round: usize) -> Result<Vec<f64>, BenchError> {
    let step = (written.epochs.len() / LOOKUPS).max(1);
    let ids = written.epochs.iter().skip(round % step).step_by(step).take(LOOKUPS);
    let mut times = Vec::with_capacity(LOOKUPS);
    for id in ids {
        let watch = Stopwatch::start();
        let mut events = 0;
        for record in written.log.ledger.epoch_records(*id) {
            record.map_err(BenchError::of("read a ledger"))?;
            events += 1;
        }
        times.push(watch.micros());
        if events != 10 {
            return Err(BenchError::Wrong(format!("epoch {id} has {events} events, not 10")));
        }
    }
    Ok(times)
}
