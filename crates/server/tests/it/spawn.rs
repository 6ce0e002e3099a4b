//! An agent that another brought into being lives in the keeper: with a person's yes, at once, and after each start.

use serde_json::{Value, json};

use crate::home::{Home, Keeper};

const SPAWN: &str = r#"\tool stdout {"command": "\\spawn @kid a small helper ---"}"#;

/// Lets felix ask for a kid, and decides.
fn ask_for_kid(keeper: &Keeper, decision: &str) -> Value {
    let mut events = keeper.client.events("/events", &[]);
    let body = json!({"message": SPAWN, "interactive": true});
    let begun = keeper.client.post("/start-epoch", &body).json();
    events.until("approval.requested");
    assert_eq!(agents(keeper), ["felix"], "nobody has decided yet");
    let approval = keeper.client.read("/approvals")["items"][0].clone();
    let path = format!("/approvals/{}", approval["id"].as_str().unwrap());
    assert_eq!(keeper.client.post(&path, &json!({"decision": decision})).status, 200);
    let until = if decision == "approve" { "agent.registered" } else { "epoch.committed" };
    events.until(until);
    begun
}

fn agents(keeper: &Keeper) -> Vec<String> {
    let agents = keeper.client.read("/agents");
    let items = agents["items"].as_array().unwrap().iter();
    items.map(|agent| agent["id"].as_str().unwrap().to_owned()).collect()
}

/// Says something to the kid and waits for the end of its epoch.
fn say_to_kid(keeper: &Keeper, message: &str) -> Value {
    let body = json!({"message": message, "citizen": "kid"});
    // It is there a moment after it is registered.
    let is_there = (0..10_000).any(|_| agents(keeper).contains(&"kid".to_owned()));
    assert!(is_there, "the kid is never there");
    let answer = keeper.client.post("/start-epoch?wait=1", &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// Waits until the kid has answered what another agent said.
fn answered(keeper: &Keeper) {
    let mut events = keeper.client.events("/events?after=0&citizen=kid", &[]);
    events.until("stimulus.accepted");
    events.until("epoch.committed");
}

#[test]
fn with_approval_a_kid_answers_what_is_said_to_it_and_remembers_after_a_kill() {
    let home = Home::new("");
    let keeper = home.up();
    ask_for_kid(&keeper, "approve");
    say_to_kid(&keeper, r#"\tool memory.remember_fact {"content": "the server is heron"}"#);
    assert_eq!(agents(&keeper), ["felix", "kid"]);
    let said = keeper.client.say(r#"\tool stdout {"command": "\\say @kid hello ---"}"#);
    assert_eq!(said["citizen"], "felix", "who is named is still the one of the configuration");
    assert_eq!(said["turns"][0]["tool_calls"][0]["outcome"], "ok", "{said}");
    answered(&keeper);
    let digest = keeper.client.read("/health")["state_digest"].clone();
    keeper.kill();
    let keeper = home.up();
    assert_eq!(agents(&keeper), ["felix", "kid"], "it is there before anybody can ask");
    assert_eq!(keeper.client.read("/health")["state_digest"], digest);
    let found = say_to_kid(&keeper, r#"\tool memory.search_facts {"query": "heron"}"#);
    assert!(found.to_string().contains("the server is heron"), "{found}");
    let folder = home.path().join("agents").join("kid");
    assert!(folder.join("identity.md").is_file() && folder.join("knowledge.db").is_file());
    keeper.kill();
    home.forget_projections();
    let keeper = home.up();
    let found = say_to_kid(&keeper, r#"\tool memory.search_facts {"query": "heron"}"#);
    assert!(found.to_string().contains("the server is heron"), "from the ledger alone: {found}");
    assert!(folder.join("identity.md").is_file(), "its identity is written again");
    assert_eq!(keeper.stop(), Some(0));
    home.forget_projections();
    let rebuilt = home.run(["memory", "rebuild", "--agent", "kid"]);
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    assert!(folder.join("knowledge.db").is_file() && folder.join("identity.md").is_file());
}

#[test]
fn without_approval_there_is_no_kid() {
    let home = Home::new("");
    let keeper = home.up();
    ask_for_kid(&keeper, "deny");
    assert_eq!(agents(&keeper), ["felix"]);
    let refused = keeper.client.say(r#"\tool stdout {"command": "\\say @kid hello ---"}"#);
    let call = &refused["turns"][0]["tool_calls"][0];
    assert!(call["content"].as_str().unwrap().contains("Nobody here is called @kid"), "{call}");
    let keeper = {
        keeper.kill();
        home.up()
    };
    assert_eq!(agents(&keeper), ["felix"]);
    assert!(!home.path().join("agents").join("kid").exists());
}
