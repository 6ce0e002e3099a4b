//! `rss.fetch {feed, limit?}`: the newest entries of a subscribed feed, seen or not. Marks nothing as seen.
//!
//! Returns `{"url", "title", "notice", "note", "entries": [{title, link, published?, summary?}]}`. Ethereal.

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    poller::FeedPoller,
    subscription::{Subscription, feed_url},
};
use crate::{
    foreign_text::{NOTICE, short},
    limits::{ENTRIES_DEFAULT, ENTRIES_MAX},
    tool_spec::{bounded, object_schema, optional_number, tool_spec},
};

/// The tool `rss.fetch`.
#[derive(Clone, Debug)]
pub struct FetchFeed {
    spec: ToolSpec,
    poller: FeedPoller,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    feed: String,
    limit: Option<u64>,
}

impl FetchFeed {
    pub(super) fn new(poller: FeedPoller) -> Self {
        let properties = json!({
            "feed": {"type": "string", "description": "the URL, site or title of a subscribed feed"},
            "limit": optional_number(&format!("entries, up to {ENTRIES_MAX}; {ENTRIES_DEFAULT} unless given"))
        });
        let parameters = object_schema(&["feed"], properties);
        let description = "Gives the newest entries of a feed that you subscribed to.";
        Self { spec: tool_spec("rss.fetch", EffectClass::Read, description, parameters), poller }
    }

    async fn fetch(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { feed, limit } = parse_arguments(call.arguments)?;
        let limit = bounded(limit, ENTRIES_DEFAULT, ENTRIES_MAX);
        let (url, subscription) = Subscription::find(&call, &feed)?;
        let polled = self.poller.poll(&feed_url(&url)?, Some(&subscription)).await;
        let polled = polled.map_err(|failure| failure.error)?;
        let Some(feed) = polled.feed else {
            let message = "there is a page at the feed's address now, and no feed";
            return Err(ToolError::of(ToolErrorKind::Unreadable, message));
        };
        let entries: Vec<Value> =
            feed.entries.iter().take(limit).map(|entry| entry.to_json(None)).collect();
        let note = format!(
            "{} entries of the feed “{}” ({url}); not kept, fetch them again if they are needed",
            entries.len(),
            short(&feed.title)
        );
        let content = json!({
            "url": polled.url,
            "title": feed.title,
            "notice": NOTICE,
            "note": polled.note,
            "problem": feed.problem,
            "entries": entries,
        });
        Ok(Output { ethereal: Some(note), ..Output::json(&content) })
    }
}

impl Tool for FetchFeed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.fetch(call))
    }
}
