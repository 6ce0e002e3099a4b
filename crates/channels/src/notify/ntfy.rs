//! ntfy: a push to phones, as JSON to the root of a server (<https://docs.ntfy.sh/publish/>).
//!
//! The topic is as good as a password and is treated as one. `sequence_id` is the notice's id: a server that knows it
//! replaces the message of an attempt before this one instead of showing both.

use abide_http::{Client, Request, Secret};
use abide_watchdog::{Delivery, Notice, NoticeKind, Notifier};
use futures_util::future::BoxFuture;
use http::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::{
    http_service::HttpService,
    text::{fit, line, plain},
};

/// Where topics are that are named without a server.
const SERVER: &str = "https://ntfy.sh";
/// A longer message becomes an attachment; the server's limit is 4,096 bytes.
const MESSAGE_BYTES_MAX: usize = 4_000;
const TITLE_CHARS_MAX: usize = 200;
/// The longest name of a topic, in bytes.
const TOPIC_BYTES_MAX: usize = 64;

/// One topic.
#[derive(Clone, Debug)]
pub struct Ntfy {
    post: HttpService,
    server: Secret,
    topic: Secret,
    token: Option<Secret>,
    link: Option<String>,
}

impl Ntfy {
    /// Tells a topic: its name at `ntfy.sh`, or its whole address. `token` is an access token; `link` is opened by a tap.
    /// An address that is none makes a service that always fails; [`Ntfy::check`] says so beforehand.
    pub fn new(
        client: Client,
        address: &Secret,
        token: Option<Secret>,
        link: Option<String>,
    ) -> Self {
        let (server, topic) = parts(address.expose()).unwrap_or_default();
        let (server, topic) = (Secret::new(&server), Secret::new(&topic));
        let mut secrets = vec![address.clone(), topic.clone()];
        secrets.extend(token.clone());
        Self { post: HttpService::new(client, "ntfy", secrets), server, topic, token, link }
    }

    /// Whether a text is a topic or the address of one. The problem does not repeat the text.
    pub fn check(address: &str) -> Result<(), &'static str> {
        let wrong = "is not a topic: use a name of letters, digits, `-` and `_` (at most 64), or its address, such as \
                     https://ntfy.example.org/name";
        parts(address).map(drop).ok_or(wrong)
    }

    fn request(&self, notice: &Notice) -> Request {
        let request = Request::post_json(self.server.expose(), self.body(notice).to_string());
        match &self.token {
            Some(token) => request.secret_header(AUTHORIZATION, "Bearer ", token),
            None => request,
        }
    }

    fn body(&self, notice: &Notice) -> Value {
        let (priority, tag) = urgency(notice);
        let (title, text) = (notice.title(), notice.body());
        // A message without a text is shown as "triggered".
        let text = if text.is_empty() { &title } else { &text };
        let mut body = json!({
            "topic": self.topic.expose(),
            "title": line(&title, TITLE_CHARS_MAX),
            "message": fit(text, MESSAGE_BYTES_MAX, plain, str::len),
            "priority": priority,
            "tags": [tag],
            "sequence_id": notice.id.to_string(),
        });
        if let (Some(link), Value::Object(body)) = (&self.link, &mut body) {
            let link = notice.link(link);
            body.insert("click".into(), link.as_str().into());
            let open = json!([{"action": "view", "label": notice.link_label(), "url": link}]);
            body.insert("actions".into(), open);
        }
        body
    }
}

impl Notifier for Ntfy {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move { self.post.deliver(self.request(&notice)).await })
    }
}

/// How loud (5 rings longest) and with which sign.
fn urgency(notice: &Notice) -> (u8, &'static str) {
    match notice.kind {
        NoticeKind::Stalled => (5, "rotating_light"),
        NoticeKind::Blind(_) => (5, "see_no_evil"),
        NoticeKind::Test => (4, "bell"),
        NoticeKind::Attention => (4, "raised_hand"),
        NoticeKind::Acknowledged { .. } => (2, "eyes"),
        // What ended without an answer is not to look like a recovery.
        NoticeKind::Resolved if notice.is_unanswered() => (4, "warning"),
        NoticeKind::Resolved | NoticeKind::Sighted | NoticeKind::AttentionOver => {
            (3, "white_check_mark")
        }
    }
}

/// The server's root and the topic.
fn parts(address: &str) -> Option<(String, String)> {
    let address = address.trim();
    let (server, topic) = match address.rsplit_once('/') {
        Some((server, topic)) => (server, topic),
        None => (SERVER, address),
    };
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let is_topic = (1..=TOPIC_BYTES_MAX).contains(&topic.len()) && topic.bytes().all(fits);
    let host = server.strip_prefix("https://").or_else(|| server.strip_prefix("http://"))?;
    let is_server = !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic() && b != b'@');
    (is_topic && is_server).then(|| (server.to_owned(), topic.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Ntfy, parts};

    #[test]
    fn a_topic_is_a_name_or_an_address() {
        let found = |text: &str| parts(text);
        let pair = |server: &str, topic: &str| Some((server.to_owned(), topic.to_owned()));
        assert_eq!(found("abide-7f3a"), pair("https://ntfy.sh", "abide-7f3a"));
        assert_eq!(found(" https://n.example/a/b_1\n"), pair("https://n.example/a", "b_1"));
        assert_eq!(found("http://127.0.0.1:80/t"), pair("http://127.0.0.1:80", "t"));
        let long = "a".repeat(65);
        for text in
            ["", "a b", "https://n.example/", "https:///t", "ftp://n/t", "https://u:p@n/t", &long]
        {
            assert!(Ntfy::check(text).is_err(), "{text}");
        }
        assert!(!Ntfy::check("a secret").unwrap_err().contains("a secret"));
    }
}
