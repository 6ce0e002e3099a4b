//! What wakes and schedules bring up is said in the chat that it belongs to, once, over deaths.

use abide_domain::{EntityName, event::WakeScheduled};
use abide_ledger::Draft;
use abide_testkit::{BotServer, ModelServer, Reply};
use serde_json::{Value, json};

use super::scene::{CHAT, GROUP, home, home_with, lines, up, wait_for};
use crate::{home::Home, process::past::write_events};

/// A model that is asked in a chat to come back to something, and does.
fn coming_back(wait: &str) -> ModelServer {
    let model = ModelServer::start().unwrap();
    let command = format!("\\wake ?(sleep({wait})) Is the tea ready? ---");
    model.script([
        Reply::calls([("stdout", json!({"command": command}))]),
        Reply::text("I will look."),
        Reply::text("The tea is ready."),
    ]);
    model
}

fn by_clock(home: &Home) -> Vec<Value> {
    lines(home, "stimulus.accepted")
        .into_iter()
        .filter(|line| line["data"]["channel"] == "system")
        .collect()
}

#[test]
fn what_a_wake_brings_up_is_said_in_the_chat_in_which_it_was_set() {
    let (server, model) = (BotServer::start().unwrap(), coming_back("1s"));
    let home = home_with(&server, &model);
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "tell me when the tea is ready");
    let sent = server.wait_for("sendMessage", 2);
    assert_eq!(
        (&sent[1]["chat_id"], &sent[1]["text"]),
        (&json!(CHAT), &json!("The tea is ready."))
    );
    assert!(sent[1].get("reply_parameters").is_none(), "it answers no message");
    wait_for(&keeper, "channel.answered", 2);
    let stimulus = &by_clock(&home)[0]["data"];
    assert_eq!(stimulus["session_id"], "telegram:42", "it belongs to the talk in which it was set");
    assert!(stimulus["content"].as_str().unwrap().contains("sent to the chat"), "{stimulus}");
    // What is answered there goes on with it.
    model.script([Reply::text("You are welcome.")]);
    server.says(CHAT, "nicolas", "thank you");
    server.wait_for("sendMessage", 3);
    let asked = model.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("The tea is ready."), "{asked}");
}

#[test]
fn what_was_wanted_in_a_topic_is_said_in_that_topic() {
    let (server, model) = (BotServer::start().unwrap(), coming_back("1s"));
    let home = home_with(&server, &model);
    let keeper = up(&home);
    server.message(json!({
        "chat": {"id": GROUP, "type": "supergroup", "is_forum": true}, "is_topic_message": true, "message_thread_id": 12,
        "from": {"id": 7, "is_bot": false, "username": "ann"},
        "text": "@abide_test_bot tell us when the tea is ready",
        "entities": [{"type": "mention", "offset": 0, "length": 15}],
    }));
    let sent = server.wait_for("sendMessage", 2);
    assert_eq!((&sent[1]["chat_id"], &sent[1]["message_thread_id"]), (&json!(GROUP), &json!(12)));
    assert_eq!(sent[1]["text"], "The tea is ready.");
    wait_for(&keeper, "channel.answered", 2);
}

#[test]
fn a_death_before_a_wake_or_before_its_answer_left_loses_and_doubles_nothing() {
    let (server, model) = (BotServer::start().unwrap(), coming_back("1s"));
    let home = home_with(&server, &model);
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "tell me when the tea is ready");
    wait_for(&keeper, "channel.answered", 1);
    keeper.kill();
    // It dies again as the answer is about to leave.
    let failpoint = ("ABIDE_TEST_FAILPOINTS", "answer.sending=exit");
    home.up_with(&[("BOT", BotServer::TOKEN), failpoint]).wait();
    assert_eq!(server.texts(CHAT).len(), 1, "nothing left before it was announced");
    let keeper = up(&home);
    wait_for(&keeper, "channel.answered", 2);
    let texts = server.texts(CHAT);
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[1].contains("may have reached you"), "{texts:?}");
    keeper.kill();
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "hello");
    wait_for(&keeper, "channel.answered", 3);
    assert_eq!(server.texts(CHAT).len(), 3, "nothing is said again");
    assert_eq!(by_clock(&home).len(), 1);
}

#[test]
fn a_schedule_that_names_a_chat_is_answered_there() {
    let server = BotServer::start().unwrap();
    let schedule = format!(
        "[[agent]]\nid = \"felix\"\n[[agent.schedule]]\nname = \"news\"\ncron = \"0 0 1 1 *\"\ncontent = \"What is new?\"\nchat = \"{GROUP}\"\n"
    );
    let home = home(&server, &schedule);
    // It has been in force since 2023, so that a run is due.
    let scheduled = WakeScheduled {
        name: "news".into(),
        cron: "0 0 1 1 *".into(),
        time_zone: None,
        at: None,
        content: "What is new?".into(),
        session: Some(format!("telegram:{GROUP}")),
    };
    write_events(&home, {
        let (entity, author) = ("@felix".parse().unwrap(), EntityName::keeper());
        vec![Draft { entity, author, epoch: None, event: scheduled.into() }]
    });
    // The bot is in the group: somebody has said something there.
    server.message(json!({
        "chat": {"id": GROUP, "type": "supergroup"}, "from": {"id": 9, "is_bot": false}, "text": "good morning",
    }));
    let keeper = up(&home);
    let sent = server.wait_for("sendMessage", 1);
    assert_eq!(sent[0]["chat_id"], GROUP);
    wait_for(&keeper, "channel.answered", 1);
    keeper.kill();
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "hello");
    wait_for(&keeper, "channel.answered", 2);
    assert_eq!(server.texts(GROUP).len(), 1, "once");
}
