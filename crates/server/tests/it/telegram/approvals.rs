//! A call that waits for a person is asked for in the chat, with buttons.

use abide_testkit::BotServer;
use serde_json::json;

use super::scene::{CHAT, GROUP, home, lines, up, wait_for};

const ASK: &str = "[tools]\nask = [\"clock.*\"]\n";

#[test]
fn a_pressed_button_decides_once_and_only_in_the_chat_that_was_asked() {
    let server = BotServer::start().unwrap();
    let home = home(&server, ASK);
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "\\tool clock.now {}");
    let question = server.wait_for("sendMessage", 1).remove(0);
    let text = question["text"].as_str().unwrap();
    assert!(text.starts_with("felix asks to run clock.now with\n{}"), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("Without an answer it is denied in ") && last.len() < 50, "{last}");
    let buttons = question["reply_markup"]["inline_keyboard"][0].as_array().unwrap().clone();
    let labels: Vec<_> = buttons.iter().map(|button| button["text"].clone()).collect();
    assert_eq!(labels, ["Approve", "Deny"]);
    let approve = buttons[0]["callback_data"].as_str().unwrap();

    server.presses((GROUP, 7), approve);
    server.presses((CHAT, 8), "approve:everything");
    let answers = server.wait_for("answerCallbackQuery", 2);
    assert_eq!(answers[0]["text"], "This is decided already.", "another chat was not asked");
    assert_eq!(answers[1]["text"], "I do not know this button.");
    assert_eq!(lines(&home, "approval.decided").len(), 0);

    server.presses((CHAT, 9), approve);
    let edited = server.wait_for("editMessageText", 1).remove(0);
    assert_eq!(
        edited["text"], "felix asks to run clock.now with\n{}\nApproved by telegram-42.",
        "and no buttons"
    );
    server.wait_for("sendMessage", 2);
    server.presses((CHAT, 9), buttons[1]["callback_data"].as_str().unwrap());
    let answers = server.wait_for("answerCallbackQuery", 4);
    assert_eq!(
        (&answers[2]["text"], &answers[3]["text"]),
        (&json!("Approved."), &json!("This is decided already."),)
    );
    wait_for(&keeper, "channel.answered", 1);
    let decided = lines(&home, "approval.decided");
    assert_eq!(decided.len(), 1);
    assert_eq!(decided[0]["data"]["decision"], "approve");
}

#[test]
fn what_is_decided_elsewhere_says_so_and_loses_its_buttons() {
    let server = BotServer::start().unwrap();
    let home = home(&server, ASK);
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "\\tool clock.now {}");
    server.wait_for("sendMessage", 1);
    let approval = keeper.client.read("/approvals")["items"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/approvals/{approval}");
    assert_eq!(keeper.client.post(&path, &json!({"decision": "deny"})).status, 200);
    let edited = server.wait_for("editMessageText", 1).remove(0);
    assert!(edited["text"].as_str().unwrap().contains("\nDenied by "), "{edited}");
    server.wait_for("sendMessage", 2);
    assert_eq!(lines(&home, "approval.decided")[0]["data"]["decision"], "deny");
}
