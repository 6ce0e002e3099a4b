//! Many writers at once: how much of a batched raw loop's rate is left when each waits for its own event.

use std::collections::VecDeque;

use abide_ledger::{AppendError, Draft, Ledger};
use rusqlite::Connection;
use tokio::task::JoinSet;

use super::{
    events,
    harness::Harness,
    log::Log,
    lone::{PAD_BYTES, agent},
    plan::LedgerBench,
};
use crate::{
    error::BenchError,
    raw::RawLog,
    report::{Bar, BarSubject, Row},
    spread::float_of,
    system::Stopwatch,
};

/// Writers of the small crowd.
const FEW: usize = 64;
/// Appends of each in a slice.
const FEW_EACH: usize = 50;
/// Events in flight of the large crowd.
const MANY: usize = 4096;
/// Appends of each place in flight in a slice.
const MANY_EACH: usize = 8;
/// Producers that keep the large crowd in flight in the shape of a stream of frames.
const PRODUCERS: usize = 4;
/// Commits of SQLite in a slice.
const COMMITS: usize = 128;

pub(super) fn measure(bench: &LedgerBench<'_>) -> Result<Vec<Row>, BenchError> {
    let log = Log::open(&bench.scratch.join("many"))?;
    let draft = events::lone(&agent()?);
    let mut rows = few(bench, &log, &draft)?;
    rows.extend(many(bench, &log, &draft)?);
    log.close(bench.runtime)?;
    Ok(rows)
}

fn few(bench: &LedgerBench<'_>, log: &Log, draft: &Draft) -> Result<Vec<Row>, BenchError> {
    let batch = log.bytes_of(bench.runtime, vec![draft.clone(); FEW])?;
    let line = log.bytes_of(bench.runtime, vec![draft.clone()])?;
    let mut raw_file = RawLog::create(&bench.scratch.join("batch-64"), 0)?;
    let mut filled_file = RawLog::create(&bench.scratch.join("batch-64-filled"), PAD_BYTES)?;
    let store = Store::open(bench)?;
    let (mut raw, mut filled) = (Vec::new(), Vec::new());
    let (mut ours, mut sqlite) = (Vec::new(), Vec::new());
    for _ in 0..bench.plan.rounds {
        raw.push(raw_file.rate(&batch, FEW, FEW_EACH)?);
        ours.push(crowd(bench, &log.ledger, draft, (FEW, FEW_EACH))?);
        filled.push(filled_file.rate(&batch, FEW, FEW_EACH)?);
        sqlite.push(store.rate(&line)?);
    }
    Ok(vec![
        Row::new("writers_64", "64 writers, each waits for its own event", "events/s", &ours)
            .beside("write + fdatasync of batches of 64, growing file", &ours, &raw)
            .held_to(Bar::at_least(BarSubject::Ratio, 0.5).reaching(0.8)),
        Row::new("writers_64_filled", "the same 64 writers", "events/s", &ours).beside(
            "write + fdatasync of batches of 64, file filled ahead with newlines",
            &ours,
            &filled,
        ),
        Row::new("writers_64_sqlite", "the same 64 writers", "events/s", &ours)
            .beside("SQLite, WAL, synchronous = FULL, one commit an event", &ours, &sqlite)
            .held_to(Bar::at_least(BarSubject::Ratio, 5.0))
            .note("SQLite by one thread on one connection: 64 would only wait for its lock"),
    ])
}

fn many(bench: &LedgerBench<'_>, log: &Log, draft: &Draft) -> Result<Vec<Row>, BenchError> {
    let batch = log.bytes_of(bench.runtime, vec![draft.clone(); MANY])?;
    let mut raw_file = RawLog::create(&bench.scratch.join("batch-4096"), 0)?;
    let mut harness = Harness::open(&bench.scratch.join("harness"), draft)?;
    let (mut raw, mut formed) = (Vec::new(), Vec::new());
    let (mut streamed, mut tasks) = (Vec::new(), Vec::new());
    for _ in 0..bench.plan.rounds {
        raw.push(raw_file.rate(&batch, MANY, MANY_EACH)?);
        streamed.push(streams(bench, &log.ledger, draft)?);
        formed.push(harness.rate(MANY, MANY_EACH)?);
        tasks.push(crowd(bench, &log.ledger, draft, (MANY, MANY_EACH))?);
    }
    let reference = "write + fdatasync of batches of 4,096, growing file";
    Ok(vec![
        Row::new(
            "in_flight_4096",
            "4,096 events in flight from 4 tasks, each event awaited in order",
            "events/s",
            &streamed,
        )
        .beside(reference, &streamed, &raw)
        .held_to(Bar::at_least(BarSubject::Ratio, 0.8).reaching(1.0)),
        Row::new("in_flight_4096_formed", "the same 4,096 in flight", "events/s", &streamed)
            .beside(
                "one thread that serialises, checksums, chains, writes and syncs batches of 4,096",
                &streamed,
                &formed,
            ),
        Row::new("writers_4096", "4,096 tasks, each waits for its own event", "events/s", &tasks)
            .beside(reference, &tasks, &raw)
            .note("each event is encoded, queued, awaited and its task woken by itself"),
    ])
}

/// Acknowledgements a second of `crowd.0` tasks that append one event after the other, `crowd.1` times.
fn crowd(
    bench: &LedgerBench<'_>,
    ledger: &Ledger,
    draft: &Draft,
    crowd: (usize, usize),
) -> Result<f64, BenchError> {
    let (writers, each) = crowd;
    let write = || {
        let (ledger, draft) = (ledger.clone(), draft.clone());
        async move {
            for _ in 0..each {
                ledger.append(vec![draft.clone()]).await?;
            }
            Ok(())
        }
    };
    let watch = Stopwatch::start();
    all(bench, (0..writers).map(|_| write()))?;
    Ok(float_of(writers * each) / watch.seconds())
}

/// Acknowledgements a second of a few tasks that keep many events in flight.
fn streams(bench: &LedgerBench<'_>, ledger: &Ledger, draft: &Draft) -> Result<f64, BenchError> {
    let produce = || {
        let (ledger, draft) = (ledger.clone(), draft.clone());
        async move {
            let mut in_flight = VecDeque::with_capacity(MANY / PRODUCERS);
            for _ in 0..MANY * MANY_EACH / PRODUCERS {
                if in_flight.len() == MANY / PRODUCERS
                    && let Some(oldest) = in_flight.pop_front()
                {
                    abide_ledger::PendingAppend::durable(oldest).await?;
                }
                in_flight.push_back(ledger.submit(vec![draft.clone()]).await?);
            }
            for pending in in_flight {
                pending.durable().await?;
            }
            Ok(())
        }
    };
    let watch = Stopwatch::start();
    all(bench, (0..PRODUCERS).map(|_| produce()))?;
    Ok(float_of(MANY * MANY_EACH) / watch.seconds())
}

/// Runs tasks to their end.
fn all<F>(bench: &LedgerBench<'_>, tasks: impl Iterator<Item = F>) -> Result<(), BenchError>
where
    F: Future<Output = Result<(), AppendError>> + Send + 'static,
{
    bench.runtime.block_on(async {
        let mut running: JoinSet<_> = tasks.collect();
        while let Some(ended) = running.join_next().await {
            ended
                .map_err(BenchError::of("run a writer"))?
                .map_err(BenchError::of("append to a ledger"))?;
        }
        Ok(())
    })
}

/// The store that many would use instead.
struct Store {
    connection: Connection,
}

impl Store {
    fn open(bench: &LedgerBench<'_>) -> Result<Self, BenchError> {
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(bench.scratch.join("store.db"))?;
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, line BLOB)", [])?;
            Ok(connection)
        };
        Ok(Self { connection: open().map_err(BenchError::of("open a SQLite database"))? })
    }

    /// Commits a second, one event each.
    fn rate(&self, line: &[u8]) -> Result<f64, BenchError> {
        let insert = || -> rusqlite::Result<f64> {
            let mut statement =
                self.connection.prepare_cached("INSERT INTO events (line) VALUES (?1)")?;
            let watch = Stopwatch::start();
            for _ in 0..COMMITS {
                statement.execute([line])?;
            }
            Ok(float_of(COMMITS) / watch.seconds())
        };
        insert().map_err(BenchError::of("insert into a SQLite database"))
    }
}
