//! Slack: an incoming webhook. Its address is the secret.
//!
//! `&`, `<` and `>` are written as entities, so that no text becomes a mention or a link, and markup is off.

use abide_http::{Client, Request, Secret};
use abide_watchdog::{Delivery, Notice, Notifier};
use futures_util::future::BoxFuture;
use serde_json::json;

use super::{
    http_service::HttpService,
    text::{characters, entity, fit},
};

/// What a message should have at most, in characters as they are sent; the service cuts at ten times as many.
const TEXT_CHARS_MAX: usize = 4_000;

/// One incoming webhook.
#[derive(Clone, Debug)]
pub struct Slack {
    post: HttpService,
    address: Secret,
    link: Option<String>,
}

impl Slack {
    /// Posts to the channel that `address` belongs to; `link` is the message's last line.
    pub fn new(client: Client, address: Secret, link: Option<String>) -> Self {
        let post = HttpService::new(client, "slack", vec![address.clone()]);
        Self { post, address, link }
    }

    fn request(&self, notice: &Notice) -> Request {
        let end =
            self.link.as_ref().map(|link| format!("\n{}", notice.link(link))).unwrap_or_default();
        let end: String = end.chars().map(entity).collect();
        let room = TEXT_CHARS_MAX.saturating_sub(characters(&end));
        let body = json!({
            "text": fit(&notice.text(), room, entity, characters) + &end,
            "mrkdwn": false,
            "unfurl_links": false,
            "unfurl_media": false,
        });
        Request::post_json(self.address.expose(), body.to_string())
    }
}

impl Notifier for Slack {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move { self.post.deliver(self.request(&notice)).await })
    }
}
