//! What asking for a feed comes to: a feed or a page that names some, or why there is none and what a subscription should remember
//! of that.

use abide_domain::Timestamp;
use abide_tools::ToolError;

use super::{feed::ParsedFeed, found_feed::FeedLink};

/// What was found at an address.
#[derive(Debug)]
pub(super) struct Polled {
    /// Where the feed is for good: another address than was asked for where its server said so.
    pub(super) url: String,
    /// The feed as it is, or as it was when it was last given.
    pub(super) feed: Option<ParsedFeed>,
    /// Where there is a page instead of a feed: the feeds that it names.
    pub(super) links: Vec<FeedLink>,
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
