//! The cards in the memory of a keeper: read at the first use, off the runtime's threads, and once for all who ask at the same
//! time; let go when nobody has asked for a while. A newer table is noticed at the next use.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_deck::{CardFileError, CardTable};
use abide_domain::Clock;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

pub(crate) use super::folder::StoredCards;
use super::{
    folder::{CardFolder, ManifestStamp},
    limits::IDLE_MAX,
};

/// The cards of a keeper. A cheap clone; nothing is read before it is asked.
#[derive(Clone, Debug)]
pub(crate) struct CardStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: CardFolder,
    clock: Arc<dyn Clock>,
    /// One reader at a time: two would hold two tables.
    reading: Arc<Semaphore>,
    kept: Mutex<Kept>,
    /// Says that cards were read.
    filled: Notify,
}

#[derive(Debug, Default)]
struct Kept {
    cards: Option<(ManifestStamp, StoredCards)>,
    /// When somebody asked last, on the monotonic clock.
    used_at: Duration,
}

/// Why there are no cards.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CardsMissingError {
    /// None were ever pulled.
    #[error(
        "no cards are here yet: run `abide cards pull`, or `abide cards pull --file PATH` with Scryfall's bulk data where there is no network"
    )]
    Absent,
    /// They are not what was written.
    #[error("the cards were damaged ({reason}) and were set aside as {}; run `abide cards pull`", aside.display())]
    Damaged {
        /// Where they are now.
        aside: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// They cannot be read now.
    #[error("the cards in {} cannot be read: {reason}; `abide cards status` looks again, `abide cards pull` makes them anew", folder.display())]
    Unreadable {
        /// Where they are.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
}

impl CardStore {
    /// The cards of a folder, which need not exist. Opens and reads nothing.
    pub(crate) fn new(folder: PathBuf, clock: Arc<dyn Clock>) -> Self {
        let inner = Inner {
            folder: CardFolder::new(folder),
            clock,
            reading: Arc::new(Semaphore::new(1)),
            kept: Mutex::default(),
            filled: Notify::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &CardFolder {
        &self.inner.folder
    }

    /// Whether cards are being read at this moment.
    pub(crate) fn is_reading(&self) -> bool {
        self.inner.reading.available_permits() == 0
    }

    /// All cards; the first use reads them, which takes a second or two.
    ///
    /// # Errors
    /// There are none, or they cannot be read; says what to do.
    pub(crate) async fn table(&self) -> Result<Arc<CardTable>, CardsMissingError> {
        Ok(self.cards().await?.table)
    }

    /// All cards, with their tags and what says where they come from.
    ///
    /// # Errors
    /// As [`CardStore::table`].
    pub(crate) async fn cards(&self) -> Result<StoredCards, CardsMissingError> {
        if let Some(kept) = self.off_thread(|inner| Ok(inner.present())).await? {
            return Ok(kept);
        }
        let permit = Arc::clone(&self.inner.reading).acquire_owned().await;
        let permit = permit.map_err(|_| self.inner.unreadable(&"the keeper ends"))?;
        // The read goes on where its caller leaves, so that nobody begins a second one.
        self.off_thread(move |inner| inner.read(permit)).await
    }

    async fn off_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T, CardsMissingError> + Send + 'static,
    ) -> Result<T, CardsMissingError> {
        let inner = Arc::clone(&self.inner);
        let done = tokio::task::spawn_blocking(move || work(&inner)).await;
        done.unwrap_or_else(|error| Err(self.inner.unreadable(&error)))
    }

    /// Lets the cards go whenever nobody has asked for [`IDLE_MAX`]. Runs until it is stopped.
    pub(crate) async fn let_go_when_idle(self, stop: CancellationToken) {
        loop {
            let wait = self.inner.idle_left();
            let idle = async {
                match wait {
                    Some(left) => tokio::time::sleep(left).await,
                    None => self.inner.filled.notified().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = idle => {}
            }
        }
    }
}

impl Inner {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cards in memory, where they are still those on disk.
    fn present(&self) -> Option<StoredCards> {
        // What cannot be looked at is told by the read.
        let stamp = self.folder.stamp().ok().flatten()?;
        let mut kept = self.kept();
        let (of, cards) = kept.cards.as_ref()?;
        let cards = (*of == stamp).then(|| cards.clone())?;
        kept.used_at = self.clock.monotonic();
        Some(cards)
    }

    /// Reads the cards, unless whoever had the permit before has.
    fn read(&self, permit: OwnedSemaphorePermit) -> Result<StoredCards, CardsMissingError> {
        if let Some(present) = self.present() {
            return Ok(present);
        }
        // The old table first: both together would be twice as much.
        self.kept().cards = None;
        let read = self.read_newest();
        if let Ok((stamp, cards)) = &read {
            let used_at = self.clock.monotonic();
            *self.kept() = Kept { cards: Some((*stamp, cards.clone())), used_at };
            self.filled.notify_one();
        }
        drop(permit);
        read.map(|(_, cards)| cards)
    }

    /// Reads what `cards.json` names. A pull may replace it meanwhile and remove what it named: then the newer one is read.
    fn read_newest(&self) -> Result<(ManifestStamp, StoredCards), CardsMissingError> {
        loop {
            let stamp = self.folder.stamp().map_err(|error| self.unreadable(&error))?;
            let Some(stamp) = stamp else { return Err(self.absent()) };
            let (table, failed) = match self.folder.manifest() {
                Ok(None) => continue,
                Err(error) => (None, CardFileError::Io(error)),
                Ok(Some(manifest)) => match self.folder.read(&manifest) {
                    Ok(cards) => return Ok((stamp, cards)),
                    Err(error) => (Some(manifest.table.file), error),
                },
            };
            let is_replaced = self.folder.stamp().is_ok_and(|now| now != Some(stamp));
            if !is_replaced {
                return Err(self.failed(stamp, table.as_deref(), &failed));
            }
        }
    }

    fn failed(
        &self,
        stamp: ManifestStamp,
        table: Option<&str>,
        error: &CardFileError,
    ) -> CardsMissingError {
        let is_damage = match error {
            CardFileError::Io(error) => is_damage(error),
            _ => true,
        };
        let aside = if is_damage { self.folder.set_aside(stamp, table) } else { None };
        let Some(aside) = aside else { return self.unreadable(error) };
        tracing::error!(event = "cards_damaged", %error, aside = %aside.display(),
            "the cards of decks were damaged and set aside; `abide cards pull` fetches new ones");
        CardsMissingError::Damaged { aside, reason: error.to_string() }
    }

    fn absent(&self) -> CardsMissingError {
        match self.folder.damaged() {
            Some(aside) => {
                let reason = "as was found earlier".to_owned();
                CardsMissingError::Damaged { aside, reason }
            }
            None => CardsMissingError::Absent,
        }
    }

    fn unreadable(&self, reason: &dyn std::fmt::Display) -> CardsMissingError {
        let folder = self.folder.path().to_owned();
        CardsMissingError::Unreadable { folder, reason: reason.to_string() }
    }

    /// How long the cards may still stay; none where there are none any more.
    fn idle_left(&self) -> Option<Duration> {
        let mut kept = self.kept();
        kept.cards.as_ref()?;
        let idle = self.clock.monotonic().saturating_sub(kept.used_at);
        let left = IDLE_MAX.saturating_sub(idle);
        if left.is_zero() {
            kept.cards = None;
            return None;
        }
        Some(left)
    }
}

/// Whether a file is at fault rather than the machine: cut short, no gzip, no text, or gone.
fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, NotFound, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | NotFound | UnexpectedEof)
}

#[cfg(test)]
mod tests;
