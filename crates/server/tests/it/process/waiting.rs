//! Waiting that must end by itself: for a person who does not come (BC-15), for a model that says nothing (BC-13).

use abide_testkit::{ModelServer, Reply, rounds, rules};
use serde_json::{Value, json};

use super::{
    past::write_past,
    scene::{of_kind, thinking_with, wait_for_ends},
};
use crate::home::{Home, Keeper};

/// Older epochs before the one that waits, in `make soak`: 30,000 messages, of which each second one is a reply.
const PAST_EPOCHS: u32 = 15_000;
const ASK: &str = "[tools]\nask = [\"clock.*\"]\n[limits]\napproval = \"2s\"\n";

fn call_of(epoch: &Value) -> &Value {
    &epoch["turns"][0]["tool_calls"][0]
}

/// Asks for a call that needs a person, as somebody who is there, and leaves.
fn ask_and_leave(keeper: &Keeper) -> String {
    let mut events = keeper.client.events("/events?kinds=approval.requested", &[]);
    let body = json!({"message": "\\tool clock.now {}", "interactive": true});
    let accepted = keeper.client.post("/start-epoch", &body).json();
    events.next().unwrap();
    accepted["epoch_id"].as_str().unwrap().to_owned()
}

#[test]
fn bc_15_an_approval_that_nobody_answers_is_a_no_over_a_restart_and_a_long_past() {
    let home = Home::new(ASK);
    let past = rounds(PAST_EPOCHS);
    write_past(&home, "felix", past);
    let keeper = home.up();
    let id = ask_and_leave(&keeper);
    let deadline = keeper.client.read("/approvals")["items"][0]["deadline"].clone();
    keeper.kill();

    let keeper = home.up();
    wait_for_ends(&keeper.client, past as usize + 1);
    let epoch = keeper.client.read(&format!("/epochs/{id}"));
    assert_eq!(epoch["state"], "committed", "the epoch goes on without it: {epoch}");
    assert_eq!(call_of(&epoch)["outcome"], "denied");
    assert!(call_of(&epoch)["content"].as_str().unwrap().contains("in time"), "{epoch}");
    let ledger = home.ledger();
    let requested = of_kind(&ledger, "approval.requested");
    assert_eq!(requested.len(), 1, "nobody was asked twice");
    assert_eq!(requested[0]["data"]["deadline"], deadline, "the deadline is the first one");
    let decided = of_kind(&ledger, "approval.decided");
    assert_eq!((decided.len(), &decided[0]["data"]["by"]), (1, &json!("timeout")));
    assert!(decided[0]["timestamp"].as_str().unwrap() >= deadline.as_str().unwrap());
    assert_eq!(keeper.client.read("/approvals")["items"], json!([]));
    let kinds: Vec<_> = keeper.client.read("/attention")["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|matter| matter["kind"].clone())
        .collect();
    assert!(!kinds.contains(&json!("approval")), "{kinds:?}");
}

#[test]
fn bc_15_a_limit_that_passed_while_nobody_ran_is_a_no_at_the_start() {
    let home = Home::new(&ASK.replace("2s", "1s"));
    let keeper = home.up();
    let id = ask_and_leave(&keeper);
    keeper.kill();
    // The start waits for longer than the limit before anybody could answer.
    let keeper = home.up_with(&[("ABIDE_TEST_FAILPOINTS", "recover.before_lanes=delay(1200)")]);
    wait_for_ends(&keeper.client, 1);
    let epoch = keeper.client.read(&format!("/epochs/{id}"));
    assert_eq!(
        (&epoch["state"], &call_of(&epoch)["outcome"]),
        (&json!("committed"), &json!("denied"))
    );
}

/// Agents whose model is silent in different ways.
const SILENT: [&str; 3] = ["ada", "bob", "cyd"];

#[test]
fn bc_13_a_model_that_says_nothing_is_given_up_in_time_and_the_next_stimulus_is_answered() {
    let silence = |request: &abide_testkit::SeenRequest| {
        let text = request.user_text();
        if text.contains("never") {
            Reply::silence()
        } else if text.contains("hardly") {
            Reply::silence_after_head()
        } else if text.contains("half") {
            Reply::text("This sentence has no").silence_after(60)
        } else {
            rules::echo()(request)
        }
    };
    let server = ModelServer::builder().rule(silence).start().unwrap();
    let config = thinking_with(&server, &SILENT);
    let home = Home::new(&format!("{config}[limits]\nturn = \"1s\"\nattempts = 2\n"));
    let keeper = home.up();
    let words = ["it never answers", "it hardly answers", "it half answers"];
    for (agent, message) in SILENT.iter().zip(words) {
        for message in [message, "and now?"] {
            let body = json!({"message": message, "citizen": agent});
            assert_eq!(keeper.client.post("/start-epoch", &body).status, 202);
        }
    }
    wait_for_ends(&keeper.client, 6);
    for agent in SILENT {
        let epochs = keeper.client.read(&format!("/epochs?citizen={agent}"));
        let (next, silent) = (&epochs["items"][0], &epochs["items"][1]);
        assert_eq!(silent["state"], "aborted", "{silent}");
        assert_eq!(silent["abort"]["code"], "turn_failed", "{silent}");
        // Whether the keeper's clock or the connection's was first is all the same.
        assert!(silent["abort"]["message"].as_str().unwrap().contains("within"), "{silent}");
        assert_eq!(next["state"], "committed", "the lane is free again: {next}");
        let ledger = home.ledger();
        let own: Vec<&str> = ledger
            .iter()
            .filter(|line| line["epoch"] == silent["epoch_id"])
            .map(|line| line["kind"].as_str().unwrap())
            .collect();
        let order = [
            "stimulus.accepted",
            "epoch.opened",
            "context.assembled",
            "turn.started",
            "turn.failed",
            "turn.started",
            "turn.failed",
            "epoch.aborted",
        ];
        assert_eq!(own, order, "{agent}");
    }
    assert_eq!(server.violations(), Vec::<String>::new());
    assert_eq!(keeper.stop(), Some(0));
}

#[test]
fn bc_13_the_epochs_own_deadline_holds_too_also_over_a_death() {
    let server = ModelServer::builder().rule(|_| Reply::silence()).start().unwrap();
    let config = thinking_with(&server, &["ada"]);
    let home = Home::new(&format!("{config}[limits]\nepoch = \"1s\"\n"));
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    keeper.client.post("/start-epoch", &json!({"message": "are you there?"}));
    events.until("turn.started");
    keeper.kill();
    let keeper = home.up();
    wait_for_ends(&keeper.client, 1);
    let epoch = keeper.client.read("/epochs")["items"][0].clone();
    assert_eq!((&epoch["state"], &epoch["abort"]["code"]), (&json!("aborted"), &json!("deadline")));
}
