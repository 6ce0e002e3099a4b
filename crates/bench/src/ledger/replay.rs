//! Reading the whole log back: against the page cache, and against the fastest parse of the same lines.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::{AgentId, EntityName, EpochId, IdSource as _};
use abide_engine::{AgentSetup, DreamerSetup, keeper, mind::ReasonerMind};
use abide_ledger::Ledger;
use abide_memory::{Knowledge, KnowledgeHandle, RuleDistiller, stdout::StdoutFolder};
use abide_models::Reasoner;
use abide_tools::{Registry, SharedRegistry, ToolPolicy};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    events,
    log::{Log, WrittenLog},
    lone::agent,
    plan::LedgerBench,
    reading,
};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
    spread::{Spread, float, float_of},
    system::{Stopwatch, SystemClock, SystemIds},
};

/// Epochs in one append while the log is made.
const EPOCHS_A_BATCH: u32 = 50;
/// Bytes of one read of the reference.
const READ_BYTES: usize = 1024 * 1024;

/// A line as a fast reader sees it: nothing is copied, the data is skipped over.
#[derive(Deserialize)]
struct Borrowed<'a> {
    seq: u64,
    tick: u64,
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    #[serde(borrow)]
    entity: Cow<'a, str>,
    #[serde(borrow)]
    author: Cow<'a, str>,
    #[serde(borrow)]
    epoch: Option<Cow<'a, str>>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    v: u32,
    #[serde(borrow)]
    data: &'a RawValue,
    #[serde(borrow)]
    crc: Cow<'a, str>,
}

pub(super) fn measure(bench: &LedgerBench<'_>) -> Result<Vec<Row>, BenchError> {
    let written = write(bench)?;
    let mut rows = replay(bench, &written)?;
    rows.extend(reading::measure(bench, &written)?);
    written.log.close(bench.runtime)?;
    Ok(rows)
}

fn replay(bench: &LedgerBench<'_>, written: &WrittenLog) -> Result<Vec<Row>, BenchError> {
    let ledger = &written.log.ledger;
    let (mut limit, mut read, mut parse) = (Vec::new(), Vec::new(), Vec::new());
    let (mut records, mut entries, mut folded) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.plan.rounds {
        read.push(rate(written, || read_files(&written.files))?);
        parse.push(rate(written, || parse_lines(&written.text))?);
        records.push(rate(written, || read_records(ledger))?);
        entries.push(rate(written, || read_entries(ledger))?);
        folded.push(fold(written)?);
        let pair = (read.last().copied(), parse.last().copied());
        limit.push(pair.0.unwrap_or_default().min(pair.1.unwrap_or_default()));
    }
    let reference = "the lesser of page-cached read and borrowed from_str of the same lines";
    let megabytes = float_of(written.bytes) / 1e6;
    let events = ledger.head().seq;
    let (read, parse) = (Spread::of(&read), Spread::of(&parse));
    Ok(vec![
        Row::new("rehydrate", "every event read, checksum and order checked", "MB/s", &records)
            .beside(reference, &records, &limit)
            .held_to(Bar::at_least(BarSubject::Ratio, 0.6).reaching(0.9))
            .note(format!(
                "{events} events, {megabytes:.1} MB; read {:.0} MB/s, from_str {:.0} MB/s (medians)",
                read.median, parse.median
            )),
        Row::new("rehydrate_entries", "the same, each event decoded", "MB/s", &entries)
            .beside(reference, &entries, &limit),
        Row::new("rehydrate_state", "the same, folded into a keeper's state", "MB/s", &folded)
            .beside(reference, &folded, &limit)
            .note(format!(
                "what a start without a snapshot takes: {:.0} events/s (median); facts in memory",
                Spread::of(&folded).median / megabytes * float(events)
            )),
    ])
}

/// Megabytes of lines a second.
fn rate(
    written: &WrittenLog,
    work: impl FnOnce() -> Result<usize, BenchError>,
) -> Result<f64, BenchError> {
    let watch = Stopwatch::start();
    let done = work()?;
    let seconds = watch.seconds();
    if done < written.bytes {
        let wanted = written.bytes;
        return Err(BenchError::Wrong(format!("{done} of {wanted} bytes were read back")));
    }
    Ok(float_of(written.bytes) / 1e6 / seconds)
}

fn read_files(files: &[PathBuf]) -> Result<usize, BenchError> {
    let mut buffer = vec![0; READ_BYTES];
    let mut bytes = 0;
    for path in files {
        let mut file = File::open(path).map_err(BenchError::io("open a segment"))?;
        loop {
            match file.read(&mut buffer).map_err(BenchError::io("read a segment"))? {
                0 => break,
                count => bytes += count,
            }
        }
    }
    Ok(bytes)
}

fn parse_lines(text: &str) -> Result<usize, BenchError> {
    let (mut at, mut bytes, mut seq) = (0, 0, 0);
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        let line = text.get(at..end).unwrap_or_default();
        let parsed: Borrowed<'_> =
            serde_json::from_str(line).map_err(BenchError::of("parse a line"))?;
        bytes += line.len() + 1;
        at = end + 1;
        seq += 1;
        check(&parsed, seq)?;
    }
    Ok(bytes)
}

/// Looks at every field, so that no compiler leaves one out.
fn check(line: &Borrowed<'_>, seq: u64) -> Result<(), BenchError> {
    let Borrowed { timestamp, entity, author, epoch, kind, crc, data, v, tick, .. } = line;
    let is_whole = [timestamp, entity, author, kind, crc].iter().all(|text| !text.is_empty())
        && epoch.as_ref().is_none_or(|epoch| !epoch.is_empty())
        && !data.get().is_empty()
        && *v > 0
        && *tick < u64::MAX;
    if is_whole && line.seq == seq {
        return Ok(());
    }
    Err(BenchError::Wrong(format!("line {seq} was not parsed")))
}

fn read_records(ledger: &Ledger) -> Result<usize, BenchError> {
    let mut bytes = 0;
    for record in ledger.records(1) {
        bytes += record.map_err(BenchError::of("read a ledger"))?.line().len() + 1;
    }
    Ok(bytes)
}

fn read_entries(ledger: &Ledger) -> Result<usize, BenchError> {
    let mut bytes = 0;
    for record in ledger.records(1) {
        let record = record.map_err(BenchError::of("read a ledger"))?;
        let entry = record.entry().map_err(BenchError::of("decode a line"))?;
        bytes += record.line().len() + usize::from(entry.seq > 0);
    }
    Ok(bytes)
}

/// Megabytes of lines a second of a keeper's own start.
fn fold(written: &WrittenLog) -> Result<f64, BenchError> {
    let id: AgentId = "felix".parse().map_err(BenchError::of("name an agent"))?;
    let facts = Knowledge::in_memory(&id.entity()).map_err(BenchError::of("open facts"))?;
    let agent = AgentSetup {
        id,
        name: "Felix".into(),
        role: "assistant".into(),
        partners: Vec::new(),
        mind: Arc::new(ReasonerMind::new(Reasoner::Reflex)),
        tools: SharedRegistry::new(Registry::builtin(None).map_err(BenchError::of("list tools"))?)
            .into(),
        policy: ToolPolicy::new::<&str>(&[], &[], &[]).map_err(BenchError::of("make a policy"))?,
        facts: KnowledgeHandle::new(facts).map_err(BenchError::of("open facts"))?,
        dreamer: DreamerSetup::default(),
        distiller: Arc::new(RuleDistiller),
    };
    // The log that is read has no entries of `\\stdout`: the folder is never made.
    let logs = StdoutFolder::open("stdout", None);
    let watch = Stopwatch::start();
    let replayed = keeper::replay(&written.log.ledger, &[agent], logs, None);
    let seconds = watch.seconds();
    replayed.map_err(BenchError::of("fold a ledger"))?;
    Ok(float_of(written.bytes) / 1e6 / seconds)
}

/// Makes the log.
fn write(bench: &LedgerBench<'_>) -> Result<WrittenLog, BenchError> {
    let folder = bench.scratch.join("replay");
    let log = Log::open(&folder)?;
    let agent = agent()?;
    let mut epochs = Vec::new();
    let clock = SystemClock::new();
    let mut left = bench.plan.epochs.max(1);
    while left > 0 {
        let count = left.min(EPOCHS_A_BATCH);
        let ids: Vec<_> = (0..count).map(|_| new_epoch(&clock)).collect();
        let drafts = ids.iter().flat_map(|id| events::epoch(&agent, *id)).collect();
        bench
            .runtime
            .block_on(log.ledger.append(drafts))
            .map_err(BenchError::of("append to a ledger"))?;
        epochs.extend(ids);
        left -= count;
    }
    let files = segments(&folder)?;
    let text = lines(&log.ledger, &agent)?;
    Ok(WrittenLog { log, epochs, bytes: text.len(), text, files })
}

fn new_epoch(clock: &SystemClock) -> EpochId {
    EpochId::from_uuid(SystemIds.uuid(abide_domain::Clock::now(clock)))
}

/// All lines as one text.
fn lines(ledger: &Ledger, agent: &EntityName) -> Result<String, BenchError> {
    let mut text = String::new();
    let mut entities: BTreeMap<String, u64> = BTreeMap::new();
    for record in ledger.records(1) {
        let record = record.map_err(BenchError::of("read a ledger"))?;
        *entities.entry(record.entity().to_owned()).or_default() += 1;
        text.push_str(record.line());
        text.push('\n');
    }
    match entities.get(agent.as_str()) {
        Some(_) => Ok(text),
        None => Err(BenchError::Wrong("the log that was written is empty".into())),
    }
}

/// The files of the segments, in order.
fn segments(folder: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let listed = fs::read_dir(folder).map_err(BenchError::io("list a ledger"))?;
    let mut files: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    Ok(files)
}
