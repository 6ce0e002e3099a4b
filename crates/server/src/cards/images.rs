//! Pictures of cards, through the keeper: a browser never talks to Scryfall. From disk where they were fetched before; else once
//! for all who ask at the same time, ten a second at most, and not at all for a while after the host could not be reached.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_http::{ErrorKind, RequestLimits};
use futures_util::{
    FutureExt as _,
    future::{BoxFuture, Shared, WeakShared},
};
use http::header;
use tokio::{sync::Semaphore, time::Instant};

pub(crate) use super::image_cache::CardPicture;
use super::{
    error::CardPullError,
    image_cache::ImageCache,
    limits::{
        IMAGE_BYTES_MAX, IMAGE_INTERVAL, IMAGE_LOCK_OUT, IMAGE_LOCK_OUT_MAX, IMAGE_PAUSE,
        IMAGE_TIME_MAX, IMAGES_AT_ONCE, IMAGES_PENDING_MAX,
    },
    source::CardSource,
};

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CardImageError {
    /// The configuration says that none are fetched.
    #[error("pictures of cards are not fetched: decks.images is false")]
    Off,
    /// The host has none, or what it has is none.
    #[error("there is no picture: {0}")]
    Absent(String),
    /// It cannot be had now.
    #[error("the picture cannot be fetched now: {reason}")]
    Unavailable {
        /// Why.
        reason: String,
        /// When it may be had.
        retry_after: Duration,
    },
}

type Fetched = Result<CardPicture, CardImageError>;
type Fetching = BoxFuture<'static, Fetched>;

/// The pictures of a keeper. A cheap clone.
#[derive(Clone, Debug)]
pub(crate) struct CardImages {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    is_enabled: bool,
    source: CardSource,
    cache: ImageCache,
    at_once: Semaphore,
    /// What is being fetched, by its URL. Nobody's wish is nobody's work: it ends when all who asked have left.
    pending: Mutex<HashMap<String, WeakShared<Fetching>>>,
    /// When the next request may be sent.
    next_at: Mutex<Option<Instant>>,
    /// Until when nothing is asked for, and why.
    paused: Mutex<Option<(Instant, String)>>,
}

impl CardImages {
    /// Pictures that are kept in a folder, which is made when the first one is.
    pub(crate) fn new(is_enabled: bool, source: CardSource, folder: PathBuf) -> Self {
        Self::with_cache(is_enabled, source, ImageCache::new(folder))
    }

    fn with_cache(is_enabled: bool, source: CardSource, cache: ImageCache) -> Self {
        let inner = Inner {
            is_enabled,
            source,
            cache,
            at_once: Semaphore::new(IMAGES_AT_ONCE),
            pending: Mutex::default(),
            next_at: Mutex::default(),
            paused: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Whether pictures are shown at all.
    pub(crate) fn is_enabled(&self) -> bool {
        self.inner.is_enabled
    }

    /// The picture at a URL that a card names.
    pub(crate) async fn get(&self, url: &str) -> Fetched {
        if !self.inner.is_enabled {
            return Err(CardImageError::Off);
        }
        let (inner, key) = (Arc::clone(&self.inner), url.to_owned());
        let kept = tokio::task::spawn_blocking(move || inner.cache.get(&key)).await;
        if let Ok(Some(picture)) = kept {
            return Ok(picture);
        }
        self.fetching(url)?.await
    }

    /// The fetch of a URL that is under way, or a new one.
    fn fetching(&self, url: &str) -> Result<Shared<Fetching>, CardImageError> {
        let mut pending = self.inner.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fetching) = pending.get(url).and_then(WeakShared::upgrade) {
            return Ok(fetching);
        }
        pending.retain(|_, fetching| fetching.upgrade().is_some());
        if pending.len() >= IMAGES_PENDING_MAX {
            let reason = "too many pictures are being fetched".to_owned();
            return Err(CardImageError::Unavailable {
                reason,
                retry_after: Duration::from_secs(5),
            });
        }
        let (inner, key) = (Arc::clone(&self.inner), url.to_owned());
        let fetching = async move { inner.fetch(key).await }.boxed().shared();
        pending.extend(fetching.downgrade().map(|weak| (url.to_owned(), weak)));
        Ok(fetching)
    }
}

impl Inner {
    async fn fetch(self: Arc<Self>, url: String) -> Fetched {
        let permit = self.at_once.acquire().await;
        self.require_no_pause()?;
        self.wait_for_turn().await;
        let fetched = self.ask(&url).await;
        drop(permit);
        let picture = fetched?;
        let (inner, kept) = (Arc::clone(&self), picture.clone());
        // A cache that cannot be written is as good as none.
        drop(tokio::task::spawn_blocking(move || inner.cache.put(&url, &kept)).await);
        Ok(picture)
    }

    /// Waits so that requests are far enough apart.
    async fn wait_for_turn(&self) {
        let turn = {
            let mut next_at = self.next_at.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = next_at.unwrap_or_else(Instant::now).max(Instant::now());
            *next_at = Some(turn + IMAGE_INTERVAL);
            turn
        };
        tokio::time::sleep_until(turn).await;
    }

    async fn ask(&self, url: &str) -> Fetched {
        let limits = RequestLimits {
            total: IMAGE_TIME_MAX,
            first_byte: IMAGE_TIME_MAX,
            idle: IMAGE_TIME_MAX,
            body_bytes_max: IMAGE_BYTES_MAX,
            redirects_max: 0,
        };
        let accept = [(header::ACCEPT_ENCODING, "identity".to_owned())];
        let response = self.source.ask_file(url, &accept, &limits).await;
        let response = response.map_err(|error| self.failed(&error))?;
        let types = ["image/jpeg", "image/png", "image/webp"];
        if !types.iter().any(|media_type| response.is_of_type(media_type)) {
            return Err(CardImageError::Absent("the answer is no picture".to_owned()));
        }
        let bytes = response.bytes().await.map_err(|error| self.failed(&error.into()))?;
        let no_picture = || CardImageError::Absent("the answer is no picture".to_owned());
        CardPicture::new(bytes).ok_or_else(no_picture)
    }

    /// What a failure means for whoever asked, and for those after them.
    fn failed(&self, error: &CardPullError) -> CardImageError {
        let pause = match error {
            CardPullError::RateLimited { wait, .. } => {
                (*wait).clamp(IMAGE_LOCK_OUT, IMAGE_LOCK_OUT_MAX)
            }
            CardPullError::Http(error) if error.kind() == ErrorKind::Unavailable => IMAGE_PAUSE,
            CardPullError::Status { status: 500.., .. } => IMAGE_PAUSE,
            other => return CardImageError::Absent(other.to_string()),
        };
        let reason = error.to_string();
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + pause;
        // Of several requests that were under way, the longest pause counts.
        if paused.as_ref().is_none_or(|(before, _)| *before < until) {
            *paused = Some((until, reason.clone()));
        }
        CardImageError::Unavailable { reason, retry_after: pause }
    }

    fn require_no_pause(&self) -> Result<(), CardImageError> {
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((until, reason)) = paused.as_ref() else { return Ok(()) };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            *paused = None;
            return Ok(());
        }
        let (reason, retry_after) = (reason.clone(), left);
        Err(CardImageError::Unavailable { reason, retry_after })
    }
}

#[cfg(test)]
mod tests;
