//! `internet.search` with its three backends.

use std::{fs, sync::Arc};

use abide_http::Secret;
use abide_services::{InternetSettings, check_internet, internet_tools};
use abide_tools::ToolErrorKind;
use serde_json::json;

use crate::{
    call::{Caller, TestClock, http},
    server::{Reply, Server},
};

const SEARCH: &str = "internet.search";
const KEY: &str = "brave-key-0123456789";

fn searcher(settings: &InternetSettings, clock: &Arc<TestClock>) -> Caller {
    Caller::new(internet_tools(settings, &http(clock)), clock)
}

fn searxng(server: &Server) -> InternetSettings {
    InternetSettings { searxng_url: Some(server.url("/sx/")), ..InternetSettings::default() }
}

#[tokio::test]
async fn searxng_is_asked_for_json_and_its_results_are_cleaned() {
    let server = Server::start(|_| {
        Reply::json(200, &json!({
            "query": "lamp", "results": [
                {"url": "https://a.test/1", "title": "A <b>lamp</b>", "content": "Oil &amp; wick<script>x</script>", "publishedDate": "2026-01-02", "engine": "e"},
                {"url": "javascript:alert(1)", "title": "no"}, {"title": "no address"}, "odd",
                {"url": "https://a.test/2", "title": null}
            ],
            "answers": ["42", {"answer": "43"}], "suggestions": ["lamp oil"], "unresponsive_engines": [["x", "timeout"]]
        }))
    })
    .await;
    let clock = TestClock::start();
    let mut caller = searcher(&searxng(&server), &clock);
    let arguments =
        json!({"query": " lamp & oil ", "page": 2, "time_range": "year", "language": "de"});
    let output = caller.run(SEARCH, arguments).await.unwrap();
    let found: serde_json::Value = serde_json::from_str(&output.content).unwrap();
    let first = json!({"title": "A lamp", "url": "https://a.test/1", "snippet": "Oil & wick", "published": "2026-01-02"});
    assert_eq!(
        found["results"],
        json!([first, {"title": "", "url": "https://a.test/2", "snippet": ""}])
    );
    assert_eq!(found["notes"].as_array().unwrap().len(), 4, "{found}");
    assert!(output.ethereal.unwrap().contains("lamp & oil"));
    assert_eq!(
        server.paths(),
        ["/sx/search?q=lamp+%26+oil&format=json&pageno=2&time_range=year&language=de"]
    );
}

#[tokio::test]
async fn a_searxng_that_gives_no_json_says_what_to_change() {
    for reply in [Reply::new(403, "text/html", "no"), Reply::html("<html>results</html>")] {
        let server = Server::start(move |_| reply.clone()).await;
        let clock = TestClock::start();
        let settings = searxng(&server);
        let (_, message) = searcher(&settings, &clock).refused(SEARCH, json!({"query": "x"})).await;
        assert!(message.contains("search.formats"), "{message}");
        let checks = check_internet(&settings, &http(&clock)).await;
        assert!(!checks[0].works && checks[0].text.contains("search.formats"), "{checks:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn brave_gets_its_key_in_a_header_and_nobody_sees_it() {
    let server = Server::start(|asked| {
        if asked.path.contains("q=refused") {
            return Reply::json(422, &json!({"error": format!("the token {KEY} is invalid")}));
        }
        if asked.path.contains("q=often") {
            return Reply::json(429, &json!({})).with("retry-after", "7");
        }
        Reply::json(200, &json!({"web": {"results": [{"title": "T", "url": "https://b.test/", "description": "<strong>D</strong>"}]}}))
    })
    .await;
    let clock = TestClock::start();
    let settings = InternetSettings {
        brave_url: server.url(""),
        brave_key: Some(Secret::new(KEY)),
        ..InternetSettings::default()
    };
    assert!(!format!("{settings:?}").contains(KEY));
    let mut caller = searcher(&settings, &clock);
    let found = caller.json(SEARCH, json!({"query": "x", "time_range": "day"})).await;
    assert_eq!(found["results"], json!([{"title": "T", "url": "https://b.test/", "snippet": "D"}]));
    let asked = server.asked();
    assert_eq!(asked[0].header("x-subscription-token"), Some(KEY));
    assert!(asked[0].path.ends_with("?q=x&count=20&offset=0&freshness=pd"), "{}", asked[0].path);
    let (kind, message) = caller.refused(SEARCH, json!({"query": "refused"})).await;
    assert!(kind == ToolErrorKind::Forbidden && !message.contains(KEY), "{message}");
    let (kind, message) = caller.refused(SEARCH, json!({"query": "often"})).await;
    assert!(
        kind == ToolErrorKind::RateLimited && message.contains("try again in 7 s"),
        "{message}"
    );
}

#[tokio::test]
async fn recorded_searches_answer_without_a_network() {
    let folder = tempfile::tempdir().unwrap();
    let recording = json!({"query": "Lamp  oil", "results": [{"title": "T", "url": "https://r.test/", "snippet": "S"}]});
    fs::write(folder.path().join("lamp.json"), recording.to_string()).unwrap();
    fs::write(folder.path().join("note.txt"), "no recording").unwrap();
    let settings = InternetSettings {
        recorded_searches: Some(folder.path().to_owned()),
        ..InternetSettings::default()
    };
    let mut caller = searcher(&settings, &TestClock::start());
    assert_eq!(
        caller.json(SEARCH, json!({"query": "lamp OIL"})).await["results"][0]["url"],
        "https://r.test/"
    );
    assert_eq!(caller.json(SEARCH, json!({"query": "other"})).await["results"], json!([]));
}

#[tokio::test]
async fn without_a_backend_a_search_says_what_is_missing_and_odd_arguments_are_refused() {
    let clock = TestClock::start();
    let mut caller = searcher(&InternetSettings::default(), &clock);
    let (kind, message) = caller.refused(SEARCH, json!({"query": "x"})).await;
    assert!(kind == ToolErrorKind::Blocked && message.contains("searxng_url"), "{message}");
    for arguments in [
        json!({"query": " "}),
        json!({"query": "x".repeat(500)}),
        json!({"query": "x", "time_range": "week"}),
        json!({"query": "x", "language": "de&key=1"}),
    ] {
        assert_eq!(caller.refused(SEARCH, arguments).await.0, ToolErrorKind::Invalid);
    }
    let checks = check_internet(&InternetSettings::default(), &http(&clock)).await;
    assert!(checks.iter().all(|check| !check.works) && checks.len() == 2, "{checks:?}");
}
