//! An open ledger in a folder of its own, with its writer on a thread, as a keeper has it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
};

use abide_domain::EpochId;
use abide_ledger::{Draft, FileStorage, Ledger, LedgerOptions};
use tokio::runtime::Runtime;

use crate::{error::BenchError, system::SystemClock};

/// An open ledger and its writer.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) ledger: Ledger,
    committer: JoinHandle<()>,
}

impl Log {
    /// Opens a ledger in a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self, BenchError> {
        let storage = FileStorage::create(folder).map_err(BenchError::io("make a ledger"))?;
        let options = LedgerOptions::new(Arc::new(SystemClock::new()));
        let (ledger, committer) =
            Ledger::open(Arc::new(storage), options).map_err(BenchError::of("open a ledger"))?;
        let committer = committer.spawn().map_err(BenchError::io("start the ledger's writer"))?;
        Ok(Self { ledger, committer })
    }

    /// Appends drafts as one batch and gives the bytes that they have become: what a raw loop must write.
    pub(crate) fn bytes_of(
        &self,
        runtime: &Runtime,
        drafts: Vec<Draft>,
    ) -> Result<Vec<u8>, BenchError> {
        let appended = runtime
            .block_on(self.ledger.append(drafts))
            .map_err(BenchError::of("append to a ledger"))?;
        let mut bytes = Vec::new();
        for record in self.ledger.records(appended.first_seq) {
            let record = record.map_err(BenchError::of("read a ledger"))?;
            bytes.extend_from_slice(record.line().as_bytes());
            bytes.push(b'\n');
        }
        Ok(bytes)
    }

    /// Closes it in good order.
    pub(crate) fn close(self, runtime: &Runtime) -> Result<(), BenchError> {
        let Self { ledger, committer } = self;
        runtime.block_on(ledger.close());
        let joined = committer.join();
        joined.map_err(|_| BenchError::Wrong("the ledger's writer panicked".into()))
    }
}

/// The log that is read, and what is known about it.
pub(super) struct WrittenLog {
    pub(super) log: Log,
    pub(super) epochs: Vec<EpochId>,
    /// Bytes of all lines.
    pub(super) bytes: usize,
    pub(super) text: String,
    pub(super) files: Vec<PathBuf>,
}
