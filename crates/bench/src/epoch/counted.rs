//! A folder of files whose syncs are counted: every one, of segments, side files and the folder itself.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use abide_ledger::{
    FileStorage, Storage,
    storage::{Access, StoredFile},
};

/// How many syncs there were.
#[derive(Clone, Debug, Default)]
pub(super) struct SyncCount(Arc<AtomicU64>);

impl SyncCount {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The storage of a keeper, counting.
#[derive(Debug)]
pub(super) struct CountingStorage {
    files: FileStorage,
    syncs: SyncCount,
}

impl CountingStorage {
    pub(super) const fn new(files: FileStorage, syncs: SyncCount) -> Self {
        Self { files, syncs }
    }
}

impl Storage for CountingStorage {
    fn list(&self) -> io::Result<Vec<String>> {
        self.files.list()
    }

    fn open(&self, name: &str, access: Access) -> io::Result<Box<dyn StoredFile>> {
        let (file, syncs) = (self.files.open(name, access)?, self.syncs.clone());
        Ok(Box::new(CountingFile { file, syncs }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.files.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.files.remove(name)
    }

    fn sync_folder(&self) -> io::Result<()> {
        self.syncs.add();
        self.files.sync_folder()
    }
}

#[derive(Debug)]
struct CountingFile {
    file: Box<dyn StoredFile>,
    syncs: SyncCount,
}

impl StoredFile for CountingFile {
    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_at(bytes, offset)
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.file.set_size(size)
    }

    fn sync_content(&self) -> io::Result<()> {
        self.syncs.add();
        self.file.sync_content()
    }

    fn sync_all(&self) -> io::Result<()> {
        self.syncs.add();
        self.file.sync_all()
    }
}
