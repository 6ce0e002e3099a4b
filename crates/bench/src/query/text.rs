//! A text in all logs, case-insensitive, beside `ripgrep` on the same files and as many threads.

use std::num::NonZero;

use abide_memory::stdout::{EntryFilter, Needle, StdoutFolder};

use super::{
    logs::{ABSENT, COMMON, Logs, RARE},
    rivals::{Program, SearchRoot},
};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
    system::Stopwatch,
};

/// What is looked for: names of the rows, the text, how often it stands there.
const TEXTS: [([&str; 2], &str, &str); 3] = [
    (["text_rare", "text_rare_mapped"], RARE, "one entry of 10,000"),
    (["text_absent", "text_absent_mapped"], ABSENT, "no entry"),
    (["text_common", "text_common_mapped"], COMMON, "every third entry"),
];
/// Entries that a search gives.
const LAST: usize = 10;
/// In so many entries the common text surely stands ten times.
const SURE_ENTRIES: u64 = 1_000;

pub(super) fn measure(rounds: u32, logs: &Logs) -> Result<Vec<Row>, BenchError> {
    logs.warm()?;
    let rival = Program::find("rg");
    let mut rows = vec![first(rounds, logs)?];
    let store = logs.store();
    for ([id, mapped_id], text, how_often) in TEXTS {
        // Looks at every line once, as the first search of a log does.
        count(&store, logs, text)?;
        let (mut ours, mut read, mut mapped) = (Vec::new(), Vec::new(), Vec::new());
        let files = logs.files();
        for _ in 0..rounds {
            let (counted, seconds) = count(&store, logs, text)?;
            ours.push(logs.gigabytes() / seconds);
            let Some(rival) = &rival else { continue };
            let places = [SearchRoot::Folder(&logs.folder), SearchRoot::Mapped(&files)];
            for (place, rates) in places.iter().zip([&mut read, &mut mapped]) {
                let (expected, seconds) = rival.count_text(text, place, threads())?;
                agree(text, counted, expected)?;
                rates.push(logs.gigabytes() / seconds);
            }
        }
        let title =
            format!("{text:?} counted in all logs ({how_often}), {:.2} GB", logs.gigabytes());
        rows.push(beside_ripgrep(Row::new(id, title, "GB/s", &ours), &ours, rival.as_ref(), &read));
        if let Some(rival) = &rival {
            rows.push(
                Row::new(mapped_id, "the same", "GB/s", &ours)
                    .beside(format!("{}, files mapped", rival.version), &ours, &mapped)
                    .note("ours reads: a mapped file that somebody cuts would end the keeper"),
            );
        }
    }
    rows.push(newest(rounds, logs, &store)?);
    Ok(rows)
}

/// Sets `ripgrep` beside a row, or says that it is not there.
pub(super) fn beside_ripgrep(
    row: Row,
    ours: &[f64],
    rival: Option<&Program>,
    theirs: &[f64],
) -> Row {
    match rival {
        Some(rival) => row
            .beside(
                format!("{}, -i -F -c, the folder, {} threads", rival.version, threads()),
                ours,
                theirs,
            )
            .held_to(Bar::at_least(BarSubject::Ratio, 0.9))
            .note("its time is that of a process"),
        None => row.note("rg is not installed, so nothing is beside it"),
    }
}

/// Threads that a search uses.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Ends the run where two answers differ.
pub(super) fn agree(question: &str, counted: u64, expected: u64) -> Result<(), BenchError> {
    if counted == expected {
        return Ok(());
    }
    Err(BenchError::Wrong(format!("{question}: {counted} found, {expected} by the other")))
}

/// Counts the entries with a text, log by log.
pub(super) fn count(
    store: &StdoutFolder,
    logs: &Logs,
    text: &str,
) -> Result<(u64, f64), BenchError> {
    let needle = Needle::new(text).map_err(BenchError::of("look for a text"))?;
    let filter = EntryFilter { needle: Some(needle), counts_all: true, ticks: None };
    let watch = Stopwatch::start();
    let mut counted = 0;
    for entity in &logs.entities {
        let found = store.search(entity, &filter, LAST);
        let found = found.map_err(BenchError::of("search a log"))?;
        if !found.corrupt.is_empty() {
            return Err(BenchError::Wrong(found.corrupt.to_string()));
        }
        counted += found.matched.unwrap_or_default();
    }
    Ok((counted, watch.seconds()))
}

/// The first search of logs after a start looks at every line.
fn first(rounds: u32, logs: &Logs) -> Result<Row, BenchError> {
    let mut rates = Vec::new();
    for _ in 0..rounds {
        let (_, seconds) = count(&logs.store(), logs, ABSENT)?;
        rates.push(logs.gigabytes() / seconds);
    }
    let title = "a text counted in all logs for the first time since a start";
    Ok(Row::new("text_first", title, "GB/s", &rates)
        .note("every line is looked at once, so that one that cannot be read is said"))
}

/// The usual question: the last few that hold a text.
fn newest(rounds: u32, logs: &Logs, store: &StdoutFolder) -> Result<Row, BenchError> {
    let needle = Needle::new(COMMON).map_err(BenchError::of("look for a text"))?;
    let filter = EntryFilter { needle: Some(needle), ..EntryFilter::default() };
    let mut times = Vec::new();
    for _ in 0..rounds {
        for entity in &logs.entities {
            let watch = Stopwatch::start();
            let found = store.search(entity, &filter, LAST);
            times.push(watch.micros());
            let found = found.map_err(BenchError::of("search a log"))?.entries.len();
            if logs.each() >= SURE_ENTRIES {
                agree("the last ten with a text", found as u64, LAST as u64)?;
            }
        }
    }
    let title = format!("the last {LAST} entries of one log with {COMMON:?}");
    Ok(Row::new("text_newest", title, "us", &times))
}
