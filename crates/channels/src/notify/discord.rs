//! Discord: an incoming webhook. Its address is the secret.
//!
//! Nobody is mentioned, whatever the text says, and what would be markup is escaped. The service is asked to answer when
//! it has the message (`wait`), not before.

use abide_http::{Client, Request, Secret};
use abide_watchdog::{Delivery, Notice, Notifier};
use futures_util::future::BoxFuture;
use serde_json::json;

use super::{
    http_service::HttpService,
    text::{fit, plain},
};

/// The service's limit. It does not say what a character is: UTF-16 counts most.
const TEXT_UNITS_MAX: usize = 2_000;
/// A link in the text opens no preview.
const SUPPRESS_EMBEDS: u32 = 1 << 2;
/// What begins or ends markup, a mention, a link or a time stamp.
const MARKUP: &str = "\\*_~`|>#[]<:@";

/// One incoming webhook.
#[derive(Clone, Debug)]
pub struct Discord {
    post: HttpService,
    address: Secret,
    link: Option<String>,
}

impl Discord {
    /// Posts to the channel that `address` belongs to; `link` is the message's last line.
    pub fn new(client: Client, address: &Secret, link: Option<String>) -> Self {
        let post = HttpService::new(client, "discord", vec![address.clone()]);
        let joint = if address.expose().contains('?') { '&' } else { '?' };
        let address = Secret::new(&format!("{}{joint}wait=true", address.expose()));
        Self { post, address, link }
    }

    fn request(&self, notice: &Notice) -> Request {
        let end =
            self.link.as_ref().map(|link| format!("\n{}", notice.link(link))).unwrap_or_default();
        let room = TEXT_UNITS_MAX.saturating_sub(units(&end));
        let body = json!({
            "content": fit(&notice.text(), room, literal, units) + &end,
            "allowed_mentions": {"parse": []},
            "flags": SUPPRESS_EMBEDS,
        });
        Request::post_json(self.address.expose(), body.to_string())
    }
}

impl Notifier for Discord {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move { self.post.deliver(self.request(&notice)).await })
    }
}

fn literal(c: char) -> String {
    if MARKUP.contains(c) { format!("\\{c}") } else { plain(c) }
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}
