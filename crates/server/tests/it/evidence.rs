//! Evidence from outside: read out of what agents do, put on the record by hand, asked for, refused.

use serde_json::{Value, json};

use crate::{client::Client, home::Home};

fn entry(more: &Value) -> Value {
    let mut entry = json!({
        "subject": {"ref/type": "agent", "ref/id": "felix"},
        "type": "reflection",
        "claim-type": "observation",
        "body": {"text": "it was slow today"},
        "tags": ["pace"],
    });
    let fields = more.as_object().unwrap().clone();
    entry.as_object_mut().unwrap().extend(fields);
    entry
}

fn ids(client: &Client, query: &str) -> Vec<String> {
    let answer = client.read(&format!("/evidence{query}"));
    let items = answer["items"].as_array().unwrap().iter();
    items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_entry_is_recorded_answered_found_and_there_after_a_kill() {
    let home = Home::new("");
    let keeper = home.up();
    let first = keeper.client.post("/evidence", &entry(&json!({"id": "e-1"})));
    assert_eq!(first.status, 201, "{first:?}");
    assert_eq!(first.json()["author"], "user", "whoever holds the token");
    let more = json!({"author": "nicolas", "in-reply-to": "e-1", "type": "correction"});
    let second = keeper.client.post("/evidence", &entry(&more));
    assert_eq!(second.status, 201, "{second:?}");
    let second = second.json();
    assert_eq!(second["in-reply-to"], "e-1");
    let second = second["id"].as_str().unwrap().to_owned();
    keeper.kill();
    let keeper = home.up();
    let both = [second.clone(), "e-1".to_owned()];
    assert_eq!(ids(&keeper.client, "?tag=pace"), both, "newest first");
    assert_eq!(ids(&keeper.client, "?author=nicolas"), [second.as_str()]);
    assert_eq!(ids(&keeper.client, "?tag=pace&type=reflection&since=1h"), ["e-1"]);
    assert!(ids(&keeper.client, "?tag=pace,other").is_empty());
    let page = keeper.client.read("/evidence?tag=pace&limit=1");
    let next = page["next"].as_str().unwrap();
    assert_eq!(ids(&keeper.client, &format!("?tag=pace&cursor={next}")), ["e-1"]);
}

#[test]
fn an_entry_that_breaks_rules_is_refused_with_all_of_them() {
    let home = Home::new("");
    let keeper = home.up();
    assert_eq!(keeper.client.post("/evidence", &entry(&json!({"id": "e-1"}))).status, 201);
    let wrong = json!({"id": "e-1", "type": "gossip", "in-reply-to": "nobody", "colour": "grey"});
    let refused = keeper.client.post("/evidence", &entry(&wrong));
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid_evidence"));
    let refused = refused.json();
    let details = refused["error"]["details"].as_array().unwrap().iter();
    let mut paths: Vec<_> = details.map(|detail| detail["path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["colour", "id", "in_reply_to", "type"], "{refused}");
    let forged = keeper.client.post("/evidence", &entry(&json!({"author": "tickle-1"})));
    assert_eq!(forged.status, 422, "the watchdog speaks for itself");
    assert_eq!(keeper.client.get("/evidence?flavour=sweet").status, 400);
    assert_eq!(ids(&keeper.client, "?claim-type=observation&subject=felix").len(), 1);
    assert_eq!(ids(&keeper.client, "?tag=pace"), ["e-1"]);
}

#[test]
fn what_an_agent_does_is_evidence_and_what_the_keeper_does_to_it_is_none() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("hello");
    let all = keeper.client.read("/evidence?author=felix");
    let items = all["items"].as_array().unwrap();
    assert!(items.iter().all(|item| item["author"] == "felix"), "{all}");
    assert!(items.iter().any(|item| item["subject"]["ref/type"] == "epoch"), "{all}");
    let accepted = home.ledger().into_iter().find(|line| line["kind"] == "stimulus.accepted");
    let accepted = format!("seq-{}", accepted.unwrap()["seq"]);
    assert!(!ids(&keeper.client, "").contains(&accepted));
    let output = home.run(["evidence", "--author", "felix", "--limit", "1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("AT ") && text.lines().count() == 2, "{text}");
    let json = home.run(["evidence", "--author", "felix", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["items"].as_array().unwrap().len(), items.len());
}

#[test]
fn whoever_floods_the_record_is_told_when_it_may_go_on() {
    let home = Home::new("");
    let keeper = home.up();
    let text = "x".repeat(200_000);
    let large = entry(&json!({"body": {"text": text}}));
    let answers: Vec<_> = (0..40).map(|_| keeper.client.post("/evidence", &large)).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("a refusal");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(refused.json()["error"]["code"], "too_often");
    let recorded = answers.iter().filter(|answer| answer.status == 201).count();
    assert!(recorded <= 25, "{recorded}");
}
