//! What holds over a stop, a crash and a start.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::house::Home;

#[test]
fn bc_02_everything_but_the_ledger_can_be_deleted() {
    let home = Home::new("[[agent]]\nid = \"ada\"\n[[agent]]\nid = \"bob\"\n");
    let keeper = home.up();
    for n in 0..10 {
        for agent in ["ada", "bob"] {
            let body = json!({"message": format!("remember that fact {n} of {agent} is true"), "citizen": agent});
            assert_eq!(keeper.client.post("/start-epoch?wait=1", &body).status, 200);
        }
    }
    let paths = ["/knowledge?citizen=ada&limit=500", "/identity?citizen=bob", "/epochs?limit=500"];
    let answers = |keeper: &crate::house::Keeper| -> Vec<Value> {
        let mut answers: Vec<_> = paths.iter().map(|path| keeper.client.read(path)).collect();
        answers.push(keeper.client.read("/snapshot")["state_digest"].clone());
        answers
    };
    let before = answers(&keeper);
    assert_eq!(keeper.stop(), Some(0));
    home.forget_projections();
    let keeper = home.up();
    assert_eq!(answers(&keeper), before);
    keeper.kill();
    let keeper = home.up();
    assert_eq!(answers(&keeper), before, "after kill -9 too");
}

#[test]
fn bc_02_while_the_ledger_is_read_everybody_is_told_so() {
    let home = Home::new("");
    let keeper = home.begin(&[("ABIDE_TEST_FAILPOINTS", "recover.before_lanes=delay(1500)")]);
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
        .stdout(std::process::Stdio::piped())
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

#[test]
fn one_home_has_one_keeper() {
    let home = Home::new("");
    let keeper = home.up();
    let second = home.run(["up", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(1));
    let words = String::from_utf8(second.stderr).unwrap();
    assert!(words.contains(&keeper.pid().to_string()), "it names the other: {words}");
    assert_eq!(keeper.client.get("/ready").status, 200, "the first goes on");
}

#[test]
fn a_damaged_ledger_is_refused_with_its_place_and_left_as_it_is() {
    let home = Home::new("");
    let keeper = home.up();
    keeper.client.say("hi");
    assert_eq!(keeper.stop(), Some(0));
    let segment = home.path().join("ledger/0000000001.jsonl");
    let text = std::fs::read_to_string(&segment).unwrap();
    let damaged = text.replacen("\"stimulus.accepted\"", "\"stimulus.acceptef\"", 1);
    assert_ne!(text, damaged);
    std::fs::write(&segment, &damaged).unwrap();
    let refused = home.run(["up", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1));
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(words.contains("0000000001.jsonl, line "), "{words}");
    assert_eq!(std::fs::read_to_string(&segment).unwrap(), damaged);
    let verify = home.run(["ledger", "verify"]);
    assert_eq!(verify.status.code(), Some(1));
}
