//! What waits for a person beside silence: told of when it is due, once, by those who are to tell it, and over when it is over.

use std::collections::BTreeSet;

use abide_watchdog::{AttentionRule, AttentionRules, EscalationPolicies, WatchdogTimings};

use crate::world::{Keeper, Mode, START, World, pass, seconds};

fn start(world: &World, services: &[&str]) -> Keeper {
    world.start_with(WatchdogTimings::default(), EscalationPolicies::default(), services)
}

/// What services were asked to tell: when, who, what, and about which matters.
fn notices(world: &World) -> Vec<(u64, String, &'static str, String)> {
    let state = world.state();
    let rows = state.told.iter().map(|(at, service, notice)| {
        let second = u64::try_from((at.as_micros() - START) / 1_000_000).unwrap();
        let ids: Vec<_> = notice.matters.iter().map(|matter| matter.id.as_str()).collect();
        (second, service.clone(), notice.kind.as_str(), ids.join(" "))
    });
    rows.collect()
}

fn row(
    at: u64,
    service: &str,
    kind: &'static str,
    ids: &str,
) -> (u64, String, &'static str, String) {
    (at, service.to_owned(), kind, ids.to_owned())
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_a_person_is_told_once_together_and_when_it_is_over() {
    let world = World::new(1);
    let keeper = start(&world, &["phone"]);
    pass(10).await;
    world.matter("budget:felix", "budget", Some("felix"));
    world.matter("sleep:ada", "sleep", Some("ada"));
    pass(300).await;
    assert_eq!(notices(&world), [row(60, "phone", "attention", "budget:felix sleep:ada")]);
    // A restart tells nobody again.
    keeper.kill().await;
    let keeper = start(&world, &["phone"]);
    pass(300).await;
    assert_eq!(notices(&world).len(), 1, "{:?}", notices(&world));
    world.state().attention.retain(|seen| seen.matter.kind == "sleep");
    pass(120).await;
    let over = notices(&world);
    assert_eq!(over.len(), 2, "{over:?}");
    assert_eq!((over[1].2, over[1].3.as_str()), ("attention_over", "budget:felix"));
    // The same again is something new.
    world.matter("budget:felix", "budget", Some("felix"));
    pass(120).await;
    keeper.kill().await;
    let again = notices(&world);
    assert_eq!((again.len(), again[2].2), (3, "attention"), "{again:?}");
}

#[tokio::test(start_paused = true)]
async fn an_approval_is_told_when_it_has_waited_and_not_with_the_next_scan() {
    let world = World::new(2);
    let keeper = start(&world, &["phone"]);
    pass(50).await;
    world.matter("approval:1", "approval", Some("felix"));
    pass(100).await;
    assert_eq!(notices(&world), [row(110, "phone", "attention", "approval:1")]);
    // One that is decided before is told to nobody.
    world.state().attention.clear();
    pass(60).await;
    world.matter("approval:2", "approval", Some("felix"));
    pass(20).await;
    world.state().attention.clear();
    pass(300).await;
    keeper.kill().await;
    assert!(notices(&world).iter().all(|(.., ids)| ids == "approval:1"), "{:?}", notices(&world));
}

#[tokio::test(start_paused = true)]
async fn rules_say_who_tells_it_and_silences_and_pauses_hold() {
    let world = World::new(3);
    let kinds = |names: &[&str]| -> Option<BTreeSet<String>> {
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    };
    let (agents, to) = (None, vec!["pager".to_owned()]);
    let money = AttentionRule {
        kinds: kinds(&["budget"]),
        agents: agents.clone(),
        after: Some(seconds(600)),
        to,
        is_off: false,
    };
    let off =
        AttentionRule { kinds: kinds(&["sleep"]), agents, after: None, to: vec![], is_off: true };
    world.state().attention_rules = AttentionRules(vec![money, off]);
    let keeper = start(&world, &["phone", "pager"]);
    let by = "@nicolas".parse().unwrap();
    let ada = Some(crate::world::id("ada"));
    keeper.handle.silence(by, ada, seconds(1_200), None).await.unwrap();
    world.matter("budget:felix", "budget", Some("felix"));
    world.matter("sleep:felix", "sleep", Some("felix"));
    world.matter("identity:1", "identity", Some("ada"));
    pass(1_100).await;
    assert_eq!(notices(&world), [row(600, "pager", "attention", "budget:felix")]);
    pass(300).await;
    keeper.kill().await;
    let last = notices(&world);
    assert!(last.iter().any(|(.., ids)| ids == "identity:1"), "when the silence is over: {last:?}");
}

#[tokio::test(start_paused = true)]
async fn without_a_service_nothing_is_raised_and_a_service_that_fails_is_tried_again() {
    let world = World::new(4);
    let keeper = start(&world, &[]);
    world.matter("clock", "clock", None);
    pass(600).await;
    keeper.kill().await;
    assert_eq!(world.first("watchdog.attention_raised"), None);
    world.state().services.insert("phone".into(), Mode::Fails);
    let keeper = start(&world, &["phone"]);
    pass(100).await;
    world.state().services.insert("phone".into(), Mode::Works);
    pass(600).await;
    keeper.kill().await;
    let tries = notices(&world);
    assert!((2..=5).contains(&tries.len()), "{tries:?}");
    assert_eq!(world.all("watchdog.attention_raised").len(), 1);
    assert_eq!(world.all("watchdog.notified").len(), 1);
}
