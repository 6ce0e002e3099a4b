//! Sleep takes no claim for granted: what says the opposite of what was said waits, what nobody said fails the step.

use abide_testkit::Reply;
use serde_json::{Value, json};

use super::night::{answering_sleep_with, config, facts, say, sleep};
use crate::{home::Home, process::scene::of_kind};

fn claim(content: &str, source: usize) -> Value {
    json!({"content": content, "category": "user", "tags": [], "confidence": 0.9, "sources": [source],
        "subject": null, "attribute": null, "replaces": null})
}

fn answering(facts: Vec<Value>) -> abide_testkit::ModelServer {
    answering_sleep_with(move || {
        let answer = json!({"facts": facts, "identity": null, "dream": null});
        Reply::text(answer.to_string())
    })
}

#[test]
fn the_opposite_of_what_was_said_waits_for_a_person() {
    let server = answering(vec![
        claim("nicolas eats meat", 1),
        claim("nicolas will switch to Postgres", 2),
        claim("nicolas prefers tea", 3),
    ]);
    let home = Home::new(&config(&server));
    let keeper = home.up();
    let client = &keeper.client;
    say(client, "nicolas", "I do not eat meat.");
    say(client, "nicolas", "Should we switch to Postgres?");
    say(client, "nicolas", "I prefer tea.");
    assert_eq!(sleep(client)["status"], "ok");
    assert_eq!(facts(client), ["nicolas prefers tea"]);
    let waiting = client.read("/knowledge/proposals");
    let waiting = waiting["items"].as_array().unwrap();
    assert_eq!(waiting.len(), 2, "{waiting:?}");
    assert_eq!(waiting[0]["content"], "nicolas eats meat");
    assert!(waiting[0]["doubt"].as_str().unwrap().contains("denies"), "{waiting:?}");
    assert!(waiting[0]["said"].as_str().unwrap().contains("I do not eat meat"), "{waiting:?}");
    let matters = client.read("/attention");
    let matters = matters["items"].as_array().unwrap();
    assert_eq!(matters.iter().filter(|matter| matter["kind"] == "fact").count(), 2, "{matters:?}");

    let shown = home.run(["memory", "facts", "review"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("nicolas eats meat") && shown.contains("I do not eat meat"), "{shown}");
    let id = |n: usize| waiting[n]["proposal_id"].as_str().unwrap().to_owned();
    let denied = home.run(["memory", "facts", "review", &id(0), "--deny"]);
    assert!(denied.status.success(), "{denied:?}");
    let approved =
        client.post(&format!("/knowledge/proposals/{}", id(1)), &json!({"decision": "approve"}));
    assert_eq!(approved.status, 200, "{approved:?}");
    assert_eq!(facts(client), ["nicolas prefers tea", "nicolas will switch to Postgres"]);
    assert_eq!(client.read("/knowledge/proposals")["items"], json!([]));
    let again =
        client.post(&format!("/knowledge/proposals/{}", id(1)), &json!({"decision": "approve"}));
    assert_eq!(again.status, 404);
    assert_eq!(keeper.stop(), Some(0));
    let keeper = home.up();
    assert_eq!(
        keeper.client.read("/knowledge/proposals")["items"],
        json!([]),
        "also after a start"
    );
}

#[test]
fn an_answer_that_is_all_invented_fails_and_nothing_is_reset() {
    let server = answering(vec![claim("nicolas owns a yacht in Monaco", 1)]);
    let home = Home::new(&config(&server));
    let keeper = home.up();
    say(&keeper.client, "nicolas", "I prefer tea.");
    let ended = sleep(&keeper.client);
    assert_eq!(ended["status"], "failed", "{ended}");
    assert_eq!(of_kind(&home.ledger(), "memory.reset").len(), 0);
    assert_eq!(facts(&keeper.client), Vec::<String>::new());
}

#[test]
fn what_waits_goes_when_what_it_rests_on_is_taken_back() {
    let server = answering(vec![claim("nicolas eats meat", 1)]);
    let home = Home::new(&config(&server));
    let keeper = home.up();
    let client = &keeper.client;
    say(client, "nicolas", "I do not eat meat.");
    assert_eq!(sleep(client)["status"], "ok");
    assert_eq!(client.read("/knowledge/proposals")["items"].as_array().unwrap().len(), 1);
    client.post("/memory/forget", &json!({"words": "that I do not eat meat"}));
    assert_eq!(client.read("/knowledge/proposals")["items"], json!([]));
}
