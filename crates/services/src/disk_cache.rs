//! Answers kept on disk: one file an entry, written whole or not at all, bounded in number and bytes.
//!
//! It is a cache: what cannot be read is skipped, what cannot be written is not kept, and neither fails a call. Entries are
//! read and written beside the runtime's threads, from JSON and to JSON as well.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use abide_domain::{Clock, Timestamp};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use crate::limits::{CACHE_ENTRIES_MAX, CACHE_ENTRY_BYTES_MAX};

const ENDING: &str = "json";

/// Where answers are kept and how much of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskCacheSettings {
    /// The folder; made when the first entry is written.
    pub folder: PathBuf,
    /// Bytes of all entries together; the oldest give way.
    pub bytes_max: u64,
}

impl DiskCacheSettings {
    /// A cache of at most 64 MiB.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), bytes_max: 64 * 1024 * 1024 }
    }
}

/// A folder of entries. A cheap clone.
#[derive(Clone, Debug)]
pub(crate) struct DiskCache {
    settings: Arc<DiskCacheSettings>,
    clock: Arc<dyn Clock>,
}

#[derive(Serialize, Deserialize)]
struct Stored<T> {
    key: String,
    written_at: Timestamp,
    value: T,
}

impl DiskCache {
    pub(crate) fn new(settings: &DiskCacheSettings, clock: Arc<dyn Clock>) -> Self {
        Self { settings: Arc::new(settings.clone()), clock }
    }

    /// The value of a key, where it is there and not older than `age_max`.
    pub(crate) async fn get<T>(&self, key: &str, age_max: Duration) -> Option<T>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let path = self.path(key);
        let reading = tokio::task::spawn_blocking(move || read_entry::<T>(&path));
        let stored = reading.await.ok()??;
        let now = self.clock.now();
        // An entry from the future was written before the clock was set back: nobody knows how old it is.
        let is_fresh = stored.written_at <= now && now.since(stored.written_at) < age_max;
        (stored.key == key && is_fresh).then_some(stored.value)
    }

    /// Keeps a value; one that is too long is not kept.
    pub(crate) async fn put<T>(&self, key: &str, value: T)
    where
        T: Serialize + Send + 'static,
    {
        let stored = Stored { key: key.to_owned(), written_at: self.clock.now(), value };
        let (path, settings) = (self.path(key), Arc::clone(&self.settings));
        let writing = tokio::task::spawn_blocking(move || {
            let text = serde_json::to_vec(&stored)?;
            if text.len() > CACHE_ENTRY_BYTES_MAX {
                return Ok(());
            }
            write_entry(&settings.folder, &path, &text)?;
            make_room(&settings)
        });
        // A cache that cannot be written is as good as none.
        drop(writing.await);
    }

    fn path(&self, key: &str) -> PathBuf {
        let name = hex::encode(Sha256::digest(key.as_bytes()));
        self.settings.folder.join(name).with_extension(ENDING)
    }
}

fn read_entry<T: DeserializeOwned>(path: &Path) -> Option<Stored<T>> {
    let length = fs::metadata(path).ok()?.len();
    if length > CACHE_ENTRY_BYTES_MAX as u64 {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Writes beside the entry first: a reader, or a start after a crash, finds the old entry or the new one whole. Two writers
/// of one key at the same time have names of their own.
fn write_entry(folder: &Path, path: &Path, text: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, text)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Drops the oldest entries, and what an interrupted writer left, until what is left fits.
fn make_room(settings: &DiskCacheSettings) -> io::Result<()> {
    let mut files = Vec::new();
    let mut bytes: u64 = 0;
    for entry in fs::read_dir(&settings.folder)?.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_file() {
            bytes = bytes.saturating_add(metadata.len());
            files.push((metadata.modified().ok(), entry.path(), metadata.len()));
        }
    }
    files.sort();
    let mut count = files.len();
    for (_, path, length) in files {
        if bytes <= settings.bytes_max && count <= CACHE_ENTRIES_MAX {
            break;
        }
        if fs::remove_file(path).is_ok() {
            bytes = bytes.saturating_sub(length);
            count = count.saturating_sub(1);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Mutex, time::Duration};

    use abide_domain::{Clock, Timestamp};
    use serde_json::{Value, json};

    use super::{DiskCache, DiskCacheSettings};

    #[derive(Debug, Default)]
    struct Hand(Mutex<Duration>);

    impl Hand {
        fn forward(&self, by: Duration) {
            *self.0.lock().unwrap() += by;
        }
    }

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            Timestamp::default().plus(self.monotonic())
        }

        fn monotonic(&self) -> Duration {
            *self.0.lock().unwrap()
        }
    }

    const DAY: Duration = Duration::from_hours(24);

    #[tokio::test]
    async fn an_entry_lasts_as_long_as_it_may_and_comes_back_after_a_start() {
        let folder = tempfile::tempdir().unwrap();
        let settings = DiskCacheSettings::new(folder.path().join("made"));
        let clock = std::sync::Arc::new(Hand::default());
        DiskCache::new(&settings, clock.clone()).put("a", json!({"x": 1})).await;
        let cache = DiskCache::new(&settings, clock.clone());
        assert_eq!(cache.get("a", DAY).await, Some(json!({"x": 1})));
        assert_eq!(cache.get::<Value>("b", DAY).await, None);
        clock.forward(Duration::from_secs(24 * 3600 - 1));
        assert!(cache.get::<Value>("a", DAY).await.is_some());
        clock.forward(Duration::from_secs(1));
        assert_eq!(cache.get::<Value>("a", DAY).await, None);
    }

    #[tokio::test]
    async fn a_damaged_entry_is_skipped_and_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let settings = DiskCacheSettings::new(folder.path());
        let cache = DiskCache::new(&settings, std::sync::Arc::new(Hand::default()));
        cache.put("a", json!(1)).await;
        for damaged in [&b"{\"key\":\"a\",\"stored"[..], b"", b"\xff\xfe", b"[]"] {
            fs::write(cache.path("a"), damaged).unwrap();
            assert_eq!(cache.get::<Value>("a", DAY).await, None);
        }
        cache.put("a", json!(2)).await;
        assert_eq!(cache.get("a", DAY).await, Some(json!(2)));
    }

    #[tokio::test]
    async fn all_entries_together_have_a_bound() {
        let folder = tempfile::tempdir().unwrap();
        let settings =
            DiskCacheSettings { bytes_max: 5_000, ..DiskCacheSettings::new(folder.path()) };
        let cache = DiskCache::new(&settings, std::sync::Arc::new(Hand::default()));
        for index in 0..20 {
            cache.put(&format!("{index}"), json!("x".repeat(1_000))).await;
        }
        let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
        let bytes: u64 = files.iter().map(|file| file.metadata().unwrap().len()).sum();
        assert!(bytes <= 5_000 && !files.is_empty(), "{bytes} bytes in {} files", files.len());
    }
}
