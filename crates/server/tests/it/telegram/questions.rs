//! What a server of tools asks in mid-call is asked in the chat of the call: with buttons where a press answers it.

use abide_testkit::BotServer;
use serde_json::json;

use super::scene::{CHAT, GROUP, home, lines, up, wait_for};
use crate::{
    home::{Home, Keeper},
    mcp::{Probe, is_ready, server_when},
};

fn home_with_server(server: &BotServer, probe: &Probe) -> (Home, Keeper) {
    let section = probe.section("allow = [\"*\"]\nquestions = \"ask\"");
    let home = home(server, &section);
    let keeper = up(&home);
    server_when(&keeper, is_ready);
    (home, keeper)
}

fn asks(server: &BotServer, then: &str) {
    let call = json!({"line": "x", "then": then});
    server.says(CHAT, "nicolas", &format!("\\tool mcp.test.append {call}"));
}

#[test]
fn a_choice_is_answered_by_a_press_once_and_only_in_the_chat_of_the_call() {
    let (server, probe) = (BotServer::start().unwrap(), Probe::new());
    let (home, keeper) = home_with_server(&server, &probe);
    asks(&server, "pick");
    let question = server.wait_for("sendMessage", 1).remove(0);
    let text = question["text"].as_str().unwrap();
    assert!(text.starts_with("The server test asks:\nDeploy now?\nWhere to\n"), "{text}");
    let rows = question["reply_markup"]["inline_keyboard"].as_array().unwrap().clone();
    let labels: Vec<_> = rows.iter().map(|row| row[0]["text"].clone()).collect();
    assert_eq!(labels, ["staging", "production", "Decline"]);
    let production = rows[1][0]["callback_data"].as_str().unwrap();

    server.presses((GROUP, 7), production);
    let forged = production.replace("answer-1", "answer-7");
    server.presses((CHAT, 8), &forged);
    let answers = server.wait_for("answerCallbackQuery", 2);
    assert_eq!(answers[0]["text"], "This is decided already.", "another chat was not asked");
    assert_eq!(answers[1]["text"], "I do not know this button.");
    assert_eq!(lines(&home, "mcp.question_answered").len(), 0);

    server.presses((CHAT, 9), production);
    let edited = server.wait_for("editMessageText", 1).remove(0);
    let text = edited["text"].as_str().unwrap();
    assert!(text.ends_with("Where to\nAnswered by telegram-42."), "{text}");
    let answer = server.wait_for("sendMessage", 2).remove(1);
    assert!(answer["text"].as_str().unwrap().contains("production"), "{answer}");
    server.presses((CHAT, 9), rows[0][0]["callback_data"].as_str().unwrap());
    let answers = server.wait_for("answerCallbackQuery", 4);
    assert_eq!(
        (&answers[2]["text"], &answers[3]["text"]),
        (&json!("Answered."), &json!("This is decided already."))
    );
    wait_for(&keeper, "channel.answered", 1);
    let answered = lines(&home, "mcp.question_answered");
    assert_eq!(answered.len(), 1);
    assert_eq!(
        (&answered[0]["data"]["answer"], &answered[0]["author"]),
        (&json!("accepted"), &json!("@telegram-42"))
    );
}

#[test]
fn what_no_press_can_answer_says_where_it_is_answered_and_can_be_declined() {
    let (server, probe) = (BotServer::start().unwrap(), Probe::new());
    let (home, keeper) = home_with_server(&server, &probe);
    asks(&server, "login");
    let question = server.wait_for("sendMessage", 1).remove(0);
    let text = question["text"].as_str().unwrap();
    assert!(text.contains("abide mcp answer ") && text.contains("Do not write"), "{text}");
    let rows = question["reply_markup"]["inline_keyboard"].as_array().unwrap().clone();
    assert_eq!((rows.len(), &rows[0][0]["text"]), (1, &json!("Decline")));
    server.presses((CHAT, 9), rows[0][0]["callback_data"].as_str().unwrap());
    let edited = server.wait_for("editMessageText", 1).remove(0);
    assert!(edited["text"].as_str().unwrap().ends_with("Declined by telegram-42."), "{edited}");
    wait_for(&keeper, "channel.answered", 1);
    assert_eq!(lines(&home, "mcp.question_answered")[0]["data"]["answer"], "declined");
}
