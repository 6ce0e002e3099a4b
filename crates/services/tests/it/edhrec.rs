//! `edhrec.get_recommendations`.

use std::{sync::Arc, time::Duration};

use abide_http::AddressPolicy;
use abide_services::{EdhrecSettings, check_edhrec, edhrec_tools};
use abide_tools::ToolErrorKind;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    call::{Caller, TestClock, http},
    server::{Asked, Reply, Server},
};

const RECOMMEND: &str = "edhrec.get_recommendations";

async fn scene(
    answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
) -> (Server, Caller, Arc<TestClock>, TempDir) {
    let server = Server::start(answer).await;
    let (clock, folder) = (TestClock::start(), tempfile::tempdir().unwrap());
    let settings = EdhrecSettings {
        enabled: true,
        json_url: server.url("/json"),
        site_url: server.url("/site"),
        addresses: AddressPolicy::PublicOrLoopback,
        ..EdhrecSettings::new(folder.path().join("edhrec"))
    };
    let caller = Caller::new(edhrec_tools(&settings, &http(&clock)), &clock);
    (server, caller, clock, folder)
}

fn page(name: &str) -> Value {
    json!({"container": {"json_dict": {"card": {"name": name, "num_decks": 10}, "cardlists": [
        {"tag": "topcards", "header": "Top", "cardviews": [{"name": "Spark Ring", "num_decks": 5, "potential_decks": 10}]}
    ]}}})
}

#[tokio::test]
async fn nobody_is_asked_unless_a_person_turned_it_on() {
    let (server, _, clock, folder) = scene(|_| Reply::json(200, &page("x"))).await;
    let settings =
        EdhrecSettings { json_url: server.url(""), ..EdhrecSettings::new(folder.path()) };
    let mut caller = Caller::new(edhrec_tools(&settings, &http(&clock)), &clock);
    let (kind, message) = caller.refused(RECOMMEND, json!({"commander": "x"})).await;
    assert!(kind == ToolErrorKind::Blocked && message.contains("enabled = true"), "{message}");
    assert!(!check_edhrec(&settings)[0].works);
    assert!(server.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn pages_are_asked_for_a_second_apart_and_kept_for_days() {
    let (server, mut caller, clock, _folder) = scene(|_| Reply::json(200, &page("Ash"))).await;
    for name in ["Ash Warden", "Coal Lord", "Iron Duke", "Ash Warden"] {
        let output = caller.run(RECOMMEND, json!({"commander": name})).await.unwrap();
        assert!(output.ethereal.unwrap().contains("data: EDHREC"));
        let shown: Value = serde_json::from_str(&output.content).unwrap();
        assert_eq!(shown["source"], "data: EDHREC");
        assert_eq!(shown["lists"][0]["cards"][0]["inclusion_percent"], 50.0);
    }
    let asked = server.asked();
    assert_eq!(asked.len(), 3, "the fourth was kept");
    assert_eq!(asked[0].path, "/json/pages/commanders/ash-warden.json");
    for pair in asked.windows(2) {
        assert!(pair[1].at.checked_sub(pair[0].at).unwrap() >= Duration::from_secs(1), "{asked:?}");
    }
    clock.forward(Duration::from_hours(3 * 24));
    caller.run(RECOMMEND, json!({"commander": "Ash Warden"})).await.unwrap();
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn the_sites_own_data_stand_in_where_the_json_host_has_none() {
    let (server, mut caller, ..) = scene(|asked| match asked.path.as_str() {
        "/site/" => {
            Reply::html("<script id=__NEXT_DATA__>{\"props\":{},\"buildId\":\"b-1\"}</script>")
        }
        "/site/_next/data/b-1/commanders/ash-warden-coal-lord/goblins.json" => {
            Reply::json(200, &json!({"pageProps": {"data": page("Ash")}}))
        }
        path if path.starts_with("/json") => Reply::new(403, "text/html", "no"),
        _ => Reply::new(404, "text/html", "no"),
    })
    .await;
    let arguments = json!({"commander": "Coal Lord", "partner": "Ash Warden", "theme": "Goblins"});
    let shown = caller.json(RECOMMEND, arguments).await;
    assert_eq!(shown["commander"]["name"], "Ash");
    let (kind, message) = caller.refused(RECOMMEND, json!({"commander": "Nobody"})).await;
    assert!(kind == ToolErrorKind::NotFound && message.contains("commanders/nobody"), "{message}");
    assert_eq!(
        caller.refused(RECOMMEND, json!({"commander": "!?"})).await.0,
        ToolErrorKind::Invalid
    );
    let asked = server.asked();
    for pair in asked.windows(2) {
        assert!(pair[1].at.checked_sub(pair[0].at).unwrap() >= Duration::from_secs(1), "{asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_another_shape_are_empty_and_failures_are_errors() {
    let (_server, mut caller, ..) = scene(|asked| match asked.path.as_str() {
        "/json/pages/commanders/odd.json" => {
            Reply::json(200, &json!({"container": {"json_dict": {"cardlists": {}}}}))
        }
        "/json/pages/commanders/busy.json" => {
            Reply::json(429, &json!({})).with("retry-after", "60")
        }
        "/site/" => Reply::html("<html>no build</html>"),
        _ => Reply::new(200, "application/json", "{not json"),
    })
    .await;
    assert_eq!(caller.json(RECOMMEND, json!({"commander": "odd"})).await["lists"], json!([]));
    let (kind, message) = caller.refused(RECOMMEND, json!({"commander": "busy"})).await;
    assert!(kind == ToolErrorKind::RateLimited && message.contains("60 s"), "{message}");
    assert_eq!(
        caller.refused(RECOMMEND, json!({"commander": "broken"})).await.0,
        ToolErrorKind::Unreadable
    );
}
