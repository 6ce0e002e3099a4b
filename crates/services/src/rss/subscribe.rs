//! `rss.subscribe {url}`: subscribes to a feed, or to the feed that a site names.
//!
//! Returns `{"url", "title", "site", "entries", "notice", "latest", "other_feeds"}`. Staged: it counts when the epoch commits. What
//! the feed holds now counts as seen. A person is asked about hosts that no list names; neither a redirect nor a page leads to
//! another such host.

use std::sync::Arc;

use abide_domain::{
    AgentId,
    limits::KEPT_VALUES_MAX,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, Output, Permission, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{
    feed::ParsedFeed,
    identity::KnownEntries,
    polled::Polled,
    poller::FeedPoller,
    subscription::{Subscription, feed_url},
};
use crate::{
    allow_list::AllowedHosts,
    foreign_text::NOTICE,
    guarded_client::shown,
    tool_spec::{object_schema, tool_spec},
};

/// Entries that are shown of a new subscription.
const LATEST_SHOWN: usize = 5;

/// The tool `rss.subscribe`.
#[derive(Clone, Debug)]
pub struct SubscribeFeed {
    spec: ToolSpec,
    poller: FeedPoller,
    allowed: Arc<AllowedHosts>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    url: String,
}

impl SubscribeFeed {
    pub(super) fn new(poller: FeedPoller, allowed: Arc<AllowedHosts>) -> Self {
        let properties = json!({
            "url": {"type": "string", "description": "a feed, or a site that has one"}
        });
        let description = "Subscribes to an RSS, Atom or JSON feed. Its present entries count as seen; rss.check gives newer ones.";
        let parameters = object_schema(&["url"], properties);
        let spec = tool_spec("rss.subscribe", EffectClass::State, description, parameters);
        Self { spec, poller, allowed }
    }

    async fn subscribe(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { url } = parse_arguments(call.arguments)?;
        let url = feed_url(&url)?;
        let (polled, others) = self.find(&url).await?;
        let Some(feed) = &polled.feed else {
            let message = "the page names a feed, but there is another page at its address";
            return Err(ToolError::of(ToolErrorKind::Unreadable, message));
        };
        let before = Subscription::of(&call.state.kept, &polled.url);
        let is_new = before.is_none();
        if is_new && Subscription::all(&call.state.kept).len() >= KEPT_VALUES_MAX {
            let message =
                format!("there are {KEPT_VALUES_MAX} subscriptions already; drop some first");
            return Err(ToolError::of(ToolErrorKind::Blocked, message));
        }
        let mut output = Output::json(&content(&polled, feed, &others, is_new));
        if is_new {
            let known = KnownEntries::new(feed);
            let subscription = Subscription {
                title: feed.title.clone(),
                site: feed.site.clone(),
                checked_at: Some(call.now),
                seen: known.seen_with(&[], &known.unseen(&[])),
                ..Subscription::default()
            };
            output.staged.extend(subscription.changes(&call.state.kept, &polled.url)?);
        }
        Ok(output)
    }

    /// The feed at an address, or the first that the page there names and that may be asked for, with the others.
    async fn find(&self, url: &Url) -> Result<(Polled, Vec<String>), ToolError> {
        let polled = self.poller.poll(url, None).await.map_err(|failure| failure.error)?;
        if polled.feed.is_some() || polled.links.is_empty() {
            return Ok((polled, Vec::new()));
        }
        let links: Vec<&Url> = polled.links.iter().map(|(link, _)| link).collect();
        let Some(first) = links.iter().find(|link| self.poller.permits(link, url)) else {
            return Err(elsewhere(&links));
        };
        let others = links.iter().filter(|link| *link != first).map(|link| shown(link)).collect();
        let found = self.poller.poll(first, None).await;
        Ok((found.map_err(|failure| failure.error)?, others))
    }
}

impl Tool for SubscribeFeed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn judge(&self, _: &AgentId, arguments: &Value) -> Option<Permission> {
        let url = arguments.get("url").and_then(Value::as_str).and_then(|url| feed_url(url).ok());
        // What is no URL is refused by the call itself.
        url.filter(|url| !self.allowed.permits(url)).map(|_| Permission::Ask)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.subscribe(call))
    }
}

/// Says that a page names feeds of other hosts only.
fn elsewhere(links: &[&Url]) -> ToolError {
    let links: Vec<String> = links.iter().map(|link| shown(link)).collect();
    let message = format!(
        "the page names only feeds of hosts that nobody allowed: {}; none was asked for, rss.subscribe asks a person about one",
        links.join(", ")
    );
    ToolError::of(ToolErrorKind::Blocked, message)
}

fn content(polled: &Polled, feed: &ParsedFeed, others: &[String], is_new: bool) -> Value {
    let latest: Vec<Value> =
        feed.entries.iter().take(LATEST_SHOWN).map(|entry| entry.to_json(None)).collect();
    json!({
        "url": polled.url,
        "subscribed": if is_new { "now" } else { "already" },
        "notice": NOTICE,
        "title": feed.title,
        "site": feed.site,
        "entries": feed.entries.len(),
        "latest": latest,
        "other_feeds": others,
        "problem": feed.problem,
    })
}
