//! What holds over a stop, a crash and a start.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::Stdio,
};

use serde_json::json;

use crate::home::Home;

#[test]
fn bc_02_while_the_ledger_is_read_everybody_is_told_so() {
    let home = Home::new("");
    let keeper = home.begin(&[("ABIDE_TEST_FAILPOINTS", "recover.before_lanes=delay(2500)")]);
    let anonymous = keeper.client.anonymous();
    let ready = anonymous.get("/ready");
    assert_eq!((ready.status, &ready.json()["status"]), (503, &json!("loading")));
    assert_eq!(anonymous.get("/alive").status, 200);
    let root = keeper.client.read("/");
    assert_eq!((&root["status"], &root["agents"]), (&json!("loading"), &json!([])));
    let early = keeper.client.post("/start-epoch", &json!({"message": "hi"}));
    assert_eq!(
        (early.status, early.code().as_str(), early.header("retry-after")),
        (503, "loading", "1")
    );
    let status = home.run(["status"]);
    assert_eq!(status.status.code(), Some(4), "degraded: {status:?}");
    let said = home.run(["say", "hi"]);
    assert!(said.status.success(), "`say` waits for the keeper to be ready: {said:?}");
}

#[test]
fn say_is_answered_once_though_the_keeper_dies_after_it_was_accepted() {
    let home = Home::new("");
    let keeper = home.up_with(&[("ABIDE_TEST_FAILPOINTS", "accept.after_durable=exit")]);
    let mut say = home
        .command(["say", "remember that the heron is grey"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    keeper.wait();
    let _keeper = home.up();
    let mut reply = String::new();
    say.stdout.take().unwrap().read_to_string(&mut reply).unwrap();
    assert!(say.wait().unwrap().success());
    assert!(reply.contains("grey"), "{reply}");
    let accepted = home.ledger().iter().filter(|line| line["kind"] == "stimulus.accepted").count();
    assert_eq!(accepted, 1);
}

#[test]
fn say_tells_which_call_waits_for_a_yes_once_and_prints_the_reply_when_it_was_given() {
    let home = Home::new("[tools]\nask = [\"clock.*\"]\n");
    let keeper = home.up();
    // Whoever looked just now is there to be asked.
    assert!(home.run(["status"]).status.success());
    let mut say = home
        .command(["say", "\\tool clock.now {}"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    let mut stderr = BufReader::new(say.stderr.take().unwrap());
    stderr.read_line(&mut told).unwrap();
    let approval = keeper.client.read("/approvals")["items"][0].clone();
    let id = approval["id"].as_str().unwrap();
    for part in ["clock.now waits for a yes", approval["deadline"].as_str().unwrap(), id] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let path = format!("/approvals/{id}");
    assert_eq!(keeper.client.post(&path, &json!({"decision": "approve"})).status, 200);
    let said = say.wait_with_output().unwrap();
    assert!(said.status.success(), "{said:?}");
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "each is said once");
    let accepted = home.ledger().iter().filter(|line| line["kind"] == "stimulus.accepted").count();
    assert_eq!(accepted, 1, "to look for its epoch sends nothing again");
}

#[test]
fn a_stop_lets_waiting_callers_know_and_the_next_start_goes_on() {
    let home = Home::new("[tools]\nask = [\"clock.*\"]\n");
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    let client = keeper.client.clone();
    let waiting = std::thread::spawn(move || {
        client.post(
            "/start-epoch?wait=1",
            &json!({"message": "\\tool clock.now {}", "interactive": true}),
        )
    });
    events.until("approval.requested");
    assert_eq!(keeper.stop(), Some(0));
    let told = waiting.join().unwrap();
    assert_eq!((told.status, told.code().as_str()), (503, "stopping"));
    let epoch = told.json()["error"]["epoch_id"].as_str().unwrap().to_owned();
    assert!(!home.path().join("keeper.json").exists());
    let keeper = home.up();
    let approval = keeper.client.read("/approvals")["items"][0]["id"].as_str().unwrap().to_owned();
    let mut events = keeper.client.events("/events", &[]);
    assert_eq!(
        keeper
            .client
            .post(&format!("/approvals/{approval}"), &json!({"decision": "approve"}))
            .status,
        200
    );
    events.until("epoch.committed");
    assert_eq!(keeper.client.read(&format!("/epochs/{epoch}"))["state"], "committed");
}
