//! What waits for a person beside stalls reaches people, once.

use std::collections::BTreeMap;

use abide_testkit::{FakeDialect, ModelServer, Reply};
use serde_json::json;

use super::{FAST, HOOK, Hook, count, home_for, up};
use crate::home::Home;

#[test]
fn an_agent_that_fails_again_and_again_is_told_of_once_and_so_is_its_end() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::status(401), Reply::status(401), Reply::status(401), Reply::status(401)]);
    let hook = Hook::start();
    let home = home_for(&server, &format!("{HOOK}[[agent]]\nid = \"felix\"\nmind = \"model\"\n"));
    let keeper = up(&home, &hook);
    let messages = ["are you there?", "is it noon?", "what is new?", "who is there?"];
    for message in messages {
        keeper.client.post("/start-epoch?wait=1", &json!({"message": message}));
    }
    let told = hook.next("attention").json();
    let matter = &told["matters"][0];
    assert_eq!(
        (matter["id"].as_str(), matter["agent"].as_str()),
        (Some("epoch_failed:felix"), Some("felix")),
        "{told}"
    );
    assert!(told["summary"].as_str().unwrap().contains("gave no reply in"), "{told}");
    // A notice that a death cuts off before it is written down that it arrived is sent again under its id.
    keeper.client.events("/events?after=0", &[]).until("watchdog.notified");
    keeper.kill();
    let keeper = up(&home, &hook);
    let mut events = keeper.client.events("/events", &[]);
    for _ in 0..5 {
        events.until("watchdog.scanned");
    }
    assert_eq!(count(&home, "watchdog.attention_raised"), 1, "a restart tells nobody again");
    // What got no reply waits until it is asked again, whatever is answered meanwhile.
    server.script(messages.map(|_| Reply::text("Here I am.")));
    for message in messages {
        assert_eq!(keeper.client.say(message)["final_response"], "Here I am.");
    }
    assert_eq!(hook.next("attention_over").json()["matters"][0]["id"], "epoch_failed:felix");
}

#[test]
fn an_agent_has_a_threshold_of_its_own_or_is_not_watched() {
    let agents = "[[agent]]\nid = \"felix\"\nmind = \"reflex\"\nalways_active = true\n[agent.watchdog]\nenabled = false\n\
                  [[agent]]\nid = \"ada\"\nmind = \"reflex\"\nalways_active = true\n[agent.watchdog]\nthreshold = \"1h\"\n\
                  [[agent]]\nid = \"iris\"\nmind = \"reflex\"\nalways_active = true\n";
    let home = Home::new(&format!("{FAST}{agents}"));
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    events.until("watchdog.stall_opened");
    for _ in 0..5 {
        events.until("watchdog.scanned");
    }
    let stalled = home.ledger().into_iter().filter(|line| line["kind"] == "watchdog.stall_opened");
    assert!(stalled.into_iter().all(|line| line["entity"] == "@iris"));
    let view = keeper.client.read("/watchdog");
    let verdict = |agent: &str| {
        let all = view["agents"].as_array().unwrap();
        all.iter().find(|one| one["agent"] == agent).unwrap()["verdict"].clone()
    };
    assert_eq!((verdict("felix"), verdict("ada")), (json!("unwatched"), json!("active")));
}

#[test]
fn money_that_is_out_and_a_process_that_ends_again_and_again_are_told_of_each_once() {
    let server = ModelServer::start().unwrap();
    server.script([Reply::money_out(402)]);
    let hook = Hook::start();
    let agents = "[[agent]]\nid = \"felix\"\nmind = \"model\"\n\
                  [[agent]]\nid = \"ada\"\nmind = \"agent\"\ncommand = [\"/bin/false\"]\n";
    let url = server.base_url(FakeDialect::OpenAiChat);
    let patient = FAST.replace("threshold = \"300ms\"", "threshold = \"1m\"");
    let home = Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n{patient}{HOOK}{agents}"
    ));
    let keeper = up(&home, &hook);
    for citizen in ["felix", "ada"] {
        keeper.client.post("/start-epoch", &json!({"message": "hello", "citizen": citizen}));
    }
    let mut told = BTreeMap::new();
    while told.len() < 2 {
        let notice = hook.next("attention").json();
        for matter in notice["matters"].as_array().unwrap() {
            let id = matter["id"].as_str().unwrap().to_owned();
            let summary = matter["summary"].as_str().unwrap().to_owned();
            assert_eq!(told.insert(id, summary), None, "told again: {notice}");
        }
    }
    let ids: Vec<_> = told.keys().map(String::as_str).collect();
    assert_eq!(ids, ["budget:felix", "process:ada"], "{told:?}");
    assert!(told["process:ada"].contains("ended 5 times in a row"), "{told:?}");
    assert!(told["budget:felix"].starts_with("felix is paused: "), "{told:?}");
}
