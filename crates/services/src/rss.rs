//! `rss.*`: feeds that an agent subscribed to: RSS, Atom and JSON Feed.
//!
//! Subscriptions and what was seen of them are kept for the agent (`tool.kept`); what feeds said last, their validators and
//! how long they asked to wait is cached on disk for all agents.

mod check;
mod date;
mod export_opml;
mod feed;
mod fetch;
mod found_feed;
mod identity;
mod import_opml;
mod json_feed;
mod known_feed;
mod list;
mod opml;
mod polled;
mod poller;
mod raw_feed;
mod settings;
mod subscribe;
mod subscription;
mod unsubscribe;
mod xml_feed;

use std::sync::Arc;

use abide_http::ClientSettings;
use abide_tools::Tool;

pub use check::CheckFeeds;
pub use export_opml::ExportOpml;
pub use fetch::FetchFeed;
pub use import_opml::ImportOpml;
pub use list::ListFeeds;
pub use settings::RssSettings;
pub use subscribe::SubscribeFeed;
pub use unsubscribe::UnsubscribeFeed;

use crate::ServiceCheck;
use poller::FeedPoller;

/// The tools of `rss.*`. `http` gives the clock and the look-up of names.
pub fn rss_tools(settings: &RssSettings, http: &ClientSettings) -> Vec<Arc<dyn Tool>> {
    let allowed = Arc::new(settings.allowed.clone());
    let poller = FeedPoller::new(settings, Arc::clone(&allowed), http);
    vec![
        Arc::new(SubscribeFeed::new(poller.clone(), Arc::clone(&allowed))),
        Arc::new(UnsubscribeFeed::new()),
        Arc::new(ListFeeds::new()),
        Arc::new(FetchFeed::new(poller.clone())),
        Arc::new(CheckFeeds::new(poller)),
        Arc::new(ImportOpml::new(allowed)),
        Arc::new(ExportOpml::new()),
    ]
}

/// Says what of `rss.*` works. Asks no feed.
pub fn check_rss(settings: &RssSettings) -> Vec<ServiceCheck> {
    const SERVICE: &str = "rss";
    let hosts: Vec<&str> = settings.allowed.texts().collect();
    let text = if hosts.is_empty() {
        "feeds work without a key; a person is asked before each subscription, since [tools.rss] lists no `allowed` hosts"
            .to_owned()
    } else {
        format!("feeds of {} work without a key; a person is asked about others", hosts.join(", "))
    };
    vec![ServiceCheck::ok(SERVICE, text)]
}
