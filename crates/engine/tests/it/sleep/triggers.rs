//! When agents sleep by themselves.

use std::time::Duration;

use abide_domain::event::SleepTrigger;

use super::night::{begun, by_itself, count, setup, until_ended};

#[tokio::test(start_paused = true)]
async fn an_agent_sleeps_when_it_was_idle_and_enough_has_happened() {
    let (setup, _) = setup();
    let rig = setup.with(|setup| setup.sleep = Some(by_itself(None))).start().await;
    rig.say("one").await;
    rig.say("two").await;
    rig.pass(Duration::from_hours(5)).await;
    assert_eq!(count(&rig, "sleep.started"), 0, "two epochs are not enough");
    rig.say("three").await;
    rig.pass(Duration::from_secs(55)).await;
    assert_eq!(count(&rig, "sleep.started"), 0, "it was not idle for long enough");
    until_ended(&rig, 1).await;
    let begun = begun(&rig);
    assert_eq!((begun[0].trigger, begun[0].epochs.len()), (SleepTrigger::Idle, 3));
    rig.pass(Duration::from_hours(5)).await;
    assert_eq!(count(&rig, "sleep.started"), 1, "and not again for nothing");
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_memory_presses_sleeps_as_soon_as_it_is_quiet() {
    let (setup, _) = setup();
    let setup = setup.with(|setup| {
        let settings = by_itself(None);
        setup.sleep = Some(abide_engine::sleep::SleepSettings {
            tokens_max: 2_000,
            idle: Duration::from_hours(1),
            ..settings
        });
    });
    let rig = setup.start().await;
    rig.say(&"a long story ".repeat(100)).await;
    rig.pass(Duration::from_mins(2)).await;
    assert_eq!(count(&rig, "sleep.started"), 0);
    rig.say(&"a longer story ".repeat(120)).await;
    until_ended(&rig, 1).await;
    assert_eq!(begun(&rig)[0].trigger, SleepTrigger::Pressure);
}

#[tokio::test(start_paused = true)]
async fn without_settings_only_a_person_lets_an_agent_sleep() {
    let (setup, _) = setup();
    let rig = setup.start().await;
    for number in 0..20 {
        rig.say(&format!("message {number}")).await;
    }
    rig.pass(Duration::from_hours(50)).await;
    assert_eq!(count(&rig, "sleep.started"), 0);
}
