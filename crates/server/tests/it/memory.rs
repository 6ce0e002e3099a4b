//! Identity, knowledge, reset here; the rest of memory's surface by file: `routes`, `commands`, `isolation`, `nights`, `rebuild`.

mod commands;
mod erasing;
mod isolation;
mod nights;
mod paraphrases;
mod people;
mod rebuild;
mod routes;

use serde_json::json;

use crate::home::Home;

#[test]
fn bc_07_an_identity_is_not_wiped_by_accident_and_every_version_is_kept() {
    let home = Home::new("");
    let keeper = home.up();
    let first = keeper.client.read("/identity");
    assert_eq!((&first["version"], &first["source"]), (&json!(1), &json!("profile")));
    let post = |body: &str| {
        keeper.client.send("POST", "/identity", &[("content-type", "application/json")], body)
    };
    for (body, status) in [
        ("", 400),
        ("{", 400),
        (r#"{"content":"#, 400),
        ("{}", 422),
        (r#"{"content":""}"#, 422),
        (r##"{"content":"# x"}"##, 422),
        (r#"{"content":null}"#, 422),
        (r#"{"content":"","force":true}"#, 422),
    ] {
        assert_eq!(post(body).status, status, "{body}");
    }
    let flat = json!({"content": "no heading ".repeat(20)});
    assert_eq!(keeper.client.post("/identity", &flat).status, 422);
    assert_eq!(keeper.client.read("/identity"), first, "still the old one");
    let text = format!("# Felix\n\n{}", "I keep watch. ".repeat(10));
    let changed = keeper.client.post("/identity", &json!({"content": text}));
    assert_eq!(changed.status, 200, "{changed:?}");
    let second = keeper.client.read("/identity");
    assert_eq!(
        (&second["version"], &second["source"], &second["content"]),
        (&json!(2), &json!("person"), &json!(text))
    );
    let forced = keeper.client.post("/identity", &json!({"content": "I am Felix.", "force": true}));
    assert_eq!(forced.json()["version"], 3);
    let changes: Vec<_> = home
        .ledger()
        .into_iter()
        .filter(|line| line["kind"] == "memory.identity_changed")
        .collect();
    assert_eq!(changes.len(), 3);
    assert_eq!(changes[0]["data"]["content"], first["content"], "restorable");
}

#[test]
fn facts_are_listed_searched_and_forgotten() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("remember that the staging server is called heron");
    let epoch = keeper.client.say("remember that the cat is called Minka");
    let all = keeper.client.read("/knowledge");
    let items = all["items"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    assert!(items[0]["content"].as_str().unwrap().contains("Minka"), "the newest first");
    assert_eq!(items[0]["sources"], json!([epoch["epoch_id"]]));
    let found = keeper.client.read("/knowledge?q=staging");
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    let id = found["items"][0]["fact_id"].as_str().unwrap().to_owned();
    let forget =
        |id: &str| keeper.client.send("DELETE", &format!("/knowledge/{id}"), &[], "").status;
    assert_eq!(forget(&id), 204);
    assert_eq!(forget(&id), 404, "forgotten already");
    assert_eq!(forget("0193e0f0-0000-7000-8000-000000000000"), 404);
    assert_eq!(forget("../../token"), 404);
    assert_eq!(keeper.client.read("/knowledge?q=staging")["items"], json!([]));
    let first = keeper.client.read("/knowledge?limit=1");
    assert_eq!((first["items"].as_array().unwrap().len(), &first["next"]), (1, &json!(null)));
}

#[test]
fn a_reset_ends_the_window_seals_the_segment_and_deletes_nothing() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("remember that the heron is grey");
    let before = home.ledger().len();
    let reset = keeper.client.post("/management/reset", &json!({}));
    assert_eq!(reset.status, 200, "{reset:?}");
    let done = reset.json();
    assert_eq!((&done["epochs"], &done["sealed_segment"]), (&json!(1), &json!(1)));
    assert!(home.ledger().len() > before);
    let epoch = keeper.client.say("what colour is the heron?");
    assert!(epoch["final_response"].as_str().unwrap().contains("grey"), "facts outlive the window");
    let id = epoch["epoch_id"].as_str().unwrap();
    let context = keeper.client.read(&format!("/epochs/{id}?context=1"));
    assert_eq!(context["context"]["history"], json!([]));
    assert_eq!(keeper.client.post("/management/reset", &json!({"forse": true})).status, 422);
}

#[test]
fn there_are_no_dreams_yet() {
    let home = Home::new("");
    let keeper = home.up();
    assert_eq!(keeper.client.read("/dreams"), json!({"items": [], "next": null}));
    assert_eq!(keeper.client.get("/dreams/..%2F..%2Ftoken").status, 404);
    assert_eq!(keeper.client.send("DELETE", "/dreams/x.md", &[], "").status, 404);
}

#[test]
fn a_parked_agent_queues_and_goes_on_when_it_is_resumed() {
    let home = Home::new("[[agent]]\nid = \"felix\"\nmind = \"reflex\"\n");
    let keeper = home.up();
    let steer = |action: &str| keeper.client.post(&format!("/agents/felix/{action}"), &json!({}));
    assert_eq!(steer("park").json()["state"], "parked");
    let queued = keeper.client.post("/start-epoch", &json!({"message": "hi"})).json();
    let id = queued["epoch_id"].as_str().unwrap().to_owned();
    assert_eq!(keeper.client.read("/agents/felix")["queue"], 1);
    let mut events = keeper.client.events("/events", &[]);
    assert_eq!(steer("resume").status, 200);
    events.until("epoch.committed");
    assert_eq!(keeper.client.read(&format!("/epochs/{id}"))["state"], "committed");
    let restart = steer("restart");
    assert_eq!((restart.status, restart.code().as_str()), (409, "no_process"));
    assert_eq!(steer("dance").status, 404);
}
