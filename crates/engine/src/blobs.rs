//! What is kept for as long as an epoch is open and is gone after it: ethereal results, and what a model's provider wants back
//! with the results of its calls (`run_epoch/hand_back.rs`).
//!
//! The ledger never holds their bytes; of results it has size, digest and note (decision 19). A blob is synced before the event
//! that it belongs to, so that a resumed epoch still has it.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use abide_domain::{CallId, EpochId};
use abide_ledger::storage::check_room;
use sha2::{Digest as _, Sha256};

/// The store of the ethereal results of open epochs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Blobs(Store);

type BlobMap = HashMap<EpochId, HashMap<CallId, Arc<str>>>;

#[derive(Clone, Debug)]
enum Store {
    /// One folder an epoch, one file a call.
    Folder(PathBuf),
    /// For a whole keeper in one thread, whose crash is simulated.
    Memory(Arc<Mutex<BlobMap>>),
}

impl Blobs {
    /// Uses a folder, which need not exist yet.
    pub fn folder(folder: PathBuf) -> Self {
        Self(Store::Folder(folder))
    }

    /// Keeps blobs in memory; clones share them, so that they outlive a simulated crash.
    pub fn memory() -> Self {
        Self(Store::Memory(Arc::default()))
    }

    /// Keeps a result durably for as long as its epoch is open.
    pub async fn put(&self, epoch: EpochId, call: &CallId, content: &str) -> io::Result<()> {
        match &self.0 {
            Store::Memory(blobs) => {
                let mut blobs = blobs.lock().unwrap_or_else(PoisonError::into_inner);
                blobs.entry(epoch).or_default().insert(call.clone(), content.into());
                Ok(())
            }
            Store::Folder(folder) => {
                let (path, content) = (path(folder, epoch, call), content.to_owned());
                blocking(move || write_durably(&path, content.as_bytes())).await
            }
        }
    }

    /// Reads a result back, if it is still there and is what the ledger says it was.
    pub async fn get(&self, epoch: EpochId, call: &CallId, sha256: &str) -> Option<Arc<str>> {
        let content = self.read(epoch, call).await?;
        (digest(content.as_bytes()) == sha256).then_some(content)
    }

    /// Reads back what no event names, if it is still there; whether it is whole is for the caller to know.
    pub async fn read(&self, epoch: EpochId, call: &CallId) -> Option<Arc<str>> {
        match &self.0 {
            Store::Memory(blobs) => {
                let blobs = blobs.lock().unwrap_or_else(PoisonError::into_inner);
                blobs.get(&epoch)?.get(call).cloned()
            }
            Store::Folder(folder) => {
                let path = path(folder, epoch, call);
                Some(blocking(move || fs::read_to_string(path)).await.ok()?.into())
            }
        }
    }

    /// Removes an epoch's blobs. That none are there is no error.
    pub async fn remove(&self, epoch: EpochId) {
        let removed = match &self.0 {
            Store::Memory(blobs) => {
                blobs.lock().unwrap_or_else(PoisonError::into_inner).remove(&epoch);
                Ok(())
            }
            Store::Folder(folder) => {
                let folder = folder.join(epoch.to_string());
                blocking(move || remove_folder(&folder)).await
            }
        };
        if let Err(error) = removed {
            tracing::warn!(%epoch, event = "blobs_not_removed", %error,
                "the blobs of an ended epoch could not be removed");
        }
    }

    /// Removes the blobs of all epochs but those that are open. Called once, at start.
    pub fn keep_only(&self, is_open: impl Fn(EpochId) -> bool) -> io::Result<()> {
        match &self.0 {
            Store::Memory(blobs) => {
                let mut blobs = blobs.lock().unwrap_or_else(PoisonError::into_inner);
                blobs.retain(|epoch, _| is_open(*epoch));
                Ok(())
            }
            Store::Folder(folder) => sweep(folder, is_open),
        }
    }

    /// How many epochs have blobs; for checks that nothing stays behind.
    pub fn len(&self) -> usize {
        match &self.0 {
            Store::Memory(blobs) => blobs.lock().unwrap_or_else(PoisonError::into_inner).len(),
            Store::Folder(folder) => fs::read_dir(folder).map_or(0, Iterator::count),
        }
    }

    /// Whether no epoch has blobs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// SHA-256 of a result, hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

fn path(folder: &Path, epoch: EpochId, call: &CallId) -> PathBuf {
    folder.join(epoch.to_string()).join(call.as_str())
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder =
        path.parent().ok_or_else(|| io::Error::other("the path of a blob has no folder"))?;
    fs::create_dir_all(folder)?;
    check_room(folder)?;
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_data()?;
    // The name must survive too: the file's folder, and the folder that holds it.
    sync_folder(folder)?;
    folder.parent().map_or(Ok(()), sync_folder)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn sweep(folder: &Path, is_open: impl Fn(EpochId) -> bool) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let epoch = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if epoch.is_some_and(|epoch| !is_open(epoch)) {
            remove_folder(&entry.path())?;
        }
    }
    Ok(())
}

fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
