//! Asks for feeds, as seldom as their servers want: validators, redirects, waits and the least time between two requests.
//!
//! What it knows of a feed is on disk, so that waits survive a restart. It stages nothing.

use std::time::Duration;

use abide_domain::Timestamp;
use abide_http::{Client, ClientSettings, Request, RequestLimits};
use abide_tools::{ToolError, ToolErrorKind};
use http::header::{CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    feed::{ParsedFeed, parse_feed},
    settings::RssSettings,
    subscription::Subscription,
};
use crate::{
    answer::{Answer, receive, status_error, wait_of},
    disk_cache::DiskCache,
    document::{
        charset::decode,
        html::feed_links,
        kind::{DocumentKind, kind_of},
    },
    foreign_text::short,
    limits::{
        FEED_INTERVAL_MIN, FOUND_FEEDS_MAX, PAGE_BYTES_MAX, REDIRECTS_MAX, SERVICE_TIME_MAX,
        URL_BYTES_MAX, VALIDATOR_BYTES_MAX,
    },
    service_client::client_for,
};

/// How long what is known of a feed is kept without being asked for.
const KNOWN_AGE_MAX: Duration = Duration::from_hours(90 * 24);
/// How long a server is left alone that asks for fewer requests and does not say for how long.
const WAIT_DEFAULT: Duration = Duration::from_hours(1);
/// What feeds say that they are, best first.
const ACCEPT: &str = "application/atom+xml, application/rss+xml, application/feed+json, \
    application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.6, */*;q=0.5";

/// What was found at an address.
#[derive(Debug)]
pub(super) struct Polled {
    /// Where the feed is for good: another address than was asked for where its server said so.
    pub(super) url: String,
    /// The feed as it is, or as it was when it was last given.
    pub(super) feed: Option<ParsedFeed>,
    /// Where there is a page instead of a feed: the feeds that it names.
    pub(super) links: Vec<(String, Option<String>)>,
    /// Where the answer comes from, if not from the server just now.
    pub(super) note: Option<String>,
}

/// Why nothing was found, with what a subscription should remember of it.
#[derive(Debug)]
pub(super) struct PollError {
    pub(super) error: ToolError,
    pub(super) wait_until: Option<Timestamp>,
    pub(super) is_dead: bool,
}

/// Asks for feeds. A cheap clone.
#[derive(Clone, Debug)]
pub(super) struct FeedPoller {
    client: Client,
    cache: DiskCache,
}

/// What is known of a feed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct KnownFeed {
    etag: Option<String>,
    last_modified: Option<String>,
    asked_at: Option<Timestamp>,
    wait_until: Option<Timestamp>,
    is_dead: bool,
    moved_to: Option<String>,
    feed: Option<ParsedFeed>,
}

impl FeedPoller {
    pub(super) fn new(settings: &RssSettings, http: &ClientSettings) -> Self {
        let client = client_for(http, settings.addresses, Vec::new());
        Self { client, cache: DiskCache::new(&settings.cache, http.clock.clone()) }
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
        let mut known: KnownFeed =
            stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
        if let Some(kept) = kept {
            known.is_dead |= kept.is_dead;
            known.wait_until = known.wait_until.max(kept.wait_until);
        }
        known
    }

    async fn remember(&self, url: &Url, known: &KnownFeed) {
        let Ok(value) = serde_json::to_value(known) else { return };
        if let Some(moved) = &known.moved_to {
            self.cache.put(&cache_key(moved), value.clone()).await;
        }
        self.cache.put(&cache_key(url.as_str()), value).await;
    }

    /// Asks the server; what it says about itself goes into `known`.
    async fn ask(
        &self,
        url: &Url,
        known: &mut KnownFeed,
        now: Timestamp,
    ) -> Result<Polled, ToolError> {
        let (at, answer) = self.follow(url, known).await?;
        let host = at.host_str().unwrap_or_default().to_owned();
        match answer.status.as_u16() {
            304 if known.feed.is_some() => {
                known.store_validators(&answer);
                known.wait_until = None;
                Ok(known.polled(url, None))
            }
            200 => {
                known.wait_until = None;
                known
                    .take(&at, &answer, now)
                    .map(|links| Polled { links, ..known.polled(url, None) })
            }
            410 => {
                known.is_dead = true;
                Err(gone())
            }
            429 | 503 => {
                let wait = wait_of(&answer, now).unwrap_or(WAIT_DEFAULT);
                known.wait_until = Some(now.plus(wait));
                Err(status_error(&host, &answer, now).after(Some(wait)))
            }
            _ => Err(status_error(&host, &answer, now)),
        }
    }

    /// Follows redirects; those that are for good, from the first on, say where the feed is from now on.
    async fn follow(&self, url: &Url, known: &mut KnownFeed) -> Result<(Url, Answer), ToolError> {
        let mut at = url.clone();
        let mut is_for_good = true;
        known.moved_to = None;
        for _ in 0..=REDIRECTS_MAX {
            let answer = receive(&self.client, known.request(&at), PAGE_BYTES_MAX).await?;
            let status = answer.status.as_u16();
            let location = answer.headers.get(LOCATION).and_then(|value| value.to_str().ok());
            let next = location.filter(|_| matches!(status, 301 | 302 | 303 | 307 | 308));
            let Some(next) = next.and_then(|next| at.join(next).ok()) else {
                return Ok((at, answer));
            };
            let fits = matches!(next.scheme(), "http" | "https")
                && next.username().is_empty()
                && next.as_str().len() <= URL_BYTES_MAX;
            if !fits {
                break;
            }
            is_for_good &= matches!(status, 301 | 308);
            if is_for_good {
                known.moved_to = Some(next.to_string());
            }
            at = next;
        }
        let message =
            format!("{} redirects too often, or to no address of the web", short(url.as_str()));
        Err(ToolError::of(ToolErrorKind::Upstream, message))
    }

    fn now(&self) -> Timestamp {
        self.client.clock().now()
    }
}

impl KnownFeed {
    fn request(&self, url: &Url) -> Request {
        let limits = RequestLimits {
            total: SERVICE_TIME_MAX,
            body_bytes_max: PAGE_BYTES_MAX,
            ..RequestLimits::default()
        };
        let mut request = Request::get(url.as_str()).accept(ACCEPT).limits(limits);
        // Without a copy, "not modified" would say nothing.
        if self.feed.is_some() {
            if let Some(etag) = &self.etag {
                request = request.header(IF_NONE_MATCH, etag);
            }
            if let Some(date) = &self.last_modified {
                request = request.header(IF_MODIFIED_SINCE, date);
            }
        }
        request
    }

    /// The answer where the server is not to be asked now.
    fn without_asking(&self, url: &Url, now: Timestamp) -> Option<Result<Polled, PollError>> {
        if let Some(until) = self.wait_until.filter(|until| *until > now) {
            let wait = until.since(now);
            if self.feed.is_some() {
                let note =
                    format!("an older copy: the server asked to be left alone until {until}");
                return Some(Ok(self.polled(url, Some(note))));
            }
            let message = "the feed's server asked to be left alone, or failed a moment ago";
            let error = ToolError::of(ToolErrorKind::RateLimited, message).after(Some(wait));
            return Some(Err(self.failure(error)));
        }
        let asked_at = self.asked_at.filter(|at| *at <= now && self.feed.is_some())?;
        (now.since(asked_at) < FEED_INTERVAL_MIN).then(|| {
            let minutes = FEED_INTERVAL_MIN.as_secs() / 60;
            let note = format!(
                "a copy of {asked_at}: each feed is asked for once in {minutes} minutes at most"
            );
            Ok(self.polled(url, Some(note)))
        })
    }

    /// Takes in what a server gave: a feed, or a page that names feeds.
    fn take(
        &mut self,
        url: &Url,
        answer: &Answer,
        now: Timestamp,
    ) -> Result<Vec<(String, Option<String>)>, ToolError> {
        let content_type = answer.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        match parse_feed(&answer.body, content_type, url, now) {
            Ok(feed) => {
                self.store_validators(answer);
                self.feed = Some(feed);
                Ok(Vec::new())
            }
            Err(problem) => {
                self.feed = None;
                let is_page = kind_of(&answer.media_type(), &answer.body) == Ok(DocumentKind::Html);
                let links = if is_page { links_of(answer, content_type, url) } else { Vec::new() };
                if links.is_empty() {
                    let message = format!("there is no feed at {}: {problem}", short(url.as_str()));
                    return Err(ToolError::of(ToolErrorKind::Unreadable, message));
                }
                Ok(links)
            }
        }
    }

    /// Both validators are stored each time, also where only one came or the body is the same: an old one beside a new one
    /// would be a lie.
    fn store_validators(&mut self, answer: &Answer) {
        let text = |name: http::HeaderName| {
            let value = answer.header(name.as_str())?;
            (value.len() <= VALIDATOR_BYTES_MAX).then(|| value.to_owned())
        };
        let (etag, last_modified) = (text(ETAG), text(LAST_MODIFIED));
        // An answer "not modified" may leave out what did not change.
        let may_leave_out = answer.status.as_u16() == 304;
        if etag.is_some() || !may_leave_out {
            self.etag = etag;
        }
        if last_modified.is_some() || !may_leave_out {
            self.last_modified = last_modified;
        }
    }

    fn polled(&self, url: &Url, note: Option<String>) -> Polled {
        let url = self.moved_to.clone().unwrap_or_else(|| url.to_string());
        Polled { url, feed: self.feed.clone(), links: Vec::new(), note }
    }

    fn failure(&self, error: ToolError) -> PollError {
        PollError { error, wait_until: self.wait_until, is_dead: self.is_dead }
    }
}

fn links_of(answer: &Answer, content_type: &str, url: &Url) -> Vec<(String, Option<String>)> {
    let page = decode(&answer.body, content_type).text;
    let links = feed_links(&page).into_iter().filter_map(|(href, title)| {
        let link = url.join(&href).ok()?;
        let is_web = matches!(link.scheme(), "http" | "https") && link.username().is_empty();
        (is_web && link.as_str().len() <= URL_BYTES_MAX).then(|| (link.to_string(), title))
    });
    links.take(FOUND_FEEDS_MAX).collect()
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
