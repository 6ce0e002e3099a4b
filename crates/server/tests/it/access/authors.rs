//! Who did something stands in the ledger: the name of the token, and nobody else's.

use serde_json::{Value, json};

use super::rights::create;
use crate::{client::Client, home::Home};

fn line<'l>(ledger: &'l [Value], kind: &str) -> &'l Value {
    ledger.iter().rev().find(|line| line["kind"] == kind).unwrap_or_else(|| panic!("no {kind}"))
}

#[test]
fn what_a_token_orders_has_its_name_as_author() {
    let home = Home::new("");
    let keeper = home.up();
    let ann = Client::new(keeper.address, Some(create(&home, "ann", &["admin"], &[])));
    assert_eq!(ann.post("/start-epoch?wait=1", &json!({"message": "hello"})).status, 200);
    let evidence = json!({
        "subject": {"type": "agent", "id": "felix"}, "type": "observation",
        "claim_type": "asserted", "content": "seen", "tags": ["note"],
    });
    let recorded = ann.post("/evidence", &evidence);
    assert!([201, 422].contains(&recorded.status), "{recorded:?}");
    let fact = json!({"content": "The door is green."});
    assert_eq!(ann.post("/knowledge", &fact).status, 200);
    assert_eq!(ann.post("/agents/felix/park", &json!({})).status, 200);
    assert_eq!(ann.post("/agents/felix/resume", &json!({})).status, 200);
    assert_eq!(ann.post("/management/reset", &json!({})).status, 200);
    assert_eq!(
        ann.post("/stdout", &json!({"as": "ann", "command": "\\stdout note ---"})).status,
        200
    );
    keeper.client.post("/agents/felix/park", &json!({}));
    drop(keeper);
    let ledger = home.ledger();
    let author = |kind: &str| line(&ledger, kind)["author"].clone();
    assert_eq!(author("stimulus.accepted"), "@ann");
    assert_eq!(line(&ledger, "stimulus.accepted")["data"]["sender"], "ann");
    for kind in ["memory.fact_recorded", "agent.resumed", "stdout.written"] {
        if ledger.iter().any(|line| line["kind"] == kind) {
            assert_eq!(author(kind), "@ann", "{kind}");
        }
    }
    assert_eq!(author("agent.paused"), "@user", "the keeper's own token, as before");
    let resets: Vec<_> = ledger.iter().filter(|line| line["author"] == "@ann").collect();
    assert!(resets.len() >= 4, "{resets:?}");
}

#[test]
fn nobody_speaks_as_somebody_else_abide_itself_or_an_agent() {
    let home = Home::new("");
    let keeper = home.up();
    let ann = Client::new(keeper.address, Some(create(&home, "ann", &["say"], &[])));
    let say = |client: &Client, sender: &str| {
        client.post("/start-epoch?wait=1", &json!({"message": "hello", "sender": sender}))
    };
    assert_eq!(say(&ann, "ann").status, 200);
    assert_eq!(say(&ann, "user").status, 200, "whoever calls");
    assert_eq!(say(&ann, "bob").code(), "sender");
    assert_eq!(say(&keeper.client, "bob").status, 200, "who may do everything");
    for sender in ["keeper", "system", "tickle-1", "felix", "Felix"] {
        for client in [&ann, &keeper.client] {
            let refused = say(client, sender);
            assert_eq!(
                (refused.status, refused.code().as_str()),
                (422, "invalid_envelope"),
                "{sender}: {refused:?}"
            );
        }
    }
    let envelope = |sender: &str| {
        json!({
            "stimulus": {"content": "hi", "sender": sender, "channel": "api", "timestamp": "2026-11-28T00:00:00Z"},
            "last_driver_output": null, "citizen": "felix", "session_id": null,
        })
    };
    assert_eq!(ann.post("/start-epoch", &envelope("keeper")).status, 422);
    assert_eq!(ann.post("/start-epoch", &envelope("bob")).status, 403);
    for (channel, session) in [
        ("telegram", Value::Null),
        ("irc", Value::Null),
        ("api", json!("telegram:7")),
        ("api", json!("direct:bob")),
        ("api", json!("direct:annabel")),
    ] {
        let body = json!({"message": "hi", "channel": channel, "session_id": session});
        assert_eq!(ann.post("/start-epoch", &body).code(), "session", "{body}");
    }
    let own = json!({"message": "hi", "channel": "direct", "session_id": "direct:ann/work"});
    assert_eq!(ann.post("/start-epoch?wait=1", &own).status, 200);
    let foreign = json!({"as": "bob", "command": "\\stdout x ---"});
    assert_eq!(ann.post("/stdout", &foreign).code(), "scope");
    drop(keeper);
    let ledger = home.ledger();
    let senders: Vec<_> = ledger
        .iter()
        .filter(|line| line["kind"] == "stimulus.accepted")
        .map(|line| (line["data"]["sender"].as_str().unwrap(), line["author"].as_str().unwrap()))
        .collect();
    assert_eq!(senders, [("ann", "@ann"), ("ann", "@ann"), ("bob", "@bob"), ("ann", "@ann")]);
}

#[test]
fn keys_of_one_caller_are_not_those_of_another_or_of_a_channel() {
    let home = Home::new("");
    let keeper = home.up();
    let ann = Client::new(keeper.address, Some(create(&home, "ann", &["say"], &[])));
    let say = |client: &Client, key: &str| {
        let headers = [("content-type", "application/json"), ("idempotency-key", key)];
        let answer = client.send("POST", "/start-epoch", &headers, r#"{"message":"hi"}"#);
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json()["epoch_id"].as_str().unwrap().to_owned()
    };
    let first = say(&ann, "k1");
    assert_eq!(say(&ann, "k1"), first);
    assert_ne!(say(&keeper.client, "k1"), first);
    say(&ann, "telegram:7:11");
    drop(keeper);
    let keys: Vec<_> = home
        .ledger()
        .iter()
        .filter_map(|line| line["data"]["idempotency"]["key"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(keys, ["http/ann/k1", "http/user/k1", "http/ann/telegram:7:11"]);
}
