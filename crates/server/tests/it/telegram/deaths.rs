//! Nothing is lost and nothing is taken twice, whenever the keeper dies.

use std::collections::BTreeSet;

use abide_testkit::{BotFault, BotServer, ModelServer, Reply, ReplyHold, SplitMix64};

use super::scene::{CHAT, GROUP, home, home_with, lines, up, wait_for, wait_for_asking};

#[test]
fn a_death_between_taking_a_message_in_and_confirming_it_doubles_nothing() {
    let server = BotServer::start().unwrap();
    let home = home(&server, "");
    let failpoint = ("ABIDE_TEST_FAILPOINTS", "accept.after_durable=exit");
    let keeper = home.up_with(&[("BOT", BotServer::TOKEN), failpoint]);
    server.says(CHAT, "nicolas", "remember that the heron is grey");
    keeper.wait();
    assert_eq!(server.calls("sendMessage").len(), 0);
    let keeper = up(&home);
    server.wait_until_confirmed();
    wait_for(&keeper, "channel.answered", 1);
    assert_eq!(keeper.stop(), Some(0));
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "what colour is the heron?");
    wait_for(&keeper, "channel.answered", 2);
    assert_eq!(lines(&home, "stimulus.accepted").len(), 2);
    assert_eq!(server.texts(CHAT).len(), 2, "{:?}", server.texts(CHAT));
}

#[test]
fn what_was_answered_while_telegram_was_away_is_sent_after_a_restart_once() {
    let server = BotServer::start().unwrap();
    let home = home(&server, "");
    for _ in 0..3 {
        server.fault("sendMessage", BotFault::BadGateway);
    }
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "remember that the heron is grey");
    wait_for(&keeper, "epoch.committed", 1);
    // Telegram's error says that it was not sent.
    wait_for(&keeper, "channel.unsent", 1);
    keeper.kill();
    let keeper = up(&home);
    let sent = server.wait_for("sendMessage", 1);
    assert!(sent[0]["text"].as_str().unwrap().contains("grey"), "{sent:?}");
    wait_for(&keeper, "channel.answered", 1);
    keeper.kill();
    let keeper = up(&home);
    server.repeat_updates();
    server.says(CHAT, "nicolas", "what colour is the heron?");
    wait_for(&keeper, "channel.answered", 2);
    assert_eq!(lines(&home, "stimulus.accepted").len(), 2, "all updates came twice");
    assert_eq!(server.texts(CHAT).len(), 2, "{:?}", server.texts(CHAT));
}

#[test]
fn an_epoch_that_a_death_cut_is_answered_by_the_next_keeper() {
    let model = ModelServer::start().unwrap();
    let never = ReplyHold::closed();
    model.script([Reply::text("never").held_by(&never), Reply::text("Here I am.")]);
    let server = BotServer::start().unwrap();
    let home = home_with(&server, &model);
    let keeper = up(&home);
    let message = server.says(CHAT, "nicolas", "are you there?");
    server.wait_for("sendChatAction", 1);
    wait_for_asking(&model, 1);
    server.wait_until_confirmed();
    keeper.kill();
    let keeper = up(&home);
    let sent = server.wait_for("sendMessage", 1);
    assert_eq!(sent[0]["text"], "Here I am.");
    assert_eq!(sent[0]["reply_parameters"]["message_id"], message);
    wait_for(&keeper, "channel.answered", 1);
}

#[test]
fn of_a_long_answer_only_the_part_in_doubt_is_left_out_and_the_parts_behind_it_follow() {
    let model = ModelServer::start().unwrap();
    model.script([Reply::text("wörd 🦀 and more\n".repeat(600))]);
    let server = BotServer::start().unwrap();
    let home = home_with(&server, &model);
    let failpoint = ("ABIDE_TEST_FAILPOINTS", "answer.sent=exit");
    let keeper = home.up_with(&[("BOT", BotServer::TOKEN), failpoint]);
    let message = server.says(CHAT, "nicolas", "tell me everything");
    keeper.wait();
    assert_eq!(server.texts(CHAT).len(), 1, "it died behind the first part");
    let keeper = up(&home);
    let sent = server.wait_for("sendMessage", 4);
    let remark = sent[1]["text"].as_str().unwrap();
    assert!(
        remark.starts_with("Part 1 of 3 of my answer to this may have reached you"),
        "{remark}"
    );
    assert!(remark.contains("Parts 2 to 3 follow."), "{remark}");
    assert_eq!(sent[1]["reply_parameters"]["message_id"], message);
    wait_for(&keeper, "channel.answered", 1);
    let texts = server.texts(CHAT);
    assert_eq!(texts.len(), 4, "nothing twice");
    let ink = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    let said: usize = [0, 2, 3].iter().map(|index: &usize| ink(&texts[*index])).sum();
    assert_eq!(said, 600 * ink("wörd 🦀 and more"));
    assert_eq!(lines(&home, "channel.answered")[0]["data"]["maybe_sent"], true);
    assert_eq!(lines(&home, "channel.sending").len(), 3, "every part is announced");
}

#[test]
fn a_death_while_a_text_waits_for_its_rest_doubles_no_answer_to_a_command() {
    let server = BotServer::start().unwrap();
    let home = home(&server, "");
    let keeper = up(&home);
    server.wait_for_arrivals("getUpdates", 1);
    let mention = "@abide_test_bot ";
    server.message(serde_json::json!({
        "chat": {"id": GROUP, "type": "supergroup"}, "from": {"id": 9, "is_bot": false},
        "text": format!("{mention}{}", "x".repeat(4_096 - mention.len())),
        "entities": [{"type": "mention", "offset": 0, "length": 15}],
    }));
    server.says(CHAT, "nicolas", "/help");
    // The poll that brings both, and the next one, which is made when both are looked at.
    server.wait_for_arrivals("getUpdates", server.arrivals("getUpdates") + 2);
    keeper.kill();
    let keeper = up(&home);
    wait_for(&keeper, "channel.answered", 1);
    server.says(CHAT, "nicolas", "/help");
    server.wait_until_confirmed();
    assert_eq!(server.texts(CHAT).len(), 2, "one for each");
}

#[test]
fn a_question_that_waits_is_put_again_after_a_restart_and_decided_by_its_button() {
    let server = BotServer::start().unwrap();
    let home = home(&server, "[tools]\nask = [\"clock.*\"]\n");
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "\\tool clock.now {}");
    server.wait_for("sendMessage", 1);
    server.wait_until_confirmed();
    keeper.kill();
    let keeper = up(&home);
    let question = server.wait_for("sendMessage", 2).remove(1);
    let deny = &question["reply_markup"]["inline_keyboard"][0][1]["callback_data"];
    server.presses((CHAT, 9), deny.as_str().unwrap());
    wait_for(&keeper, "channel.answered", 1);
    assert_eq!(lines(&home, "approval.decided").len(), 1);
}

#[test]
fn over_many_deaths_every_message_is_taken_once_and_answered_once_or_told_that_it_may_have_been() {
    const ROUNDS: usize = 10;
    let server = BotServer::start().unwrap();
    let home = home(&server, "");
    let mut chance = SplitMix64::new(0x7e1e);
    let mut asked = BTreeSet::new();
    for round in 0..ROUNDS {
        let keeper = up(&home);
        for n in 0..3 {
            let text = format!("remember that heron {round}-{n} is grey");
            asked.insert(server.says(CHAT, "nicolas", &text));
        }
        // Somewhere between the first poll of this life and its last answer.
        let calls = ["getMe", "sendMessage", "getUpdates"];
        let call = calls[usize::try_from(chance.below(3)).unwrap()];
        let more = 1 + usize::try_from(chance.below(3)).unwrap();
        if call == "sendMessage" {
            server.wait_for_arrivals(call, server.arrivals(call) + more.min(2));
        } else {
            server.wait_for_arrivals(call, 1);
        }
        keeper.kill();
    }
    let keeper = up(&home);
    wait_for(&keeper, "channel.answered", asked.len());
    server.wait_until_confirmed();
    let keys: BTreeSet<_> = lines(&home, "stimulus.accepted")
        .iter()
        .map(|line| line["data"]["idempotency"]["key"].as_str().unwrap().to_owned())
        .collect();
    let wanted: BTreeSet<_> = asked.iter().map(|id| format!("telegram:{CHAT}:{id}")).collect();
    assert_eq!(keys, wanted);
    assert_eq!(lines(&home, "stimulus.accepted").len(), asked.len());
    let sent = server.calls("sendMessage");
    let to = |call: &serde_json::Value| call["reply_parameters"]["message_id"].as_i64().unwrap();
    let told: BTreeSet<_> = sent.iter().map(to).collect();
    assert_eq!(told, asked, "answered, or told that it may have been");
    let is_remark =
        |call: &&serde_json::Value| call["text"].as_str().unwrap().contains("may have reached you");
    let answers: Vec<_> = sent.iter().filter(|call| !is_remark(call)).map(to).collect();
    let once: BTreeSet<_> = answers.iter().copied().collect();
    assert_eq!(once.len(), answers.len(), "no answer twice: {answers:?}");
    assert_eq!(lines(&home, "channel.answered").len(), asked.len());
}
