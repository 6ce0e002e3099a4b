//! What is known of a feed: its last copy, from which address that came, and how long its server wants to be left alone.

use abide_domain::Timestamp;
use abide_http::{Request, RequestLimits};
use abide_tools::{ToolError, ToolErrorKind};
use http::header::{ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    feed::ParsedFeed,
    polled::{PollError, Polled},
};
use crate::{
    answer::Answer,
    limits::{FEED_INTERVAL_MIN, FEED_TIME_MAX, PAGE_BYTES_MAX, VALIDATOR_BYTES_MAX},
};

/// What feeds say that they are, best first.
const ACCEPT: &str = "application/atom+xml, application/rss+xml, application/feed+json, \
    application/xml;q=0.9, text/xml;q=0.9, text/html;q=0.6, */*;q=0.5";

/// What is known of a feed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct KnownFeed {
    etag: Option<String>,
    last_modified: Option<String>,
    /// The address that gave the copy and its validators: behind a redirect another than was asked for.
    pub(super) came_from: Option<String>,
    pub(super) asked_at: Option<Timestamp>,
    pub(super) wait_until: Option<Timestamp>,
    pub(super) is_dead: bool,
    pub(super) moved_to: Option<String>,
    pub(super) feed: Option<ParsedFeed>,
    /// Whether the copy came just now.
    #[serde(skip)]
    pub(super) is_new_copy: bool,
}

impl KnownFeed {
    /// Asks for an address. Validators go only to the one that gave them: to another they mean another thing.
    pub(super) fn request(&self, url: &Url) -> Request {
        let limits = RequestLimits {
            total: FEED_TIME_MAX,
            body_bytes_max: PAGE_BYTES_MAX,
            ..RequestLimits::default()
        };
        let mut request = Request::get(url.as_str()).accept(ACCEPT).limits(limits);
        if self.has_copy_of(url) {
            if let Some(etag) = &self.etag {
                request = request.header(IF_NONE_MATCH, etag);
            }
            if let Some(date) = &self.last_modified {
                request = request.header(IF_MODIFIED_SINCE, date);
            }
        }
        request
    }

    /// Whether there is a copy that came from an address; without one, "not modified" says nothing.
    pub(super) fn has_copy_of(&self, url: &Url) -> bool {
        self.feed.is_some() && self.came_from.as_deref() == Some(url.as_str())
    }

    /// The answer where the server is not to be asked now.
    pub(super) fn without_asking(
        &self,
        url: &Url,
        now: Timestamp,
    ) -> Option<Result<Polled, PollError>> {
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

    /// Both validators are stored each time, also where only one came or the body is the same: an old one beside a new one
    /// would be a lie.
    pub(super) fn store_validators(&mut self, answer: &Answer) {
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

    pub(super) fn polled(&self, url: &Url, note: Option<String>) -> Polled {
        let url = self.moved_to.clone().unwrap_or_else(|| url.to_string());
        Polled { url, feed: self.feed.clone(), links: Vec::new(), note }
    }

    /// What is known of the address that the feed has moved to.
    pub(super) fn at_new_address(&self) -> Self {
        Self { moved_to: None, ..self.clone() }
    }

    pub(super) fn failure(&self, error: ToolError) -> PollError {
        PollError { error, wait_until: self.wait_until, is_dead: self.is_dead }
    }
}
