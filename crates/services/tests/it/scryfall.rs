//! `scryfall.*`: paces, lock-outs, cache and the shapes of answers.

use std::{fs, sync::Arc, time::Duration};

use abide_http::AddressPolicy;
use abide_services::{ScryfallSettings, scryfall_tools};
use abide_tools::ToolErrorKind;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    call::{Caller, TestClock, http},
    server::{Asked, Reply, Server},
};

const CARD: &str = "scryfall.get_card_details";
const SEARCH: &str = "scryfall.search";

struct Scene {
    server: Server,
    clock: Arc<TestClock>,
    folder: TempDir,
}

impl Scene {
    async fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let server = Server::start(answer).await;
        Self { server, clock: TestClock::start(), folder: tempfile::tempdir().unwrap() }
    }

    fn caller(&self) -> Caller {
        let settings = ScryfallSettings {
            url: self.server.url(""),
            addresses: AddressPolicy::PublicOrLoopback,
            ..ScryfallSettings::new(self.folder.path().join("scryfall"))
        };
        Caller::new(scryfall_tools(&settings, &http(&self.clock)), &self.clock)
    }

    /// Times between the requests for a path.
    fn spaces(&self, path: &str) -> Vec<Duration> {
        let asked = self.server.asked();
        let times: Vec<_> = asked
            .iter()
            .filter(|asked| asked.path.starts_with(path))
            .map(|asked| asked.at)
            .collect();
        times.windows(2).map(|pair| pair[1].checked_sub(pair[0]).unwrap()).collect()
    }
}

fn card(name: &str) -> Value {
    json!({"object": "card", "id": "0-0", "name": name, "layout": "normal", "mana_cost": "{1}", "type_line": "Artifact",
        "legalities": {"commander": "legal"}, "prices": {"usd": "1.00"}})
}

fn error(status: u16, code: &str, kind: Option<&str>, details: &str) -> Reply {
    Reply::json(
        status,
        &json!({"object": "error", "status": status, "code": code, "type": kind, "details": details,
        "warnings": if status == 400 { json!(["Unknown card color \"zz\""]) } else { Value::Null }}),
    )
}

#[tokio::test(start_paused = true)]
async fn names_and_searches_are_asked_twice_a_second_and_others_ten_times() {
    let scene = Scene::start(|asked| {
        if asked.path.starts_with("/cards/search") {
            return Reply::json(200, &json!({"object": "list", "total_cards": 0, "data": []}));
        }
        Reply::json(200, &card("X"))
    })
    .await;
    let mut caller = scene.caller();
    for n in 0..4 {
        caller.run(CARD, json!({"name": format!("card {n}")})).await.unwrap();
        caller.run(CARD, json!({"id": format!("id-{n}")})).await.unwrap();
        caller.run(CARD, json!({"set": "abc", "collector_number": n.to_string()})).await.unwrap();
    }
    for n in 0..3 {
        caller.run(SEARCH, json!({"query": format!("q{n}")})).await.unwrap();
    }
    let asked = scene.server.asked();
    let slow: Vec<_> = asked
        .iter()
        .filter(|asked| {
            asked.path.starts_with("/cards/search") || asked.path.starts_with("/cards/named")
        })
        .map(|asked| asked.at)
        .collect();
    assert_eq!(slow.len(), 7);
    for pair in slow.windows(2) {
        assert!(pair[1].checked_sub(pair[0]).unwrap() >= Duration::from_millis(500), "{slow:?}");
    }
    let mut fast = scene.spaces("/cards/id-");
    fast.extend(scene.spaces("/cards/abc/"));
    assert!(fast.iter().all(|space| *space >= Duration::from_millis(100)), "{fast:?}");
}

#[tokio::test]
async fn the_headers_that_the_service_wants_are_sent() {
    let scene = Scene::start(|_| Reply::json(200, &card("X"))).await;
    scene.caller().run(CARD, json!({"name": "x", "set": "abc", "exact": true})).await.unwrap();
    let asked = scene.server.asked();
    assert!(asked[0].header("user-agent").unwrap().starts_with("abide/"));
    assert!(asked[0].header("accept").unwrap().contains("application/json"));
    assert_eq!(asked[0].path, "/cards/named?exact=x&set=abc");
}

#[tokio::test(start_paused = true)]
async fn after_a_refusal_nothing_is_asked_for_half_a_minute() {
    let scene = Scene::start(|asked| {
        if asked.path.contains("fuzzy=busy") {
            return Reply::json(429, &json!({})).with("retry-after", "5");
        }
        Reply::json(200, &card("X"))
    })
    .await;
    let mut caller = scene.caller();
    caller.run(CARD, json!({"name": "kept"})).await.unwrap();
    let (kind, message) = caller.refused(CARD, json!({"name": "busy"})).await;
    assert!(
        kind == ToolErrorKind::RateLimited && message.contains("try again in 30 s"),
        "{message}"
    );
    scene.clock.forward(Duration::from_secs(29));
    for arguments in [json!({"name": "other"}), json!({"id": "1-1"})] {
        let error = caller.run(CARD, arguments).await.unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::RateLimited);
        assert!(error.retry_after.unwrap() <= Duration::from_secs(1));
    }
    let (kind, _) = caller.refused(SEARCH, json!({"query": "x"})).await;
    assert_eq!(kind, ToolErrorKind::RateLimited);
    caller.run(CARD, json!({"name": "kept"})).await.expect("what is kept needs no request");
    assert_eq!(scene.server.asked().len(), 2);
    scene.clock.forward(Duration::from_secs(1));
    caller.run(CARD, json!({"name": "other"})).await.unwrap();
}

#[tokio::test]
async fn answers_are_kept_for_a_day_through_a_restart() {
    let scene = Scene::start(|_| Reply::json(200, &card("Keeper"))).await;
    scene.caller().run(CARD, json!({"name": "keeper"})).await.unwrap();
    scene.clock.forward(Duration::from_hours(23));
    let found = scene.caller().json(CARD, json!({"name": "keeper"})).await;
    assert_eq!(found["card"]["name"], "Keeper");
    assert_eq!(scene.server.asked().len(), 1);
    for file in fs::read_dir(scene.folder.path().join("scryfall")).unwrap() {
        fs::write(file.unwrap().path(), "{damaged").unwrap();
    }
    scene.caller().run(CARD, json!({"name": "keeper"})).await.unwrap();
    assert_eq!(scene.server.asked().len(), 2, "a damaged entry is skipped");
    scene.clock.forward(Duration::from_hours(24));
    scene.caller().run(CARD, json!({"name": "keeper"})).await.unwrap();
    assert_eq!(scene.server.asked().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_is_several_cards_says_which() {
    let scene = Scene::start(|asked| match asked.path.as_str() {
        path if path.starts_with("/cards/autocomplete") => {
            Reply::json(200, &json!({"object": "catalog", "data": ["Ash Warden", "Ash Wanderer"]}))
        }
        path if path.contains("fuzzy=ash") => {
            error(404, "not_found", Some("ambiguous"), "Too many cards match")
        }
        path if path.contains("fuzzy=") => {
            error(404, "not_found", None, "No card found matching “zzz”")
        }
        _ => Reply::new(500, "text/html", "oops"),
    })
    .await;
    let mut caller = scene.caller();
    let (kind, message) = caller.refused(CARD, json!({"name": "ash"})).await;
    assert_eq!(kind, ToolErrorKind::Ambiguous);
    assert!(message.ends_with("Ash Warden; Ash Wanderer"), "{message}");
    let (kind, message) = caller.refused(CARD, json!({"name": "zzz"})).await;
    assert!(kind == ToolErrorKind::NotFound && message.contains("No card found"), "{message}");
    assert_eq!(caller.refused(CARD, json!({"id": "1"})).await.0, ToolErrorKind::Upstream);
    for arguments in [
        json!({}),
        json!({"set": "abc"}),
        json!({"id": "../sets"}),
        json!({"name": "x", "collector_number": "1"}),
    ] {
        assert_eq!(caller.refused(CARD, arguments).await.0, ToolErrorKind::Invalid);
    }
}

#[tokio::test(start_paused = true)]
async fn a_search_gives_cards_page_by_page_and_nothing_found_is_an_empty_list() {
    let scene = Scene::start(|asked| {
        if asked.path.contains("q=none") {
            return error(404, "not_found", None, "Your query didn’t match any cards");
        }
        if asked.path.contains("q=bad") {
            return error(400, "bad_request", None, "All of your terms were ignored.");
        }
        let page: usize = asked.path.rsplit("page=").next().unwrap().parse().unwrap();
        let first = (page - 1) * 175;
        let cards: Vec<Value> =
            (first..200.min(first + 175)).map(|n| card(&format!("card {n}"))).collect();
        Reply::json(
            200,
            &json!({"object": "list", "total_cards": 200, "has_more": page == 1, "data": cards}),
        )
    })
    .await;
    let mut caller = scene.caller();
    let output = caller.run(SEARCH, json!({"query": "t:x", "limit": 2})).await.unwrap();
    let found: Value = serde_json::from_str(&output.content).unwrap();
    assert_eq!((found["total"].as_u64(), found["next_offset"].as_u64()), (Some(200), Some(2)));
    assert_eq!(found["cards"][1]["name"], "card 1");
    assert!(output.ethereal.unwrap().contains("2 of 200 cards"));
    let last = caller.json(SEARCH, json!({"query": "t:x", "offset": 190, "limit": 50})).await;
    assert_eq!(last["cards"].as_array().unwrap().len(), 10);
    assert_eq!(
        (last["cards"][0]["name"].as_str(), &last["next_offset"]),
        (Some("card 190"), &Value::Null)
    );
    let none = caller.json(SEARCH, json!({"query": "none"})).await;
    assert_eq!((none["total"].as_u64(), &none["cards"]), (Some(0), &json!([])));
    let (kind, message) = caller.refused(SEARCH, json!({"query": "bad"})).await;
    assert!(
        kind == ToolErrorKind::Invalid
            && message.contains("ignored")
            && message.contains("Unknown card color"),
        "{message}"
    );
    assert_eq!(
        caller.refused(SEARCH, json!({"query": "x", "order": "price"})).await.0,
        ToolErrorKind::Invalid
    );
}
