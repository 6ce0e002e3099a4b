//! Calls that wait for a person (decision 21, BC-15).

use serde_json::{Value, json};

use crate::home::{Home, Keeper};

const ASK: &str = "[tools]\nask = [\"clock.*\"]\n";

fn ask(keeper: &Keeper) -> (String, Value) {
    let mut events = keeper.client.events("/events", &[]);
    let body = json!({"message": "\\tool clock.now {}", "interactive": true});
    let epoch =
        keeper.client.post("/start-epoch", &body).json()["epoch_id"].as_str().unwrap().to_owned();
    events.until("approval.requested");
    let approval = keeper.client.read("/approvals")["items"][0].clone();
    (epoch, approval)
}

fn ended(keeper: &Keeper, epoch: &str) -> Value {
    let mut events =
        keeper.client.events("/events?after=0&kinds=epoch.committed,epoch.aborted", &[]);
    while events.next().unwrap().data["epoch"] != json!(epoch) {}
    keeper.client.read(&format!("/epochs/{epoch}"))
}

#[test]
fn an_approved_call_runs_and_an_answer_counts_once() {
    let home = Home::new(ASK);
    let keeper = home.up();
    let (epoch, approval) = ask(&keeper);
    assert_eq!(
        (&approval["tool"], &approval["citizen"], &approval["effect"]),
        (&json!("clock.now"), &json!("felix"), &json!("read"))
    );
    assert_eq!(approval["epoch_id"], json!(epoch));
    let attention = keeper.client.read("/attention");
    let matter = &attention["items"][0];
    assert_eq!(matter["kind"], "approval");
    let action = &matter["actions"][0];
    let decided = keeper.client.post(action["path"].as_str().unwrap(), &action["body"]);
    assert_eq!(decided.status, 200, "{decided:?}");
    let again = keeper.client.post(action["path"].as_str().unwrap(), &json!({"decision": "deny"}));
    assert_eq!((again.status, again.code().as_str()), (409, "already_decided"));
    let epoch = ended(&keeper, &epoch);
    assert_eq!(epoch["turns"][0]["tool_calls"][0]["outcome"], "ok");
    assert_eq!(keeper.client.read("/approvals")["items"], json!([]));
}

#[test]
fn a_denied_call_does_not_run_and_the_reason_is_told() {
    let home = Home::new(ASK);
    let keeper = home.up();
    let (epoch, approval) = ask(&keeper);
    let path = format!("/approvals/{}", approval["id"].as_str().unwrap());
    assert_eq!(keeper.client.post(&path, &json!({"decision": "perhaps"})).status, 422);
    let denied = keeper.client.post(&path, &json!({"decision": "deny", "reason": "not now"}));
    assert_eq!(denied.status, 200);
    let call = ended(&keeper, &epoch)["turns"][0]["tool_calls"][0].clone();
    assert_eq!((&call["outcome"], &call["effect"]), (&json!("denied"), &Value::Null));
    assert!(call["content"].as_str().unwrap().contains("not now"), "{call}");
    let unknown = "/approvals/0193e0f0-0000-7000-8000-000000000000";
    assert_eq!(keeper.client.post(unknown, &json!({"decision": "deny"})).status, 404);
}

#[test]
fn bc_15_nobody_there_is_a_no_at_once() {
    let home = Home::new(ASK);
    let keeper = home.up();
    let epoch = keeper.client.say("\\tool clock.now {}");
    let call = &epoch["turns"][0]["tool_calls"][0];
    assert_eq!(call["outcome"], "denied");
    assert!(call["content"].as_str().unwrap().contains("nobody is there"), "{call}");
}

#[test]
fn bc_15_a_waiting_approval_survives_a_crash_with_its_deadline() {
    let home = Home::new(ASK);
    let keeper = home.up();
    let (epoch, approval) = ask(&keeper);
    keeper.kill();
    let keeper = home.up();
    let waiting = keeper.client.read("/approvals")["items"][0].clone();
    assert_eq!(waiting, approval);
    let path = format!("/approvals/{}", approval["id"].as_str().unwrap());
    assert_eq!(keeper.client.post(&path, &json!({"decision": "approve"})).status, 200);
    assert_eq!(ended(&keeper, &epoch)["state"], "committed");
}
