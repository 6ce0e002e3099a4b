//! What all tests of the private state need: a clock that is moved by hand, ids, a disk with two folders, entries.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::{Clock, IdSource, Timestamp};
use abide_ledger::storage::{Access, Storage, StoredFile, fault::FaultStorage};
use abide_supervisor::{
    Numbering, PrivateState, PrivateStateError, PrivateStateFolders, PrivateStateLimits,
    PrivateStateOptions, PrivateStateProblem, RestoredState, StoredEntry,
};
use uuid::Uuid;

/// A clock that is moved by hand.
#[derive(Debug)]
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn advance(&self, duration: Duration) {
        self.0.fetch_add(i64::try_from(duration.as_micros()).unwrap(), Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::Relaxed))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.load(Ordering::Relaxed)).unwrap_or(0))
    }
}

#[derive(Debug, Default)]
struct TestIds(AtomicU64);

impl IdSource for TestIds {
    fn uuid(&self, _: Timestamp) -> Uuid {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        Uuid::from_u128(0x0193_0000_0000_7000_8000_0000_0000_0000 + u128::from(number))
    }
}

/// As [`abide_testkit::rounds`], for counts of 64 bits.
pub(crate) fn rounds(full: u64) -> u64 {
    u64::from(abide_testkit::rounds(u32::try_from(full).unwrap_or(u32::MAX)))
}

/// A disk with an agent's two folders, and what a keeper hands in.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) disk: FaultStorage,
    pub(crate) wal: FaultStorage,
    pub(crate) checkpoints: FaultStorage,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) options: PrivateStateOptions,
}

/// The run that tests begin.
pub(crate) const RUN: Uuid = Uuid::from_u128(0x0193_0000_0000_7000_8000_0000_0000_aaaa);

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        Self::on(FaultStorage::new(seed))
    }

    pub(crate) fn on(disk: FaultStorage) -> Self {
        let clock = Arc::new(TestClock(AtomicI64::new(1_795_817_403_000_000)));
        let options = PrivateStateOptions {
            agent: "felix".parse().unwrap(),
            limits: PrivateStateLimits { segment_bytes_max: 400, ..PrivateStateLimits::default() },
            clock: Arc::<TestClock>::clone(&clock),
            ids: Arc::new(TestIds::default()),
        };
        let (wal, checkpoints) = (disk.folder("wal"), disk.folder("checkpoints"));
        Self { disk, wal, checkpoints, clock, options }
    }

    pub(crate) fn fork(&self) -> Self {
        let disk = self.disk.fork();
        let (wal, checkpoints) = (disk.folder("wal"), disk.folder("checkpoints"));
        Self { disk, wal, checkpoints, ..self.clone() }
    }

    pub(crate) fn folders(&self) -> PrivateStateFolders {
        PrivateStateFolders {
            wal: Arc::new(self.wal.clone()),
            checkpoints: Arc::new(self.checkpoints.clone()),
        }
    }

    pub(crate) fn try_open(&self) -> Result<(PrivateState, RestoredState), PrivateStateError> {
        let (mut state, restored) = PrivateState::open(self.folders(), self.options.clone())?;
        state.begin_run(RUN, Numbering::Continued);
        Ok((state, restored))
    }

    pub(crate) fn open(&self) -> (PrivateState, RestoredState) {
        self.try_open().unwrap()
    }

    /// Opens a state that must be as it was left.
    pub(crate) fn open_whole(&self) -> (PrivateState, RestoredState) {
        let (state, restored) = self.open();
        assert_eq!(restored.report, []);
        (state, restored)
    }

    /// The names of files, sorted.
    pub(crate) fn files(folder: &FaultStorage) -> Vec<String> {
        let mut names = folder.list().unwrap();
        names.sort_unstable();
        names
    }
}

/// An entry whose content follows from its number.
pub(crate) fn entry(sequence: u64) -> StoredEntry {
    let data = format!("entry {sequence} {}", "x".repeat(usize::try_from(sequence % 40).unwrap()));
    StoredEntry {
        sequence,
        timestamp: 1_705_392_000,
        operation: "memory_add".into(),
        data: data.into(),
    }
}

pub(crate) fn entries(sequences: impl IntoIterator<Item = u64>) -> Vec<StoredEntry> {
    sequences.into_iter().map(entry).collect()
}

pub(crate) fn sequences(restored: &RestoredState) -> Vec<u64> {
    restored.entries.iter().map(|entry| entry.sequence).collect()
}

/// Names of troubles, for whole-value comparison of reports.
pub(crate) fn kinds(report: &[PrivateStateProblem]) -> Vec<&'static str> {
    let kind = |trouble: &PrivateStateProblem| match trouble {
        PrivateStateProblem::CheckpointDamaged { .. } => "checkpoint_damaged",
        PrivateStateProblem::TornTail { .. } => "torn_tail",
        PrivateStateProblem::WalDamaged { .. } => "wal_damaged",
        PrivateStateProblem::EntriesLost { .. } => "entries_lost",
        PrivateStateProblem::WalBehind { .. } => "wal_behind",
        PrivateStateProblem::ColdStart { .. } => "cold_start",
        PrivateStateProblem::LaterSetAside { .. } => "later_set_aside",
    };
    report.iter().map(kind).collect()
}

/// A folder with a file that can be written but not be read.
#[derive(Debug)]
pub(crate) struct BadSector {
    pub(crate) folder: Arc<dyn Storage>,
    pub(crate) file: &'static str,
    pub(crate) code: i32,
}

impl Storage for BadSector {
    fn list(&self) -> io::Result<Vec<String>> {
        self.folder.list()
    }

    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn StoredFile>> {
        if name == self.file && access == Access::Read {
            return Err(io::Error::from_raw_os_error(self.code));
        }
        self.folder.open(name, access)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.folder.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.folder.remove(name)
    }

    fn sync_folder(&self) -> io::Result<()> {
        self.folder.sync_folder()
    }
}
