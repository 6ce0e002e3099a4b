//! Dates and zones: what people say is understood where and when they say it, and what comes by the clock comes once.

use serde_json::{Value, json};

use crate::{client::Client, home::Home};

/// Says something at a moment, and waits for the answer.
fn say_at(client: &Client, words: &str, sender: &str, at: &str) -> Value {
    let envelope = json!({
        "stimulus": {"content": words, "sender": sender, "channel": "api", "timestamp": at},
        "last_driver_output": null, "citizen": "felix", "session_id": at
    });
    let answer = client.post("/start-epoch?wait=1", &envelope);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// What the mind was shown in an epoch.
fn shown(client: &Client, epoch: &Value) -> String {
    let id = epoch["epoch_id"].as_str().unwrap();
    let epoch = client.read(&format!("/epochs/{id}?context=1"));
    let context = &epoch["context"];
    assert_eq!(context["verified"], true, "it is rendered as it was: {context}");
    context["system"].as_str().unwrap().to_owned()
}

const BERLIN: &str = "[keeper]\ntime_zone = \"Europe/Berlin\"\n[context]\nhistory = \"session\"\n";

#[test]
fn what_somebody_says_is_dated_where_and_when_they_said_it() {
    let home = Home::new(BERLIN);
    let keeper = home.up();
    let client = &keeper.client;
    // Sunday evening in Berlin; Monday morning in Tokyo, whose offset comes with the words.
    let told = say_at(client, "the dentist is tomorrow at 9", "ada", "2026-03-22T17:00:00Z");
    let now = shown(client, &told);
    assert!(now.contains("tomorrow at 9 is Mon 2026-03-23 09:00"), "{now}");
    let told =
        say_at(client, "the plumber comes tomorrow at 9", "bob", "2026-03-23T02:00:00+09:00");
    let now = shown(client, &told);
    assert!(now.contains("tomorrow at 9 is Tue 2026-03-24 09:00 +09:00"), "{now}");
    let accepted: Vec<Value> =
        home.ledger().into_iter().filter(|line| line["kind"] == "stimulus.accepted").collect();
    assert_eq!(accepted[0]["data"]["sender_zone"], Value::Null);
    assert_eq!(accepted[1]["data"]["sender_zone"], "+09:00");

    let asked = say_at(client, "when is the dentist?", "ada", "2026-03-27T08:00:00Z");
    let later = shown(client, &asked);
    assert!(later.contains("tomorrow at 9 (Mon 2026-03-23 09:00)"), "{later}");
    let asked = say_at(client, "when does the plumber come?", "bob", "2026-03-27T17:00:00+09:00");
    let later = shown(client, &asked);
    assert!(later.contains("tomorrow at 9 (Tue 2026-03-24 09:00 +09:00)"), "{later}");

    // A keeper that moved shows what it showed.
    let before = shown(client, &told);
    keeper.kill();
    let file = home.path().join("abide.toml");
    let moved =
        std::fs::read_to_string(&file).unwrap().replace("Europe/Berlin", "America/New_York");
    std::fs::write(file, moved).unwrap();
    let keeper = home.up();
    assert_eq!(shown(&keeper.client, &told), before);
}

#[test]
fn a_fact_that_takes_the_place_of_another_keeps_its_category() {
    let home = Home::new("");
    let _keeper = home.up();
    let run = |arguments: &[&str]| {
        let output = home.run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let first = ["memory", "facts", "remember", "the dentist is on Tuesday", "--category", "user"];
    let old = run(&first);
    let new =
        run(&["memory", "facts", "remember", "the dentist is on Wednesday", "--supersedes", &old]);
    let facts = run(&["memory", "facts", "--json"]);
    let facts: Value = serde_json::from_str(&facts).unwrap();
    let items = facts["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{facts}");
    assert_eq!((&items[0]["fact_id"], &items[0]["category"]), (&json!(new), &json!("user")));
    let said =
        ["memory", "facts", "remember", "it is off", "--supersedes", &new, "--category", "world"];
    run(&said);
    let facts: Value = serde_json::from_str(&run(&["memory", "facts", "--json"])).unwrap();
    assert_eq!(facts["items"][0]["category"], "world", "unless somebody says otherwise");
}

#[test]
fn a_reminder_that_was_asked_for_comes_back_to_whoever_asked() {
    let home = Home::new(
        "[keeper]\ntime_zone = \"Europe/Berlin\"\n[[agent]]\nid = \"felix\"\nmind = \"reflex\"\n",
    );
    let keeper = home.up();
    let mut events = keeper.client.events("/events", &[]);
    let body = json!({"message": "remind me in 2 seconds to call Ann", "sender": "ada"});
    let answer = keeper.client.post("/start-epoch?wait=1", &body).json();
    let reply = answer["final_response"].as_str().unwrap();
    assert!(
        reply.starts_with("I will remind you on ") && reply.contains("(Europe/Berlin): call Ann"),
        "{reply}"
    );
    events.until("wake.fired");
    let woken = loop {
        let seen = events.until("epoch.committed");
        let event = seen.last().unwrap();
        let id = event.data["epoch"].as_str().unwrap().to_owned();
        let epoch = keeper.client.read(&format!("/epochs/{id}"));
        if epoch["stimulus"]["sender"] == "system" {
            break epoch;
        }
    };
    assert_eq!(woken["final_response"], "Reminder for ada: call Ann");
}

#[test]
fn a_time_that_never_comes_is_refused_before_the_start() {
    let schedule = |at: &str| {
        format!(
            "[keeper]\ntime_zone = \"Europe/Berlin\"\n[[agent]]\nid = \"felix\"\n[[agent.schedule]]\nat = \"{at}\"\ncontent = \"x\"\n"
        )
    };
    let skipped = Home::new(&schedule("2026-03-29T02:30")).run(["config", "print"]);
    assert!(!skipped.status.success());
    let words = String::from_utf8(skipped.stderr).unwrap();
    assert!(words.contains("never comes in Europe/Berlin"), "{words}");
    assert!(Home::new(&schedule("2026-03-29T03:30")).run(["config", "print"]).status.success());
    let nowhere = Home::new("[keeper]\ntime_zone = \"Mars/Olympus\"\n").run(["config", "print"]);
    assert!(!nowhere.status.success());
}
