//! The folder of cards: its names, the lock that keeps two writers apart, and how a table gets in and out of it. Blocking.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, BufWriter, Read as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_deck::{CardFileError, CardTable, OracleTags, read_card_table, write_card_table};
use abide_models::sha256_of;
use sha2::{Digest as _, Sha256};

use super::{
    limits::{MANIFEST_BYTES_MAX, TAGS_BYTES_MAX},
    manifest::{CardManifest, StoredFile},
};
use crate::home::{LinkRule, open_regular, read_regular, require_folder, write_atomically};

const MANIFEST: &str = "cards.json";
const LOCK: &str = ".lock";
/// What a damaged table is called once it was set aside, and what said that it was the present one.
const DAMAGED: [&str; 2] = ["damaged.json", "damaged.jsonl.gz"];
const TABLE_BEGIN: &str = "table-";
const TAGS_BEGIN: &str = "tags-";
/// How often the lock is tried.
const LOCK_TRIES: u32 = 100;
/// Digits of a digest in a file's name.
const NAME_DIGITS: usize = 16;

/// The folder; need not exist yet.
#[derive(Clone, Debug)]
pub(crate) struct CardFolder {
    path: PathBuf,
}

/// Held by whoever changes what is in the folder.
#[derive(Debug)]
pub(crate) struct CardsLock {
    _file: File,
}

/// Which `cards.json` this is: another one differs in some of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ManifestStamp([u64; 4]);

/// The cards of a folder.
#[derive(Clone, Debug)]
pub(crate) struct StoredCards {
    /// All cards.
    pub(crate) table: Arc<CardTable>,
    /// What cards are tagged with; none where no tags were pulled.
    pub(crate) tags: Option<Arc<OracleTags>>,
}

impl CardFolder {
    /// The folder at a path. Nothing is made or read.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder, for its owner alone.
    pub(crate) fn create(&self) -> io::Result<()> {
        if require_folder(&self.path)? {
            return Ok(());
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)
    }

    /// Keeps other writers out; none where one is in already.
    pub(crate) fn lock(&self) -> io::Result<Option<CardsLock>> {
        let mut options = OpenOptions::new();
        let path = self.path.join(LOCK);
        let file = open_regular(options.create(true).append(true), &path, LinkRule::Refuse)?;
        // Whoever only looks holds it for an instant.
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Some(CardsLock { _file: file })),
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Whether somebody changes what is in the folder. Makes nothing.
    pub(crate) fn is_locked(&self) -> io::Result<bool> {
        let path = self.path.join(LOCK);
        let file = match open_regular(OpenOptions::new().read(true), &path, LinkRule::Refuse) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => opened?,
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Whether every byte of a file is as it was written.
    pub(crate) fn is_whole(&self, stored: &StoredFile) -> bool {
        sha256_of(&self.path.join(&stored.file)).is_ok_and(|digest| digest == stored.digest)
    }

    /// Which manifest is there; none where there is none.
    pub(super) fn stamp(&self) -> io::Result<Option<ManifestStamp>> {
        if !require_folder(&self.path)? {
            return Ok(None);
        }
        match fs::symlink_metadata(self.path.join(MANIFEST)) {
            Ok(found) => {
                let changed = found.mtime().cast_unsigned().wrapping_mul(1_000_000_000);
                let changed = changed.wrapping_add(found.mtime_nsec().cast_unsigned());
                Ok(Some(ManifestStamp([found.dev(), found.ino(), found.len(), changed])))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What says which cards are the present ones; none where there are none.
    pub(crate) fn manifest(&self) -> io::Result<Option<CardManifest>> {
        if !require_folder(&self.path)? {
            return Ok(None);
        }
        let text = read_regular(&self.path.join(MANIFEST), LinkRule::Refuse, MANIFEST_BYTES_MAX)?;
        text.map(|text| CardManifest::parse(&text)).transpose()
    }

    /// Reads the cards that a manifest names, every byte checked.
    pub(super) fn read(&self, manifest: &CardManifest) -> Result<StoredCards, CardFileError> {
        let table = self.open(&manifest.table)?;
        let (table, _) = read_card_table(table, &manifest.table.digest)?;
        let tags = manifest.tags.as_ref().map(|stored| self.read_tags(stored)).transpose()?;
        let tags = tags.map(Arc::new);
        Ok(StoredCards { table: Arc::new(table), tags })
    }

    fn read_tags(&self, stored: &StoredFile) -> Result<OracleTags, CardFileError> {
        let mut text = String::new();
        self.open(stored)?.take(TAGS_BYTES_MAX).read_to_string(&mut text)?;
        let found = hex::encode(Sha256::digest(text.as_bytes()));
        if found != stored.digest {
            return Err(CardFileError::Digest { wanted: stored.digest.clone(), found });
        }
        Ok(OracleTags::from_lines(text.lines()).0)
    }

    fn open(&self, stored: &StoredFile) -> io::Result<File> {
        open_regular(OpenOptions::new().read(true), &self.path.join(&stored.file), LinkRule::Refuse)
    }

    /// Writes a table under a name of its own. It is not the present one before [`CardFolder::publish`].
    pub(crate) fn write_table(
        &self,
        table: &CardTable,
        source_digest: &str,
    ) -> Result<StoredFile, CardFileError> {
        let part = self.path.join(".table.part");
        drop(fs::remove_file(&part));
        let mut options = OpenOptions::new();
        let file = open_regular(options.write(true).create_new(true), &part, LinkRule::Refuse)?;
        let mut writer = BufWriter::new(file);
        let digest = write_card_table(table, source_digest, &mut writer)?;
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        let file = named(TABLE_BEGIN, &digest, "jsonl.gz");
        fs::rename(&part, self.path.join(&file))?;
        Ok(StoredFile { file, digest })
    }

    /// Writes tags, one a line, under a name of their own.
    pub(crate) fn write_tags(&self, lines: &str) -> io::Result<StoredFile> {
        let digest = hex::encode(Sha256::digest(lines.as_bytes()));
        let file = named(TAGS_BEGIN, &digest, "jsonl");
        write_atomically(&self.path.join(&file), lines.as_bytes())?;
        Ok(StoredFile { file, digest })
    }

    /// Makes what a manifest names the present cards, and removes tables of before. For whoever has the lock.
    pub(crate) fn publish(&self, manifest: &CardManifest) -> io::Result<()> {
        // The names of the new files are durable before anything says that they are there.
        File::open(&self.path)?.sync_all()?;
        write_atomically(&self.path.join(MANIFEST), manifest.print()?.as_bytes())?;
        let kept = [Some(&manifest.table), manifest.tags.as_ref()];
        let kept: Vec<_> = kept.into_iter().flatten().map(|stored| stored.file.as_str()).collect();
        for entry in fs::read_dir(&self.path)?.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_old = [TABLE_BEGIN, TAGS_BEGIN].iter().any(|begin| name.starts_with(begin));
            // What another pull began, perhaps of another file, is of no use any more.
            let is_part = name.starts_with('.') && name.contains(".part");
            if is_part || (is_old && !kept.contains(&name)) || DAMAGED.contains(&name) {
                // What cannot be removed lies there until the next pull.
                drop(fs::remove_file(entry.path()));
            }
        }
        Ok(())
    }

    /// Puts damaged cards out of the way, so that nobody reads them again. Not while a pull is about to replace them, and
    /// only those of the manifest that was read. Gives where they are now.
    pub(super) fn set_aside(&self, stamp: ManifestStamp, table: Option<&str>) -> Option<PathBuf> {
        let _lock = self.lock().ok().flatten()?;
        if self.stamp().ok().flatten() != Some(stamp) {
            return None;
        }
        let [manifest_aside, table_aside] = DAMAGED.map(|name| self.path.join(name));
        if let Some(table) = table {
            // It may be what is missing.
            drop(fs::rename(self.path.join(table), &table_aside));
        }
        fs::rename(self.path.join(MANIFEST), &manifest_aside).ok()?;
        Some(if table_aside.exists() { table_aside } else { manifest_aside })
    }

    /// The damaged cards that were set aside, if no pull has replaced them since.
    pub(crate) fn damaged(&self) -> Option<PathBuf> {
        let places = DAMAGED.map(|name| self.path.join(name));
        places.into_iter().rev().find(|place| place.symlink_metadata().is_ok())
    }
}

fn named(begin: &str, digest: &str, end: &str) -> String {
    let digits = digest.get(..NAME_DIGITS).unwrap_or(digest);
    format!("{begin}{digits}.{end}")
}
