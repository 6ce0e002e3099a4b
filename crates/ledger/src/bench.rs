//! Measures the ledger against raw loops on the same disk, interleaved, for `abide bench ledger`.
//!
//! Only ratios between neighbours in time can be believed on a shared machine: each round runs the raw loop and the
//! ledger one after the other. Returns durations and judges nothing. The raw loop is a growing file, written and synced
//! with the same bytes: what a careful program would do by hand.

use std::{
    fs::File,
    io::{self, Write as _},
    path::Path,
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use abide_domain::Clock;
use tokio::{runtime::Handle, task::JoinSet};

use crate::{
    AppendError, Committer, Draft, FileStorage, Ledger, LedgerOptions, OpenError, ReadError,
    folder::Folder,
};

/// One round: the raw loop, and the ledger doing the same.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// How long the raw loop took.
    pub raw: Duration,
    /// How long the ledger took.
    pub ledger: Duration,
}

/// How fast a ledger is read from its beginning to its end.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    /// Bytes read.
    pub bytes: u64,
    /// Events read.
    pub events: u64,
    /// How long [`Ledger::records`] takes.
    pub records: Duration,
    /// How long reading the files takes, and nothing else.
    pub read: Duration,
    /// How long a JSON parser takes over each line, its fields borrowed.
    pub parse: Duration,
}

/// Says why a measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The folder cannot be used.
    #[error("the bench's folder cannot be used")]
    Io(#[from] io::Error),
    /// The ledger cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An append failed.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The ledger cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A task ended too early.
    #[error("a task of the bench ended too early")]
    Task(#[from] tokio::task::JoinError),
}

/// A ledger and a raw file in one folder, to be measured side by side.
#[derive(Debug)]
pub struct Bench {
    ledger: Ledger,
    committer: JoinHandle<()>,
    raw: File,
    clock: Arc<dyn Clock>,
    draft: Draft,
    /// The bytes that the draft takes in the log.
    line: Vec<u8>,
}

impl Bench {
    /// Sets up in an empty folder. Each event of the bench is a copy of `draft`.
    pub async fn open(
        folder: &Path,
        options: LedgerOptions,
        draft: Draft,
    ) -> Result<Self, BenchError> {
        let storage = Arc::new(FileStorage::create(&folder.join("ledger"))?);
        let clock = Arc::clone(&options.clock);
        let (ledger, committer) = Ledger::open(storage, options)?;
        let committer = Committer::spawn(committer)?;
        let appended = ledger.append(vec![draft.clone()]).await?;
        let mut line = Vec::new();
        for record in ledger.records(appended.first_seq) {
            line = format!("{}\n", record?.line()).into_bytes();
        }
        let raw = File::create(folder.join("raw"))?;
        Ok(Self { ledger, committer, raw, clock, draft, line })
    }

    /// One event, alone: written and synced by hand, and appended.
    pub async fn lone(&mut self) -> Result<Round, BenchError> {
        let begin = self.clock.monotonic();
        self.write_raw(1)?;
        let middle = self.clock.monotonic();
        self.ledger.append(vec![self.draft.clone()]).await?;
        Ok(self.round(begin, middle))
    }

    /// `writers` tasks at once, each appending `each` events one after the other; by hand, `each` syncs of `writers`
    /// lines.
    pub async fn concurrent(&mut self, writers: u32, each: u32) -> Result<Round, BenchError> {
        let begin = self.clock.monotonic();
        for _ in 0..each {
            self.write_raw(writers)?;
        }
        let middle = self.clock.monotonic();
        let mut tasks = JoinSet::new();
        for _ in 0..writers {
            tasks
                .spawn_on(write(self.ledger.clone(), self.draft.clone(), each), &Handle::current());
        }
        while let Some(task) = tasks.join_next().await {
            task??;
        }
        Ok(self.round(begin, middle))
    }

    /// `window` events in flight from one caller, `rounds` times; by hand, `rounds` syncs of `window` lines.
    pub async fn pipelined(&mut self, window: u32, rounds: u32) -> Result<Round, BenchError> {
        let begin = self.clock.monotonic();
        for _ in 0..rounds {
            self.write_raw(window)?;
        }
        let middle = self.clock.monotonic();
        let mut in_flight = std::collections::VecDeque::new();
        for _ in 0..u64::from(window) * u64::from(rounds) {
            if in_flight.len() >= window as usize
                && let Some(oldest) = in_flight.pop_front()
            {
                crate::Pending::durable(oldest).await?;
            }
            in_flight.push_back(self.ledger.submit(vec![self.draft.clone()]).await?);
        }
        for pending in in_flight {
            pending.durable().await?;
        }
        Ok(self.round(begin, middle))
    }

    /// Ends in good order.
    pub async fn close(self) {
        self.ledger.close().await;
        // It has ended: closing waits for it.
        drop(self.committer.join());
    }

    fn round(&self, begin: Duration, middle: Duration) -> Round {
        Round {
            raw: middle.saturating_sub(begin),
            ledger: self.clock.monotonic().saturating_sub(middle),
        }
    }

    fn write_raw(&mut self, lines: u32) -> io::Result<()> {
        self.raw.write_all(&self.line.repeat(lines as usize))?;
        self.raw.sync_data()
    }
}

async fn write(ledger: Ledger, draft: Draft, each: u32) -> Result<(), AppendError> {
    for _ in 0..each {
        ledger.append(vec![draft.clone()]).await?;
    }
    Ok(())
}

/// Replays the ledger in a folder: through [`Ledger::records`]' code, by reading alone, by parsing alone.
pub fn replay(folder: &Path, clock: &dyn Clock) -> Result<Replay, BenchError> {
    let ledger = Folder::open(Arc::new(FileStorage::at(folder)))?;
    let (mut bytes, mut events) = (0, 0);
    let begin = clock.monotonic();
    for record in ledger.records(1) {
        let record = record?;
        bytes += record.line().len() as u64 + 1;
        events += u64::from(!record.kind().is_empty());
    }
    let records = clock.monotonic().saturating_sub(begin);
    let mut files: Vec<_> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    let (mut read, mut parse) = (Duration::ZERO, Duration::ZERO);
    for file in files {
        let begin = clock.monotonic();
        let text = std::fs::read(&file)?;
        let middle = clock.monotonic();
        parse_lines(&text);
        read += middle.saturating_sub(begin);
        parse += clock.monotonic().saturating_sub(middle);
    }
    Ok(Replay { bytes, events, records, read, parse })
}

/// The fields of a line, as a program that knows nothing of the fixed order would read them.
#[derive(serde::Deserialize)]
struct Borrowed<'a> {
    seq: u64,
    tick: u64,
    #[serde(borrow)]
    timestamp: &'a str,
    #[serde(borrow)]
    entity: &'a str,
    #[serde(borrow)]
    author: &'a str,
    #[serde(borrow)]
    kind: &'a str,
    #[serde(borrow)]
    data: &'a serde_json::value::RawValue,
}

fn parse_lines(text: &[u8]) {
    let text = std::str::from_utf8(text).unwrap_or_default();
    for line in text.lines() {
        if let Ok(parsed) = serde_json::from_str::<Borrowed<'_>>(line) {
            let Borrowed { seq, tick, timestamp, entity, author, kind, data } = parsed;
            std::hint::black_box((seq, tick, timestamp, entity, author, kind, data));
        }
    }
}
