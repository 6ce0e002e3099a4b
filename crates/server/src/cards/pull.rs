//! A pull: Scryfall's bulk data becomes the table of this home. What is there stays in force until the new table is whole, checked
//! and durable; a pull that ends anywhere before that has changed nothing but its own unfinished files.

use std::{
    io::{self, BufReader},
    path::Path,
    sync::Arc,
    time::Duration,
};

use abide_deck::{BulkReading, CardFileError, read_new_bulk_cards};
use abide_domain::Clock;

use super::{
    bulk_index::{BulkFile, BulkIndex},
    download::{DownloadLimits, DownloadedFile, Downloader, PullProgress, open_packed},
    error::CardPullError,
    folder::CardFolder,
    limits::{CARDS_PERCENT_MIN, UNREAD_PERCENT_MAX},
    manifest::{CardManifest, StoredFile},
    source::CardSource,
    tags::kept_tags,
};

/// The bulk data with the tags of cards.
const TAGS: &str = "oracle_tags";
/// What `cards.json` says of cards that came from the web.
const SCRYFALL: &str = "scryfall";

/// What a pull is done with.
pub(crate) struct CardPull<'a> {
    /// Where the cards go.
    pub(crate) folder: CardFolder,
    /// Where they come from.
    pub(crate) source: CardSource,
    /// Which bulk data: `default_cards`, `oracle_cards`.
    pub(crate) bulk: String,
    /// Whether a table with far fewer cards than the present one is taken.
    pub(crate) accepts_fewer: bool,
    /// The bounds of downloads.
    pub(crate) limits: DownloadLimits,
    /// Is told the progress.
    pub(crate) progress: &'a mut PullProgress<'a>,
}

/// How a pull ended well.
#[derive(Debug)]
pub(crate) enum PullOutcome {
    /// The cards are young enough; nobody was asked.
    Young(CardManifest),
    /// There are no newer ones.
    Unchanged(CardManifest),
    /// There are new ones.
    Pulled {
        /// What they are.
        manifest: CardManifest,
        /// What a person should know: that tags are missing or old.
        notes: Vec<String>,
    },
}

/// Where bulk data came from.
struct Origin {
    source: String,
    bulk: String,
    updated_at: Option<abide_domain::Timestamp>,
}

impl CardPull<'_> {
    /// Fetches the newest cards, unless those that are there are younger than `if_older`.
    pub(crate) async fn run(
        &mut self,
        if_older: Option<Duration>,
    ) -> Result<PullOutcome, CardPullError> {
        let _lock = self.lock()?;
        let present = self.present();
        let is_young = |manifest: &CardManifest| {
            let now = self.clock().now();
            let age = now.since(manifest.pulled_at);
            manifest.pulled_at <= now && if_older.is_some_and(|limit| age < limit)
        };
        let present = match present {
            Some(present) if is_young(&present) => return Ok(PullOutcome::Young(present)),
            present => present,
        };
        let index = BulkIndex::fetch(&self.source).await?;
        let file = index.file(&self.bulk)?.clone();
        if let Some(present) = present.as_ref().filter(|present| is_of(present, &file)) {
            let manifest = CardManifest { pulled_at: self.clock().now(), ..present.clone() };
            self.publish(&manifest)?;
            return Ok(PullOutcome::Unchanged(manifest));
        }
        let downloaded = self.download(&file).await?;
        let read = self.read(&downloaded.path, &file.url, present.as_ref());
        let reading = match read {
            Ok(reading) => reading,
            Err(error) => {
                // What a disk did not give may come at the next try; all else would be the same again.
                if !matches!(error, CardPullError::Disk { .. }) {
                    downloaded.remove();
                }
                return Err(error);
            }
        };
        let mut notes = Vec::new();
        let tags = self.fetch_tags(&index, present.as_ref(), &mut notes).await?;
        let origin = Origin {
            source: SCRYFALL.to_owned(),
            bulk: file.kind.clone(),
            updated_at: file.updated_at,
        };
        let manifest = self.put(&reading, tags, origin)?;
        downloaded.remove();
        Ok(PullOutcome::Pulled { manifest, notes })
    }

    /// Takes cards, and tags where they are given, from files that a person fetched elsewhere.
    pub(crate) fn take_files(
        &mut self,
        cards: &Path,
        tags: Option<&Path>,
    ) -> Result<PullOutcome, CardPullError> {
        let _lock = self.lock()?;
        let present = self.present();
        let reading = self.read(cards, &cards.display().to_string(), present.as_ref())?;
        let mut notes = Vec::new();
        let tags = if let Some(path) = tags {
            Some(self.store_tags(path)?)
        } else {
            notes.push(note_of_kept(present.as_ref(), "--tags-file names none"));
            present.and_then(|present| present.tags)
        };
        let name = cards.file_name().unwrap_or_default().to_string_lossy();
        let origin =
            Origin { source: format!("file {name}"), bulk: self.bulk.clone(), updated_at: None };
        let manifest = self.put(&reading, tags, origin)?;
        Ok(PullOutcome::Pulled { manifest, notes })
    }

    fn clock(&self) -> &Arc<dyn Clock> {
        self.source.clock()
    }

    fn disk(&self, source: io::Error) -> CardPullError {
        CardPullError::disk(self.folder.path(), source)
    }

    fn lock(&self) -> Result<super::folder::CardsLock, CardPullError> {
        self.folder.create().map_err(|error| self.disk(error))?;
        let lock = self.folder.lock().map_err(|error| self.disk(error))?;
        lock.ok_or_else(|| CardPullError::Busy { folder: self.folder.path().to_owned() })
    }

    /// What is there, if every byte of it is as it was written; else the pull makes it anew.
    fn present(&self) -> Option<CardManifest> {
        let manifest = self.folder.manifest().ok().flatten()?;
        let files = std::iter::once(&manifest.table).chain(&manifest.tags);
        let is_whole = files.into_iter().all(|stored| self.folder.is_whole(stored));
        is_whole.then_some(manifest)
    }

    async fn download(&mut self, file: &BulkFile) -> Result<DownloadedFile, CardPullError> {
        let mut downloader = Downloader {
            source: &self.source,
            folder: &self.folder,
            limits: &self.limits,
            progress: self.progress,
        };
        downloader.fetch(file).await
    }

    /// Reads bulk data, and refuses what cannot be all of the cards.
    fn read(
        &self,
        path: &Path,
        origin: &str,
        present: Option<&CardManifest>,
    ) -> Result<BulkReading, CardPullError> {
        let origin = super::source::shown(origin);
        let file = open_packed(path)?;
        let reading = read_new_bulk_cards(BufReader::new(file));
        let reading =
            reading.map_err(|source| CardPullError::Cards { origin: origin.clone(), source })?;
        let (lines, unread) = (reading.read + reading.unread, reading.unread);
        if let Some((line, reason)) = &reading.first_unread
            && unread * 100 > lines * UNREAD_PERCENT_MAX
        {
            let (line, reason) = (*line, reason.to_string());
            return Err(CardPullError::Unread { origin, unread, lines, line, reason });
        }
        let found = reading.table.cards().len();
        let before = present.map_or(0, |present| present.cards);
        let is_fewer = found * 100 < before * CARDS_PERCENT_MIN;
        if found == 0 || (is_fewer && !self.accepts_fewer) {
            return Err(CardPullError::Fewer { found, present: before });
        }
        Ok(reading)
    }

    /// Fetches the tags. Cards without them are better than none, so that a failure is a note and the tags of before stay.
    async fn fetch_tags(
        &mut self,
        index: &BulkIndex,
        present: Option<&CardManifest>,
        notes: &mut Vec<String>,
    ) -> Result<Option<StoredFile>, CardPullError> {
        let fetched = match index.file(TAGS).cloned() {
            Ok(file) => self.download(&file).await,
            Err(error) => Err(error),
        };
        let stored = match fetched {
            Ok(downloaded) => {
                let stored = self.store_tags(&downloaded.path);
                downloaded.remove();
                stored
            }
            Err(error) => Err(error),
        };
        match stored {
            Ok(stored) => Ok(Some(stored)),
            Err(error @ CardPullError::Disk { .. }) => Err(error),
            Err(error) => {
                notes.push(note_of_kept(present, &error.to_string()));
                Ok(present.and_then(|present| present.tags.clone()))
            }
        }
    }

    fn store_tags(&self, path: &Path) -> Result<StoredFile, CardPullError> {
        let open =
            |path: &Path| open_packed(path).map_err(|error| io::Error::other(error.to_string()));
        let lines = kept_tags(path, open).map_err(|error| CardPullError::Cards {
            origin: TAGS.to_owned(),
            source: CardFileError::Io(error),
        })?;
        self.folder.write_tags(&lines).map_err(|error| self.disk(error))
    }

    /// Writes a table and makes it the present one.
    fn put(
        &self,
        reading: &BulkReading,
        tags: Option<StoredFile>,
        origin: Origin,
    ) -> Result<CardManifest, CardPullError> {
        let written = self.folder.write_table(&reading.table, &reading.digest);
        let table = written.map_err(|error| match error {
            CardFileError::Io(source) => self.disk(source),
            source => CardPullError::Cards { origin: origin.source.clone(), source },
        })?;
        let printings = reading.table.cards().iter().map(|card| card.printings.len()).sum();
        let manifest = CardManifest {
            source: origin.source,
            bulk: origin.bulk,
            source_digest: reading.digest.clone(),
            updated_at: origin.updated_at,
            pulled_at: self.clock().now(),
            cards: reading.table.cards().len(),
            printings,
            unread: reading.unread,
            ..CardManifest::new(table, tags)
        };
        self.publish(&manifest)?;
        Ok(manifest)
    }

    fn publish(&self, manifest: &CardManifest) -> Result<(), CardPullError> {
        self.folder.publish(manifest).map_err(|error| self.disk(error))
    }
}

/// Whether what is there was made of a file.
fn is_of(present: &CardManifest, file: &BulkFile) -> bool {
    present.source == SCRYFALL
        && present.bulk == file.kind
        && file.updated_at.is_some()
        && present.updated_at == file.updated_at
}

fn note_of_kept(present: Option<&CardManifest>, why: &str) -> String {
    let kept = match present.and_then(|present| present.tags.as_ref()) {
        Some(_) => "those of before are kept",
        None => "brackets are estimated without them",
    };
    format!("the tags of cards were not renewed ({why}); {kept}")
}

#[cfg(test)]
mod tests;
