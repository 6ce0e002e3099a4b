//! The client of the Bot API and the notifier, against a fake of Telegram over real HTTP.

use std::{sync::Arc, time::Duration};

use abide_channels::{
    notify,
    telegram::{
        AcceptedUpdate, ApprovalChoice, Bot, BotProfile, Button, ButtonChoice, CallError,
        OutgoingMessage, UpdateFilter,
    },
};
use abide_domain::{NoticeId, event::Decision};
use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_testkit::{BotFault, BotServer, FakeClock};
use abide_watchdog::{Delivery, Notice, NoticeKind, Notifier as _};
use serde_json::json;

const WAIT: Duration = Duration::from_secs(50);
const CHAT: i64 = 42;

fn client() -> Client {
    Client::new(ClientSettings::new(AddressPolicy::Any, Arc::new(FakeClock::default())))
}

fn bot(server: &BotServer) -> Bot {
    Bot::new(client(), &server.url(), Secret::new(BotServer::TOKEN))
}

fn said(server: &BotServer, text: &str) -> i64 {
    server.says(CHAT, "nicolas", text)
}

fn secret_part() -> &'static str {
    BotServer::TOKEN.split_once(':').unwrap().1
}

#[tokio::test]
async fn a_poll_gives_what_comes_meanwhile_and_the_next_confirms_it() {
    let server = BotServer::start().unwrap();
    let bot = bot(&server);
    let myself = bot.profile().await.unwrap();
    assert_eq!(myself, BotProfile { id: 777_000_111, username: "abide_test_bot".to_owned() });
    let hearing = UpdateFilter::new(myself, [CHAT].into());
    let (first, ()) = tokio::join!(bot.updates(None, WAIT), async {
        tokio::task::yield_now().await;
        said(&server, "hello");
    });
    let first = first.unwrap();
    assert!(
        matches!(hearing.classify(&first[0]), AcceptedUpdate::Message(said) if said.text == "hello")
    );
    let again = bot.updates(None, WAIT).await.unwrap();
    assert_eq!(again, first, "what is not confirmed comes again");
    said(&server, "more");
    let next = bot.updates(Some(first[0].id + 1), WAIT).await.unwrap();
    assert_eq!(next.len(), 1);
    assert!(
        matches!(hearing.classify(&next[0]), AcceptedUpdate::Message(said) if said.text == "more")
    );
    assert_eq!(bot.updates(Some(next[0].id + 1), Duration::ZERO).await, Ok(Vec::new()));
    let asked = server.calls("getUpdates");
    assert_eq!(
        asked[0],
        json!({"timeout": 50, "limit": 50, "allowed_updates": ["message", "edited_message", "callback_query"]})
    );
}

#[tokio::test]
async fn a_message_is_plain_text_answers_another_and_has_buttons() {
    let server = BotServer::start().unwrap();
    let bot = bot(&server);
    let asked = said(&server, "hello");
    let approval = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let choice = ApprovalChoice { approval, decision: Decision::Deny };
    let buttons = [Button { label: "Deny".into(), choice: ButtonChoice::Approval(choice) }];
    let text = "<b>*no* _markup_</b> https://example.org/?q=secret";
    let message = OutgoingMessage {
        reply_to: Some(asked),
        buttons: &buttons,
        ..OutgoingMessage::new(CHAT, text)
    };
    let sent = bot.send(&message).await.unwrap();
    assert!(sent > asked);
    assert_eq!(
        server.calls("sendMessage"),
        [json!({
            "chat_id": CHAT,
            "text": text,
            "link_preview_options": {"is_disabled": true},
            "reply_parameters": {"message_id": asked, "allow_sending_without_reply": true},
            "reply_markup": {"inline_keyboard": [[
                {"text": "Deny", "callback_data": "deny:01890a5d-ac96-774b-bcce-b302099a8057"},
            ]]},
        })]
    );
    bot.typing(CHAT, None).await.unwrap();
    bot.answer_button_press("q", "Denied.").await.unwrap();
    bot.remove_buttons(CHAT, sent).await.unwrap();
    assert_eq!(server.calls("sendChatAction"), [json!({"chat_id": CHAT, "action": "typing"})]);
    assert_eq!(
        server.calls("editMessageReplyMarkup"),
        [json!({"chat_id": CHAT, "message_id": sent})]
    );
}

#[tokio::test]
async fn every_way_to_fail_has_its_name_and_none_shows_the_token() {
    let server = BotServer::start().unwrap();
    said(&server, "hello");
    let bot = bot(&server);
    let hi = OutgoingMessage::new(CHAT, "hi");
    let mut errors = Vec::new();
    for fault in [
        BotFault::TooMany(7),
        BotFault::BadGateway,
        BotFault::CutBefore,
        BotFault::CutAfter,
        BotFault::Refuse(403, "Forbidden: bot was blocked by the user"),
        BotFault::Refuse(500, "Internal Server Error"),
        BotFault::Refuse(401, "Unauthorized"),
    ] {
        server.fault("sendMessage", fault);
        errors.push(bot.send(&hi).await.unwrap_err());
    }
    let method = "sendMessage";
    assert_eq!(errors[0], CallError::TooMany { method, after: Duration::from_secs(7) });
    assert_eq!(errors[1], CallError::Failing { method, status: 502 });
    for cut in &errors[2..4] {
        assert!(matches!(cut, CallError::NoAnswer { may_have_arrived: true, .. }), "{cut:?}");
    }
    let description = "Forbidden: bot was blocked by the user".to_owned();
    assert_eq!(errors[4], CallError::Refused { method, code: 403, description });
    assert_eq!(errors[5], CallError::Failing { method, status: 500 });
    assert_eq!(errors[6], CallError::Unauthorized);
    assert_eq!(server.texts(CHAT), ["hi"], "only the one whose answer was cut was carried out");

    let nowhere = Bot::new(client(), "http://127.0.0.1:1", Secret::new(BotServer::TOKEN));
    errors.push(nowhere.profile().await.unwrap_err());
    let no_address = Bot::new(client(), "http://[oh no", Secret::new(BotServer::TOKEN));
    errors.push(no_address.profile().await.unwrap_err());
    let stranger =
        Bot::new(client(), &server.url(), Secret::new(&format!("{}x", BotServer::TOKEN)));
    assert_eq!(stranger.profile().await, Err(CallError::Unauthorized));
    let repeated = format!("Bad Request: what is {}?", BotServer::TOKEN);
    server.fault("getMe", BotFault::Refuse(400, String::leak(repeated)));
    errors.push(bot.profile().await.unwrap_err());
    for error in &errors {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(secret_part()), "{shown}");
    }
    assert!(!format!("{bot:?}").contains(secret_part()));
}

#[tokio::test]
async fn a_second_poller_is_a_conflict_and_a_text_that_is_too_long_is_refused() {
    let server = BotServer::start().unwrap();
    let bot = bot(&server);
    let (polled, ()) = tokio::join!(bot.updates(None, WAIT), async {
        while !server.is_polled() {
            tokio::task::yield_now().await;
        }
        server.steal_poll();
    });
    assert!(matches!(polled, Err(CallError::Conflict { .. })), "{polled:?}");
    said(&server, "hello");
    let long = "x".repeat(4097);
    let refused = bot.send(&OutgoingMessage::new(CHAT, &long)).await;
    assert!(matches!(refused, Err(CallError::Refused { code: 400, .. })), "{refused:?}");
    assert!(bot.send(&OutgoingMessage::new(CHAT, &"🦀".repeat(2048))).await.is_ok());
    let unknown = bot.send(&OutgoingMessage::new(7, "hello")).await;
    assert!(matches!(unknown, Err(CallError::Refused { code: 400, .. })), "{unknown:?}");
}

fn notice() -> Notice {
    let id: NoticeId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    Notice::new(id, NoticeKind::Test, "2026-11-28T18:00:00Z".parse().unwrap())
}

#[tokio::test]
async fn a_notice_goes_to_every_chat_and_counts_where_one_got_it() {
    let server = BotServer::start().unwrap();
    said(&server, "hello");
    let tell = |chats: Vec<i64>| {
        let token = Secret::new(BotServer::TOKEN);
        let link = Some("https://abide.example".to_owned());
        notify::Telegram::new(client(), (&server.url(), token), chats, link)
    };
    let delivered = tell(vec![7, CHAT]).notify(notice()).await;
    assert!(matches!(delivered, Delivery::Delivered { ref by, .. } if by == "telegram"));
    let texts = server.texts(CHAT);
    assert!(
        texts[0].contains("test") && texts[0].ends_with("\nhttps://abide.example"),
        "{texts:?}"
    );
    let failed = tell(vec![7]).notify(notice()).await;
    assert!(
        matches!(failed, Delivery::Failed(ref why) if why.contains("chat not found")),
        "{failed:?}"
    );
    let patient = tell(vec![CHAT]);
    server.fault("sendMessage", BotFault::TooMany(30));
    let before = server.arrivals("sendMessage");
    for _ in 0..2 {
        assert!(matches!(patient.notify(notice()).await, Delivery::Failed(_)));
    }
    assert_eq!(server.arrivals("sendMessage"), before + 1, "the pause is kept");
    server.fault("sendMessage", BotFault::CutBefore);
    let Delivery::Failed(why) = tell(vec![CHAT]).notify(notice()).await else { panic!() };
    assert!(
        why.starts_with("sendMessage got no answer: ") && !why.contains(secret_part()),
        "{why}"
    );
}
