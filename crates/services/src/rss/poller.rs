//! Asks for feeds, as seldom as their servers want: validators, redirects, waits and the least time between two requests.
//!
//! What it knows of a feed is on disk, so that waits survive a restart. All agents share it, so that nothing is kept for an
//! address but what that address said. It stages nothing.

use std::{sync::Arc, time::Duration};

use abide_domain::Timestamp;
use abide_http::ClientSettings;
use abide_tools::{ToolError, ToolErrorKind};
use tokio::time::timeout;
use url::Url;

use super::{
    found_feed::{FeedLink, FoundFeed, read_feed},
    known_feed::KnownFeed,
    polled::{PollError, Polled},
    settings::RssSettings,
    subscription::Subscription,
};
use crate::{
    allow_list::AllowedHosts,
    answer::{Answer, status_error, wait_of},
    disk_cache::DiskCache,
    document::read::DocumentReader,
    guarded_client::{FollowError, Followed, GuardedClient, Reach, shown},
    limits::{FEED_INTERVAL_MIN, FEED_TIME_MAX, PAGE_BYTES_MAX},
    service_client::client_for,
};

/// How long what is known of a feed is kept without being asked for.
const KNOWN_AGE_MAX: Duration = Duration::from_hours(90 * 24);
/// How long a server is left alone that asks for fewer requests and does not say for how long.
const WAIT_DEFAULT: Duration = Duration::from_hours(1);

/// Asks for feeds. A cheap clone.
#[derive(Clone, Debug)]
pub(super) struct FeedPoller {
    guarded: GuardedClient,
    reader: DocumentReader,
    cache: DiskCache,
}

impl FeedPoller {
    pub(super) fn new(
        settings: &RssSettings,
        allowed: Arc<AllowedHosts>,
        http: &ClientSettings,
    ) -> Self {
        let client = client_for(http, settings.addresses, Vec::new());
        Self {
            guarded: GuardedClient { client, allowed, reach: Reach::ListedOrOwnHost },
            reader: DocumentReader::new(),
            cache: DiskCache::new(&settings.cache, http.clock.clone()),
        }
    }

    /// Whether what stands at `start` may lead to `url`: a list names its host, or it is the host that was asked about.
    pub(super) fn permits(&self, url: &Url, start: &Url) -> bool {
        self.guarded.permits(url, start)
    }

    /// Gives the feed at an address. `kept` is what a subscription remembers of it.
    pub(super) async fn poll(
        &self,
        url: &Url,
        kept: Option<&Subscription>,
    ) -> Result<Polled, PollError> {
        let mut known = self.known(url, kept).await;
        if known.is_dead {
            return Err(known.failure(gone()));
        }
        let now = self.now();
        if let Some(answer) = known.without_asking(url, now) {
            return answer;
        }
        let asked = self.ask(url, &mut known, now).await;
        known.asked_at = Some(now);
        if asked.as_ref().err().is_some_and(may_pass)
            && known.wait_until.is_none_or(|until| until <= now)
        {
            known.wait_until = Some(now.plus(FEED_INTERVAL_MIN));
        }
        self.remember(url, &known).await;
        match asked {
            Ok(polled) => Ok(polled),
            Err(error) => Err(known.failure(error)),
        }
    }

    async fn known(&self, url: &Url, kept: Option<&Subscription>) -> KnownFeed {
        let stored = self.cache.get(&cache_key(url.as_str()), KNOWN_AGE_MAX).await;
        let mut known: KnownFeed = stored.unwrap_or_default();
        // The list may have become shorter since.
        let is_permitted = |to: &String| Url::parse(to).is_ok_and(|to| self.permits(&to, url));
        known.moved_to = known.moved_to.filter(is_permitted);
        if let Some(kept) = kept {
            known.is_dead |= kept.is_dead;
            known.wait_until = known.wait_until.max(kept.wait_until);
        }
        known
    }

    async fn remember(&self, url: &Url, known: &KnownFeed) {
        // A new address has what it gave itself, and nothing that was known of the old one.
        if let Some(moved) = known.moved_to.as_ref().filter(|_| known.is_new_copy) {
            self.cache.put(&cache_key(moved), known.at_new_address()).await;
        }
        self.cache.put(&cache_key(url.as_str()), known.clone()).await;
    }

    /// Asks the server; what it says about itself goes into `known`.
    async fn ask(
        &self,
        url: &Url,
        known: &mut KnownFeed,
        now: Timestamp,
    ) -> Result<Polled, ToolError> {
        known.moved_to = None;
        let following = self.guarded.follow(url, |at| known.request(at), PAGE_BYTES_MAX);
        let followed = match timeout(FEED_TIME_MAX, following).await {
            Err(_) => {
                let message = format!("the feed did not come within {} s", FEED_TIME_MAX.as_secs());
                return Err(ToolError::of(ToolErrorKind::Upstream, message));
            }
            Ok(Err(FollowError::Failed(error))) => return Err(error),
            Ok(Err(FollowError::OutOfReach { to, is_for_good })) => {
                return out_of_reach(url, known, &to, is_for_good);
            }
            Ok(Ok(followed)) => followed,
        };
        let Followed { url: at, answer, moved_to } = followed;
        known.moved_to = moved_to.map(String::from);
        match answer.status.as_u16() {
            304 if known.has_copy_of(&at) => {
                known.store_validators(&answer);
                known.wait_until = None;
                Ok(known.polled(url, None))
            }
            200 => {
                known.wait_until = None;
                let links = self.take(at, answer, known, now).await?;
                Ok(Polled { links, ..known.polled(url, None) })
            }
            _ => Err(refused(&at, &answer, known, now)),
        }
    }

    /// Takes in what a server gave: a feed, or a page that names feeds.
    async fn take(
        &self,
        at: Url,
        answer: Answer,
        known: &mut KnownFeed,
        now: Timestamp,
    ) -> Result<Vec<FeedLink>, ToolError> {
        known.feed = None;
        known.store_validators(&answer);
        known.came_from = Some(at.to_string());
        let reading = self.reader.run(move |is_dropped| read_feed(&answer, &at, now, is_dropped));
        match reading.await? {
            FoundFeed::Feed(feed) => {
                known.feed = Some(feed);
                known.is_new_copy = true;
                Ok(Vec::new())
            }
            FoundFeed::Links(links) => Ok(links),
        }
    }

    fn now(&self) -> Timestamp {
        self.guarded.client.clock().now()
    }
}

/// What a redirect means that leads where nobody allowed: the feed stays where it is, and the address is named.
fn out_of_reach(
    url: &Url,
    known: &KnownFeed,
    to: &Url,
    is_for_good: bool,
) -> Result<Polled, ToolError> {
    let (what, to) = (if is_for_good { "has moved for good" } else { "redirects" }, shown(to));
    let problem = format!(
        "the feed {what} to {to}, a host that nobody allowed: it was not asked for; rss.subscribe asks a person about it"
    );
    if is_for_good && known.feed.is_some() {
        return Ok(known.polled(url, Some(format!("an older copy: {problem}"))));
    }
    Err(ToolError::of(ToolErrorKind::Blocked, problem))
}

/// What an error status means, and what it says about the feed.
fn refused(at: &Url, answer: &Answer, known: &mut KnownFeed, now: Timestamp) -> ToolError {
    let host = at.host_str().unwrap_or_default();
    match answer.status.as_u16() {
        410 => {
            known.is_dead = true;
            gone()
        }
        429 | 503 => {
            let wait = wait_of(answer, now).unwrap_or(WAIT_DEFAULT);
            known.wait_until = Some(now.plus(wait));
            status_error(host, answer, now).after(Some(wait))
        }
        _ => status_error(host, answer, now),
    }
}

/// Whether a failure may be over the next time, so that it is worth a pause; what a rule refuses stays refused.
fn may_pass(error: &ToolError) -> bool {
    !matches!(error.kind, ToolErrorKind::Blocked | ToolErrorKind::Invalid)
}

fn gone() -> ToolError {
    ToolError::of(
        ToolErrorKind::NotFound,
        "the feed is gone for ever: its server said so (410); it is not asked for again, rss.unsubscribe removes it",
    )
}

fn cache_key(url: &str) -> String {
    format!("feed {url}")
}
