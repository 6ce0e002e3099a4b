//! What each service that is reached over HTTP is sent.

use std::sync::Arc;

use abide_channels::notify::{Alertmanager, Discord, Ntfy, PagerDuty, Slack, Webhook};
use abide_domain::event::watchdog::Proof;
use abide_http::{AddressPolicy, Client, ClientSettings, Secret};
use abide_watchdog::{NoticeItem, NoticeKind, Notifier as _, StallEnd};

use super::{
    EPISODE, NOTICE, OTHER, StandingClock, blind, delivered,
    hook::{Answer, Hook},
    item, notice, resolved, stalled,
};

pub(super) fn client(clock: &Arc<StandingClock>) -> Client {
    let clock = Arc::clone(clock);
    Client::new(ClientSettings::new(AddressPolicy::Any, clock))
}

fn any_client() -> Client {
    client(&Arc::default())
}

async fn taking() -> Hook {
    Hook::new(&[Answer::Status(200, "")]).await
}

fn link() -> String {
    "http://127.0.0.1:7717/?a=1&b=2".to_owned()
}

#[tokio::test]
async fn a_webhook_is_signed_and_every_attempt_has_one_key() {
    let hook = taking().await;
    let url = Secret::new(&format!("{}/hooks/T0P-SECRET", hook.root));
    let webhook = Webhook::new(any_client(), url, Some(Secret::new("signing-key")));
    assert_eq!(
        webhook.notify(stalled()).await,
        delivered(Proof::Confirmed, "webhook at 127.0.0.1")
    );
    let seen = hook.only();
    assert_eq!(seen.first_line, "POST /hooks/T0P-SECRET HTTP/1.1");
    assert_eq!(seen.header("idempotency-key"), Some(NOTICE));
    assert_eq!(seen.header("x-signature-timestamp"), Some("1795817100"));
    assert!(seen.header("x-signature").is_some_and(|value| value.starts_with("sha256=")));
    assert_eq!(
        seen.body,
        format!(
            r#"{{"id":"{NOTICE}","kind":"stalled","at":"2026-11-27T22:05:00.000000Z","attempt":1,"summary":"felix has stalled","text":"felix has stalled\nIt was to answer a message of ann on Telegram, 12 min ago.\nNothing has come from it since 21:59 (5 min).\nTried: its process answered, but the task does not move; it was paged (page 7f3a), without effect.\nYou can acknowledge it (also: abide watchdog ack 7f3a), abort its task, or restart it.","reason":null,"until":null,"items":[{{"agent":"felix","episode":"{EPISODE}","silent_ms":312000,"page":"7f3a","cause":"no-evidence","alive":true,"never_active":false,"task":"a message of ann on Telegram, 12 min ago","end":null}}]}}"#
        )
    );
}

#[tokio::test]
async fn ntfy_gets_json_at_its_root_with_the_token_as_bearer() {
    let hook = taking().await;
    let topic = Secret::new(&format!("{}/abide-7f3a", hook.root));
    let ntfy = Ntfy::new(any_client(), &topic, Some(Secret::new("tk_12345678")), Some(link()));
    assert_eq!(ntfy.notify(stalled()).await, delivered(Proof::Confirmed, "ntfy at 127.0.0.1"));
    let seen = hook.only();
    assert_eq!(seen.first_line, "POST / HTTP/1.1");
    assert_eq!(seen.header("authorization"), Some("Bearer tk_12345678"));
    assert_eq!(
        seen.body,
        format!(
            r#"{{"topic":"abide-7f3a","title":"felix has stalled","message":"It was to answer a message of ann on Telegram, 12 min ago.\nNothing has come from it since 21:59 (5 min).\nTried: its process answered, but the task does not move; it was paged (page 7f3a), without effect.\nYou can acknowledge it (also: abide watchdog ack 7f3a), abort its task, or restart it.","priority":5,"tags":["rotating_light"],"sequence_id":"{NOTICE}","click":"http://127.0.0.1:7717/?a=1&b=2","actions":[{{"action":"view","label":"Show the stall","url":"http://127.0.0.1:7717/?a=1&b=2"}}]}}"#
        )
    );
}

#[tokio::test]
async fn a_push_tells_a_task_that_was_given_up_from_a_recovery_and_leads_to_its_screen() {
    let hook = taking().await;
    let topic = Secret::new(&format!("{}/t", hook.root));
    let ntfy = Ntfy::new(any_client(), &topic, None, Some("https://a.example/".to_owned()));
    let sent = async |end: StallEnd| {
        let item = NoticeItem { cause: None, end: Some(end), ..item("felix", EPISODE) };
        ntfy.notify(notice(NoticeKind::Resolved, vec![item])).await;
        let body = hook.seen().last().unwrap().body.clone();
        serde_json::from_str::<serde_json::Value>(&body).unwrap()
    };
    let moved = sent(StallEnd::Moved).await;
    assert_eq!(
        (&moved["title"], &moved["tags"][0]),
        (&"felix moves again".into(), &"white_check_mark".into())
    );
    let given_up = sent(StallEnd::Unanswered { why: "it took too long".to_owned() }).await;
    assert_eq!(given_up["title"], "felix's task was given up without an answer");
    assert_eq!((&given_up["tags"][0], &given_up["priority"]), (&"warning".into(), &4.into()));
    assert_eq!(given_up["click"], "https://a.example/watchdog");
    assert_eq!(given_up["actions"][0]["label"], "Show the stall");
}

#[tokio::test]
async fn an_ntfy_message_that_is_too_long_is_cut_in_bytes() {
    let hook = taking().await;
    let topic = Secret::new(&format!("{}/t", hook.root));
    let why = "ä".repeat(5_000);
    let ntfy = Ntfy::new(any_client(), &topic, None, None);
    ntfy.notify(notice(NoticeKind::Blind(why), Vec::new())).await;
    let seen = hook.only();
    assert_eq!(seen.header("authorization"), None);
    let body: serde_json::Value = serde_json::from_str(&seen.body).unwrap();
    let message = body["message"].as_str().unwrap();
    assert!((3_900..=4_000).contains(&message.len()) && message.ends_with('…'));
    assert_eq!(body["priority"], 5);
}

#[tokio::test]
async fn pagerduty_has_one_incident_an_episode_and_its_end_resolves_it() {
    let hook = Hook::new(&[Answer::Status(202, "")]).await;
    let address = Secret::new(&format!("{}/v2/enqueue", hook.root));
    let key = Secret::new("R0UT1NGKEY");
    let duty = PagerDuty::new(any_client(), key, Some(address), "house".to_owned(), Some(link()));
    assert_eq!(duty.notify(stalled()).await, delivered(Proof::Confirmed, "pagerduty at 127.0.0.1"));
    duty.notify(resolved()).await;
    let seen = hook.seen();
    assert_eq!(seen[0].first_line, "POST /v2/enqueue HTTP/1.1");
    assert_eq!(
        seen[0].body,
        format!(
            r#"{{"routing_key":"R0UT1NGKEY","event_action":"trigger","dedup_key":"{EPISODE}","client":"Abide","client_url":"http://127.0.0.1:7717/?a=1&b=2","payload":{{"summary":"felix has stalled: nothing came from it for 5 min","source":"house","severity":"critical","timestamp":"2026-11-27T22:05:00.000000Z","component":"felix","class":"no-evidence","custom_details":{{"agent":"felix","episode":"{EPISODE}","silent_s":312,"page":"7f3a","alive":true,"never_active":false,"task":"a message of ann on Telegram, 12 min ago"}}}}}}"#
        )
    );
    assert_eq!(
        seen[1].body,
        format!(
            r#"{{"routing_key":"R0UT1NGKEY","event_action":"resolve","dedup_key":"{EPISODE}"}}"#
        )
    );
}

#[tokio::test]
async fn pagerduty_gets_an_event_an_agent_and_says_how_many_failed() {
    let hook = Hook::new(&[Answer::Status(202, ""), Answer::Status(500, "")]).await;
    let address = Secret::new(&hook.root);
    let key = Secret::new("R0UT1NGKEY");
    let duty = PagerDuty::new(any_client(), key, Some(address), "house".to_owned(), None);
    let both = notice(NoticeKind::Stalled, vec![item("felix", EPISODE), item("ada", OTHER)]);
    let reason = super::reason(duty.notify(both).await);
    assert_eq!(reason, "127.0.0.1 answered 500: the service has a problem (1 of 2 events)");
    assert_eq!(hook.seen().len(), 2);

    let hook = Hook::new(&[Answer::Status(202, "")]).await;
    let address = Some(Secret::new(&hook.root));
    let duty = PagerDuty::new(any_client(), Secret::new("K"), address, "house".to_owned(), None);
    for kind in [NoticeKind::Blind("no disk".to_owned()), NoticeKind::Sighted, NoticeKind::Test] {
        duty.notify(notice(kind, Vec::new())).await;
    }
    let bodies: Vec<_> = hook.seen().into_iter().map(|seen| seen.body).collect();
    let blind = r#"{"routing_key":"K","event_action":"trigger","dedup_key":"abide:blind:house","client":"Abide","payload":{"summary":"tickle-1: agents cannot be judged: no disk","source":"house","severity":"critical","timestamp":"2026-11-27T22:05:00.000000Z","component":"tickle-1"}}"#;
    assert_eq!(bodies[0], blind);
    let sighted = r#"{"routing_key":"K","event_action":"resolve","dedup_key":"abide:blind:house"}"#;
    assert_eq!(bodies[1], sighted);
    assert!(bodies[2].contains(&format!(r#""dedup_key":"{NOTICE}""#)), "{}", bodies[2]);
    assert!(bodies[2].contains(r#""severity":"info""#));
}

#[tokio::test]
async fn an_alert_has_the_labels_of_its_episode_at_both_ends() {
    let hook = taking().await;
    let address = Secret::new(&format!("{}/am/", hook.root));
    let token = Some(Secret::new("bearer-of-it"));
    let alertmanager =
        Alertmanager::new(any_client(), &address, token, "house".to_owned(), Some(link()));
    assert_eq!(
        alertmanager.notify(stalled()).await,
        delivered(Proof::Confirmed, "alertmanager at 127.0.0.1")
    );
    alertmanager.notify(resolved()).await;
    let seen = hook.seen();
    assert_eq!(seen[0].first_line, "POST /am/api/v2/alerts HTTP/1.1");
    assert_eq!(seen[0].header("authorization"), Some("Bearer bearer-of-it"));
    let labels = format!(
        r#""labels":{{"alertname":"AbideStalled","service":"house","severity":"critical","agent":"felix","episode":"{EPISODE}"}}"#
    );
    assert_eq!(
        seen[0].body,
        format!(
            r#"[{{{labels},"annotations":{{"summary":"felix has stalled: nothing came from it for 5 min","description":"It was to answer a message of ann on Telegram, 12 min ago.\nNothing has come from it since 21:59 (5 min).\nTried: its process answered, but the task does not move; it was paged (page 7f3a), without effect.\nYou can acknowledge it (also: abide watchdog ack 7f3a), abort its task, or restart it."}},"startsAt":"2026-11-27T22:00:00.000000Z","endsAt":"2026-12-04T22:05:00.000000Z","generatorURL":"http://127.0.0.1:7717/?a=1&b=2"}}]"#
        )
    );
    assert_eq!(
        seen[1].body,
        format!(
            r#"[{{{labels},"annotations":{{"summary":"felix moves again","description":"The stall lasted 5 min; it was to answer a message of ann on Telegram, 12 min ago."}},"startsAt":"2026-11-27T22:00:00.000000Z","endsAt":"2026-11-27T22:05:00.000000Z","generatorURL":"http://127.0.0.1:7717/?a=1&b=2"}}]"#
        )
    );
}

#[tokio::test]
async fn words_from_outside_are_no_markup_in_slack() {
    let hook = taking().await;
    let address = Secret::new(&format!("{}/services/T0/B0/abcdefgh", hook.root));
    let slack = Slack::new(any_client(), address, Some(link()));
    assert_eq!(slack.notify(blind()).await, delivered(Proof::Confirmed, "slack at 127.0.0.1"));
    let seen = hook.only();
    assert_eq!(seen.first_line, "POST /services/T0/B0/abcdefgh HTTP/1.1");
    assert_eq!(
        seen.body,
        r#"{"text":"tickle-1: agents cannot be judged: &lt;!channel&gt; @everyone [x](http://evil.example) &amp; *no*\nhttp://127.0.0.1:7717/?a=1&amp;b=2","mrkdwn":false,"unfurl_links":false,"unfurl_media":false}"#
    );
}

#[tokio::test]
async fn words_from_outside_are_no_markup_in_discord_and_nobody_is_mentioned() {
    let hook = taking().await;
    let address = Secret::new(&format!("{}/api/webhooks/1/abcdefgh?thread_id=7", hook.root));
    let discord = Discord::new(any_client(), &address, Some(link()));
    assert_eq!(discord.notify(blind()).await, delivered(Proof::Confirmed, "discord at 127.0.0.1"));
    let seen = hook.only();
    assert_eq!(seen.first_line, "POST /api/webhooks/1/abcdefgh?thread_id=7&wait=true HTTP/1.1");
    assert_eq!(
        seen.body,
        r#"{"content":"tickle-1\\: agents cannot be judged\\: \\<!channel\\> \\@everyone \\[x\\](http\\://evil.example) & \\*no\\*\nhttp://127.0.0.1:7717/?a=1&b=2","allowed_mentions":{"parse":[]},"flags":4}"#
    );
}

#[tokio::test]
async fn a_text_that_is_too_long_is_cut_to_each_services_limit() {
    let hook = taking().await;
    let address = Secret::new(&format!("{}/x", hook.root));
    let why = "<😀".repeat(4_000);
    let long = notice(NoticeKind::Blind(why), Vec::new());
    Slack::new(any_client(), address.clone(), None).notify(long.clone()).await;
    Discord::new(any_client(), &address, Some(link())).notify(long).await;
    let seen = hook.seen();
    assert!(seen[1].first_line.starts_with("POST /x?wait=true "), "{}", seen[1].first_line);
    let text = |index: usize, field: &str| {
        let body: serde_json::Value = serde_json::from_str(&seen[index].body).unwrap();
        body[field].as_str().unwrap().to_owned()
    };
    let slack = text(0, "text");
    assert!((3_990..=4_000).contains(&slack.chars().count()), "{}", slack.chars().count());
    assert!(slack.ends_with("…"));
    let discord = text(1, "content");
    assert!((1_990..=2_000).contains(&discord.encode_utf16().count()));
    assert!(discord.ends_with("…\nhttp://127.0.0.1:7717/?a=1&b=2"));
}
