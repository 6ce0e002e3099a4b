//! What feeds must not do: lead to hosts that nobody allowed, pass for one another, starve each other, hold the runtime up.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use abide_tools::ToolErrorKind;
use serde_json::{Value, json};

use crate::{
    call::TestClock,
    rss::{QUARTER, caller, feed, item, titles},
    server::{Asked, Fault, Reply, Server},
};

/// A server whose answers change once, by hand.
async fn turning(
    before: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    after: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
) -> (Server, Arc<AtomicBool>) {
    let turned = Arc::new(AtomicBool::new(false));
    let is_turned = Arc::clone(&turned);
    let server =
        Server::start(
            move |asked| {
                if is_turned.load(Ordering::SeqCst) { after(asked) } else { before(asked) }
            },
        )
        .await;
    (server, turned)
}

#[tokio::test]
async fn neither_a_redirect_nor_a_page_leads_to_a_host_that_nobody_allowed() {
    let other = Server::start(|_| feed(&[item("1", "Other")])).await;
    let target = other.url("/feed?d=secret");
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/for-good" => Reply::redirect(301, &target),
        "/for-now" => Reply::redirect(302, &target),
        "/inward" => Reply::redirect(302, "http://169.254.169.254/latest"),
        _ => Reply::html(&format!(
            "<head><link rel=alternate type='application/rss+xml' href='{target}'></head>"
        )),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let listed = server.address.to_string();
    // A person may have said yes to the first host as well: the rule is the same.
    for allowed in [&[listed.as_str()][..], &[]] {
        let clock = TestClock::start();
        let mut caller = caller(folder.path(), &clock, allowed);
        for path in ["/for-good", "/for-now", "/page"] {
            let url = server.url(path);
            let (kind, message) = caller.refused("rss.subscribe", json!({"url": url})).await;
            assert_eq!(kind, ToolErrorKind::Blocked, "{path}: {message}");
            assert!(message.contains(&other.url("/feed?d=secret")), "{path}: {message}");
        }
        let url = server.url("/inward");
        let (kind, message) = caller.refused("rss.subscribe", json!({"url": url})).await;
        assert!(kind == ToolErrorKind::Blocked && message.contains("nobody"), "{message}");
    }
    assert!(other.asked().is_empty(), "nobody was sent there");
}

#[tokio::test]
async fn redirects_and_links_within_the_host_that_was_asked_about_are_followed() {
    let server = Server::start(|asked| match asked.path.as_str() {
        "/site" => Reply::html(
            "<head><link rel=alternate type='application/rss+xml' href='http://other.test/feed'>\
             <link rel=alternate type='application/rss+xml' href='/hop'></head>",
        ),
        "/hop" => Reply::redirect(302, "/feed"),
        _ => feed(&[item("1", "One")]),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let mut caller = caller(folder.path(), &TestClock::start(), &[]);
    let found = caller.json("rss.subscribe", json!({"url": server.url("/site")})).await;
    assert_eq!(found["url"], server.url("/hop"));
    assert_eq!(found["other_feeds"], json!(["http://other.test/feed"]));
}

#[tokio::test]
async fn a_feed_that_moves_to_a_host_that_nobody_allowed_stays_where_it_is() {
    let other = Server::start(|_| feed(&[item("2", "Other")])).await;
    let target = other.url("/feed");
    let (server, turned) =
        turning(|_| feed(&[item("1", "One")]), move |_| Reply::redirect(301, &target)).await;
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    let mut caller = caller(folder.path(), &clock, &[]);
    caller.run("rss.subscribe", json!({"url": server.url("/feed")})).await.unwrap();
    turned.store(true, Ordering::SeqCst);
    clock.forward(QUARTER);
    let checked = caller.json("rss.check", json!({})).await;
    let note = checked["feeds"][0]["note"].as_str().unwrap();
    assert!(note.contains(&other.url("/feed")), "{checked}");
    let listed = caller.json("rss.list", json!({})).await;
    assert_eq!(listed["feeds"][0]["url"], server.url("/feed"));
    assert!(other.asked().is_empty(), "nobody was sent there");
}

#[tokio::test]
async fn validators_go_only_to_the_address_that_gave_them_and_no_feed_passes_for_another() {
    let (server, turned) = turning(
        |_| feed(&[item("1", "Forged")]).with("etag", "\"forged\""),
        |asked| match asked.path.as_str() {
            "/forger" => Reply::redirect(301, "/victim"),
            _ if asked.header("if-none-match").is_some() => Reply::new(304, "text/plain", ""),
            _ => feed(&[item("2", "Genuine")]).with("etag", "\"genuine\""),
        },
    )
    .await;
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    let allowed = [server.address.to_string()];
    let mut forger = caller(folder.path(), &clock, &[&allowed[0]]);
    forger.run("rss.subscribe", json!({"url": server.url("/forger")})).await.unwrap();
    turned.store(true, Ordering::SeqCst);
    clock.forward(QUARTER);
    let checked = forger.json("rss.check", json!({})).await;
    assert_eq!(titles(&checked), ["Genuine"]);
    let mut next = caller(folder.path(), &clock, &[&allowed[0]]);
    let found = next.json("rss.subscribe", json!({"url": server.url("/victim")})).await;
    assert_eq!(found["latest"][0]["title"], "Genuine");
    let sent: Vec<_> = server
        .asked()
        .iter()
        .map(|asked| (asked.path.clone(), asked.header("if-none-match").map(str::to_owned)))
        .collect();
    let forged = Some("\"forged\"".to_owned());
    assert_eq!(
        sent,
        [("/forger".into(), None), ("/forger".into(), forged), ("/victim".into(), None)]
    );
}

#[tokio::test]
async fn an_answer_that_nothing_changed_counts_only_from_where_the_copy_came() {
    let (server, turned) = turning(
        |_| feed(&[item("1", "Forged")]).with("etag", "\"forged\""),
        |asked| match asked.path.as_str() {
            "/forger" => Reply::redirect(301, "/victim"),
            _ => Reply::new(304, "text/plain", ""),
        },
    )
    .await;
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    let allowed = server.address.to_string();
    let mut forger = caller(folder.path(), &clock, &[&allowed]);
    forger.run("rss.subscribe", json!({"url": server.url("/forger")})).await.unwrap();
    turned.store(true, Ordering::SeqCst);
    clock.forward(QUARTER);
    let checked = forger.json("rss.check", json!({})).await;
    assert_eq!(checked["problems"].as_array().unwrap().len(), 1, "{checked}");
    let mut next = caller(folder.path(), &clock, &[&allowed]);
    let refused = next.run("rss.subscribe", json!({"url": server.url("/victim")})).await;
    assert!(refused.is_err(), "the other feed's copy: {refused:?}");
}

#[tokio::test]
async fn feeds_that_fail_do_not_keep_the_others_from_their_turn() {
    let server = Server::start(|asked| match asked.path.as_str() {
        "/works" => feed(&[item("1", "One")]),
        _ => Reply::new(500, "text/plain", "broken"),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    let mut caller = caller(folder.path(), &clock, &[]);
    let paths = (0..25).map(|n| format!("/broken-{n:02}")).chain(["/works".to_owned()]);
    let outlines: Vec<_> =
        paths.map(|path| format!("<outline xmlUrl='{}'/>", server.url(&path))).collect();
    let opml = format!("<opml><body>{}</body></opml>", outlines.concat());
    caller.run("rss.import_opml", json!({"opml": opml})).await.unwrap();
    let mut found = Vec::new();
    for _ in 0..2 {
        let checked = caller.json("rss.check", json!({})).await;
        found.extend(titles(&checked).into_iter().map(str::to_owned));
        clock.forward(QUARTER);
    }
    assert_eq!(found, ["One"]);
}

#[tokio::test]
async fn an_imported_feed_waits_for_a_check_that_has_room_for_it() {
    let server = Server::start(|asked| feed(&[item(&asked.path, &asked.path)])).await;
    let folder = tempfile::tempdir().unwrap();
    let mut caller = caller(folder.path(), &TestClock::start(), &[]);
    let outline = |path| format!("<outline xmlUrl='{}'/>", server.url(path));
    let opml = format!("<opml><body>{}{}</body></opml>", outline("/a"), outline("/b"));
    caller.run("rss.import_opml", json!({"opml": opml})).await.unwrap();
    let first = caller.json("rss.check", json!({"limit": 1})).await;
    assert_eq!((titles(&first).len(), first["unchecked"].as_u64()), (1, Some(1)), "{first}");
    let second = caller.json("rss.check", json!({"limit": 1})).await;
    let mut found = [titles(&first)[0], titles(&second)[0]];
    found.sort_unstable();
    assert_eq!(found, ["/a", "/b"]);
}

#[tokio::test]
async fn a_check_without_news_stages_little() {
    let items: Vec<_> = (0..500).map(|n| item(&n.to_string(), &n.to_string())).collect();
    let server = Server::start(move |_| feed(&items)).await;
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    let mut caller = caller(folder.path(), &clock, &[]);
    caller.run("rss.subscribe", json!({"url": server.url("/feed")})).await.unwrap();
    clock.forward(QUARTER);
    let output = caller.run("rss.check", json!({})).await.unwrap();
    let staged = format!("{:?}", output.staged);
    assert!(staged.len() < 1_000, "{} bytes", staged.len());
    caller.run("rss.unsubscribe", json!({"feed": server.url("/feed")})).await.unwrap();
    assert_eq!(caller.kept, abide_tools::KeptValues::default(), "nothing is left of it");
}

#[tokio::test]
async fn what_was_seen_is_still_seen_where_it_was_kept_with_the_subscription() {
    let (server, turned) =
        turning(|_| feed(&[item("1", "One")]), |_| feed(&[item("2", "Two"), item("1", "One")]))
            .await;
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::start();
    let mut caller = caller(folder.path(), &clock, &[]);
    let url = server.url("/feed");
    caller.run("rss.subscribe", json!({"url": url})).await.unwrap();
    let mut kept = caller.kept.get("rss", &url).unwrap().clone();
    kept["seen"] = caller.kept.get("rss.seen", &url).unwrap_or(&Value::Null).clone();
    let event = |namespace: &str, value| {
        use abide_domain::event::{Event, ToolEvent, ToolKept};
        Event::Tool(ToolEvent::Kept(ToolKept {
            namespace: namespace.into(),
            key: url.clone(),
            value,
        }))
    };
    caller.kept.stage(&[event("rss", Some(kept)), event("rss.seen", None)]).unwrap();
    turned.store(true, Ordering::SeqCst);
    for expected in [&["Two"][..], &[]] {
        clock.forward(QUARTER);
        assert_eq!(titles(&caller.json("rss.check", json!({})).await), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_feed_has_one_time_for_all_its_redirects() {
    let server = Server::start(|asked| {
        let next = format!("{}x", asked.path);
        Reply { fault: Fault::Slow, ..Reply::redirect(302, &next) }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let mut caller = caller(folder.path(), &TestClock::start(), &[]);
    let began = tokio::time::Instant::now();
    let (kind, message) = caller.refused("rss.subscribe", json!({"url": server.url("/")})).await;
    assert_eq!(kind, ToolErrorKind::Upstream, "{message}");
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
}
