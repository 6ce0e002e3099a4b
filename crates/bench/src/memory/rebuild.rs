//! How fast a memory is built again from the ledger, what it takes on the disk, and how soon it can be asked.
//!
//! A real ledger of whole epochs is read back; beside each rebuild the same lines are read and decoded alone.

use std::{fs, path::Path};

use abide_domain::{EntityName, EpochId, IdSource as _};
use abide_ledger::{Entry, Ledger};
use abide_memory::{DurableEvent, Knowledge, KnowledgeHandle, Lead};
use tokio::runtime::Runtime;

use super::corpus::Corpus;
use crate::{
    error::BenchError,
    ledger::{
        events::{accepted, talk},
        log::Log,
    },
    report::Row,
    scratch::Scratch,
    spread::float_of,
    system::{Stopwatch, SystemClock, SystemIds},
};

/// Epochs that are appended at once.
const EPOCHS_A_BATCH: usize = 200;
/// Events that are handed in at once, as at a start of the keeper.
const EVENTS_A_BATCH: usize = 1_024;

/// What one rebuild took.
#[derive(Debug, Default)]
struct RebuildTimes {
    rebuilt: Vec<f64>,
    decoded: Vec<f64>,
    bytes: Vec<f64>,
    warm: Vec<f64>,
}

/// Writes a ledger of so many epochs and builds the memory of it again and again.
pub(super) fn measure(
    rounds: u32,
    epochs: usize,
    scratch: &Scratch,
    runtime: &Runtime,
) -> Result<Vec<Row>, BenchError> {
    let log = Log::open(&scratch.join("memory-ledger"))?;
    let agent: EntityName = "@felix".parse().map_err(BenchError::of("name an agent"))?;
    write(&log, &agent, epochs, runtime)?;
    let mut taken = RebuildTimes::default();
    for round in 0..rounds {
        let path = scratch.join(format!("knowledge-{round}.db"));
        taken.decoded.push(decode(&log.ledger)?);
        taken.rebuilt.push(rebuild(&log.ledger, &agent, &path)?);
        taken.bytes.push(bytes_on_disk(&path)? / (2.0 * float_of(epochs)));
        taken.warm.push(warm(&path, &agent)?);
    }
    log.close(runtime)?;
    Ok(rows(&taken, epochs))
}

fn rows(taken: &RebuildTimes, epochs: usize) -> Vec<Row> {
    let turns = 2 * epochs;
    let of = format!("of {turns} turns");
    vec![
        Row::new(
            "rebuild",
            format!("a memory {of} built again from the ledger"),
            "events/s",
            &taken.rebuilt,
        )
        .beside("the same lines read and decoded alone", &taken.rebuilt, &taken.decoded),
        Row::new(
            "file_bytes",
            format!("memory {of} on the disk, without vectors, a turn"),
            "bytes",
            &taken.bytes,
        ),
        Row::new(
            "first_question",
            format!("a memory {of} opened and asked for the first time"),
            "ms",
            &taken.warm,
        ),
    ]
}

fn write(
    log: &Log,
    agent: &EntityName,
    epochs: usize,
    runtime: &Runtime,
) -> Result<(), BenchError> {
    let mut corpus = Corpus::new(5);
    let (clock, mut left) = (SystemClock::new(), epochs);
    while left > 0 {
        let count = left.min(EPOCHS_A_BATCH);
        let mut drafts = Vec::new();
        for pair in corpus.turns(2 * count).chunks(2) {
            let [asked, answered] = pair else { continue };
            let now = abide_domain::Clock::now(&clock);
            let epoch = EpochId::from_uuid(SystemIds.uuid(now));
            let stimulus = accepted(&asked.text);
            let stimulus = abide_domain::event::StimulusAccepted { sent_at: now, ..stimulus };
            drafts.extend(talk(agent, epoch, stimulus, &answered.text));
        }
        let appended = runtime.block_on(log.ledger.append(drafts));
        appended.map_err(BenchError::of("append to a ledger"))?;
        left -= count;
    }
    Ok(())
}

/// Events a second, read and decoded.
fn decode(ledger: &Ledger) -> Result<f64, BenchError> {
    let (watch, mut events) = (Stopwatch::start(), 0);
    for record in ledger.records(1) {
        let record = record.map_err(BenchError::of("read a ledger"))?;
        let entry = record.entry().map_err(BenchError::of("decode a line"))?;
        events += usize::from(entry.seq > 0);
    }
    Ok(float_of(events) / watch.seconds())
}

/// Events a second, into a new file, until it is closed.
fn rebuild(ledger: &Ledger, agent: &EntityName, path: &Path) -> Result<f64, BenchError> {
    let watch = Stopwatch::start();
    let opened = Knowledge::open(path, agent, u64::MAX).map_err(BenchError::of("open a memory"))?;
    let mut knowledge = opened.knowledge;
    let (mut batch, mut events) = (Vec::with_capacity(EVENTS_A_BATCH), 0);
    for record in ledger.records(1) {
        let record = record.map_err(BenchError::of("read a ledger"))?;
        batch.push(record.entry().map_err(BenchError::of("decode a line"))?);
        if batch.len() == EVENTS_A_BATCH {
            events += fold(&mut knowledge, agent, &mut batch)?;
        }
    }
    events += fold(&mut knowledge, agent, &mut batch)?;
    drop(knowledge);
    Ok(float_of(events) / watch.seconds())
}

fn fold(
    knowledge: &mut Knowledge,
    agent: &EntityName,
    batch: &mut Vec<Entry>,
) -> Result<usize, BenchError> {
    let own = batch.iter().filter(|entry| entry.entity == *agent);
    let own: Vec<DurableEvent<'_>> = own.map(applied).collect();
    knowledge.apply(&own).map_err(BenchError::of("remember"))?;
    let count = batch.len();
    batch.clear();
    Ok(count)
}

fn applied(entry: &Entry) -> DurableEvent<'_> {
    let Entry { seq, timestamp, entity, author, epoch, event, .. } = entry;
    DurableEvent { seq: *seq, at: *timestamp, entity, author, epoch: *epoch, event }
}

fn bytes_on_disk(path: &Path) -> Result<f64, BenchError> {
    let file = fs::metadata(path).map_err(BenchError::io("look at a memory's file"))?;
    Ok(float_of(usize::try_from(file.len()).unwrap_or(usize::MAX)))
}

/// Milliseconds from a closed file to the first answer.
fn warm(path: &Path, agent: &EntityName) -> Result<f64, BenchError> {
    let mut corpus = Corpus::new(5);
    let asked = corpus.turns(1);
    let question = corpus.question(&asked);
    let watch = Stopwatch::start();
    let opened = Knowledge::open(path, agent, u64::MAX).map_err(BenchError::of("open a memory"))?;
    let handle = KnowledgeHandle::new(opened.knowledge).map_err(BenchError::of("open a memory"))?;
    let now = abide_domain::Clock::now(&SystemClock::new());
    let found = handle.recall(&question, &Lead::at(now), 10);
    let taken = watch.millis();
    match found.items() {
        [] => Err(BenchError::Wrong(format!("a memory built again holds nothing: {found:?}"))),
        _ => Ok(taken),
    }
}
