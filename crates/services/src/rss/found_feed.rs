//! What stands at the address of a feed: the feed, or a page that names feeds. Slow: it is read beside the runtime's threads.

use std::sync::atomic::AtomicBool;

use abide_domain::Timestamp;
use abide_tools::{ToolError, ToolErrorKind};
use http::header::CONTENT_TYPE;
use url::Url;

use super::feed::{ParsedFeed, parse_feed};
use crate::{
    answer::Answer,
    document::{
        charset::decode,
        html::feed_links,
        kind::{DocumentKind, kind_of},
    },
    foreign_text::short,
    limits::{FOUND_FEEDS_MAX, URL_BYTES_MAX},
};

/// The address of a feed that a page names, with its title.
pub(super) type FeedLink = (Url, Option<String>);

/// What was found.
#[derive(Debug)]
pub(super) enum FoundFeed {
    Feed(ParsedFeed),
    /// A page instead, which names at least one feed.
    Links(Vec<FeedLink>),
}

/// Reads what came from an address.
pub(super) fn read_feed(
    answer: &Answer,
    url: &Url,
    now: Timestamp,
    is_dropped: &AtomicBool,
) -> Result<FoundFeed, ToolError> {
    let content_type = answer.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let problem = match parse_feed(&answer.body, content_type, url, now, is_dropped) {
        Ok(feed) => return Ok(FoundFeed::Feed(feed)),
        Err(problem) => problem,
    };
    let is_page = kind_of(&answer.media_type(), &answer.body) == Ok(DocumentKind::Html);
    let links = if is_page { links_of(answer, content_type, url) } else { Vec::new() };
    if links.is_empty() {
        let message = format!("there is no feed at {}: {problem}", short(url.as_str()));
        return Err(ToolError::of(ToolErrorKind::Unreadable, message));
    }
    Ok(FoundFeed::Links(links))
}

fn links_of(answer: &Answer, content_type: &str, url: &Url) -> Vec<FeedLink> {
    let page = decode(&answer.body, content_type).text;
    let links = feed_links(&page).into_iter().filter_map(|(href, title)| {
        let link = url.join(&href).ok()?;
        let is_web = matches!(link.scheme(), "http" | "https") && link.username().is_empty();
        (is_web && link.as_str().len() <= URL_BYTES_MAX).then_some((link, title))
    });
    links.take(FOUND_FEEDS_MAX).collect()
}
