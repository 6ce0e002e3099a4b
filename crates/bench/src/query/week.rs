//! A simulated week at the specification's rate: 800 entities, a tick of eight minutes, 300 MB a day.

use abide_memory::stdout::{CacheBounds, EntryFilter, Needle, StdoutFolder};

use super::{
    logs::{Logs, RARE, of_length},
    text::count,
};
use crate::{
    error::BenchError,
    machine::number,
    report::Row,
    scratch::Scratch,
    spread::{float, quantile_of},
    system::Stopwatch,
};

/// Entities of the specification.
const ENTITIES: u64 = 800;
/// Ticks of a week: 7 x 24 x 60 / 8.
const TICKS: u64 = 1_260;
/// Words of an entry, so that a day has 300 MB.
const WORDS_MIN: usize = 220;

pub(super) fn measure(rounds: u32, scratch: &Scratch) -> Result<Vec<Row>, BenchError> {
    let make = |entity: &_, number| of_length(entity, number, WORDS_MIN);
    let logs = Logs::write_with(scratch.join("week"), ENTITIES, ENTITIES * TICKS, &make)?;
    logs.warm()?;
    let mut rows = vec![
        Row::new("week_bytes", "a week of 800 entities on the disk", "GB", &[logs.gigabytes()])
            .note(format!("{} entries of {} bytes", logs.entries, logs.bytes / logs.entries)),
    ];
    rows.extend(resident(&logs)?);
    let store = logs.store();
    rows.extend(last(rounds, &logs, &store)?);
    rows.extend(texts(rounds, &logs, &store)?);
    Ok(rows)
}

/// What the store takes in memory, all hot and within its bounds.
fn resident(logs: &Logs) -> Result<Vec<Row>, BenchError> {
    let all = CacheBounds { entities_max: 10_000, bytes_max: 4 << 30 };
    let mut rows = Vec::new();
    // Of both: what the first gave back is used again by the second.
    let before = resident_mib();
    for (id, title, bounds) in [
        (
            "week_resident_bounded",
            "resident memory of the store, the usual bounds",
            CacheBounds::default(),
        ),
        ("week_resident_hot", "the same with the last hundred of all 800 hot", all),
    ] {
        let store = logs.store().with_bounds(bounds);
        // What was replayed is live: bounds hold from there on.
        for entity in &logs.entities {
            let first = of_length(entity, 0, WORDS_MIN);
            store.replayed(&first).map_err(BenchError::of("replay a log"))?;
        }
        store.replay_done().map_err(BenchError::of("end a replay"))?;
        for entity in &logs.entities {
            drop(store.recent(entity).map_err(BenchError::of("read a log"))?);
        }
        rows.push(Row::new(id, title, "MiB", &[resident_mib() - before]));
    }
    Ok(rows)
}

fn resident_mib() -> f64 {
    float(number("/proc/self/status", "VmRSS").unwrap_or_default()) / 1024.0
}

fn last(rounds: u32, logs: &Logs, store: &StdoutFolder) -> Result<[Row; 2], BenchError> {
    let (mut warm, mut first) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let fresh = logs.store();
        for (store, times) in [(&fresh, &mut first), (store, &mut warm)] {
            let mut slice = Vec::new();
            for entity in &logs.entities {
                let watch = Stopwatch::start();
                let found = store.tail(entity, 10).map_err(BenchError::of("read a log"))?;
                slice.push(watch.micros());
                drop(std::hint::black_box(found));
            }
            times.push(quantile_of(&slice, 0.5));
        }
    }
    warm.remove(0);
    Ok([
        Row::new("week_last_10", "the last 10 of one of 800 logs, warm, p50", "us", &warm),
        Row::new(
            "week_last_10_first",
            "the same, first read since a start, page-cached",
            "us",
            &first,
        ),
    ])
}

fn texts(rounds: u32, logs: &Logs, store: &StdoutFolder) -> Result<[Row; 3], BenchError> {
    let needle = Needle::new(RARE).map_err(BenchError::of("look for a text"))?;
    let filter = EntryFilter { needle: Some(needle), counts_all: true, ticks: None };
    count(store, logs, RARE)?;
    let (mut one, mut all, mut ticks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (mut slice, mut narrow) = (Vec::new(), Vec::new());
        for entity in &logs.entities {
            let watch = Stopwatch::start();
            drop(store.search(entity, &filter, 10).map_err(BenchError::of("search a log"))?);
            slice.push(watch.micros());
            let watch = Stopwatch::start();
            let found = store.between(entity, TICKS / 2..=TICKS / 2 + 9, 10);
            narrow.push(watch.micros());
            drop(found.map_err(BenchError::of("read a log"))?);
        }
        one.push(quantile_of(&slice, 0.5));
        ticks.push(quantile_of(&narrow, 0.5));
        all.push(count(store, logs, RARE)?.1);
    }
    Ok([
        Row::new("week_text_one", "a text in the week of one entity, p50", "us", &one),
        Row::new("week_text_all", "a text in the week of all 800", "s", &all),
        Row::new("week_ticks", "ten ticks of one entity, p50", "us", &ticks),
    ])
}
