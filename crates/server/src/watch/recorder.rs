//! The ledger as what the watchdog records to and reads from.

use abide_domain::Timestamp;
use abide_ledger::{Draft, Entry, Ledger};
use abide_watchdog::{Recorder, RecorderError};
use futures_util::future::BoxFuture;

/// Events that are read at once, off the runtime's threads.
const CHUNK: usize = 1_000;

/// Records to the ledger.
#[derive(Debug)]
pub(super) struct LedgerRecorder {
    ledger: Ledger,
}

impl LedgerRecorder {
    /// Records to this ledger.
    pub(super) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

impl Recorder for LedgerRecorder {
    fn append(&self, drafts: Vec<Draft>) -> BoxFuture<'_, Result<Timestamp, RecorderError>> {
        Box::pin(async move {
            let appended =
                self.ledger.append(drafts).await.map_err(|error| recorder_error(&error))?;
            Ok(appended.timestamp)
        })
    }

    fn read<'a>(
        &'a self,
        from: Timestamp,
        each: &'a mut (dyn FnMut(&Entry) + Send),
    ) -> BoxFuture<'a, Result<(), RecorderError>> {
        Box::pin(async move {
            let ledger = self.ledger.clone();
            let mut next = off_thread(move || first_since(&ledger, from)).await?;
            loop {
                let ledger = self.ledger.clone();
                let entries = off_thread(move || chunk(&ledger, next)).await?;
                let Some(last) = entries.last() else { return Ok(()) };
                next = last.seq + 1;
                entries.iter().for_each(&mut *each);
            }
        })
    }
}

async fn off_thread<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, RecorderError> + Send + 'static,
) -> Result<T, RecorderError> {
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(recorder_error(&error)))
}

fn chunk(ledger: &Ledger, from: u64) -> Result<Vec<Entry>, RecorderError> {
    let entry = |record: Result<abide_ledger::Record, _>| {
        record
            .map_err(|error| recorder_error(&error))?
            .entry()
            .map_err(|error| recorder_error(&error))
    };
    ledger.records(from).take(CHUNK).map(entry).collect()
}

/// The first line that is not before a moment: lines have no index by time, and their times only go forward.
fn first_since(ledger: &Ledger, from: Timestamp) -> Result<u64, RecorderError> {
    let (mut low, mut high) = (1, ledger.head().seq + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let Some(record) = ledger.records(middle).next() else { return Ok(low) };
        let record = record.map_err(|error| recorder_error(&error))?;
        let at: Timestamp = record.timestamp().parse().map_err(|error| recorder_error(&error))?;
        if at < from {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

fn recorder_error(error: &dyn std::error::Error) -> RecorderError {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        message.push_str(": ");
        message.push_str(&source.to_string());
        cause = source.source();
    }
    RecorderError(message)
}
