//! What goes wrong with a service over HTTP, for each of them: a reason in words, and no secret in it.

use std::{sync::Arc, time::Duration};

use abide_channels::notify::{Alertmanager, Discord, Ntfy, PagerDuty, Slack, Webhook};
use abide_http::Secret;
use abide_watchdog::{Delivery, Notifier};

use super::{
    StandingClock,
    hook::{Answer, Hook},
    reason,
    services::client,
    stalled,
};

/// Stands in every path, and in every key.
const SECRET: &str = "S3CR3T-77777";

/// All of them, pointed at one server.
fn all(root: &str, clock: &Arc<StandingClock>) -> Vec<(&'static str, Arc<dyn Notifier>)> {
    let client = || client(clock);
    let at = || Secret::new(&format!("{root}/{SECRET}"));
    let key = || Secret::new(&format!("key-{SECRET}"));
    let house = || "house".to_owned();
    vec![
        ("webhook", Arc::new(Webhook::new(client(), at(), Some(key())))),
        ("ntfy", Arc::new(Ntfy::new(client(), &at(), Some(key()), None))),
        ("pagerduty", Arc::new(PagerDuty::new(client(), key(), Some(at()), house(), None))),
        ("alertmanager", Arc::new(Alertmanager::new(client(), &at(), Some(key()), house(), None))),
        ("slack", Arc::new(Slack::new(client(), at(), None))),
        ("discord", Arc::new(Discord::new(client(), &at(), None))),
    ]
}

/// What each service makes of an answer.
async fn delivered(answer: Answer) -> Vec<(&'static str, Delivery)> {
    let hook = Hook::new(&[answer]).await;
    let mut told = Vec::new();
    for (name, service) in all(&hook.root, &Arc::default()) {
        let shown = format!("{service:?}");
        assert!(!shown.contains(SECRET), "{shown}");
        let delivery = service.notify(stalled()).await;
        assert!(!format!("{delivery:?}").contains(SECRET), "{delivery:?}");
        told.push((name, delivery));
    }
    assert_eq!(hook.seen().len(), 6);
    told
}

#[tokio::test]
async fn every_refusal_is_a_reason_that_a_person_can_act_on() {
    let cases = [
        (Answer::Status(400, ""), "400: it rejects the message"),
        (Answer::Status(401, ""), "401: it rejects the key"),
        (Answer::Status(403, ""), "403: it rejects the key"),
        (Answer::Status(404, ""), "404: there is nothing at this address"),
        (
            Answer::Status(302, "Location: http://127.0.0.1:9/S3CR3T-77777\r\n"),
            "302, which is a redirect: configure the address that it leads to",
        ),
        (Answer::Status(429, ""), "429: too many messages"),
        (
            Answer::Status(429, "Retry-After: 7\r\n"),
            "429: too many messages; it asks for a pause of 7 s",
        ),
        (Answer::Status(500, ""), "500: the service has a problem"),
        (
            Answer::Status(503, "Retry-After: 86400\r\n"),
            "503: the service has a problem; it asks for a pause of 600 s",
        ),
    ];
    for (answer, expected) in cases {
        for (name, delivery) in delivered(answer.clone()).await {
            assert_eq!(reason(delivery), format!("127.0.0.1 answered {expected}"), "{name}");
        }
    }
}

#[tokio::test]
async fn a_line_that_is_cut_is_a_failure() {
    for (name, delivery) in delivered(Answer::Cut).await {
        let reason = reason(delivery);
        assert!(reason.starts_with("could not reach 127.0.0.1"), "{name}: {reason}");
    }
}

#[tokio::test]
async fn an_answer_without_end_that_says_yes_is_a_yes() {
    for (name, delivery) in delivered(Answer::Endless).await {
        assert!(matches!(delivery, Delivery::Delivered { .. }), "{name}: {delivery:?}");
    }
}

#[tokio::test]
async fn silence_is_waited_for_as_long_as_an_attempt_may_take() {
    let hook = Hook::new(&[Answer::Silence]).await;
    for (name, service) in all(&hook.root, &Arc::default()) {
        let asking = service.notify(stalled());
        tokio::pin!(asking);
        // The request is there before time is moved.
        let count = hook.seen().len();
        tokio::select! {
            delivery = &mut asking => panic!("{name}: {delivery:?}"),
            () = crate::wait::until("the request", async || {
                (hook.seen().len() > count).then_some(())
            }) => {}
        }
        tokio::time::pause();
        let reason = reason(asking.await);
        tokio::time::resume();
        assert_eq!(reason, "127.0.0.1 did not begin to answer within 9s", "{name}");
    }
}

#[tokio::test]
async fn a_service_that_asked_for_a_pause_gets_it() {
    let busy = Answer::Status(429, "Retry-After: 7\r\n");
    let hook = Hook::new(&[busy, Answer::Status(200, "")]).await;
    let clock = Arc::<StandingClock>::default();
    let slack = Slack::new(client(&clock), Secret::new(&hook.root), None);
    assert!(reason(slack.notify(stalled()).await).ends_with("a pause of 7 s"));
    clock.advance(Duration::from_secs(6));
    let kept = reason(slack.notify(stalled()).await);
    assert_eq!(kept, "it asked for a pause of another 2 s");
    assert_eq!(hook.seen().len(), 1, "it was left alone");
    clock.advance(Duration::from_secs(1));
    assert!(matches!(slack.notify(stalled()).await, Delivery::Delivered { .. }));
}

#[tokio::test]
async fn an_address_that_is_none_fails_without_being_shown() {
    for root in ["nonsense", "http://user:S3CR3T-77777@127.0.0.1"] {
        for (name, service) in all(root, &Arc::default()) {
            let reason = reason(service.notify(stalled()).await);
            assert!(reason.starts_with("the address is not valid"), "{name}: {reason}");
            assert!(!reason.contains(SECRET) && !reason.contains("nonsense"), "{reason}");
        }
    }
}
