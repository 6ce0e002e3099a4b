//! `rss.*`: subscriptions, what is new, and how seldom servers are asked.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_http::AddressPolicy;
use abide_services::{AllowedHosts, RssSettings, rss_tools};
use abide_tools::{Permission, ToolErrorKind};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    call::{Caller, TestClock, http},
    server::{Asked, Reply, Server},
};

pub(crate) const QUARTER: Duration = Duration::from_mins(15);

/// A feed whose answer is changed by hand.
struct Scene {
    server: Server,
    reply: Arc<Mutex<Reply>>,
    clock: Arc<TestClock>,
    folder: TempDir,
}

impl Scene {
    async fn start(reply: Reply) -> Self {
        let reply = Arc::new(Mutex::new(reply));
        let answer = Arc::clone(&reply);
        let server = Server::start(move |asked: &Asked| match asked.path.as_str() {
            "/feed" => answer.lock().unwrap().clone(),
            "/moved" => feed(&[item("1", "One")]),
            "/site" => Reply::html(
                "<html><head><link rel=alternate type='application/rss+xml' href='/feed'>\
                 <link rel=alternate type='application/atom+xml' href='/other'></head><body>Site</body></html>",
            ),
            _ => Reply::html("<html><body>nothing</body></html>"),
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        Self { server, reply, clock: TestClock::start(), folder }
    }

    fn caller(&self) -> Caller {
        caller(self.folder.path(), &self.clock, &[&self.server.address.to_string()])
    }

    fn set(&self, reply: Reply) {
        *self.reply.lock().unwrap() = reply;
    }

    fn url(&self) -> String {
        self.server.url("/feed")
    }

    async fn subscribed(&self) -> Caller {
        let mut caller = self.caller();
        caller.run("rss.subscribe", json!({"url": self.url()})).await.unwrap();
        caller
    }
}

pub(crate) fn caller(folder: &Path, clock: &Arc<TestClock>, allowed: &[&str]) -> Caller {
    let settings = RssSettings {
        allowed: AllowedHosts::parse(allowed).unwrap(),
        addresses: AddressPolicy::PublicOrLoopback,
        ..RssSettings::new(folder.join("rss"))
    };
    Caller::new(rss_tools(&settings, &http(clock)), clock)
}

pub(crate) fn item(guid: &str, title: &str) -> String {
    format!(
        "<item><guid isPermaLink='false'>{guid}</guid><title>{title}</title><link>https://f.test/{guid}</link></item>"
    )
}

pub(crate) fn feed(items: &[String]) -> Reply {
    let body = format!(
        "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title><link>https://f.test/</link>{}</channel></rss>",
        items.concat()
    );
    Reply::new(200, "application/rss+xml", body)
}

pub(crate) fn titles(checked: &Value) -> Vec<&str> {
    let feeds = checked["feeds"].as_array().unwrap();
    let entries = feeds.iter().flat_map(|feed| feed["entries"].as_array().unwrap());
    entries.map(|entry| entry["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_check_gives_each_new_entry_once() {
    let scene = Scene::start(feed(&[item("1", "One")])).await;
    let mut caller = scene.subscribed().await;
    assert_eq!(
        titles(&caller.json("rss.check", json!({})).await),
        [""; 0],
        "what was there counts as seen"
    );
    scene.clock.forward(QUARTER);
    scene.set(feed(&[item("3", "Three"), item("2", "Two"), item("1", "One, corrected")]));
    let output = caller.run("rss.check", json!({})).await.unwrap();
    let checked: Value = serde_json::from_str(&output.content).unwrap();
    assert_eq!(titles(&checked), ["Three", "Two"]);
    let first_seen = checked["feeds"][0]["entries"][0]["first_seen"].as_str().unwrap();
    assert!(first_seen.starts_with("2026-11-29T12:15:"), "{first_seen}");
    assert!(output.ethereal.unwrap().contains("2 new entries"));
    scene.clock.forward(QUARTER);
    assert_eq!(titles(&caller.json("rss.check", json!({})).await), [""; 0]);
}

#[tokio::test]
async fn what_an_aborted_check_gave_is_still_new() {
    let scene = Scene::start(feed(&[])).await;
    let mut caller = scene.subscribed().await;
    scene.clock.forward(QUARTER);
    scene.set(feed(&[item("1", "One")]));
    caller.run_aborted("rss.check", json!({})).await.unwrap();
    assert_eq!(titles(&caller.json("rss.check", json!({})).await), ["One"], "from the copy");
    assert_eq!(scene.server.asked().len(), 2);
}

#[tokio::test]
async fn entries_beyond_the_limit_stay_new() {
    let scene = Scene::start(feed(&[])).await;
    let mut caller = scene.subscribed().await;
    scene.clock.forward(QUARTER);
    let items: Vec<_> = (0..5).map(|n| item(&n.to_string(), &n.to_string())).collect();
    scene.set(feed(&items));
    let mut seen = Vec::new();
    for _ in 0..3 {
        let checked = caller.json("rss.check", json!({"limit": 2})).await;
        seen.extend(titles(&checked).into_iter().map(str::to_owned));
    }
    assert_eq!(seen, ["0", "1", "2", "3", "4"]);
}

/// HB-44.
#[tokio::test]
async fn both_validators_are_sent_as_they_came_last() {
    let with =
        |reply: Reply, etag: &str, date: &str| reply.with("etag", etag).with("last-modified", date);
    let body = feed(&[item("1", "One")]);
    let scene = Scene::start(with(body.clone(), "\"a\"", "Sat, 28 Nov 2026 00:00:00 GMT")).await;
    let mut caller = scene.subscribed().await;
    // The same body with other validators, then only one of them, then none; then nothing has changed.
    let replies = [
        with(body.clone(), "\"b\"", "Sun, 29 Nov 2026 00:00:00 GMT"),
        body.clone().with("etag", "\"c\""),
        Reply::new(304, "text/plain", "").with("etag", "\"d\""),
        body,
        Reply::new(304, "text/plain", ""),
    ];
    for reply in replies {
        scene.clock.forward(QUARTER);
        scene.set(reply);
        assert_eq!(titles(&caller.json("rss.check", json!({})).await), [""; 0]);
    }
    let sent: Vec<_> = scene
        .server
        .asked()
        .iter()
        .map(|asked| {
            (
                asked.header("if-none-match").map(str::to_owned),
                asked.header("if-modified-since").map(|date| date[..3].to_owned()),
            )
        })
        .collect();
    let etag = |text: &str| Some(format!("\"{text}\""));
    assert_eq!(
        sent,
        [
            (None, None),
            (etag("a"), Some("Sat".into())),
            (etag("b"), Some("Sun".into())),
            (etag("c"), None),
            (etag("d"), None),
            (None, None),
        ]
    );
}

#[tokio::test]
async fn a_feed_is_asked_for_once_in_a_quarter_of_an_hour_and_says_so() {
    let scene = Scene::start(feed(&[item("1", "One")])).await;
    let mut caller = scene.subscribed().await;
    for _ in 0..3 {
        let fetched = caller.json("rss.fetch", json!({"feed": "news"})).await;
        assert_eq!(fetched["entries"][0]["title"], "One");
        assert!(fetched["note"].as_str().unwrap().contains("once in 15 minutes"), "{fetched}");
    }
    // A new process finds the copy on disk.
    let mut next = scene.caller();
    next.kept = caller.kept.clone();
    next.run("rss.fetch", json!({"feed": scene.url()})).await.unwrap();
    assert_eq!(scene.server.asked().len(), 1);
    scene.clock.forward(QUARTER);
    assert_eq!(next.json("rss.fetch", json!({"feed": scene.url()})).await["note"], Value::Null);
    assert_eq!(scene.server.asked().len(), 2);
}

/// HB-45.
#[tokio::test]
async fn a_wait_that_a_server_asks_for_survives_a_restart_and_a_lost_cache() {
    for status in [429, 503] {
        let scene = Scene::start(feed(&[item("1", "One")])).await;
        let mut caller = scene.subscribed().await;
        scene.clock.forward(QUARTER);
        scene.set(Reply::new(status, "text/plain", "").with("retry-after", "7200"));
        let checked = caller.json("rss.check", json!({})).await;
        let problem = checked["problems"][0]["problem"].as_str().unwrap();
        assert!(problem.contains("try again in 7200 s"), "{problem}");
        scene.clock.forward(Duration::from_hours(1));
        let mut next = scene.caller();
        next.kept = caller.kept.clone();
        let fetched = next.json("rss.fetch", json!({"feed": "News"})).await;
        assert!(fetched["note"].as_str().unwrap().contains("left alone until"), "{fetched}");
        let elsewhere = tempfile::tempdir().unwrap();
        let mut without_cache = crate::rss::caller(elsewhere.path(), &scene.clock, &[]);
        without_cache.kept = caller.kept.clone();
        let (kind, message) = without_cache.refused("rss.fetch", json!({"feed": "News"})).await;
        assert!(
            kind == ToolErrorKind::RateLimited && message.contains("try again in 3"),
            "{message}"
        );
        assert!(next.json("rss.list", json!({})).await["feeds"][0]["waits_until"].is_string());
        assert_eq!(scene.server.asked().len(), 2, "nobody asked within the wait");
        scene.clock.forward(Duration::from_hours(1));
        scene.set(feed(&[item("2", "Two")]));
        assert_eq!(titles(&next.json("rss.check", json!({})).await), ["Two"]);
    }
}

/// HB-45.
#[tokio::test]
async fn a_feed_that_moved_for_good_is_kept_under_its_new_address() {
    let scene = Scene::start(feed(&[item("1", "One")])).await;
    let mut caller = scene.subscribed().await;
    scene.clock.forward(QUARTER);
    scene.set(Reply::redirect(302, "/moved"));
    caller.run("rss.check", json!({})).await.unwrap();
    assert_eq!(
        caller.json("rss.list", json!({})).await["feeds"][0]["url"],
        scene.url(),
        "for now only"
    );
    scene.clock.forward(QUARTER);
    scene.set(Reply::redirect(301, "/moved"));
    let checked = caller.json("rss.check", json!({})).await;
    assert!(checked["feeds"][0]["moved"].as_str().unwrap().contains("/feed"), "{checked}");
    let listed = caller.json("rss.list", json!({})).await;
    assert_eq!(listed["feeds"].as_array().unwrap().len(), 1);
    assert_eq!(listed["feeds"][0]["url"], scene.server.url("/moved"));
    scene.clock.forward(QUARTER);
    assert_eq!(
        titles(&caller.json("rss.check", json!({})).await),
        [""; 0],
        "what was seen is still seen"
    );
    assert_eq!(scene.server.paths().last().unwrap(), "/moved");
}

/// HB-45.
#[tokio::test]
async fn a_feed_that_is_gone_is_told_and_never_asked_again() {
    let scene = Scene::start(feed(&[])).await;
    let mut caller = scene.subscribed().await;
    scene.clock.forward(QUARTER);
    scene.set(Reply::new(410, "text/plain", ""));
    for _ in 0..2 {
        let checked = caller.json("rss.check", json!({})).await;
        assert!(
            checked["problems"][0]["problem"].as_str().unwrap().contains("gone for ever"),
            "{checked}"
        );
        scene.clock.forward(Duration::from_hours(24));
    }
    assert_eq!(caller.json("rss.list", json!({})).await["feeds"][0]["gone"], true);
    assert_eq!(scene.server.asked().len(), 2);
    caller.run("rss.unsubscribe", json!({"feed": scene.url()})).await.unwrap();
    assert_eq!(caller.json("rss.list", json!({})).await["feeds"], json!([]));
}

#[tokio::test]
async fn a_failing_feed_does_not_hide_the_others() {
    let scene = Scene::start(feed(&[item("1", "One")])).await;
    let mut caller = scene.subscribed().await;
    caller.run("rss.subscribe", json!({"url": scene.server.url("/moved")})).await.unwrap();
    scene.clock.forward(QUARTER);
    scene.set(Reply::new(500, "text/plain", "broken"));
    let checked = caller.json("rss.check", json!({})).await;
    assert_eq!(checked["problems"].as_array().unwrap().len(), 1, "{checked}");
    assert_eq!(checked["unchecked"], 0);
    scene.clock.forward(QUARTER);
    scene.set(Reply::html("<html><body>We moved</body></html>"));
    let (kind, message) = caller.refused("rss.fetch", json!({"feed": scene.url()})).await;
    assert!(kind == ToolErrorKind::Unreadable && message.contains("no feed"), "{message}");
}

#[tokio::test]
async fn a_site_is_subscribed_to_by_the_feed_that_it_names() {
    let scene = Scene::start(feed(&[item("1", "One")])).await;
    let mut caller = scene.caller();
    let site = scene.server.url("/site");
    let found = caller.json("rss.subscribe", json!({"url": site})).await;
    assert_eq!(found["url"], scene.url());
    assert_eq!(found["other_feeds"], json!([scene.server.url("/other")]));
    assert_eq!(found["latest"][0]["title"], "One");
    let again = caller.json("rss.subscribe", json!({"url": scene.url()})).await;
    assert_eq!(again["subscribed"], "already");
    let (kind, message) =
        caller.refused("rss.subscribe", json!({"url": scene.server.url("/none")})).await;
    assert!(kind == ToolErrorKind::Unreadable && message.contains("no feed"), "{message}");
    for url in ["", "http://me:pw@f.test/", "http://169.254.169.254/feed"] {
        let (kind, message) = caller.refused("rss.subscribe", json!({"url": url})).await;
        assert!(matches!(kind, ToolErrorKind::Invalid | ToolErrorKind::Blocked), "{message}");
    }
    let (kind, _) =
        caller.refused("rss.fetch", json!({"feed": "https://not.subscribed.test/"})).await;
    assert_eq!(kind, ToolErrorKind::NotFound);
}

#[tokio::test]
async fn a_person_is_asked_about_hosts_that_no_list_names() {
    let folder = tempfile::tempdir().unwrap();
    let caller = caller(folder.path(), &TestClock::start(), &["known.test", "*.known.test"]);
    let agent = "felix".parse().unwrap();
    let judged = |tool: &str, arguments: Value| caller.tool(tool).judge(&agent, &arguments);
    assert_eq!(judged("rss.subscribe", json!({"url": "known.test/feed"})), None);
    assert_eq!(judged("rss.subscribe", json!({"url": "https://a.known.test/"})), None);
    assert_eq!(
        judged("rss.subscribe", json!({"url": "https://evil.test/?secret"})),
        Some(Permission::Ask)
    );
    let opml = |url: &str| json!({"opml": format!("<opml><body><outline xmlUrl='https://known.test/'/><outline xmlUrl='{url}'/></body></opml>")});
    assert_eq!(judged("rss.import_opml", opml("https://b.known.test/")), None);
    assert_eq!(judged("rss.import_opml", opml("https://evil.test/")), Some(Permission::Ask));
    assert_eq!(judged("rss.check", json!({})), None);
}

#[tokio::test]
async fn whoever_approves_a_list_of_feeds_sees_how_many_and_which_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let caller = caller(folder.path(), &TestClock::start(), &["known.test"]);
    let agent = "felix".parse().unwrap();
    let tool = caller.tool("rss.import_opml");
    let outline = |host: &str, n: usize| {
        format!("<outline text='Feed\u{202e} {n}' xmlUrl='https://{host}/{n:02}'/>")
    };
    let outlines: Vec<_> = (0..30).map(|n| outline("known.test", n)).collect();
    let opml = format!(
        "<opml><body>{}{}<outline xmlUrl='http://a b/'/></body></opml>",
        outlines.concat(),
        outline("evil.test", 99),
    );
    let shown = tool.preview(&agent, &json!({"opml": opml})).await.unwrap().unwrap();
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[0], "subscribes to 31 feeds");
    assert_eq!(lines[1], "of hosts that no list names (1): evil.test");
    assert_eq!(lines[2], "- Feed 99 (https://evil.test/99)", "what is asked about stands first");
    assert_eq!(lines[3], "- Feed 0 (https://known.test/00)");
    assert_eq!((lines.len(), lines[22]), (23, "and 11 more"));
    let none = tool.preview(&agent, &json!({"opml": "<html/>"})).await.unwrap_err();
    assert_eq!(none.kind, ToolErrorKind::Invalid);
}

#[tokio::test]
async fn lists_of_other_readers_come_in_and_go_out() {
    let scene = Scene::start(feed(
        &(0..9).map(|n| item(&n.to_string(), &n.to_string())).collect::<Vec<_>>(),
    ))
    .await;
    let mut caller = scene.caller();
    let opml = format!(
        "<opml version='2.0'><body><outline text='Mine' xmlUrl='{}'/><outline text='Bad' xmlUrl='http://a b/'/></body></opml>",
        scene.url()
    );
    let imported = caller.json("rss.import_opml", json!({"opml": opml})).await;
    assert_eq!(
        (imported["added"].as_u64(), imported["no_urls"].as_array().unwrap().len()),
        (Some(1), 1)
    );
    assert_eq!(caller.json("rss.import_opml", json!({"opml": opml})).await["already"], 1);
    assert!(scene.server.asked().is_empty(), "an import asks nobody");
    let exported = caller.json("rss.export_opml", json!({})).await;
    assert!(exported["opml"].as_str().unwrap().contains(&format!("xmlUrl=\"{}\"", scene.url())));
    assert_eq!(titles(&caller.json("rss.check", json!({})).await), ["0", "1", "2"], "a first look");
    assert_eq!(
        titles(&caller.json("rss.check", json!({})).await),
        [""; 0],
        "the rest counts as seen"
    );
    assert_eq!(
        caller.refused("rss.import_opml", json!({"opml": "<html/>"})).await.0,
        ToolErrorKind::Invalid
    );
}

#[tokio::test]
async fn what_is_kept_of_the_largest_feed_fits() {
    let long = "x".repeat(400);
    let items: Vec<_> =
        (0..500).map(|n| item(&format!("{n}{long}"), &format!("{n} {long}"))).collect();
    let scene = Scene::start(feed(&items)).await;
    let caller = scene.subscribed().await;
    let (_, value) = caller.kept.all("rss.seen").next().unwrap();
    assert!(value.to_string().len() <= abide_domain::limits::KEPT_VALUE_BYTES_MAX);
    assert_eq!(value.as_array().unwrap().len(), 1_000);
}
