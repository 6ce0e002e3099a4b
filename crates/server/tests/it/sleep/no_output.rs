//! BC-28 on the real binary: whatever a provider does instead of answering, nothing is forgotten, and the third time a person
//! is told.

use abide_testkit::Reply;
use serde_json::{Value, json};

use super::night::{answering_sleep_with, config, say, sleep};
use crate::{client::Client, home::Home, process::scene::of_kind};

fn attention(client: &Client) -> Vec<Value> {
    let matters = client.read("/attention");
    let matters = matters["items"].as_array().unwrap().iter();
    matters.filter(|matter| matter["kind"] == "sleep").cloned().collect()
}

fn no_output(name: &str, reply: impl Fn() -> Reply + Send + Sync + 'static, times: usize) {
    let server = answering_sleep_with(reply);
    let home = Home::new(&config(&server));
    let keeper = home.up();
    say(&keeper.client, "nicolas", "I live in Berlin.");
    for time in 1..=times {
        let ended = sleep(&keeper.client);
        assert_eq!(ended["status"], "failed", "{name}: {ended}");
        assert!(!ended["message"].as_str().unwrap().is_empty(), "{name}: it says why");
        assert_eq!(attention(&keeper.client).len(), usize::from(time >= 3), "{name}");
    }
    let ledger = home.ledger();
    assert_eq!(of_kind(&ledger, "memory.reset").len(), 0, "{name}: nothing is forgotten");
    assert_eq!(of_kind(&ledger, "memory.fact_remembered").len(), 0, "{name}");
    let night = keeper.client.read("/management/sleep");
    assert_eq!(
        (&night["waiting"], &night["consolidated"]),
        (&json!(1), &json!(0)),
        "{name}: the cursor stays"
    );
    // A person may let it sleep without the model.
    if let Some(matter) = attention(&keeper.client).first() {
        let action = matter["actions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|a| a["label"] == "Sleep by rules")
            .unwrap();
        let before = keeper.client.read("/snapshot")["seq"].as_u64().unwrap();
        assert_eq!(
            keeper.client.post(action["path"].as_str().unwrap(), &action["body"]).status,
            202
        );
        assert_eq!(super::night::wait_for_end(&keeper.client, before)["status"], "ok", "{name}");
        assert_eq!(super::night::facts(&keeper.client), ["nicolas lives in Berlin"], "{name}");
        assert_eq!(attention(&keeper.client), Vec::<Value>::new(), "{name}");
    }
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn bc_28_an_empty_answer_fails() {
    no_output("empty", || Reply::text(""), 3);
}

#[test]
fn bc_28_an_answer_that_is_no_json_fails() {
    no_output("words", || Reply::text("I have consolidated everything."), 1);
    no_output("half an object", || Reply::text(r#"{"facts": [{"content": "nic"#), 1);
}

#[test]
fn bc_28_a_refusal_fails() {
    no_output("refusal", || Reply::refusal("I cannot help with that."), 1);
}

#[test]
fn bc_28_an_answer_that_was_cut_fails() {
    no_output("length", || Reply::max_tokens(r#"{"facts": []}"#), 1);
    no_output("connection", || Reply::text(r#"{"facts": []}"#).cut_after(40), 1);
}

#[test]
fn bc_28_silence_fails() {
    no_output("silence", Reply::silence, 1);
}

#[test]
fn bc_28_a_provider_that_rejects_fails() {
    no_output("401", || Reply::status(401), 1);
}
