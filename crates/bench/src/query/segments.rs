//! A text in the segments of a ledger, beside `ripgrep` on the same files.

use std::fs;

use abide_domain::{
    EntityName,
    event::{StdoutEvent, StdoutWritten},
};
use abide_ledger::{Draft, Query, QueryOrder, text::Needle};
use tokio::runtime::Runtime;

use super::{
    logs::{ABSENT, COMMON, RARE, entry},
    rivals::{Program, SearchRoot},
    text::{beside_ripgrep, threads},
};
use crate::{
    error::BenchError, ledger::log::Log, report::Row, scratch::Scratch, spread::float,
    system::Stopwatch,
};

/// Events of one append.
const BATCH: u64 = 2_000;

pub(super) fn measure(
    rounds: u32,
    events: u64,
    scratch: &Scratch,
    runtime: &Runtime,
) -> Result<Vec<Row>, BenchError> {
    let folder = scratch.join("query-ledger");
    let log = Log::open(&folder)?;
    let agent: EntityName = "@felix".parse().map_err(BenchError::of("name an agent"))?;
    write(&log, &agent, events, runtime)?;
    let (mut files, mut bytes) = (0, 0);
    for found in fs::read_dir(&folder).map_err(BenchError::io("list a ledger"))? {
        let path = found.map_err(BenchError::io("list a ledger"))?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            bytes += fs::read(&path).map_err(BenchError::io("read a segment"))?.len() as u64;
            files += 1;
        }
    }
    let gigabytes = float(bytes) / 1e9;
    let rival = Program::find("rg");
    let mut rows = Vec::new();
    for (id, text) in [("ledger_text_rare", RARE), ("ledger_text_absent", ABSENT)] {
        let needle = Needle::new(text).map_err(BenchError::of("look for a text"))?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let watch = Stopwatch::start();
            let found = log.ledger.search_text(&needle, Query::default());
            let seconds = watch.seconds();
            let found = found.map_err(BenchError::of("search a ledger"))?;
            ours.push(gigabytes / seconds);
            if let Some(rival) = &rival {
                let (expected, seconds) =
                    rival.count_text(text, &SearchRoot::Folder(&folder), threads())?;
                super::text::agree(text, found.records.len() as u64, expected)?;
                theirs.push(gigabytes / seconds);
            }
        }
        let title = format!("{text:?} in the {files} segments of a ledger, {gigabytes:.2} GB");
        rows.push(beside_ripgrep(
            Row::new(id, title, "GB/s", &ours),
            &ours,
            rival.as_ref(),
            &theirs,
        ));
    }
    rows.push(newest(rounds, &log)?);
    log.close(runtime)?;
    fs::remove_dir_all(&folder).map_err(BenchError::io("remove a ledger"))?;
    Ok(rows)
}

fn write(log: &Log, agent: &EntityName, events: u64, runtime: &Runtime) -> Result<(), BenchError> {
    let mut next = 0;
    while next < events {
        let end = events.min(next + BATCH);
        let drafts = (next..end).map(|number| {
            let content = entry(agent, number).content;
            let written = StdoutWritten { content, call_id: None, nth: 0 };
            let event = StdoutEvent::Written(written).into();
            Draft { entity: agent.clone(), author: agent.clone(), epoch: None, event }
        });
        let appended = runtime.block_on(log.ledger.append(drafts.collect()));
        appended.map_err(BenchError::of("append to a ledger"))?;
        next = end;
    }
    Ok(())
}

fn newest(rounds: u32, log: &Log) -> Result<Row, BenchError> {
    let needle = Needle::new(COMMON).map_err(BenchError::of("look for a text"))?;
    let query = Query { limit: 10, order: QueryOrder::NewestFirst, ..Query::default() };
    let mut times = Vec::new();
    for _ in 0..rounds {
        let watch = Stopwatch::start();
        let found = log.ledger.search_text(&needle, query.clone());
        times.push(watch.millis());
        drop(found.map_err(BenchError::of("search a ledger"))?);
    }
    let title = format!("the last 10 events of a ledger with {COMMON:?}");
    Ok(Row::new("ledger_text_newest", title, "ms", &times))
}
