//! Telegram misbehaves, and is told of in words without the token.

use abide_testkit::{BotFault, BotServer};
use serde_json::json;

use super::scene::{CHAT, home, lines, up, wait_for};
use crate::home::Home;

#[test]
fn polls_that_fail_are_made_again_and_lose_and_double_nothing() {
    let server = BotServer::start().unwrap();
    let home = home(&server, "");
    for fault in [BotFault::CutAfter, BotFault::BadGateway, BotFault::TooMany(1)] {
        server.fault("getUpdates", fault);
    }
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "remember that the heron is grey");
    wait_for(&keeper, "channel.answered", 1);
    server.repeat_updates();
    server.wait_until_confirmed();
    server.says(CHAT, "nicolas", "what colour is the heron?");
    wait_for(&keeper, "channel.answered", 2);
    assert_eq!(lines(&home, "stimulus.accepted").len(), 2);
    assert_eq!(server.texts(CHAT).len(), 2);
}

#[test]
fn answers_wait_as_long_as_telegram_asks_and_one_that_may_have_been_taken_is_not_sent_again() {
    let server = BotServer::start().unwrap();
    let home = home(&server, "");
    let keeper = up(&home);
    server.fault("sendMessage", BotFault::TooMany(1));
    server.fault("sendMessage", BotFault::BadGateway);
    server.says(CHAT, "nicolas", "remember that the heron is grey");
    wait_for(&keeper, "channel.answered", 1);
    assert_eq!(server.texts(CHAT).len(), 1);
    server.fault("sendMessage", BotFault::CutAfter);
    server.says(CHAT, "nicolas", "what colour is the heron?");
    wait_for(&keeper, "channel.answered", 2);
    let texts = server.texts(CHAT);
    assert_eq!(texts.len(), 3, "the answer, and that it may have come: {texts:?}");
    assert!(texts[1].contains("grey") && texts[2].contains("may have reached you"), "{texts:?}");
    let answered = lines(&home, "channel.answered");
    assert_eq!(answered[1]["data"]["maybe_sent"], true);
    let again = json!({
        "chat": {"id": CHAT, "type": "private"}, "from": {"id": CHAT, "is_bot": false, "username": "nicolas"},
        "text": "/again",
    });
    server.message(again);
    server.wait_for("sendMessage", 4);
    assert_eq!(server.texts(CHAT)[3], texts[1], "who asks for it is shown it");
}

#[test]
fn an_answer_that_telegram_refuses_is_given_up_and_holds_nobody_up() {
    let server = BotServer::start().unwrap();
    let home = home(&server, "");
    server.fault("sendMessage", BotFault::Refuse(403, "Forbidden: bot was blocked by the user"));
    let keeper = up(&home);
    server.says(CHAT, "nicolas", "remember that the heron is grey");
    server.says(CHAT, "nicolas", "what colour is the heron?");
    wait_for(&keeper, "channel.answered", 2);
    let people: Vec<_> = lines(&home, "channel.answered")
        .iter()
        .map(|line| line["data"]["people"].clone())
        .collect();
    assert_eq!(people, [0, 1]);
    assert_eq!(server.texts(CHAT).len(), 1);
}

/// What a keeper's log says once it holds these words.
fn log_with(home: &Home, words: &[&str]) -> String {
    let path = home.path().join("log");
    let log = std::fs::File::create(&path).unwrap();
    let variables = [("BOT", BotServer::TOKEN), ("ABIDE_LOG", "trace")];
    let keeper = home.begin_saying(&variables, log.into());
    loop {
        let text = std::fs::read_to_string(&path).unwrap();
        if words.iter().all(|word| text.contains(word)) {
            let health = keeper.client.read("/health")["telegram"].clone();
            assert_ne!(health["state"], "online", "{health}");
            keeper.kill();
            return text;
        }
        // The test's own time limit ends this where the words never come.
        std::thread::yield_now();
    }
}

#[test]
fn another_poller_and_a_token_that_is_not_known_are_said() {
    let server = BotServer::start().unwrap();
    let key = BotServer::TOKEN.split_once(':').unwrap().1;
    let conflicted = home(&server, "");
    let words = "Conflict: terminated by other getUpdates request";
    server.fault("getUpdates", BotFault::Refuse(409, words));
    let log = log_with(
        &conflicted,
        &["another program receives this bot's updates; stop it or use another bot", words],
    );
    assert!(!log.contains(key));
    let revoked = home(&server, "");
    server.fault("getMe", BotFault::Refuse(401, "Unauthorized"));
    let log =
        log_with(&revoked, &["Telegram does not accept the bot's token", "until the next start"]);
    assert!(!log.contains(key));
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn a_test_of_the_watchdog_reaches_a_chat() {
    let server = BotServer::start().unwrap();
    // Telegram knows whoever wrote to the bot before.
    server.says(CHAT, "nicolas", "/start");
    let home = Home::new(&format!(
        "[watchdog]\nenabled = true\n[[notify]]\nkind = \"telegram\"\nsecret_env = \"BOT\"\n\
         url_env = \"BOT_URL\"\nto = [\"{CHAT}\"]\n"
    ));
    let url = server.url();
    let _keeper = home.up_with(&[("BOT", BotServer::TOKEN), ("BOT_URL", &url)]);
    let tested = home.run(["watchdog", "test-page"]);
    let words = String::from_utf8_lossy(&tested.stdout).into_owned();
    assert_eq!(server.texts(CHAT).len(), 1, "{tested:?}");
    assert!(server.texts(CHAT)[0].contains("this is a test"), "{words}");
}
