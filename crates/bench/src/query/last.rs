//! `read: last 10`: the same time whatever the size of the log, from memory and from a cold disk.

use std::{fs::File, os::unix::fs::FileExt as _, path::Path};

use abide_memory::stdout::ReadResult;

use super::logs::Logs;
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
    spread::{median, quantile_of},
    system::Stopwatch,
};

/// What is divided by, and the names of the rows: warm, cold, worst cold.
pub(super) const SIZES: [(u64, [&str; 3]); 3] = [
    (100, ["last_10_warm_hundredth", "last_10_cold_hundredth", "last_10_cold_hundredth_worst"]),
    (10, ["last_10_warm_tenth", "last_10_cold_tenth", "last_10_cold_tenth_worst"]),
    (1, ["last_10_warm", "last_10_cold", "last_10_cold_worst"]),
];
/// Entries that are read.
const LAST: usize = 10;
/// Warm reads of an entity in a slice.
const READS: usize = 250;
/// Bytes that the raw loop reads from the end of the file: ten entries and some.
const RAW_BYTES: u64 = 4 * 1024;

/// Times of one kind of read, round by round.
#[derive(Default)]
struct ReadTimes {
    p50: Vec<f64>,
    raw_p50: Vec<f64>,
    worst: Vec<f64>,
    raw_worst: Vec<f64>,
}

impl ReadTimes {
    fn add(&mut self, ours: &[f64], raw: &[f64]) {
        self.p50.push(median(ours));
        self.raw_p50.push(median(raw));
        self.worst.push(quantile_of(ours, 1.0));
        self.raw_worst.push(quantile_of(raw, 1.0));
    }
}

pub(super) fn measure(
    rounds: u32,
    logs: &Logs,
    ids: [&'static str; 3],
) -> Result<[Row; 3], BenchError> {
    let (mut warm, mut cold) = (ReadTimes::default(), ReadTimes::default());
    for _ in 0..rounds {
        warm_slice(logs, &mut warm)?;
        cold_slice(logs, &mut cold)?;
    }
    let entries = logs.entries;
    let [warm_id, cold_id, worst_id] = ids;
    let title =
        format!("the last {LAST} of a log, {entries} entries in {} logs", logs.entities.len());
    let raw = "a bare read of the file's last 4 KB";
    let note = "a store that has seen nothing, the files dropped from the page cache; it looks at the end and the beginning";
    Ok([
        Row::new(warm_id, format!("{title}, warm, p50"), "us", &warm.p50)
            .beside(raw, &warm.p50, &warm.raw_p50)
            .held_to(Bar::at_most(BarSubject::Value, 20.0)),
        Row::new(cold_id, "the same, cold, p50", "ms", &cold.p50)
            .beside(raw, &cold.p50, &cold.raw_p50)
            .note(note),
        Row::new(worst_id, "the same, cold, the worst of a round", "ms", &cold.worst)
            .beside(raw, &cold.worst, &cold.raw_worst)
            .held_to(Bar::at_most(BarSubject::Worst, 20.0)),
    ])
}

fn warm_slice(logs: &Logs, times: &mut ReadTimes) -> Result<(), BenchError> {
    let store = logs.store();
    let (mut ours, mut raw) = (Vec::new(), Vec::new());
    for entity in &logs.entities {
        check(&store.tail(entity, LAST).map_err(BenchError::of("read a log"))?, logs)?;
        for _ in 0..READS {
            let watch = Stopwatch::start();
            let found = store.tail(entity, LAST).map_err(BenchError::of("read a log"))?;
            ours.push(watch.micros());
            drop(std::hint::black_box(found));
            raw.push(raw_seconds(&logs.file(entity))? * 1e6);
        }
    }
    times.add(&ours, &raw);
    Ok(())
}

fn cold_slice(logs: &Logs, times: &mut ReadTimes) -> Result<(), BenchError> {
    let (mut ours, mut raw) = (Vec::new(), Vec::new());
    logs.evict()?;
    for entity in &logs.entities {
        let watch = Stopwatch::start();
        let store = logs.store();
        let found = store.tail(entity, LAST).map_err(BenchError::of("read a log"))?;
        ours.push(watch.millis());
        check(&found, logs)?;
    }
    logs.evict()?;
    for entity in &logs.entities {
        raw.push(raw_seconds(&logs.file(entity))? * 1e3);
    }
    times.add(&ours, &raw);
    Ok(())
}

fn check(found: &ReadResult, logs: &Logs) -> Result<(), BenchError> {
    let newest = found.entries.last().map(|entry| entry.tick + 1);
    if newest == Some(logs.each()) && found.entries.len() as u64 == logs.each().min(LAST as u64) {
        return Ok(());
    }
    Err(BenchError::Wrong(format!("the last {LAST} entries were not read: {newest:?}")))
}

fn raw_seconds(path: &Path) -> Result<f64, BenchError> {
    let failed = BenchError::io;
    let watch = Stopwatch::start();
    let file = File::open(path).map_err(failed("open a log"))?;
    let size = file.metadata().map_err(failed("look at a log"))?.len();
    let mut bytes = vec![0; usize::try_from(RAW_BYTES.min(size)).unwrap_or_default()];
    file.read_exact_at(&mut bytes, size.saturating_sub(RAW_BYTES)).map_err(failed("read a log"))?;
    drop(std::hint::black_box(bytes));
    Ok(watch.seconds())
}
